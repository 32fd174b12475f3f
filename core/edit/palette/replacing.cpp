// See replacing.h.
#include "core/edit/palette/replacing.h"

#include <algorithm>

#include "core/edit/refusal.h"
#include "core/edit/shared_scope.h"
#include "core/ops/inference/unfinished.h"

namespace tessera {
namespace {

uint32_t additionsOf(const Edit& edit) {
  return static_cast<uint32_t>(std::ranges::count_if(
      edit.actions, [](const EditAction& action) { return std::holds_alternative<AddInstruction>(action); }));
}

// Inputs that a reduction's entry brings itself are left to it.
std::vector<std::vector<InstructionId>> sourcesOf(std::span<const InstructionId> operands) {
  if (operands.size() < 2) return {{operands.begin(), operands.end()}};
  return {{operands.begin(), operands.end()}, {operands.front()}};
}

// The entry on these sources, where it has no fault, leaves no input open and gives the shape.
std::optional<Edit> placedAs(const Module& module, ComputationId computation, const PaletteEntry& entry,
                             const std::vector<InstructionId>& sources, const Shape& shape) {
  Edit edit = placing(module, computation, entry, sources);
  std::erase_if(edit.actions, [](const EditAction& action) { return std::holds_alternative<SetRoot>(action); });
  if (additionsOf(edit) == 0) return std::nullopt;
  const auto done = apply(module, edit);
  if (!done || done->added.size() != additionsOf(edit)) return std::nullopt;
  for (const Diagnostic& d : done->diagnostics.items())
    if (std::ranges::find(done->added, d.instruction) != done->added.end()) return std::nullopt;
  const Instruction& made = done->module.at(done->added.back());
  const bool reads = std::ranges::any_of(done->added, [&](InstructionId id) {
    const auto& operands = done->module.at(id).operands;
    return std::ranges::find(operands, sources.front()) != operands.end();
  });
  return reads && sameIgnoringLayout(*made.shape, shape) ? std::optional(std::move(edit)) : std::nullopt;
}

bool isWhole(const Module& module, const Instruction& instruction) {
  return !instruction.operands.empty() &&
         std::ranges::all_of(instruction.operands, [&](InstructionId id) { return module.contains(id); });
}

// A graph of the operands alone: what an entry costs to try does not depend on the rest.
struct OperandsAlone {
  Module module = emptyModule();
  std::vector<InstructionId> operands;

  OperandsAlone(const Module& from, const Instruction& instruction) {
    for (InstructionId operand : instruction.operands) {
      Instruction parameter;
      parameter.opcode = Opcode::Parameter;
      parameter.parameterNumber = static_cast<int32_t>(operands.size());
      parameter.name = "p" + std::to_string(parameter.parameterNumber);
      Shape shape = from.shapeOf(operand);
      fillDefaultLayouts(shape);
      operands.push_back(module.add(module.entry(), std::move(parameter), shape));
    }
    module.setRoot(module.entry(), operands.front());
  }
};

bool isItself(const Instruction& instruction, const PaletteEntry& entry) {
  return entry.opcode == instruction.opcode && entry.form.empty() && entry.reducer == Opcode::Unknown &&
         entry.attributes.empty();
}

}  // namespace

std::vector<FittingEntry> replacementsFor(const Module& module, InstructionId id, const std::string& line,
                                          size_t most) {
  std::vector<FittingEntry> out;
  if (!module.contains(id) || !isWhole(module, module.at(id))) return out;
  const Instruction& instruction = module.at(id);
  const Shape& shape = module.shapeOf(id);
  const OperandsAlone scratch(module, instruction);
  for (PaletteEntry& entry : searchPalette(line, kAllEntries)) {
    if (out.size() >= most) break;
    if (isItself(instruction, entry)) continue;
    const bool fits = std::ranges::any_of(sourcesOf(scratch.operands), [&](const auto& sources) {
      return placedAs(scratch.module, scratch.module.entry(), entry, sources, shape).has_value();
    });
    if (fits) out.push_back({std::move(entry), shape});
  }
  return out;
}

Result<Edit> replacing(const Module& module, InstructionId id, const PaletteEntry& entry) {
  if (!module.contains(id)) return fail("there is no such instruction");
  const Instruction& instruction = module.at(id);
  if (!isWhole(module, instruction)) return refuse(module, id, "it has no inputs to take over");
  const std::string name(instruction.name);
  for (const auto& sources : sourcesOf(instruction.operands)) {
    auto edit = placedAs(module, instruction.computation, entry, sources, module.shapeOf(id));
    if (!edit) continue;
    edit->title = "Replace " + name + " by " + entry.title;
    standAmong(*edit, {id});
    const InstructionId made = newInstruction(additionsOf(*edit) - 1);
    for (InstructionId user : module.at(instruction.computation).instructions)
      for (size_t k = 0; k < module.at(user).operands.size(); ++k)
        if (module.at(user).operands[k] == id) edit->actions.push_back(SetOperand{user, static_cast<int32_t>(k), made});
    if (module.at(instruction.computation).root == id) edit->actions.push_back(SetRoot{made});
    edit->actions.push_back(RemoveInstruction{id});
    return *std::move(edit);
  }
  return refuse(module, id, entry.title + " does not take its inputs or gives another shape");
}

}  // namespace tessera
