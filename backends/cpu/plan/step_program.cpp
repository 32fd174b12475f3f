// See step_program.h.
#include "backends/cpu/plan/step_program.h"

#include <algorithm>

#include "core/compose/compose.h"
#include "core/custom_calls/custom_call_library.h"
#include "core/custom_calls/custom_calls.h"
#include "core/element/horizontal_loop_fusion.h"
#include "core/ops/op.h"

namespace tessera::cpu {

const Instruction* fusionRootOf(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::Fusion) return &instruction;
  const std::vector<ComputationId> callees = module.callees(instruction);
  return callees.empty() ? nullptr : &module.at(module.at(callees[0]).root);
}

Result<ElementProgram> elementsOf(const Module& module, InstructionId id, WideFunctions wide) {
  TESSERA_ASSIGN_OR_RETURN(const ElementProgram composed, composeElement(module, id));
  ElementProgram program = expandApproximations(composed, wide);
  for (Shape& operand : program.operands) operand = withoutLayout(operand);
  return fuseLoopsHorizontally(std::move(program));
}

Result<LoopProgram> storesOf(const Module& module, InstructionId id, WideFunctions wide) {
  TESSERA_ASSIGN_OR_RETURN(LoopProgram program, composeLoops(module, id));
  for (Shape& operand : program.body.operands) operand = withoutLayout(operand);
  for (Shape& output : program.outputs) output = withoutLayout(output);
  return expandApproximations(program, wide);
}

bool isIdentity(const Module& module, const Instruction& instruction, const CustomCallLibrary* customCalls) {
  if (instruction.opcode == Opcode::Copy || instruction.opcode == Opcode::Reshape) return true;
  if (instruction.opcode != Opcode::CustomCall || instruction.operands.size() != 1) return false;
  const std::string target(instruction.attributes->textOr(Attr::custom_call_target, ""));
  if (customCalls && customCalls->has(target)) return false;
  const bool annotation =
      std::ranges::find(annotationTargets(), target, &CustomCallTarget::name) != annotationTargets().end();
  return annotation && compatible(module.shapeOf(instruction.operands[0]), *instruction.shape);
}

bool needsNoStep(Opcode opcode) {
  return opcode == Opcode::Parameter || opcode == Opcode::AfterAll || hasTrait(opcode, kPassesOn);
}

std::vector<int> resultSlots(const BufferAssignment& buffers, const Instruction& instruction) {
  std::vector<int> out;
  const size_t leaves = leavesOf(*instruction.shape).size();
  for (size_t leaf = 0; leaf < leaves; ++leaf) out.push_back(buffers.slotOf(instruction.id, leaf));
  return out;
}

std::vector<int> operandSlots(const Module& module, const BufferAssignment& buffers, const Instruction& instruction) {
  std::vector<int> out;
  for (InstructionId operand : instruction.operands) {
    const std::vector<int> slots = resultSlots(buffers, module.at(operand));
    out.insert(out.end(), slots.begin(), slots.end());
  }
  return out;
}

OutsideSlots::OutsideSlots(const Module& module, ComputationId inside, const std::vector<int>& operands) {
  for (InstructionId id : module.at(inside).instructions) {
    const Instruction& in = module.at(id);
    if (in.opcode == Opcode::Parameter)
      slots_[id.value] = operands[static_cast<size_t>(in.parameterNumber)];
    else if (in.opcode == Opcode::Bitcast && slots_.contains(in.operands[0].value))
      slots_[id.value] = slots_[in.operands[0].value];
  }
}

int OutsideSlots::of(InstructionId id) const {
  const auto at = slots_.find(id.value);
  return at == slots_.end() ? -1 : at->second;
}

}  // namespace tessera::cpu
