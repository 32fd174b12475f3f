// A tall ribbon of a small graph, folded into columns side by side, so that it can be
// read as a whole on a screen, which is wide. Used by arrange.
#pragma once

#include "core/arrange/arrangement.h"
#include "core/arrange/level.h"

namespace tessera {

// The zoom at which a page of this size fits into a usual canvas: a window of 1366 × 768 with its panels.
float zoomOnCanvas(float width, float height);
// page: the level of the page's own boxes, with its places. Wires from column to column are led round boxes.
void foldRibbon(const GraphView& view, const Level& page, Arrangement& arrangement);

}  // namespace tessera
