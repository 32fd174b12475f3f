// See interpret.h.
#include "core/element/interpret.h"

#include "core/element/program_runner.h"

namespace tessera {
namespace {

std::optional<int64_t> offsetIn(std::span<const int64_t> dims, std::span<const int64_t> indices) {
  int64_t offset = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (indices[d] < 0 || indices[d] >= dims[d]) return std::nullopt;
    offset = offset * dims[d] + indices[d];
  }
  return offset;
}

Status checkOperands(const ElementProgram& program, std::span<const Literal> operands) {
  if (operands.size() != program.operands.size()) return fail("the program takes another number of operands");
  for (size_t i = 0; i < operands.size(); ++i)
    if (!compatible(operands[i].shape(), program.operands[i]))
      return fail("operand " + std::to_string(i) + " has shape " + toString(operands[i].shape(), false) + ", not " +
                  toString(program.operands[i], false));
  return {};
}

// Memory of one interpretation.
struct Memory {
  const ElementProgram& program;
  std::span<const Literal> operands;
  std::vector<Literal>* outputs;
  Status status;

  ProgramRunner::Value read(const Node& node, std::span<const int64_t> indices) {
    const Literal& from = node.op == NodeOp::ReadOutput ? (*outputs)[node.bits0] : operands[node.bits0];
    const auto offset = offsetIn(from.shape().dimensions, indices);
    if (!offset) {
      status = fail("a read of operand " + std::to_string(node.bits0) + " is out of bounds");
      return ScalarBits{};
    }
    return scalarFromBytes(node.type, from.bytes().data() + *offset * byteWidth(node.type));
  }
};

ProgramRunner runnerOf(Memory& memory) {
  return ProgramRunner(
      memory.program, [&memory](const Node& node, std::span<const int64_t> at, bool) { return memory.read(node, at); },
      [&memory](const Node& node) -> ProgramRunner::Value {
        return ScalarBits{static_cast<uint64_t>(memory.operands[node.bits0].shape().dimensions[node.bits1]), 0};
      });
}

bool isEmpty(std::span<const int64_t> dims) {
  for (int64_t d : dims)
    if (d == 0) return true;
  return false;
}

void storeResult(Literal& into, int64_t offset, const ProgramRunner& runner, NodeId value) {
  const ElementType type = into.shape().type;
  scalarToBytes(type, *runner.valueOf(value), into.mutableBytes().data() + offset * byteWidth(type));
}

// A copy with a buffer of its own.
Result<Literal> ownCopy(const Shape& shape, const Literal& from) { return Literal::fromBytes(shape, from.bytes()); }

Result<std::vector<Literal>> startOutputs(const LoopProgram& program, std::span<const Literal> operands) {
  std::vector<Literal> out;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const int64_t initial = program.initialOperand[i];
    TESSERA_ASSIGN_OR_RETURN(Literal literal,
                             initial < 0 ? Literal::zeros(program.outputs[i])
                                         : ownCopy(program.outputs[i], operands[static_cast<size_t>(initial)]));
    out.push_back(std::move(literal));
  }
  return out;
}

Status runStore(const Store& store, const ProgramRunner& runner, Literal& output) {
  if (store.guard.valid() && !runner.valueOf(store.guard)->low) return {};
  std::vector<int64_t> at;
  for (NodeId id : store.indices) at.push_back(*runner.indexOf(id));
  const auto offset = offsetIn(output.shape().dimensions, at);
  if (!offset) return fail("a store to output " + std::to_string(store.output) + " is out of bounds");
  storeResult(output, *offset, runner, store.value);
  return {};
}

}  // namespace

Result<std::vector<Literal>> interpret(const ElementProgram& program, std::span<const Literal> operands) {
  TESSERA_TRY(checkOperands(program, operands));
  std::vector<Literal> out;
  for (NodeId id : program.results) {
    TESSERA_ASSIGN_OR_RETURN(Literal literal,
                             Literal::zeros(Shape::arrayRowMajor(program.at(id).type, program.outputDims)));
    out.push_back(std::move(literal));
  }
  if (isEmpty(program.outputDims)) return out;
  Memory memory{program, operands, nullptr, {}};
  ProgramRunner runner = runnerOf(memory);
  std::vector<int64_t> index(program.outputDims.size());
  int64_t offset = 0;
  do {
    runner.run(index);
    TESSERA_TRY(memory.status);
    for (size_t r = 0; r < out.size(); ++r) storeResult(out[r], offset, runner, program.results[r]);
    ++offset;
  } while (nextIndex(index, program.outputDims));
  return out;
}

Result<std::vector<Literal>> interpret(const LoopProgram& program, std::span<const Literal> operands) {
  TESSERA_TRY(checkOperands(program.body, operands));
  TESSERA_ASSIGN_OR_RETURN(std::vector<Literal> out, startOutputs(program, operands));
  if (isEmpty(program.body.outputDims)) return out;
  Memory memory{program.body, operands, &out, {}};
  ProgramRunner runner = runnerOf(memory);
  std::vector<int64_t> index(program.body.outputDims.size());
  do {
    runner.run(index);
    TESSERA_TRY(memory.status);
    // All values of an iteration are computed before its first store.
    for (const Store& store : program.stores) TESSERA_TRY(runStore(store, runner, out[store.output]));
  } while (nextIndex(index, program.body.outputDims));
  return out;
}

}  // namespace tessera
