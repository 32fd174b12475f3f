// Undo and redo by snapshots: a step keeps the module after an edit, which shares all that the edit did not touch, and
// what is arranged round it.
#include "core/edit/edit.h"

namespace tessera {
namespace {

// Renamed instructions take along what is said of them, removed ones too; what the edit places is placed.
std::shared_ptr<const Project> followed(const std::shared_ptr<const Project>& project, const Module& before, const Edit& edit, const EditResult& after) {
  std::shared_ptr<Project> out;
  const auto changed = [&]() -> Project& {
    if (!out) out = std::make_shared<Project>(*project);
    return *out;
  };
  const auto rename = [&](InstructionId id, const std::string& to) {
    if (!before.contains(id) || !project->arranged()) return;
    const Instruction& instruction = before.at(id);
    changed().rename(before.at(instruction.computation).name, std::string(instruction.name), to);
  };
  for (const EditAction& action : edit.actions) {
    if (const auto* each = std::get_if<Rename>(&action)) rename(each->instruction, each->name);
    if (const auto* each = std::get_if<RemoveInstruction>(&action)) rename(each->instruction, {});
  }
  for (const PlaceInstruction& each : edit.places) {
    const uint32_t made = each.instruction.value - kNewInstruction;
    const InstructionId id = each.instruction.value >= kNewInstruction && made < after.added.size() ? after.added[made] : each.instruction;
    if (!after.module.contains(id)) continue;
    const Instruction& instruction = after.module.at(id);
    changed().page(after.module.at(instruction.computation).name).instructions[std::string(instruction.name)] = each.at;
  }
  return out ? out : project;
}

}  // namespace

History::History(Module initial, Project project) {
  steps_.push_back({std::move(initial), std::make_shared<const Project>(std::move(project)), {}, 0, 0});
}

void History::push(Module module, std::shared_ptr<const Project> project, std::string title, bool sameGraph) {
  const uint64_t graph = sameGraph ? steps_[position_].graph : made_ + 1;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(position_) + 1, steps_.end());
  steps_.push_back({std::move(module), std::move(project), std::move(title), ++made_, graph});
  ++position_;
}

Result<EditResult> History::perform(const Edit& edit) {
  TESSERA_ASSIGN_OR_RETURN(EditResult result, apply(current(), edit));
  push(result.module, followed(steps_[position_].project, current(), edit, result), edit.title, false);
  return result;
}

void History::arrange(Project project, std::string title) {
  push(current(), std::make_shared<const Project>(std::move(project)), std::move(title), true);
}

void History::undo() {
  if (canUndo()) --position_;
}

void History::redo() {
  if (canRedo()) ++position_;
}

std::string History::undoTitle() const { return canUndo() ? steps_[position_].title : std::string(); }
std::string History::redoTitle() const { return canRedo() ? steps_[position_ + 1].title : std::string(); }

}  // namespace tessera
