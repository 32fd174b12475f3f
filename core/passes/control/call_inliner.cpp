// Call inlining. A composite call is inlined like any other: its computation says what it means. So is a fusion of the
// source: it was cut for another machine, and our own fusion pass starts from single instructions.
#include "core/passes/control/call_inliner.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/passes/rewriter.h"

namespace tessera {
namespace {

constexpr double kMaxInlinedInstructions = 4e6;

using IsInlined = bool (*)(const Instruction& in);
bool isCall(const Instruction& in) { return in.opcode == Opcode::Call; }
bool isCallOrFusion(const Instruction& in) { return isCall(in) || in.opcode == Opcode::Fusion; }

// Counted before anything is made: a chain of computations that call each other twice doubles at each.
Status checkSizes(const Module& module, IsInlined isInlined) {
  std::unordered_map<uint32_t, double> sizes;
  double sum = 0;
  for (ComputationId computation : module.order()) {
    double size = 0;
    for (InstructionId id : module.at(computation).instructions) {
      const Instruction& in = module.at(id);
      double own = 1;
      if (isInlined(in))
        for (ComputationId callee : module.callees(in))
          if (const auto known = sizes.find(callee.value); known != sizes.end()) own = known->second;
      size += own;
    }
    sizes[computation.value] = size;
    sum += size;
    if (sum > kMaxInlinedInstructions)
      return fail(fmt::format("inlining what %{} calls makes more than {:.0f} instructions",
                              module.at(computation).name, kMaxInlinedInstructions));
  }
  return {};
}

bool hasBitcasts(const Module& module, ComputationId computation) {
  return std::ranges::any_of(module.at(computation).instructions,
                             [&](InstructionId id) { return module.at(id).opcode == Opcode::Bitcast; });
}

// The value in the layout that the other side of the call gave it: a bitcast there sees its memory.
InstructionId inLayoutOf(Rewriter& rewriter, ComputationId home, InstructionId value, Shape wanted) {
  const Shape& shape = rewriter.module().shapeOf(value);
  if (!shape.layout || !wanted.layout || shape.layout->minorToMajor == wanted.layout->minorToMajor) return value;
  return rewriter.add(home, Opcode::Copy, wanted, {&value, 1}, {}, {&value, 1});
}

// isSeen: the caller has bitcasts.
Status inlineOne(Rewriter& rewriter, InstructionId call, bool isSeen) {
  Module& module = rewriter.module();
  const Instruction site = module.at(call);
  const std::vector<ComputationId> callees = module.callees(site);
  if (callees.size() != 1) return fail(fmt::format("call %{} names no computation", site.name));
  const Computation& callee = module.at(callees[0]);
  if (callee.parameters.size() != site.operands.size())
    return fail(fmt::format("call %{} has {} operands, %{} takes {}", site.name, site.operands.size(), callee.name,
                            callee.parameters.size()));
  std::unordered_map<uint32_t, InstructionId> map;
  const bool seesMemory = hasBitcasts(module, callee.id);
  for (size_t i = 0; i < site.operands.size(); ++i) {
    const InstructionId operand = rewriter.resolve(site.operands[i]);
    map[callee.parameters[i].value] =
        seesMemory ? inLayoutOf(rewriter, site.computation, operand, module.shapeOf(callee.parameters[i])) : operand;
  }
  std::vector<InstructionId> operands;
  for (InstructionId id : callee.instructions) {
    if (map.contains(id.value)) continue;
    operands.clear();
    for (InstructionId operand : module.at(id).operands) operands.push_back(map.at(operand.value));
    map[id.value] = rewriter.clone(id, site.computation, operands);
  }
  const InstructionId root = map.at(callee.root.value);
  rewriter.replace(call, isSeen ? inLayoutOf(rewriter, site.computation, root, *site.shape) : root);
  return {};
}

Result<bool> inlineAll(Module& module, IsInlined isInlined) {
  TESSERA_TRY(checkSizes(module, isInlined));
  bool changed = false;
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    std::vector<InstructionId> calls;
    for (InstructionId id : module.at(computation).instructions)
      if (isInlined(module.at(id))) calls.push_back(id);
    if (calls.empty()) continue;
    Rewriter rewriter(module, "inline-calls");
    const bool isSeen = hasBitcasts(module, computation);
    for (InstructionId call : calls) TESSERA_TRY(inlineOne(rewriter, call, isSeen));
    TESSERA_ASSIGN_OR_RETURN(bool one, rewriter.finish());
    changed |= one;
  }
  if (changed) TESSERA_TRY(restoreComputationOrder(module));
  return changed;
}

}  // namespace

Result<bool> inlineCalls(Module& module) { return inlineAll(module, isCallOrFusion); }
Result<bool> inlineCallsAlone(Module& module) { return inlineAll(module, isCall); }

}  // namespace tessera
