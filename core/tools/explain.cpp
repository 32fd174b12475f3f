// Gathers from the dimension relations (reasons), the op's definition (words) and its element form (loops and reads).
#include "core/tools/explain.h"

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/compose/compose.h"
#include "core/element/trace_reads.h"
#include "core/formats/hlo_text.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_reasons.h"

namespace tessera {
namespace {

std::string_view wordsOf(ExecutionKind kind) {
  switch (kind) {
    case ExecutionKind::Element: return "each output element is computed from input elements";
    case ExecutionKind::Loops: return "stores over an iteration space";
    case ExecutionKind::Structure: return "no code: it only names or groups values";
    case ExecutionKind::Control: return "runs other computations";
    case ExecutionKind::Library: return "a library routine of the backend";
    case ExecutionKind::Effect: return "an effect beside its value";
  }
  return "";
}

// The buffers of the loop nest in its order: operands, tuples by leaves.
std::vector<std::string> bufferNames(const Module& module, const Instruction& instruction) {
  std::vector<std::string> out;
  for (InstructionId operand : instruction.operands) {
    const std::string name = module.at(operand).reference();
    for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(operand)))
      out.push_back(leaf.index.empty() ? name : fmt::format("{}{{{}}}", name, fmt::join(leaf.index, ",")));
  }
  return out;
}

Status chooseIndex(const std::vector<int64_t>& dims, const std::optional<std::vector<int64_t>>& wanted,
                   Explanation& out) {
  if (!wanted) {
    for (int64_t size : dims) out.outputIndex.push_back(size / 2);
    return {};
  }
  if (wanted->size() != dims.size())
    return fail(ErrorKind::Usage, fmt::format("--index needs {} numbers, found {}", dims.size(), wanted->size()));
  for (size_t d = 0; d < dims.size(); ++d)
    if ((*wanted)[d] < 0 || (*wanted)[d] >= dims[d])
      return fail(ErrorKind::Usage,
                  fmt::format("index {} of dimension {} is outside 0 … {}", (*wanted)[d], d, dims[d] - 1));
  out.outputIndex = *wanted;
  return {};
}

Status traceInto(const ElementProgram& program, const std::optional<std::vector<int64_t>>& index, Explanation& out) {
  for (int64_t size : program.outputDims)
    if (size <= 0) return {};
  TESSERA_TRY(chooseIndex(program.outputDims, index, out));
  const auto reads = traceReads(program, out.outputIndex, kMaxReads + 1);
  out.moreReads = reads.size() > kMaxReads;
  for (size_t i = 0; i < std::min(reads.size(), kMaxReads); ++i) {
    const size_t operand = reads[i].operand;
    out.reads.push_back(
        fmt::format("{}[{}]", operand < out.buffers.size() ? out.buffers[operand] : fmt::format("operand{}", operand),
                    fmt::join(reads[i].index, ", ")));
  }
  return {};
}

// Does the instruction, or the root of the fusion that it is, store over an iteration space?
bool hasLoops(const Module& module, const Instruction& instruction) {
  const auto callees = module.callees(instruction);
  const bool fusion = instruction.opcode == Opcode::Fusion && callees.size() == 1 && module.at(callees[0]).root.valid();
  const OpDef* op = findOp(fusion ? module.at(module.at(callees[0]).root).opcode : instruction.opcode);
  return op && op->loops;
}

// The element form if there is one, else the loops, else why not.
Status describeLoops(const Module& module, InstructionId id, const std::optional<std::vector<int64_t>>& index,
                     Explanation& out) {
  const auto element = composeElement(module, id);
  if (element) {
    out.loopNest = toString(*element);
    return traceInto(*element, index, out);
  }
  if (!hasLoops(module, module.at(id))) {
    out.without = element.error().message;
    return {};
  }
  const auto loops = composeLoops(module, id);
  if (!loops) {
    out.without = loops.error().message;
    return {};
  }
  out.loopNest = toString(*loops);
  return traceInto(loops->body, index, out);
}

}  // namespace

Result<Explanation> explain(const Module& module, InstructionId id, const std::optional<std::vector<int64_t>>& index) {
  const Instruction& instruction = module.at(id);
  const OpDef* op = findOp(instruction.opcode);
  Explanation out;
  out.text = printInstruction(module, id);
  out.summary = op ? std::string(op->summary) : "";
  out.kind = op ? std::string(wordsOf(op->kind)) : "not known to this version";
  out.shape = toString(*instruction.shape);
  out.reasons = dimensionReasons(module, id);
  out.buffers = bufferNames(module, instruction);
  if (op && (op->element || op->loops || instruction.opcode == Opcode::Fusion))
    TESSERA_TRY(describeLoops(module, id, index, out));
  else
    out.without = "it has no loops of its own";
  const UserTable users(module);
  for (InstructionId user : users.users(id)) out.users.push_back(module.at(user).reference());
  return out;
}

}  // namespace tessera
