// What a project page adds to the picture of its computation: places of boxes before it is drawn, frames behind it,
// notes above it. Used by `tessera render` and the studio's scenes.
#pragma once

#include <optional>

#include "core/arrange/placed.h"
#include "core/formats/project.h"
#include "core/picture/picture.h"

namespace tessera {

Places placesOf(const ProjectPage& page);
// The flow of what was placed, else the document's own; none: chosen by the graph's form. page: null if there is
// none.
std::optional<Flow> flowOf(const Project& project, const ProjectPage* page);
// The groups that the page lists as open, if it does.
void applyGroups(const ProjectPage& page, ViewOptions& options);
Picture withPage(Picture picture, const ProjectPage& page);

}  // namespace tessera
