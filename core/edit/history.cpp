// Undo and redo by snapshots: a step keeps the module after an edit, which shares all that the edit did not touch.
#include "core/edit/edit.h"

namespace tessera {

History::History(Module initial) { steps_.push_back({std::move(initial), {}, 0}); }

Result<EditResult> History::perform(const Edit& edit) {
  TESSERA_ASSIGN_OR_RETURN(EditResult result, apply(current(), edit));
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(position_) + 1, steps_.end());
  steps_.push_back({result.module, edit.title, ++made_});
  ++position_;
  return result;
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
