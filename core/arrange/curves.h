// The line that a route is drawn as. Shared by drawing and by the detours around boxes, so that both use
// the same line.
#pragma once

#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

// Cubics, 3n+1 points. Routes with stretches across the flow turn at right angles and get round corners; others become
// cubics with tangents along the flow: straight where they are, an S elsewhere. Of two points at least.
std::vector<PointF> curveOf(const std::vector<PointF>& route, Flow flow = Flow::Down);
// Points on these cubics, close enough together to be joined by straight lines.
std::vector<PointF> pointsOn(const std::vector<PointF>& curve);

}  // namespace tessera
