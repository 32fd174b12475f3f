// The actions that make and take away: instructions with their names and numbers, reducers, removal with healing.
#include <algorithm>
#include <unordered_set>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"
#include "core/edit/shared_scope.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

constexpr size_t kMaxOperands = 4096;

bool isReducer(const Module& module, ComputationId id, const AddReducer& wanted) {
  const Computation& computation = module.at(id);
  if (!computation.root.valid() || computation.parameters.size() != 2) return false;
  const Instruction& root = module.at(computation.root);
  return root.opcode == wanted.opcode && root.shape->isArray() && root.shape->type == wanted.type &&
         root.shape->dimensions.empty();
}

}  // namespace

std::string freeName(const Module& module, const std::string& stem) {
  std::unordered_set<std::string_view> taken;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (module.at(id).name.starts_with(stem)) taken.insert(module.at(id).name);
  std::string name = stem;
  for (size_t k = 1; taken.contains(name); ++k) name = stem + "." + std::to_string(k);
  return name;
}

Module emptyModule() {
  Module module("untitled");
  module.setEntry(module.addComputation("main"));
  return module;
}

Result<Instruction> Performer::newInstructionFrom(const AddInstruction& action) const {
  Instruction made;
  made.opcode = action.opcode;
  made.shapeWritten = false;
  if (action.opcode == Opcode::Parameter)
    made.parameterNumber = static_cast<int32_t>(module_.at(action.computation).parameters.size());
  if (action.opcode == Opcode::Constant) {
    if (!action.shape) return fail("a constant needs its shape");
    TESSERA_ASSIGN_OR_RETURN(Literal literal, parseLiteral(action.literal, *action.shape));
    made.literal = std::make_shared<const Literal>(std::move(literal));
  }
  return made;
}

// What inference gives where nothing is written yet: an operation that keeps a written type, as dot does, would keep
// that of the stand-in.
void Performer::takeOwnShape(InstructionId id, Shape standIn) {
  Shape nothing;
  nothing.type = ElementType::Invalid;
  module_.setShape(id, std::move(nothing));
  auto inferred = inferInstruction(module_, id);
  const bool known = inferred && inferred->type != ElementType::Invalid;
  Shape shape = known ? *std::move(inferred) : std::move(standIn);
  fillDefaultLayouts(shape);
  module_.setShape(id, std::move(shape));
}

// Inputs of the program and constants are in none.
const Metadata* Performer::scopeOf(const AddInstruction& action, std::vector<InstructionId> operands) const {
  std::vector<InstructionId> members = action.among.empty() ? std::move(operands) : action.among;
  std::erase_if(members, [this](InstructionId id) {
    const Opcode opcode = module_.contains(id) ? module_.at(id).opcode : Opcode::Parameter;
    return opcode == Opcode::Parameter || opcode == Opcode::Constant;
  });
  return sharedScope(module_, members, action.name.empty() ? std::string(nameOf(action.opcode)) : action.name);
}

Status Performer::operator()(const AddInstruction& action) {
  if (!module_.contains(action.computation)) return fail("there is no such computation");
  if (action.opcode == Opcode::Unknown) return fail("there is no such operation");
  if (action.opcode == Opcode::Parameter && action.computation != module_.entry())
    return fail("a called computation has the parameters that its callers give");
  const auto arity = static_cast<int64_t>(arityOf(action.opcode));
  if (action.operands.size() > kMaxOperands || (arity >= 0 && static_cast<int64_t>(action.operands.size()) != arity))
    return fail(std::string(nameOf(action.opcode)) + " has another number of operands");
  std::vector<InstructionId> operands;
  for (InstructionId operand : action.operands) {
    TESSERA_ASSIGN_OR_RETURN(operand, operandIn(action.computation, operand));
    operands.push_back(operand);
  }
  TESSERA_ASSIGN_OR_RETURN(Instruction made, newInstructionFrom(action));
  Shape shape = action.shape ? *action.shape : standInShape(module_, operands);  // until inference says better
  fillDefaultLayouts(shape);
  const std::string name = freeName(module_, action.name.empty() ? std::string(nameOf(action.opcode)) : action.name);
  made.name = name;
  made.operands = operands;
  made.metadata = scopeOf(action, operands);
  const InstructionId id = module_.add(action.computation, std::move(made), shape);
  added_.push_back(id);
  TESSERA_TRY(readAttributes(id, action.attributes));
  fillAttributes(id);
  if (!action.shape) takeOwnShape(id, std::move(shape));
  if (!module_.at(action.computation).root.valid()) module_.setRoot(action.computation, id);
  seed(id);
  return {};
}

