// A constant becomes a parameter. What it was is beside every caller then, where it can be promoted again, until it
// is an input of the entry. Callers that pass on one value (loops, branches, reductions, sorts) are widened; others
// refuse and say why.
#include <algorithm>

#include "core/edit/performer.h"
#include "core/edit/refusal.h"
#include "core/edit/wiring/widening.h"

namespace tessera {
namespace {

using Ids = std::vector<InstructionId>;

bool isWidened(Opcode opcode) {
  return opcode == Opcode::While || opcode == Opcode::Conditional || opcode == Opcode::Reduce || opcode == Opcode::Sort;
}

// A caller whose operands are the parameters, one by one.
Status givesOneByOne(const Module& module, InstructionId caller, const Shape& constant) {
  const Instruction& instruction = module.at(caller);
  const std::string name = instruction.reference();
  switch (instruction.opcode) {
    case Opcode::Call:
    case Opcode::Fusion: return {};
    case Opcode::Map:
      if (constant.isScalar()) return {};
      return refuse(module, caller, name + " gives its computation single numbers; this constant is an array");
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
  const bool plain = module_.at(id).name == "constant" || module_.at(id).name.starts_with("constant.");
  const std::string name = plain ? freeName(module_, "value") : std::string(module_.at(id).name);
  if (!callers.empty() && isWidened(module_.at(callers[0]).opcode)) {
    TESSERA_ASSIGN_OR_RETURN(const Widened done, widen(module_, id, callers));
    added_.insert(added_.end(), done.added.begin(), done.added.end());
    for (InstructionId touched : done.seeds) seed(touched);
    for (ComputationId changed : done.homes) orderOperandsFirst(changed);
    module_.setName(id, name);
    return {};
  }
  for (InstructionId caller : callers) TESSERA_TRY(givesOneByOne(module_, caller, shape));
  for (InstructionId caller : callers) giveBeside(caller, id);
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
