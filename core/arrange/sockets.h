// Sockets: where wires begin and end on a box when people draw them by hand. Inputs stand along the upper edge in the
// order of the operands, the output in the middle of the lower edge. Used by the canvas.
#pragma once

#include <algorithm>

#include "core/arrange/arrangement.h"

namespace tessera {

inline PointF inputSocket(const RectF& box, int32_t operand, size_t count) {
  const float part = (static_cast<float>(operand) + 0.5f) /
                     static_cast<float>(std::max<size_t>(count, static_cast<size_t>(operand) + 1));
  return {box.x + box.width * part, box.y};
}
inline PointF outputSocket(const RectF& box) { return {box.x + box.width / 2, box.y + box.height}; }

// Leads every wire to a plain node to the socket of its operand. Linear.
void endAtSockets(const Module& module, const GraphView& view, Arrangement& arrangement);

}  // namespace tessera
