// See kept_wires.h. Boxes are the same that show the same within the same.
#include "core/arrange/kept_wires.h"

#include <map>
#include <string>
#include <tuple>

namespace tessera {
namespace {

using Shown = std::tuple<int32_t, uint32_t, std::string>;  // the box round it, the instruction or the group

Shown shownBy(const ViewNode& node, int32_t parent) {
  const bool isGroup = node.kind == ViewNode::Kind::CollapsedGroup || node.kind == ViewNode::Kind::OpenGroup;
  return isGroup ? Shown{parent, 0, "/" + node.group} : Shown{parent, node.instruction.value, std::string()};
}

// By box, which box of the page before it was; -1: none.
std::vector<int32_t> boxesBefore(const GraphView& view, const GraphView& before) {
  std::map<Shown, int32_t> known;
  for (size_t v = 0; v < before.nodes.size(); ++v)
    if (before.nodes[v].kind != ViewNode::Kind::Attached)
      known.emplace(shownBy(before.nodes[v], before.nodes[v].parent), static_cast<int32_t>(v));
  std::vector<int32_t> out(view.nodes.size(), -1);
  for (size_t v = 0; v < view.nodes.size(); ++v) {
    const ViewNode& node = view.nodes[v];
    const int32_t parent = node.parent < 0 ? -1 : out[at(node.parent)];
    if (node.kind == ViewNode::Kind::Attached || (node.parent >= 0 && parent < 0)) continue;
    if (const auto found = known.find(shownBy(node, parent)); found != known.end()) out[v] = found->second;
  }
  return out;
}

using Wire = std::tuple<int32_t, int32_t, int32_t, uint32_t>;

bool isSame(PointF a, PointF b) { return a.x == b.x && a.y == b.y; }

}  // namespace

void keepWires(const GraphView& view, const DrawnPage& before, Arrangement& arrangement) {
  if (!before.view || !before.arrangement || before.view->flow != view.flow ||
      before.arrangement->routes.size() != before.view->edges.size())
    return;
  std::map<Wire, size_t> known;
  for (size_t e = 0; e < before.view->edges.size(); ++e) {
    const ViewEdge& wire = before.view->edges[e];
    known.emplace(Wire{wire.from, wire.to, wire.operand, wire.value.value}, e);
  }
  const std::vector<int32_t> was = boxesBefore(view, *before.view);
  for (size_t e = 0; e < view.edges.size(); ++e) {
    const ViewEdge& wire = view.edges[e];
    const auto found = known.find({was[at(wire.from)], was[at(wire.to)], wire.operand, wire.value.value});
    if (found == known.end()) continue;
    const std::vector<PointF>& old = before.arrangement->routes[found->second];
    std::vector<PointF>& route = arrangement.routes[e];
    if (old.size() > 1 && route.size() > 1 && isSame(old.front(), route.front()) && isSame(old.back(), route.back()))
      route = old;
  }
}

}  // namespace tessera
