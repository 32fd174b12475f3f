// The actions that change what stands: shapes, attributes, names, wires, notes, the root.
#include "core/edit/performer.h"

#include <algorithm>

#include "core/edit/defaults.h"
#include "core/edit/refusal.h"
#include "core/edit/resized_constant.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

// Whether `from` is among what `id` needs.
bool needs(const Module& module, InstructionId id, InstructionId from) {
  std::vector<bool> seen(module.instructionSlots(), false);
  std::vector<InstructionId> pending{id};
  while (!pending.empty()) {
    InstructionId at = pending.back();
    pending.pop_back();
    if (at == from) return true;
    if (seen[at.value]) continue;
    seen[at.value] = true;
    for (InstructionId operand : module.at(at).operands)
      if (operand.valid()) pending.push_back(operand);
  }
  return false;
}

// Whether running `from` would run `wanted`.
bool calls(const Module& module, ComputationId from, ComputationId wanted) {
  std::vector<bool> seen(module.computationSlots(), false);
  std::vector<ComputationId> pending{from};
  while (!pending.empty()) {
    const ComputationId at = pending.back();
    pending.pop_back();
    if (at == wanted) return true;
    if (!module.contains(at) || seen[at.value]) continue;
    seen[at.value] = true;
    for (InstructionId each : module.at(at).instructions)
      for (ComputationId callee : module.callees(module.at(each))) pending.push_back(callee);
  }
  return false;
}

// In the text a note is comment lines.
std::string asComment(const std::string& note) {
  std::string out;
  for (size_t begin = 0; begin < note.size();) {
    const size_t end = std::min(note.find('\n', begin), note.size());
    std::string line = note.substr(begin, end - begin);
    line.erase(0, std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!out.empty()) out += '\n';
    out += line.starts_with("//") ? line : "// " + line;
    begin = end + 1;
  }
  return out;
}

}  // namespace

bool isInstructionName(const std::string& name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, inner);
}

Result<InstructionId> Performer::resolve(InstructionId id) const {
  if (id.valid() && id.value >= kNewInstruction && id.value - kNewInstruction < added_.size())
    id = added_[id.value - kNewInstruction];
  if (!module_.contains(id)) return fail("there is no instruction with id " + std::to_string(id.value));
  return id;
}

Result<InstructionId> Performer::operandIn(ComputationId computation, InstructionId id) const {
  if (!id.valid()) return id;
  auto known = resolve(id);
  if (!known || module_.at(*known).computation != computation)
    return fail("the new operand is not in the same computation");
  return known;
}

Status Performer::operator()(const SetParameterShape& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  if (module_.at(id).opcode != Opcode::Parameter) return refuse(module_, id, "only a parameter's shape can be set");
  return setShape(id, action.shape);
}

// Accepted where inference gives back what is written, or cannot say because something else is wrong.
Status Performer::operator()(const SetShape& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  TESSERA_TRY(setShape(id, action.shape));
  if (const auto inferred = inferInstruction(module_, id);
      inferred && !sameIgnoringLayout(*inferred, module_.shapeOf(id)))
    return refuse(module_, id, "its shape follows from its operands: " + toString(*inferred, false));
  return {};
}

Status Performer::setShape(InstructionId id, const Shape& wanted) {
  Shape shape = wanted;
  fillDefaultLayouts(shape);
  if (const auto read = parseShape(toString(shape)); !read)  // a layout of another rank
    return refuse(module_, id, "such a shape cannot be written: " + read.error().message);
  if (module_.at(id).opcode == Opcode::Constant) {
    auto grown = module_.at(id).literal ? regrown(*module_.at(id).literal, shape) : std::nullopt;
    if (!grown) return refuse(module_, id, "a constant has the shape of its value");
    module_.edit(id).literal = std::make_shared<const Literal>(std::move(*grown));
  }
  module_.setShape(id, shape);
  seed(id);
  return {};
}

Status Performer::operator()(const SetAttribute& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  seed(id);
  if (!action.text.empty()) return readAttributes(id, {{action.name, action.text}});
  AttributeSet attributes = *module_.at(id).attributes;
  attributes.remove(action.name);
  module_.setAttributes(id, std::move(attributes));
  return {};
}

