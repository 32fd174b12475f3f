// Only the last point of a route moves, and the one straight above it.
#include "core/arrange/sockets.h"

namespace tessera {

void endAtSockets(const Module& module, const GraphView& view, Arrangement& arrangement) {
  for (size_t e = 0; e < view.edges.size() && e < arrangement.routes.size(); ++e) {
    const ViewEdge& edge = view.edges[e];
    const ViewNode& to = view.nodes[static_cast<size_t>(edge.to)];
    auto& route = arrangement.routes[e];
    if (to.kind != ViewNode::Kind::Instruction ||
        view.nodes[static_cast<size_t>(edge.from)].kind == ViewNode::Kind::Attached || route.size() < 2)
      continue;
    const float x = inputSocket(arrangement.boxes[static_cast<size_t>(edge.to)], edge.operand,
                                module.at(to.instruction).operands.size())
                        .x;
    const PointF last = route.back();
    if (route.size() > 2 && route[route.size() - 2].x == last.x) route[route.size() - 2].x = x;
    route.back().x = x;
  }
}

}  // namespace tessera
