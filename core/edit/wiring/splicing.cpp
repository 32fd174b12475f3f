// See splicing.h. Whether a value fits is asked of wiring.h, so every way that a hand has is a way here.
#include "core/edit/wiring/splicing.h"

#include <algorithm>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"
#include "core/edit/wiring/wiring.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

std::string nameIn(const Module& module, InstructionId id) { return std::string(module.at(id).name); }

// A value typed into an input: a constant or iota, or one broadcast.
bool isTypedValue(const Module& module, InstructionId id) {
  for (int depth = 0; depth < 2 && id.valid() && module.contains(id); ++depth) {
    const Instruction& instruction = module.at(id);
    if (instruction.opcode == Opcode::Constant || instruction.opcode == Opcode::Iota) return true;
    if (instruction.opcode != Opcode::Broadcast || instruction.operands.size() != 1) return false;
    id = instruction.operands[0];
  }
  return false;
}

// Every input of a computation that reads a value.
std::vector<InputSpot> readersOf(const Module& module, InstructionId value) {
  std::vector<InputSpot> out;
  for (InstructionId user : module.at(module.at(value).computation).instructions) {
    const auto& operands = module.at(user).operands;
    for (size_t k = 0; k < operands.size(); ++k)
      if (operands[k] == value) out.emplace_back(user, static_cast<int32_t>(k));
  }
  return out;
}

}  // namespace

InstructionId passedOn(const Module& module, InstructionId node) {
  for (InstructionId operand : module.at(node).operands)
    if (operand.valid() && module.contains(operand) &&
        sameIgnoringLayout(module.shapeOf(operand), module.shapeOf(node)))
      return operand;
  return {};
}

Result<Edit> inserting(const Module& module, InstructionId node, InputSpot wire) {
  const auto [user, operand] = wire;
  if (!module.contains(node) || !module.contains(user) || operand < 0 ||
      static_cast<size_t>(operand) >= module.at(user).operands.size())
    return fail("there is no such wire");
  const InstructionId value = module.at(user).operands[static_cast<size_t>(operand)];
  if (!value.valid()) return refuse(module, user, "the input has no wire");
  if (node == user || node == value) return refuse(module, node, "the wire is its own");
  if (module.at(node).computation != module.at(user).computation)
    return refuse(module, node, "this is in another computation");
  const int32_t input = firstFittingInput(module, value, node);
  if (input < 0)
    return refuse(module, node, "%" + nameIn(module, node) + " takes no " + toString(module.shapeOf(value), false));
  Edit edit = fitOf(module, value, node, input).ways.front().edit;
  edit.actions.push_back(SetOperand{user, operand, node});
  edit.title = "Insert " + nameIn(module, node);
  TESSERA_ASSIGN_OR_RETURN(const EditResult done, apply(module, edit));  // the node's own shape is another one now
  for (const Diagnostic& d : done.diagnostics.items())
    if (d.instruction == user && d.severity == Severity::Error && d.label != kUnfinished) return std::unexpected(d);
  return edit;
}

Result<Edit> pullingOut(const Module& module, InstructionId node) {
  if (!module.contains(node)) return fail("there is no such instruction");
  const InstructionId heir = passedOn(module, node);
  Edit edit{"Pull out " + nameIn(module, node), {}};
  for (const auto& [user, operand] : readersOf(module, node)) edit.actions.push_back(SetOperand{user, operand, heir});
  if (heir.valid() && module.at(module.at(node).computation).root == node) edit.actions.push_back(SetRoot{heir});
  const auto& operands = module.at(node).operands;
  for (size_t k = 0; k < operands.size(); ++k)
    if (operands[k].valid() && !isTypedValue(module, operands[k]))
      edit.actions.push_back(SetOperand{node, static_cast<int32_t>(k), {}});
  if (edit.actions.empty()) return refuse(module, node, "it has no wires");
  return edit;
}

Edit cutting(const Module& module, std::span<const InputSpot> inputs) {
  Edit edit{inputs.size() == 1 ? "Cut a wire" : "Cut wires", {}};
  for (const auto& [user, operand] : inputs) {
    if (!module.contains(user) || operand < 0 || static_cast<size_t>(operand) >= module.at(user).operands.size())
      continue;
    if (module.at(user).operands[static_cast<size_t>(operand)].valid())
      edit.actions.push_back(SetOperand{user, operand, {}});
  }
  return edit;
}

std::pair<int32_t, int32_t> swappableInputs(const Module& module, InstructionId node) {
  const auto shapes = operandShapes(module, module.at(node));
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t j = i + 1; j < shapes.size(); ++j)
      if (shapes[i] && shapes[j] && sameIgnoringLayout(*shapes[i], *shapes[j]))
        return {static_cast<int32_t>(i), static_cast<int32_t>(j)};
  return {0, 1};
}

Result<Edit> swapping(const Module& module, InstructionId node, int32_t first, int32_t second) {
  if (!module.contains(node)) return fail("there is no such instruction");
  const auto& operands = module.at(node).operands;
  const auto count = static_cast<int32_t>(operands.size());
  if (first < 0 || second < 0 || first >= count || second >= count || first == second)
    return refuse(module, node, "it has no two inputs to swap");
  const InstructionId a = operands[static_cast<size_t>(first)], b = operands[static_cast<size_t>(second)];
  return Edit{"Swap inputs of " + nameIn(module, node), {SetOperand{node, first, b}, SetOperand{node, second, a}}};
}

Module withoutMuted(const Module& module, std::span<const InstructionId> muted) {
  Module copy = module;
  Performer performer(copy);
  for (InstructionId id : muted) {
    if (!copy.contains(id)) continue;
    const InstructionId heir = passedOn(copy, id);
    if (!heir.valid()) continue;
    bool done = true;
    for (const auto& [user, operand] : readersOf(copy, id))
      done = performer(SetOperand{user, operand, heir}).has_value() && done;
    if (done && copy.at(copy.at(id).computation).root == id) copy.setRoot(copy.at(id).computation, heir);
  }
  return copy;
}

}  // namespace tessera
