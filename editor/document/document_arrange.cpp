// What a person arranges round the graph of a Document: a step of the same history as edits, done in their order.
#include <set>
#include <utility>

#include "editor/document/document.h"

namespace tessera {

const ProjectPage* Document::page() const {
  return isOpen() && !isPlainGraph() ? project_.find(module().at(scene_.computation).name) : nullptr;
}

void Document::arrange(const QString& title, PageChange change) {
  if (!isOpen() || isPlainGraph()) return;
  enqueue({PageStep{title.toStdString(), module().at(scene_.computation).name, std::move(change)}});
}

void Document::changePage(const PageStep& step, StepKey key) {
  const auto mutedOn = [&] {
    const ProjectPage* page = history_->project().find(step.computation);
    return page ? page->muted : std::set<std::string>();
  };
  const auto before = mutedOn();
  history_->arrange([&](Project& project) { step.change(project.page(step.computation)); }, step.title, std::move(key));
  takeProject();
  pageReplaced();
  if (mutedOn() != before) evaluateInBackground();
}

void Document::changeRun(const RunStep& step, StepKey key) {
  history_->arrange([&](Project& project) { project.run = step.settings; }, step.title, std::move(key));
  takeProject();
  emit pageChanged();
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
