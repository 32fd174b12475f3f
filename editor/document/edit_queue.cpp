// While a worker does an edit, what follows waits; everything else is done at once.
#include "editor/document/edit_queue.h"

#include <set>
#include <utility>

#include "editor/document/background.h"
#include "editor/document/priorities.h"

namespace tessera {
namespace {

std::set<std::string> mutedOn(const Project& project, const std::string& computation) {
  const ProjectPage* page = project.find(computation);
  return page ? page->muted : std::set<std::string>();
}

}  // namespace

EditQueue::EditQueue(Background& background) : background_(background) {}
EditQueue::~EditQueue() = default;

void EditQueue::begin(Module module, Project project) {
  background_.dispose(std::exchange(history_, History(std::move(module), std::move(project))));
  waiting_.clear();
  ++request_;
  editing_ = false;
}

bool EditQueue::replaceUnedited(const Module& inferred) {
  if (editing_) return false;
  History before = *history_;
  const bool replaced = history_->replaceFirstGraph(inferred);
  background_.dispose(std::move(before));
  return replaced;
}

void EditQueue::perform(Edit edit, InstructionId selects, StepKey key) {
  enqueue({GraphStep{std::move(edit), selects}, std::move(key)});
}

void EditQueue::arrange(const QString& title, std::string computation, PageChange change) {
  enqueue({PageStep{title.toStdString(), std::move(computation), std::move(change)}});
}

void EditQueue::setFlow(const QString& title, PageFlow flow) { enqueue({FlowStep{title.toStdString(), flow}}); }

void EditQueue::setRun(const QString& title, RunSettings settings, StepKey key) {
  enqueue({RunStep{title.toStdString(), std::move(settings)}, std::move(key)});
}

void EditQueue::undo() {
  if (canUndo()) enqueue({HistoryMove{true}});
}

void EditQueue::redo() {
  if (canRedo()) enqueue({HistoryMove{false}});
}

bool EditQueue::canRedo() const {
  const auto* move = waiting_.empty() ? nullptr : std::get_if<HistoryMove>(&waiting_.back().step);
  return move ? move->undo : history_ && history_->canRedo();
}

// While somebody types faster than inference answers, only the last text matters.
void EditQueue::enqueue(Waiting waiting) {
  if (waiting.key.merges() && !waiting_.empty() && waiting_.back().key == waiting.key) waiting_.pop_back();
  waiting_.push_back(std::move(waiting));
  if (!editing_) startNext();
}

// All at once up to the next edit.
void EditQueue::startNext() {
  while (!waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto* edit = std::get_if<GraphStep>(&next.step)) return start(std::move(*edit), std::move(next.key));
    if (const auto* page = std::get_if<PageStep>(&next.step)) doStep(*page, std::move(next.key));
    if (const auto* flow = std::get_if<FlowStep>(&next.step)) doStep(*flow, std::move(next.key));
    if (const auto* run = std::get_if<RunStep>(&next.step)) doStep(*run, std::move(next.key));
    if (const auto* move = std::get_if<HistoryMove>(&next.step)) doStep(*move, next.key);
  }
  setEditing(false);
}

void EditQueue::setEditing(bool editing) {
  if (std::exchange(editing_, editing) != editing) emit editingChanged(editing);
}

void EditQueue::start(GraphStep step, StepKey key) {
  since_.start();
  setEditing(true);
  background_.startForFile(kEditing,
                           [this, history = *history_, step = std::move(step), key = std::move(key),
                            request = ++request_]() mutable -> Background::Answer {
                             auto result = history.perform(step.edit, std::move(key));
                             return [this, history = std::move(history), result = std::move(result),
                                     selects = step.selects, request]() mutable {
                               if (request != request_) return;
                               finish(std::move(history), result, selects);
                               startNext();
                             };
                           });
}

void EditQueue::finish(History history, const Result<EditResult>& result, InstructionId selects) {
  if (result) {
    background_.dispose(std::exchange(history_, std::move(history)));
    return emit edited(*result, selects);
  }
  dropItsUndo();
  emit refused(result.error());
}

// There is nothing that an undo meant for the edit that is being done could undo.
void EditQueue::dropItsUndo() {
  const auto* move = waiting_.empty() ? nullptr : std::get_if<HistoryMove>(&waiting_.front().step);
  if (move && move->undo) waiting_.pop_front();
}

// What the worker makes of it is dropped when it comes.
void EditQueue::cancelEdit() {
  if (!editing_) return;
  ++request_;
  dropItsUndo();
  startNext();
  emit cancelled();
}

void EditQueue::doStep(const PageStep& step, StepKey key) {
  const auto before = mutedOn(history_->project(), step.computation);
  history_->arrange([&](Project& project) { step.change(project.page(step.computation)); }, step.title, std::move(key));
  emit pageArranged(mutedOn(history_->project(), step.computation) != before);
}

void EditQueue::doStep(const FlowStep& step, StepKey key) {
  const auto change = [&](Project& project) {
    project.flow = step.flow;
    for (ProjectPage& page : project.pages) page.forgetPlaces();
  };
  history_->arrange(change, step.title, std::move(key));
  emit pageArranged(false);
}

void EditQueue::doStep(const RunStep& step, StepKey key) {
  history_->arrange([&](Project& project) { project.run = step.settings; }, step.title, std::move(key));
  emit runSet();
}

void EditQueue::doStep(const HistoryMove& step, const StepKey&) {
  if (step.undo ? !history_->canUndo() : !history_->canRedo()) return;
  HistoryStep done{history_->current(), history_->project(),
                   QString::fromStdString(step.undo ? history_->undoTitle() : history_->redoTitle()), step.undo};
  const uint64_t graph = history_->graph();
  if (step.undo)
    history_->undo();
  else
    history_->redo();
  done.graphChanged = history_->graph() != graph;
  emit stepped(done);
}

}  // namespace tessera
