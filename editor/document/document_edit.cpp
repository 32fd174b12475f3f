// Steps of a Document's history, done one after the other in the order in which they were asked for: edits by a worker
// on a copy, arrangement, run settings, undo and redo at once.
#include <utility>

#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {

void Document::perform(Edit edit, InstructionId selects, StepKey key) {
  enqueue({GraphStep{std::move(edit), selects}, std::move(key)});
}

void Document::undo() {
  if (canUndo()) enqueue({HistoryMove{true}});
}

void Document::redo() {
  if (canRedo()) enqueue({HistoryMove{false}});
}

bool Document::canRedo() const {
  const auto* move = waiting_.empty() ? nullptr : std::get_if<HistoryMove>(&waiting_.back().step);
  return move ? move->undo : history_ && history_->canRedo();
}

void Document::enqueue(Waiting waiting) {
  if (!isOpen() || isPlainGraph()) return;
  // While somebody types faster than inference answers, only the last text matters.
  if (waiting.key.merges() && !waiting_.empty() && waiting_.back().key == waiting.key) waiting_.pop_back();
  waiting_.push_back(std::move(waiting));
  if (!editing_) startNextStep();
}

// All at once up to the next edit, which a worker does.
void Document::startNextStep() {
  while (!waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto* edit = std::get_if<GraphStep>(&next.step)) return start(std::move(*edit), std::move(next.key));
    if (const auto* page = std::get_if<PageStep>(&next.step)) changePage(*page, std::move(next.key));
    if (const auto* run = std::get_if<RunStep>(&next.step)) changeRun(*run, std::move(next.key));
    if (const auto* move = std::get_if<HistoryMove>(&next.step)) moveInHistory(move->undo);
  }
  setEditing(false);
}

void Document::setEditing(bool editing) {
  if (std::exchange(editing_, editing) != editing) emit editingChanged(editing);
}

void Document::start(GraphStep step, StepKey key) {
  setEditing(true);
  startForModule(
      kEditing, [this, history = *history_, step = std::move(step), key = std::move(key)]() mutable -> Answer {
        auto result = history.perform(step.edit, std::move(key));
        return [this, history = std::move(history), result = std::move(result), selects = step.selects]() mutable {
          finish(std::move(history), result, selects);
          startNextStep();
        };
      });
}

void Document::finish(History history, const Result<EditResult>& result, InstructionId selects) {
  if (!result) {
    // There is nothing that an undo meant for this edit could undo.
    const auto* move = waiting_.empty() ? nullptr : std::get_if<HistoryMove>(&waiting_.front().step);
    if (move && move->undo) waiting_.pop_front();
    return emit failed(QString::fromStdString(result.error().toString()), result.error().kind);
  }
  dispose(std::exchange(history_, std::move(history)));
  leaveRemovedComputation();
  takeProject();
  moduleReplaced();
  const uint32_t made =
      selects.valid() && selects.value >= kNewInstruction ? selects.value - kNewInstruction : InstructionId::kInvalid;
  if (made < result->added.size())
    select({result->added[made]});
  else if (selects.valid())
    select({selects});
  else if (!result->added.empty())
    select({result->added.back()});
  setDiagnostics(result->diagnostics);
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

// A step that only arranged leaves values and the last run alone.
void Document::moveInHistory(bool undo) {
  if (undo ? !history_->canUndo() : !history_->canRedo()) return;
  const HistoryStep step{module(), project_, undo ? undoTitle() : redoTitle(), undo};
  const uint64_t graph = history_->graph();
  if (undo)
    history_->undo();
  else
    history_->redo();
  leaveRemovedComputation();
  takeProject();
  if (history_->graph() == graph) {
    pageReplaced();
  } else {
    moduleReplaced();
    verifyInBackground();
  }
  emit stepped(step);
}

}  // namespace tessera
