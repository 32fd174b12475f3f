// Sockets: where wires begin and end on a box. Where wires run down the page, inputs are along the upper edge in the
// order of the operands, the output in the middle of the lower edge. Where they run to the right, each input has a row
// at the left edge below the result's line, and the output is at the end of that line. Used to route and draw wires,
// and by the gestures that make them.
#pragma once

#include <optional>

#include "core/arrange/arrangement.h"

namespace tessera {

// The port of an operand; one input more has the last place. None: it has none of its own there.
std::optional<PointF> inputSocket(const ViewNode& node, const RectF& box, int32_t operand, Flow flow = Flow::Down);
PointF appendSocket(const ViewNode& node, const RectF& box, Flow flow = Flow::Down);
PointF outputSocket(const ViewNode& node, const RectF& box, Flow flow = Flow::Down);
// Of what is shown in a box or at its left: on its left edge.
PointF besideSocket(const RectF& user, const RectF& attached);

// Whether the names of its inputs are shown: a single input needs none.
bool hasPortNames(const ViewNode& node);
// Where wires run down: the height of the line of names above the title; else 0.
float namesAbove(const ViewNode& node, Flow flow);
// Where wires run to the right: the height of the rows of inputs below the result's line, and of one of them; else 0.
float inputRows(const ViewNode& node, Flow flow);
float inputRowHeight(const ViewNode& node);

// Leads every wire to the socket of its operand. Linear.
void endAtSockets(const GraphView& view, Arrangement& arrangement);

}  // namespace tessera
