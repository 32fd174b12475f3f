// The verifier: everything that is wrong with a module beside its syntax. Module facts first, then each computation in
// the module's order, then inference; so the order is the same in every run. Works on a snapshot.
#include <algorithm>
#include <unordered_set>

#include "core/ops/inference/callgraph.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/instruction_checks.h"
#include "core/ops/inference/unfinished.h"
#include "core/ops/verify/verify_groups.h"
#include "core/ops/verify/verify_module.h"

namespace tessera {
namespace {

Diagnostic aboutComputation(const Module& module, const Computation& computation, std::string message,
                            std::string label) {
  Diagnostic d{.message = "%" + computation.name + " " + std::move(message), .label = std::move(label)};
  if (!computation.instructions.empty()) d.position = module.at(computation.instructions.front()).position;
  return d;
}

bool isCommonAttribute(Attr name) {
  switch (name) {
    case Attr::sharding:
    case Attr::frontend_attributes:
    case Attr::statistics:
    case Attr::parameter_replication:
    case Attr::control_predecessors:
    case Attr::origin:
    case Attr::backend_config: return true;
    default: return false;
  }
}

bool isChoice(std::string_view choices, std::string_view word) {
  while (!choices.empty()) {
    size_t end = std::min(choices.find(' '), choices.size());
    if (choices.substr(0, end) == word) return true;
    choices.remove_prefix(std::min(end + 1, choices.size()));
  }
  return false;
}

void checkChoice(const Instruction& instruction, const AttributeRow& row, const AttributeValue& value,
                 Diagnostics& out) {
  if (row.choices.empty()) return;
  auto refuse = [&](const std::string& word) {
    out.add(diagnosticAt(instruction,
                         instruction.reference() + " has an unknown value of " + std::string(nameOf(row.name)),
                         "attribute", "one of " + std::string(row.choices), word));
  };
  if (const auto* word = std::get_if<std::string>(&value); word && !isChoice(row.choices, *word)) refuse(*word);
  if (const auto* words = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& word : *words)
      if (!isChoice(row.choices, word)) refuse(word);
}

void checkKnownAttributes(const Instruction& instruction, Diagnostics& out) {
  for (const UnknownAttribute& unknown : instruction.attributes->unknown)
    out.add(
        diagnosticAt(instruction, instruction.reference() + " has an unknown attribute " + unknown.name, "attribute"));
  if (instruction.opcode == Opcode::Unknown) return;
  std::span<const AttributeRow> rows = attributeRowsOf(instruction.opcode);
  for (const Attribute& attribute : instruction.attributes->items()) {
    if (isCommonAttribute(attribute.name)) continue;
    auto row = std::ranges::find(rows, attribute.name, &AttributeRow::name);
    if (row == rows.end())
      out.add(diagnosticAt(
          instruction,
          std::string(instruction.opcodeName()) + " has no attribute " + std::string(nameOf(attribute.name)),
          "attribute"));
    else
      checkChoice(instruction, *row, attribute.value, out);
  }
}

void checkControlPredecessors(const Module& module, const Instruction& instruction, Diagnostics& out) {
  const auto* before = instruction.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors);
  if (!before) return;
  for (InstructionId id : *before)
    if (!module.contains(id) || module.at(id).computation != instruction.computation)
      out.add(diagnosticAt(instruction,
                           instruction.reference() + " waits for an instruction that is not in its computation",
                           "control-predecessors"));
}

void checkInstruction(const Module& module, const Instruction& instruction, Diagnostics& out) {
  if (instruction.opcode == Opcode::Unknown)
    out.add(diagnosticAt(instruction, "unknown opcode " + std::string(instruction.unknownOpcode), "opcode"));
  checkKnownAttributes(instruction, out);
  checkControlPredecessors(module, instruction, out);
  out.addAll(openPlaces(module, instruction));
}

void checkNames(const Module& module, const Computation& computation, Diagnostics& out) {
  std::unordered_set<std::string_view> names;
  for (InstructionId id : computation.instructions)
    if (!names.insert(module.at(id).name).second)
      out.add(
          diagnosticAt(module.at(id), module.at(id).reference() + " is defined twice in %" + computation.name, "name"));
}

void checkRoot(const Module& module, const Computation& computation, Diagnostics& out) {
  if (computation.instructions.empty())
    out.add(aboutComputation(module, computation, "is empty", kUnfinished));
  else if (!computation.root.valid() || !module.contains(computation.root))
    out.add(aboutComputation(module, computation, "has no root", "root"));
  else if (module.at(computation.root).computation != computation.id)
    out.add(aboutComputation(module, computation, "has a root in another computation", "root"));
}

// Parameters are numbered 0 … n-1, each number once.
void checkParameters(const Module& module, const Computation& computation, Diagnostics& out) {
  std::vector<InstructionId> parameters;
  for (InstructionId id : computation.instructions)
    if (module.at(id).opcode == Opcode::Parameter) parameters.push_back(id);
  std::vector<bool> seen(parameters.size(), false);
  for (InstructionId id : parameters) {
    const Instruction& parameter = module.at(id);
    const int64_t number = parameter.parameterNumber;
    const bool inRange = number >= 0 && number < static_cast<int64_t>(parameters.size());
    if (!inRange)
      out.add(diagnosticAt(parameter, "parameter numbers of %" + computation.name + " have a gap", "parameter",
                           "0 to " + std::to_string(parameters.size() - 1), std::to_string(number)));
    else if (seen[static_cast<size_t>(number)])
      out.add(diagnosticAt(parameter,
                           "parameter " + std::to_string(number) + " of %" + computation.name + " is there twice",
                           "parameter"));
    else
      seen[static_cast<size_t>(number)] = true;
  }
}

// is_scheduled: the order of instructions is the order of execution, so operands come first.
void checkSchedule(const Module& module, const Computation& computation, Diagnostics& out) {
  if (!module.config().isScheduled.value_or(false)) return;
  std::unordered_set<uint32_t> before;
  before.reserve(computation.instructions.size());
  for (InstructionId id : computation.instructions) {
    const Instruction& instruction = module.at(id);
    const auto follows = [&](InstructionId other, const char* what) {
      if (other.valid() && module.contains(other) && module.at(other).computation == computation.id &&
          !before.contains(other.value))
        out.add(diagnosticAt(
            instruction,
            instruction.reference() + " is scheduled before its " + what + " " + module.at(other).reference(),
            "schedule"));
    };
    for (InstructionId operand : instruction.operands) follows(operand, "operand");
    if (const auto* predecessors = instruction.attributes->get<std::vector<InstructionId>>(Attr::control_predecessors))
      for (InstructionId predecessor : *predecessors) follows(predecessor, "control predecessor");
    before.insert(id.value);
  }
}

void checkComputation(const Module& module, const Computation& computation, Diagnostics& out) {
  checkRoot(module, computation, out);
  checkNames(module, computation, out);
  checkParameters(module, computation, out);
  checkSchedule(module, computation, out);
  for (InstructionId id : computation.instructions) checkInstruction(module, module.at(id), out);
}

void checkCalls(const Module& module, Diagnostics& out) {
  const CallGraph graph(module);
  for (InstructionId id : graph.recursiveCalls())
    out.add(diagnosticAt(module.at(id),
                         module.at(id).reference() + " calls its own computation again; HLO has no recursion",
                         "recursion"));
}

void checkComputationNames(const Module& module, Diagnostics& out) {
  std::unordered_set<std::string_view> names;
  for (ComputationId id : module.order())
    if (!names.insert(module.at(id).name).second)
      out.add(aboutComputation(module, module.at(id), "is defined twice", "name"));
}

}  // namespace

Diagnostics verify(const Module& module) {
  Diagnostics out;
  verifyModuleFacts(module, out);
  checkComputationNames(module, out);
  for (ComputationId id : module.order()) checkComputation(module, module.at(id), out);
  checkCalls(module, out);
  verifyDevices(module, out);
  const UserTable users(module);
  verifyAsyncPairs(module, users, out);
  verifyFusions(module, users, out);
  verifyCalls(module, out);
  verifySendRecv(module, out);
  verifyTexts(module, out);
  verifyLayouts(module, out);
  Module snapshot = module;
  Diagnostics inferred = inferModule(snapshot);
  std::erase_if(inferred.items(),
                [](const Diagnostic& d) { return d.label == kUnfinished; });  // the first of each; all are said above
  out.addAll(std::move(inferred.items()));
  return out;
}

}  // namespace tessera