Status Performer::readAttributes(InstructionId id, const std::vector<NewAttribute>& texts) {
  AttributeSet attributes = *module_.at(id).attributes;
  for (const NewAttribute& each : texts) {
    auto value = parseAttributeValue(module_, each.name, renamed(each.text));
    if (!value) return refuse(module_, id, std::string(nameOf(each.name)) + ": " + value.error().message);
    attributes.set(each.name, std::move(*value));
  }
  module_.setAttributes(id, std::move(attributes));
  return refuseRecursion(id);
}

Status Performer::refuseRecursion(InstructionId id) const {
  const ComputationId home = module_.at(id).computation;
  for (ComputationId callee : module_.callees(module_.at(id)))
    if (module_.contains(callee) && calls(module_, callee, home))
      return refuse(module_, id,
                    "%" + module_.at(home).name + " would call itself through %" + module_.at(callee).name +
                        "; HLO has no recursion");
  return {};
}

Status Performer::operator()(const Rename& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  if (!isInstructionName(action.name)) return refuse(module_, id, "\"" + action.name + "\" is no name");
  for (InstructionId other : module_.at(module_.at(id).computation).instructions)
    if (other != id && module_.at(other).name == action.name)
      return refuse(module_, id, "%" + action.name + " is there already");
  module_.setName(id, action.name);
  touch(id);
  return {};
}

Status Performer::operator()(const SetOperand& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  const Instruction& instruction = module_.at(id);
  const bool mayAppend =
      instruction.opcode != Opcode::Unknown && arityOf(instruction.opcode) < 0 && action.value.valid();
  if (action.operand < 0 || static_cast<size_t>(action.operand) >= instruction.operands.size() + (mayAppend ? 1 : 0))
    return refuse(module_, id, "there is no operand " + std::to_string(action.operand));
  const auto value = operandIn(instruction.computation, action.value);
  if (!value) return refuse(module_, id, value.error().message);
  if (value->valid() && needs(module_, *value, id))
    return refuse(
        module_, id,
        module_.at(*value).reference() + " needs %" + std::string(instruction.name) + ": this would be a cycle");
  std::vector<InstructionId> operands(instruction.operands.begin(), instruction.operands.end());
  if (static_cast<size_t>(action.operand) == operands.size()) operands.push_back({});
  operands[static_cast<size_t>(action.operand)] = *value;
  const ComputationId computation = instruction.computation;
  module_.setOperands(id, operands);
  fillAttributes(id);
  orderOperandsFirst(computation);
  seed(id);
  return {};
}

Status Performer::operator()(const SetNote& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  module_.edit(id).note = module_.tables().intern(std::string_view(asComment(action.note)));
  touch(id);
  return {};
}

Status Performer::operator()(const SetLiteral& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  if (module_.at(id).opcode != Opcode::Constant) return refuse(module_, id, "only a constant has a value to set");
  TESSERA_ASSIGN_OR_RETURN(Literal literal, parseLiteral(action.literal, module_.shapeOf(id)));
  module_.edit(id).literal = std::make_shared<const Literal>(std::move(literal));
  seed(id);
  return {};
}

Status Performer::operator()(const SetRoot& action) {
  TESSERA_ASSIGN_OR_RETURN(const InstructionId id, resolve(action.instruction));
  module_.setRoot(module_.at(id).computation, id);
  seed(id);
  return {};
}

// What a file says by leaving an attribute out stays as it is.
void Performer::fillAttributes(InstructionId id) {
  if (module_.at(id).shapeWritten) return;
  AttributeSet attributes = *module_.at(id).attributes;
  for (const NewAttribute& each : defaultAttributes(module_, id))
    if (auto value = parseAttributeValue(module_, each.name, each.text)) attributes.set(each.name, std::move(*value));
  module_.setAttributes(id, std::move(attributes));
}

// A new wire may come from further down; text and schedules want operands first.
void Performer::orderOperandsFirst(ComputationId id) {
  if (auto order = topologicalOrder(module_, id)) module_.edit(id).instructions = std::move(*order);
}

}  // namespace tessera
