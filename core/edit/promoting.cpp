// A constant becomes a parameter. What it was stands beside every caller then, where it can be promoted again, until it is an
// input of the entry. Callers that hand their values on in another way (loops, branches, reducers) refuse and say why.
#include <algorithm>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

Ids callersOf(const Module& module, ComputationId body) {
  Ids out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) {
      const auto callees = module.callees(module.at(id));
      if (std::ranges::find(callees, body) != callees.end()) out.push_back(id);
    }
  return out;
}

// A caller whose operands are the parameters, one by one.
Status givesOneByOne(const Module& module, InstructionId caller, const Shape& constant) {
  const Instruction& instruction = module.at(caller);
  const std::string name = "%" + std::string(instruction.name);
  switch (instruction.opcode) {
    case Opcode::Call: case Opcode::Fusion: return {};
    case Opcode::Map:
      if (constant.isScalar()) return {};
      return refuse(module, caller, name + " gives its computation single numbers; this constant is an array");
    case Opcode::While: return refuse(module, caller, name + " carries one value through its computations: add an element to what it carries instead");
    case Opcode::Conditional: return refuse(module, caller, name + " gives each branch one value: add an element to that tuple instead");
    default: return refuse(module, caller, name + " decides itself what it gives its computation");
  }
}

}  // namespace

Status Performer::operator()(const PromoteConstant& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  const ComputationId home = module_.at(id).computation;
  if (module_.at(id).opcode != Opcode::Constant) return refuse(module_, id, "only a constant can become a parameter");
  const Shape shape = module_.shapeOf(id);
  const Ids callers = home == module_.entry() ? Ids() : callersOf(module_, home);
  for (InstructionId caller : callers) TESSERA_TRY(givesOneByOne(module_, caller, shape));
  for (InstructionId caller : callers) giveBeside(caller, id);
  const bool plain = module_.at(id).name == "constant" || module_.at(id).name.starts_with("constant.");
  const std::string name = plain ? freeName(module_, "value") : std::string(module_.at(id).name);
  Instruction& instruction = module_.edit(id);
  instruction.opcode = Opcode::Parameter;
  instruction.literal = nullptr;
  instruction.parameterNumber = static_cast<int32_t>(module_.at(home).parameters.size());
  module_.edit(home).parameters.push_back(id);
  module_.setName(id, name);
  seed(id);
  return {};
}

// A copy of the constant as the caller's last operand; a map reads it as often as its other operands have elements.
void Performer::giveBeside(InstructionId caller, InstructionId constant) {
  const ComputationId home = module_.at(caller).computation;
  const Shape shape = module_.shapeOf(constant);
  Instruction made;
  made.opcode = Opcode::Constant;
  made.literal = module_.at(constant).literal;
  const std::string name = freeName(module_, std::string(module_.at(constant).name));
  made.name = name;
  InstructionId given = module_.add(home, std::move(made), shape);
  added_.push_back(given);
  seed(given);
  if (module_.at(caller).opcode == Opcode::Map && !module_.shapeOf(caller).dimensions.empty()) {
    Shape wide = withoutLayout(module_.shapeOf(caller));
    wide.type = shape.type;
    fillDefaultLayouts(wide);
    Instruction broadcast;
    broadcast.opcode = Opcode::Broadcast;
    const std::string wideName = freeName(module_, "broadcast");
    broadcast.name = wideName;
    broadcast.shapeWritten = false;
    const Ids source{given};
    broadcast.operands = source;
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::vector<int64_t>());
    broadcast.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
    given = module_.add(home, std::move(broadcast), wide);
    added_.push_back(given);
    seed(given);
  }
  Ids operands(module_.at(caller).operands.begin(), module_.at(caller).operands.end());
  operands.push_back(given);
  module_.setOperands(caller, operands);
  orderOperandsFirst(home);
  seed(caller);
}

}  // namespace tessera
