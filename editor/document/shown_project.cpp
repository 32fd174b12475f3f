// See shown_project.h.
#include "editor/document/shown_project.h"

namespace tessera {

std::vector<InstructionId> mutedIn(const Module& module, const Project& project) {
  std::vector<InstructionId> out;
  for (const ProjectPage& page : project.pages) {
    if (page.muted.empty()) continue;
    const auto computation = module.findComputation(page.computation);
    if (!computation) continue;
    for (InstructionId id : module.at(*computation).instructions)
      if (page.muted.contains(std::string(module.at(id).name))) out.push_back(id);
  }
  return out;
}

std::set<InstructionId> watchedIn(const Module& module, const Project& project) {
  std::set<InstructionId> out;
  for (const ProjectPage& page : project.pages)
    for (const std::string& name : page.watched)
      if (const auto id = module.findInstruction(name);
          id && module.at(module.at(*id).computation).name == page.computation)
        out.insert(*id);
  return out;
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
