// A tall ribbon of a small graph, folded into columns side by side, so that it can be
// read as a whole on a screen, which is wide. Used by arrange.
#pragma once

#include "core/arrange/arrangement.h"
#include "core/arrange/level.h"

namespace tessera {

// page: the level of the page's own boxes, with its places. Wires from column to column are led round boxes.
void foldRibbon(const GraphView& view, const Level& page, Arrangement& arrangement);

}  // namespace tessera
