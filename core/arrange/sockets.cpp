// Only the last point of a route moves, and the one straight above it.
#include "core/arrange/sockets.h"

#include <algorithm>

#include "core/arrange/box_style.h"

namespace tessera {

PointF appendSocket(const RectF& box) { return {box.x + box.width - box::kAppendRoom / 2, box.y}; }

std::optional<PointF> inputSocket(const ViewNode& node, const RectF& box, int32_t operand) {
  const auto found = std::ranges::find(node.inputs, operand, &ViewPort::operand);
  if (found != node.inputs.end()) {
    const float room = box.width - (node.appends ? box::kAppendRoom : 0);
    const float place = static_cast<float>(found - node.inputs.begin()) + 0.5f;
    return PointF{box.x + room * place / static_cast<float>(node.inputs.size()), box.y};
  }
  if (node.appends && operand >= node.operands) return appendSocket(box);
  return std::nullopt;
}

PointF besideSocket(const RectF& user, const RectF& attached) {
  return {user.x, std::clamp(attached.y + attached.height / 2, user.y + 4, user.y + user.height - 4)};
}

bool hasPortNames(const ViewNode& node) {
  if (node.chip) return false;
  return node.inputs.size() >= (node.kind == ViewNode::Kind::CollapsedGroup ? 1u : 2u);
}

void endAtSockets(const GraphView& view, Arrangement& arrangement) {
  for (size_t e = 0; e < view.edges.size() && e < arrangement.routes.size(); ++e) {
    const ViewEdge& edge = view.edges[e];
    auto& route = arrangement.routes[e];
    if (view.nodes[at(edge.from)].kind == ViewNode::Kind::Attached || route.size() < 2) continue;
    const auto end = inputSocket(view.nodes[at(edge.to)], arrangement.boxes[at(edge.to)], edge.operand);
    if (!end) continue;
    const PointF last = route.back();
    if (route.size() > 2 && route[route.size() - 2].x == last.x) route[route.size() - 2].x = end->x;
    route.back() = *end;
  }
}

}  // namespace tessera
