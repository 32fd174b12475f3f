// See plain_graph.h. Only clusters that hold something become groups: an empty one has no place.
#include "core/picture/plain_graph.h"

namespace tessera {
namespace {

std::string restOf(const std::vector<std::string>& lines) {
  std::string out;
  for (size_t i = 1; i < lines.size(); ++i) out += (i > 1 ? " · " : "") + lines[i];
  return out;
}

std::vector<bool> filledClusters(const PlainGraph& graph) {
  std::vector<bool> filled(graph.clusters.size(), false);
  for (const PlainGraph::Node& node : graph.nodes)
    for (int32_t c = node.cluster; c >= 0 && !filled[static_cast<size_t>(c)];
         c = graph.clusters[static_cast<size_t>(c)].parent)
      filled[static_cast<size_t>(c)] = true;
  return filled;
}

void appendEdgeLabel(Picture& picture, const std::string& label, const std::vector<PointF>& route) {
  constexpr float kSize = 10;
  if (label.empty() || route.size() < 2) return;
  const PointF a = route[(route.size() - 1) / 2], b = route[(route.size() - 1) / 2 + 1];
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.text = elideText(label, kSize, 160, false);
  item.bounds = {(a.x + b.x) / 2 + 4, (a.y + b.y) / 2 - kSize / 2, textWidth(item.text, kSize), kSize * 1.25f};
  item.size = kSize;
  item.fill = ColorRole::GroupText;
  item.stroked = false;
  item.minZoom = 0.45f;
  picture.items.push_back(std::move(item));
}

}  // namespace

GraphView viewOf(const PlainGraph& graph) {
  GraphView out;
  const std::vector<bool> filled = filledClusters(graph);
  std::vector<int32_t> groups(graph.clusters.size(), -1);
  for (size_t c = 0; c < graph.clusters.size(); ++c) {
    if (!filled[c]) continue;
    groups[c] = static_cast<int32_t>(out.nodes.size());
    ViewNode& node = out.nodes.emplace_back();
    node.kind = ViewNode::Kind::OpenGroup;
    node.group = "cluster/" + std::to_string(c);
    node.title = graph.clusters[c].label;
    const int32_t parent = graph.clusters[c].parent;
    node.parent = parent < 0 ? -1 : groups[static_cast<size_t>(parent)];
  }
  const auto first = static_cast<int32_t>(out.nodes.size());
  for (const PlainGraph::Node& node : graph.nodes) {
    ViewNode& box = out.nodes.emplace_back();
    box.title = node.lines.empty() ? std::string() : node.lines[0];
    box.subtitle = restOf(node.lines);
    box.parent = node.cluster < 0 ? -1 : groups[static_cast<size_t>(node.cluster)];
  }
  for (const PlainGraph::Edge& edge : graph.edges) {
    if (edge.from == edge.to) continue;  // a loop has no room beside its box
    ViewEdge& wire = out.edges.emplace_back();
    wire.from = first + edge.from;
    wire.to = first + edge.to;
    wire.value = InstructionId(static_cast<uint32_t>(edge.from));  // wires of one source share a trunk
  }
  return out;
}

Picture drawPlain(const PlainGraph& graph, const GraphView& view, const Arrangement& arrangement) {
  Picture out = draw(Module(graph.name), view, arrangement);
  for (PictureItem& item : out.items) {
    item.instruction = InstructionId();
    if (!graph.directed) item.arrow = false;
  }
  size_t wire = 0;
  for (const PlainGraph::Edge& edge : graph.edges)
    if (edge.from != edge.to) appendEdgeLabel(out, edge.label, arrangement.routes[wire++]);
  return out;
}

}  // namespace tessera
