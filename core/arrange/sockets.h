// Sockets: where wires begin and end on a box. Inputs are along the upper edge in the order of the operands, the
// output in the middle of the lower edge. Used to route and draw wires, and by the gestures that make them.
#pragma once

#include <optional>

#include "core/arrange/arrangement.h"

namespace tessera {

// The port of an operand; one input more is at the upper right. None: it has none of its own there.
std::optional<PointF> inputSocket(const ViewNode& node, const RectF& box, int32_t operand);
PointF appendSocket(const RectF& box);
inline PointF outputSocket(const RectF& box) { return {box.x + box.width / 2, box.y + box.height}; }
// Of what is shown in a box or at its left: on its left edge.
PointF besideSocket(const RectF& user, const RectF& attached);

// Whether the names of its inputs have a line of their own: a single input needs none.
bool hasPortNames(const ViewNode& node);

// Leads every wire to the socket of its operand. Linear.
void endAtSockets(const GraphView& view, Arrangement& arrangement);

}  // namespace tessera
