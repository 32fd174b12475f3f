// Flow: which way wires run over a page. Arranging works with wires that run downwards; a page that flows to the right
// is arranged with x and y exchanged, from the sizes of its boxes to the points of its wires, and transposed at the
// end.
#pragma once

#include "core/arrange/arrangement.h"

namespace tessera {

inline PointF transposed(PointF p) { return {p.y, p.x}; }
inline RectF transposed(const RectF& r) { return {r.y, r.x, r.height, r.width}; }
// From the page to the flow's own axes, and back: the same step.
template <class Place>
Place along(Flow flow, const Place& place) {
  return flow == Flow::Right ? transposed(place) : place;
}

inline void transpose(Arrangement& arrangement) {
  for (RectF& box : arrangement.boxes) box = transposed(box);
  for (auto& route : arrangement.routes)
    for (PointF& p : route) p = transposed(p);
  arrangement.bounds = transposed(arrangement.bounds);
}

// The flow in which a view is seen larger in its room; of what both show well, to the right, as wires are read.
// Views of many boxes flow down.
Flow flowByForm(GraphView view);

}  // namespace tessera
