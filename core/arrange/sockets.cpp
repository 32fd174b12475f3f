// Only the last point of a route moves, and the one before it that is in line with it.
#include "core/arrange/sockets.h"

#include <algorithm>

#include "core/arrange/box_style.h"
#include "core/arrange/flow.h"

namespace tessera {
namespace {

size_t rowsOf(const ViewNode& node) { return node.inputs.size() + (node.appends ? 1 : 0); }

// The line of the result, which has a single input and the output where wires run to the right.
float resultLine(const ViewNode& node, const RectF& box) {
  const bool plain = node.kind == ViewNode::Kind::Instruction || (node.kind == ViewNode::Kind::CollapsedGroup);
  if (!plain || node.chip) return box.y + box.height / 2;
  return box.y + std::min(box::kResultLine, box.height / 2 + box::kTitleHeight / 2);
}

// k: the place among the inputs.
PointF inputInRow(const ViewNode& node, const RectF& box, size_t k) {
  if (!hasPortNames(node) && k == 0) return {box.x, resultLine(node, box)};
  return {box.x, box.y + box::kNodeHeight + inputRowHeight(node) * (static_cast<float>(k) + 0.5f)};
}

}  // namespace

PointF appendSocket(const ViewNode& node, const RectF& box, Flow flow) {
  if (flow == Flow::Right) return inputInRow(node, box, std::max<size_t>(node.inputs.size(), 1));  // below the result
  return {box.x + box.width - box::kAppendRoom / 2, box.y};
}

PointF outputSocket(const ViewNode& node, const RectF& box, Flow flow) {
  if (flow == Flow::Right) return {box.x + box.width, resultLine(node, box)};
  return {box.x + box.width / 2, box.y + box.height};
}

std::optional<PointF> inputSocket(const ViewNode& node, const RectF& box, int32_t operand, Flow flow) {
  const auto found = std::ranges::find(node.inputs, operand, &ViewPort::operand);
  if (found != node.inputs.end()) {
    const auto k = static_cast<size_t>(found - node.inputs.begin());
    if (flow == Flow::Right) return inputInRow(node, box, k);
    const float room = box.width - (node.appends ? box::kAppendRoom : 0);
    const float place = static_cast<float>(k) + 0.5f;
    return PointF{box.x + room * place / static_cast<float>(node.inputs.size()), box.y};
  }
  if (node.appends && operand >= node.operands) return appendSocket(node, box, flow);
  return std::nullopt;
}

PointF besideSocket(const RectF& user, const RectF& attached) {
  return {user.x, std::clamp(attached.y + attached.height / 2, user.y + 4, user.y + user.height - 4)};
}

bool hasPortNames(const ViewNode& node) {
  if (node.chip) return false;
  return node.inputs.size() >= (node.kind == ViewNode::Kind::CollapsedGroup ? 1u : 2u);
}

float namesAbove(const ViewNode& node, Flow flow) {
  return flow == Flow::Down && hasPortNames(node) ? box::kPortRow : 0;
}

float inputRowHeight(const ViewNode& node) {
  return std::min(box::kInputRow, box::kMostInputRows / static_cast<float>(std::max<size_t>(rowsOf(node), 1)));
}

float inputRows(const ViewNode& node, Flow flow) {
  if (flow == Flow::Down || node.chip) return 0;
  const size_t rows = hasPortNames(node) ? rowsOf(node) : node.appends ? 2 : 0;
  return inputRowHeight(node) * static_cast<float>(rows);
}

void endAtSockets(const GraphView& view, Arrangement& arrangement) {
  for (size_t e = 0; e < view.edges.size() && e < arrangement.routes.size(); ++e) {
    const ViewEdge& edge = view.edges[e];
    auto& route = arrangement.routes[e];
    if (view.nodes[at(edge.from)].kind == ViewNode::Kind::Attached || route.size() < 2) continue;
    const auto end = inputSocket(view.nodes[at(edge.to)], arrangement.boxes[at(edge.to)], edge.operand, view.flow);
    if (!end) continue;
    const PointF last = along(view.flow, route.back()), socket = along(view.flow, *end);
    PointF before = along(view.flow, route[route.size() - 2]);
    if (route.size() > 2 && before.x == last.x) before.x = socket.x;
    route[route.size() - 2] = along(view.flow, before);
    route.back() = *end;
  }
}

}  // namespace tessera
