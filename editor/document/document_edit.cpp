// Edits of a Document: done on a copy by a worker, one after the other; undo and redo step between snapshots at once.
#include <utility>

#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {

void Document::perform(Edit edit, bool continues, InstructionId selects) {
  enqueue({std::move(edit), continues, selects});
}

void Document::enqueue(Waiting waiting) {
  if (!isOpen() || isPlainGraph()) return;
  // While somebody types faster than inference answers, only the last text matters.
  if (waiting.continues && !edits_.empty() && edits_.back().continues) edits_.pop_back();
  edits_.push_back(std::move(waiting));
  if (!editing_) startNextEdit();
}

void Document::startNextEdit() {
  while (!edits_.empty() && (edits_.front().change || edits_.front().settings)) {
    const Waiting waiting = std::move(edits_.front());
    edits_.erase(edits_.begin());
    changePage(waiting);
  }
  if (edits_.empty()) return;
  auto [edit, continues, selects, change, computation, settings] = std::move(edits_.front());
  edits_.erase(edits_.begin());
  editing_ = true;
  startForModule(kEditing, [this, history = *history_, edit = std::move(edit), continues, selects]() mutable -> Answer {
    if (continues && history.canUndo() && history.undoTitle() == edit.title) history.undo();
    auto result = history.perform(edit);
    return [this, history = std::move(history), result = std::move(result), selects]() mutable {
      editing_ = false;
      if (result) {
        dispose(std::exchange(history_, std::move(history)));
        leaveRemovedComputation();
        takeProject();
        moduleReplaced();
        const uint32_t made = selects.valid() && selects.value >= kNewInstruction ? selects.value - kNewInstruction
                                                                                  : InstructionId::kInvalid;
        if (made < result->added.size())
          select({result->added[made]});
        else if (selects.valid())
          select({selects});
        else if (!result->added.empty())
          select({result->added.back()});
        setDiagnostics(result->diagnostics);
      } else {
        emit failed(QString::fromStdString(result.error().toString()), result.error().kind);
      }
      startNextEdit();
    };
  });
}

// A computation that came with a step goes with its undo: what is asked of the one that is shown is asked of the entry
// then.
void Document::leaveRemovedComputation() {
  if (module().contains(scene_.computation)) return;
  scene_.computation = module().entry();
  scene_.options = {};
}

void Document::moduleReplaced() {
  ++revision_;
  dispose(std::exchange(scenes_, newScenes()));
  std::erase_if(selection_, [&](InstructionId id) { return !module().contains(id); });
  dispose(std::move(outcome_));
  outcome_.reset();
  overlay_.reset();
  emit moduleChanged();
  emit outcomeChanged();
  arrangeAgain(true);
  printInBackground();
  evaluateInBackground();
}

void Document::undo() {
  if (!canUndo() || editing_) return;
  const uint64_t graph = history_->graph();
  history_->undo();
  stepTaken(graph);
}

void Document::redo() {
  if (!canRedo() || editing_) return;
  const uint64_t graph = history_->graph();
  history_->redo();
  stepTaken(graph);
}

// A step that only arranged leaves values and the last run alone.
void Document::stepTaken(uint64_t graphBefore) {
  leaveRemovedComputation();
  takeProject();
  if (history_->graph() == graphBefore) return pageReplaced();
  moduleReplaced();
  verifyInBackground();
}

}  // namespace tessera
