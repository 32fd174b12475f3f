// Applying an edit: each action checked and done on a copy, then inference of what depends on it, then verification.
// An action that makes no sense fails as a whole; a graph that is wrong afterwards is a legal document with diagnostics.
#include <algorithm>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"
#include "core/ops/infer.h"

namespace tessera {
namespace {

std::unexpected<Diagnostic> refuse(const Module& module, InstructionId id, std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  if (module.contains(id)) {
    d.instruction = id;
    d.instructionName = module.at(id).name;
    d.position = module.at(id).position;
  }
  return std::unexpected(std::move(d));
}

bool isName(const std::string& name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, inner);
}

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

// One overload per action: changes the module or says why not.
struct Performer {
  Module& module;

  Status operator()(const SetParameterShape& action) {
    if (module.at(action.instruction).opcode != Opcode::Parameter) return refuse(module, action.instruction, "only a parameter's shape can be set");
    Shape shape = action.shape;
    fillDefaultLayouts(shape);
    module.setShape(action.instruction, shape);
    return {};
  }

  Status operator()(const SetAttribute& action) {
    AttributeSet attributes = *module.at(action.instruction).attributes;
    if (action.text.empty()) {
      attributes.remove(action.name);
    } else {
      auto value = parseAttributeValue(module, action.name, action.text);
      if (!value) return refuse(module, action.instruction, std::string(nameOf(action.name)) + ": " + value.error().message);
      attributes.set(action.name, std::move(*value));
    }
    module.setAttributes(action.instruction, std::move(attributes));
    return {};
  }

  Status operator()(const Rename& action) {
    if (!isName(action.name)) return refuse(module, action.instruction, "\"" + action.name + "\" is no name");
    for (InstructionId other : module.at(module.at(action.instruction).computation).instructions)
      if (other != action.instruction && module.at(other).name == action.name)
        return refuse(module, action.instruction, "%" + action.name + " is there already");
    module.setName(action.instruction, action.name);
    return {};
  }

  Status operator()(const SetOperand& action) {
    const Instruction& instruction = module.at(action.instruction);
    if (action.operand < 0 || static_cast<size_t>(action.operand) >= instruction.operands.size())
      return refuse(module, action.instruction, "there is no operand " + std::to_string(action.operand));
    if (!module.contains(action.value) || module.at(action.value).computation != instruction.computation)
      return refuse(module, action.instruction, "the new operand is not in the same computation");
    if (needs(module, action.value, action.instruction))
      return refuse(module, action.instruction, "%" + std::string(module.at(action.value).name) + " needs %" + std::string(instruction.name) + ": this would be a cycle");
    std::vector<InstructionId> operands(instruction.operands.begin(), instruction.operands.end());
    operands[static_cast<size_t>(action.operand)] = action.value;
    module.setOperands(action.instruction, operands);
    orderOperandsFirst(instruction.computation);
    return {};
  }

  Status operator()(const SetNote& action) {
    std::string_view note = module.tables().intern(std::string_view(action.note));
    module.edit(action.instruction).note = note;
    return {};
  }

  // A new wire may come from further down; text and schedules want operands first.
  void orderOperandsFirst(ComputationId id) {
    if (auto order = topologicalOrder(module, id)) module.edit(id).instructions = std::move(*order);
  }
};

InstructionId targetOf(const EditAction& action) {
  return std::visit([](const auto& a) { return a.instruction; }, action);
}

bool changesShapes(const EditAction& action) { return !std::holds_alternative<Rename>(action) && !std::holds_alternative<SetNote>(action); }

// entry_computation_layout is derived from the entry here: the user said the parameter's shape, not this.
void followEntryLayout(Module& module) {
  if (!module.config().entryResultLayout || !module.contains(module.entry())) return;
  ModuleConfig config = module.config();
  const Computation& entry = module.entryComputation();
  bool changed = false;
  auto follow = [&](Shape& written, const Shape& actual) {
    if (sameIgnoringLayout(written, actual)) return;
    written = actual;
    changed = true;
  };
  for (size_t i = 0; i < entry.parameters.size() && i < config.entryParameterLayouts.size(); ++i)
    if (entry.parameters[i].valid()) follow(config.entryParameterLayouts[i], module.shapeOf(entry.parameters[i]));
  if (entry.root.valid()) follow(*config.entryResultLayout, module.shapeOf(entry.root));
  if (changed) module.setConfig(std::move(config));
}

}  // namespace

Result<EditResult> apply(const Module& module, const Edit& edit) {
  EditResult out{module, {}, {}};
  std::vector<InstructionId> seeds;
  for (const EditAction& action : edit.actions) {
    InstructionId target = targetOf(action);
    if (!module.contains(target)) return fail("there is no instruction with id " + std::to_string(target.value));
    TESSERA_TRY(std::visit(Performer{out.module}, action));
    out.changed.push_back(target);
    if (changesShapes(action)) seeds.push_back(target);
  }
  if (!seeds.empty()) {
    Reinferred again = reinfer(out.module, seeds);
    out.changed.insert(out.changed.end(), again.changed.begin(), again.changed.end());
    followEntryLayout(out.module);
  }
  std::ranges::sort(out.changed);
  out.changed.erase(std::unique(out.changed.begin(), out.changed.end()), out.changed.end());
  out.diagnostics = verify(out.module);
  return out;
}

}  // namespace tessera
