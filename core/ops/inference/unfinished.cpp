// All from data: operands, attribute rows, and what inference says.
#include "core/ops/inference/unfinished.h"

#include <algorithm>
#include <array>

#include "core/ops/inference/infer.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

constexpr const char* kOnlyOperand = "operand";

bool isOpenInput(const Module& module, InstructionId operand) { return !operand.valid() || !module.contains(operand); }

}  // namespace

std::vector<Attr> openAttributes(const Instruction& instruction) {
  std::vector<Attr> out;
  for (Attr name : requiredAttributesOf(instruction.opcode))
    if (!instruction.attributes->has(name)) out.push_back(name);
  return out;
}

Diagnostic openInput(const Instruction& instruction, size_t operand) {
  const OpDef* op = findOp(instruction.opcode);
  const bool known = op && operand < op->operands.size() && op->operands[operand].name != kOnlyOperand;
  const std::string what = known ? " (" + std::string(op->operands[operand].name) + ")" : std::string();
  return diagnosticAt(instruction,
                      "operand " + std::to_string(operand) + what + " of " + instruction.reference() + " is open",
                      kUnfinished);
}

Diagnostic openAttribute(const Instruction& instruction, Attr name) {
  return diagnosticAt(instruction, instruction.reference() + " lacks the attribute " + std::string(nameOf(name)),
                      kUnfinished, std::string(nameOf(name)) + "=…");
}

std::vector<Diagnostic> openPlaces(const Module& module, const Instruction& instruction) {
  std::vector<Diagnostic> out;
  for (size_t k = 0; k < instruction.operands.size(); ++k)
    if (isOpenInput(module, instruction.operands[k])) out.push_back(openInput(instruction, k));
  for (Attr name : openAttributes(instruction)) out.push_back(openAttribute(instruction, name));
  return out;
}

void leaveOutLacking(Diagnostics& found, const Diagnostics& read) {
  std::erase_if(found.items(), [&](const Diagnostic& open) {
    return open.label == kUnfinished && std::ranges::any_of(read.items(), [&](const Diagnostic& lacking) {
             return lacking.label == "attribute" && lacking.instruction == open.instruction &&
                    lacking.expected == open.expected;
           });
  });
}

bool lacksShape(const Module& module, InstructionId id) {
  const Instruction& instruction = module.at(id);
  if (instruction.shapeWritten || instruction.opcode == Opcode::Parameter || instruction.opcode == Opcode::Constant)
    return false;
  return !inferInstruction(module, id);
}

Shape standInShape(const Module& module, std::span<const InstructionId> operands) {
  Shape shape = Shape::array(ElementType::F32, {});
  if (!operands.empty() && !isOpenInput(module, operands[0])) shape = module.shapeOf(operands[0]);
  fillDefaultLayouts(shape);
  return shape;
}

bool isUnfinished(const Module& module) {
  if (!module.contains(module.entry()) || module.entryComputation().instructions.empty()) return true;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (!openPlaces(module, module.at(id)).empty() || lacksShape(module, id)) return true;
  return false;
}

}  // namespace tessera
