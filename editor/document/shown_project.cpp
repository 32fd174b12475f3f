// See shown_project.h.
#include "editor/document/shown_project.h"

namespace tessera {

namespace {

// Names are of a page's computation; others may have the same.
std::vector<InstructionId> namedIn(const Module& module, const Project& project,
                                   const std::set<std::string> ProjectPage::*names) {
  std::vector<InstructionId> out;
  for (const ProjectPage& page : project.pages) {
    if ((page.*names).empty()) continue;
    const auto computation = module.findComputation(page.computation);
    if (!computation) continue;
    for (InstructionId id : module.at(*computation).instructions)
      if ((page.*names).contains(std::string(module.at(id).name))) out.push_back(id);
  }
  return out;
}

}  // namespace

std::vector<InstructionId> mutedIn(const Module& module, const Project& project) {
  return namedIn(module, project, &ProjectPage::muted);
}

std::set<InstructionId> watchedIn(const Module& module, const Project& project) {
  const std::vector<InstructionId> all = namedIn(module, project, &ProjectPage::watched);
  return {all.begin(), all.end()};
}

Project withOpenGroupsOf(const Project& shown, Project fresh) {
  for (const ProjectPage& old : shown.pages) {
    ProjectPage& page = fresh.page(old.computation);
    page.opened = old.opened;
    page.openGroups = old.openGroups;
  }
  fresh.shown = shown.shown;
  return fresh;
}

void noteShown(Project& project, const std::string& computation, const Scene& scene) {
  project.shown = computation;
  if (scene.options.grouping != Grouping::Scopes) return;  // a project names groups of scopes
  ProjectPage& page = project.page(computation);
  page.opened = true;
  page.openGroups.assign(scene.options.openGroups.begin(), scene.options.openGroups.end());
}

}  // namespace tessera