Status Performer::operator()(const AddReducer& action) {
  if (action.opcode == Opcode::Unknown || arityOf(action.opcode) != 2) return fail("a reducer takes two values");
  if (const auto there = module_.findComputation(action.name)) {
    if (isReducer(module_, *there, action)) return {};
    return fail("there is another computation named " + action.name);
  }
  const Shape scalar = Shape::array(action.type, {});
  const ComputationId id = module_.addComputation(action.name);
  std::vector<InstructionId> parameters;
  for (int32_t k = 0; k < 2; ++k) {
    Instruction parameter;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = k;
    const std::string name = freeName(module_, k ? "y" : "x");
    parameter.name = name;
    parameters.push_back(module_.add(id, std::move(parameter), scalar));
  }
  Instruction root;
  root.opcode = action.opcode;
  const std::string name = freeName(module_, std::string(nameOf(action.opcode)));
  root.name = name;
  root.operands = parameters;
  module_.setRoot(id, module_.add(id, std::move(root), scalar));
  std::vector<ComputationId> order = module_.order();  // callees stand first
  std::rotate(order.begin(), order.end() - 1, order.end());
  module_.setOrder(std::move(order));
  return {};
}

Status Performer::operator()(const RemoveInstruction& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  const Instruction& instruction = module_.at(id);
  const ComputationId computation = instruction.computation;
  if (instruction.opcode == Opcode::Parameter && computation != module_.entry())
    return refuse(module_, id, "a called computation has the parameters that its callers give");
  const bool called = computation != module_.entry();
  if (called && module_.at(computation).instructions.size() == 1)
    return refuse(module_, id, "a called computation must give something");
  InstructionId heir;
  for (InstructionId operand : instruction.operands)
    if (!heir.valid() && module_.contains(operand) && sameIgnoringLayout(module_.shapeOf(operand), *instruction.shape))
      heir = operand;
  heal(id, heir);
  if (instruction.opcode == Opcode::Parameter) renumberParametersBehind(id);
  const bool wasRoot = module_.at(computation).root == id;
  module_.remove(id);
  touch(id);
  if (!wasRoot) return {};
  const auto& left = module_.at(computation).instructions;
  module_.setRoot(computation, heir.valid() ? heir : left.empty() ? InstructionId() : left.back());
  if (module_.at(computation).root.valid()) seed(module_.at(computation).root);
  return {};
}

void Performer::heal(InstructionId removed, InstructionId by) {
  for (InstructionId user : module_.at(module_.at(removed).computation).instructions) {
    const Instruction& instruction = module_.at(user);
    if (std::ranges::find(instruction.operands, removed) != instruction.operands.end()) {
      std::vector<InstructionId> operands(instruction.operands.begin(), instruction.operands.end());
      std::ranges::replace(operands, removed, by);
      module_.setOperands(user, operands);
      seed(user);
    }
    AttributeSet attributes = *module_.at(user).attributes;
    bool changed = false;
    for (const Attribute& each : module_.at(user).attributes->items()) {
      const auto* others = std::get_if<std::vector<InstructionId>>(&each.value);  // control predecessors
      if (!others || std::ranges::find(*others, removed) == others->end()) continue;
      std::vector<InstructionId> left = *others;
      std::erase(left, removed);
      changed = true;
      if (left.empty())
        attributes.remove(each.name);
      else
        attributes.set(each.name, std::move(left));
    }
    if (changed) module_.setAttributes(user, std::move(attributes));
  }
}

// Parameters are counted without gaps; aliases and donors follow their numbers.
void Performer::renumberParametersBehind(InstructionId removed) {
  const int32_t number = module_.at(removed).parameterNumber;
  Computation& owner = module_.edit(module_.at(removed).computation);
  if (number < 0 || static_cast<size_t>(number) >= owner.parameters.size()) return;
  owner.parameters.erase(owner.parameters.begin() + number);
  for (size_t i = static_cast<size_t>(number); i < owner.parameters.size(); ++i)
    if (owner.parameters[i].valid()) module_.edit(owner.parameters[i]).parameterNumber = static_cast<int32_t>(i);
  ModuleConfig config = module_.config();
  const auto follow = [number](auto& entries) {
    std::erase_if(entries, [&](const auto& entry) { return entry.parameter == number; });
    for (auto& entry : entries)
      if (entry.parameter > number) --entry.parameter;
  };
  follow(config.inputOutputAlias);
  follow(config.bufferDonor);
  if (static_cast<size_t>(number) < config.entryParameterLayouts.size())
    config.entryParameterLayouts.erase(config.entryParameterLayouts.begin() + number);
  module_.setConfig(std::move(config));
}

}  // namespace tessera
