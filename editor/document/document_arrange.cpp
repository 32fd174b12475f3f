// What a person arranges round the graph of a Document: a step of the same history as edits, done in their order.
#include <set>
#include <utility>

#include "editor/document/document.h"

namespace tessera {

const ProjectPage* Document::page() const {
  return isOpen() && !isPlainGraph() ? project_.find(module().at(scene_.computation).name) : nullptr;
}

void Document::arrange(const QString& title, PageChange change, bool continues) {
  if (!isOpen() || isPlainGraph()) return;
  edits_.push_back({{title.toStdString(), {}}, continues, {}, std::move(change), module().at(scene_.computation).name});
  if (!editing_) startNextEdit();
}

void Document::changePage(const Waiting& waiting) {
  if (waiting.continues && history_->canUndo() && history_->undoTitle() == waiting.edit.title) history_->undo();
  Project project = history_->project();
  if (waiting.settings) {
    project.run = *waiting.settings;
    history_->arrange(std::move(project), waiting.edit.title);
    takeProject();
    emit pageChanged();
    return;
  }
  waiting.change(project.page(waiting.computation));
  const ProjectPage* before = history_->project().find(waiting.computation);
  const bool reruns = project.page(waiting.computation).muted != (before ? before->muted : std::set<std::string>());
  history_->arrange(std::move(project), waiting.edit.title);
  takeProject();
  pageReplaced();
  if (reruns) evaluateInBackground();
}

// Open groups are no step of the history; they stay as they are.
void Document::takeProject() {
  Project fresh = history_->project();
  for (const ProjectPage& old : project_.pages) {
    ProjectPage& page = fresh.page(old.computation);
    page.opened = old.opened;
    page.openGroups = old.openGroups;
  }
  fresh.shown = project_.shown;
  const bool runsOtherwise = fresh.run != project_.run;
  project_ = std::move(fresh);
  if (!runsOtherwise) return;
  emit runSettingsChanged();
  evaluateInBackground();
}

void Document::pageReplaced() {
  scenes_->setProject(project_);
  arrangeAgain(true);
  emit pageChanged();
}

std::vector<InstructionId> Document::muted() const {
  std::vector<InstructionId> out;
  for (const ProjectPage& page : project_.pages) {
    if (page.muted.empty()) continue;
    const auto computation = module().findComputation(page.computation);
    if (!computation) continue;
    for (InstructionId id : module().at(*computation).instructions)
      if (page.muted.contains(std::string(module().at(id).name))) out.push_back(id);
  }
  return out;
}

}  // namespace tessera
