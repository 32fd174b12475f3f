// What of a project a document shows: the computation, its open groups, what is muted. Used by Document.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/formats/project.h"
#include "core/hlo/module.h"
#include "editor/document/scene_maker.h"

namespace tessera {

std::vector<InstructionId> mutedIn(const Module& module, const Project& project);
std::set<InstructionId> watchedIn(const Module& module, const Project& project);
// Open groups are no step of the history: a project of the history gets those that are open now.
Project withOpenGroupsOf(const Project& shown, Project fresh);
// The computation that is shown, with the groups that are open in the scene.
void noteShown(Project& project, const std::string& computation, const Scene& scene);

}  // namespace tessera
