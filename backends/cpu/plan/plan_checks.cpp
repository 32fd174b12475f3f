// See plan_checks.h.
#include "backends/cpu/plan/plan_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/alias_scopes.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/passes/rewriter.h"

namespace tessera::cpu {

std::unexpected<Diagnostic> unsupported(const Instruction& instruction, std::string why) {
  return fail(placedAt(instruction, {.kind = ErrorKind::Unsupported,
                                     .message = fmt::format("the cpu backend cannot run {} ({}): {}", instruction.name,
                                                            instruction.opcodeName(), why)}));
}

Status checkAliasing(const Instruction& instruction, const LoopProgram& program, std::span<const int> slots) {
  const size_t operands = program.body.operands.size();
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    const int result = slots[operands + k];
    for (size_t i = 0; i < operands; ++i)
      if (slots[i] == result && !codegen::outputMayAliasOperand(program, k, i))
        return fail(fmt::format("{}: result {} shares a slot with operand {}, which its kernel assumes not to alias",
                                instruction.name, k, i));
    if (std::ranges::count(slots.subspan(operands), result) > 1)
      return fail(fmt::format("{}: result {} shares a slot with another", instruction.name, k));
  }
  return {};
}

bool usesNonTemporalStores(const LoopProgram& program, std::span<const int> slots, int64_t cacheBytes) {
  const auto operands = slots.first(slots.size() - program.outputs.size()),
             results = slots.last(program.outputs.size());
  return std::ranges::all_of(program.outputs,
                             [&](const Shape& output) { return output.denseBytes().value_or(0) >= cacheBytes; }) &&
         std::ranges::none_of(results, [&](int slot) { return std::ranges::find(operands, slot) != operands.end(); });
}

bool isUsersCall(const Instruction& instruction, const CustomCallLibrary* library) {
  return instruction.opcode == Opcode::CustomCall && library &&
         library->has(std::string(instruction.attributes->textOr(Attr::custom_call_target, "")));
}

bool runsByEvaluate(const OpDef& op) {
  return op.evaluate && (op.kind == ExecutionKind::Library || op.kind == ExecutionKind::Effect);
}

Status checkStaticShapes(const Module& module) {
  for (ComputationId computation : controlComputations(module))
    for (InstructionId id : module.at(computation).instructions)
      for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(id)))
        if (leaf.shape->hasDynamicDimensions()) return unsupported(module.at(id), "dynamic dimensions");
  return {};
}

}  // namespace tessera::cpu
