// Checks in front of inference, the same for every opcode; all from data (arity, attribute rows).
#include "core/ops/inference/instruction_checks.h"

#include "core/ops/inference/unfinished.h"
#include "core/ops/op.h"

namespace tessera {
namespace {

std::string counted(size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

}  // namespace

Diagnostic diagnosticAt(const Instruction& instruction, std::string message, std::string constraint,
                        std::string expected, std::string found) {
  return placedAt(instruction, {.message = std::move(message),
                                .label = std::move(constraint),
                                .expected = std::move(expected),
                                .found = std::move(found)});
}

Diagnostic cycleDiagnostic(const Module& module, ComputationId computation, Diagnostic d) {
  d.label = "dominance";
  d.message = "in %" + module.at(computation).name + ": " + d.message;
  if (!module.at(computation).instructions.empty() && !d.instruction.valid()) {
    const Instruction& first = module.at(module.at(computation).instructions.front());
    if (d.position.line == 0) d.position = first.position;
  }
  return d;
}

Status checkOperands(const Module& module, const Instruction& instruction) {
  const int arity = instruction.opcode == Opcode::Unknown ? -1 : arityOf(instruction.opcode);
  if (arity >= 0 && instruction.operands.size() != static_cast<size_t>(arity))
    return std::unexpected(diagnosticAt(instruction, instruction.reference() + " has the wrong number of operands",
                                        "arity", counted(static_cast<size_t>(arity), "operand"),
                                        std::to_string(instruction.operands.size())));
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    InstructionId operand = instruction.operands[i];
    if (!operand.valid() || !module.contains(operand)) return std::unexpected(openInput(instruction, i));
    if (module.at(operand).computation != instruction.computation)
      return std::unexpected(diagnosticAt(
          instruction,
          instruction.reference() + " reads %" + std::string(module.at(operand).name) + " of another computation",
          "dominance"));
  }
  return {};
}

Status checkAttributes(const Module& module, const Instruction& instruction) {
  for (const AttributeRow& row : attributeRowsOf(instruction.opcode))
    if (row.required && !instruction.attributes->has(row.name))
      return std::unexpected(openAttribute(instruction, row.name));
  for (ComputationId callee : module.callees(instruction))
    if (!module.contains(callee))
      return std::unexpected(
          diagnosticAt(instruction, instruction.reference() + " calls a computation that is not there", "callee"));
  return {};
}

}  // namespace tessera
