// See excerpt.h.
#include "core/export/excerpt.h"

#include <algorithm>
#include <utility>

#include "core/arrange/rectangles.h"

namespace tessera {
namespace {

constexpr float kExcerptMargin = 16, kReachOfWires = 8;

}  // namespace

// Boxes come after what they are in, fields after their readers.
std::vector<bool> withContent(const GraphView& view, std::vector<bool> chosen) {
  chosen.resize(view.nodes.size());
  for (size_t n = 0; n < view.nodes.size(); ++n)
    for (const int32_t outer : {view.nodes[n].parent, view.nodes[n].owner})
      if (outer >= 0 && chosen[at(outer)]) chosen[n] = true;
  return chosen;
}

Picture excerptOf(const Picture& picture, const RectF& area, float zoom) {
  Picture out{area, {}};
  for (const PictureItem& item : picture.items) {
    if (!item.isSeenAt(zoom) || !grown(item.bounds, kReachOfWires).intersects(area)) continue;
    out.items.push_back(item);
    out.items.back().minZoom = 0, out.items.back().maxZoom = kAnyZoom;  // it is seen
  }
  return out;
}

Picture excerptOf(const Picture& picture, const GraphView& view, const std::vector<bool>& chosen) {
  Picture out;
  bool any = false;
  for (const PictureItem& item : picture.items) {
    const bool isWire = item.viewEdge >= 0;
    if (isWire) {
      const ViewEdge& edge = view.edges[at(item.viewEdge)];
      if (!chosen[at(edge.from)] || !chosen[at(edge.to)]) continue;
    } else if (item.viewNode < 0 || !chosen[at(item.viewNode)]) {
      continue;
    }
    out.bounds = any ? unionOf(out.bounds, item.bounds) : item.bounds;
    any = true;
    out.items.push_back(item);
  }
  if (any) out.bounds = grown(out.bounds, kExcerptMargin);
  return out;
}

GraphView excerptOf(const GraphView& view, const std::vector<bool>& chosen) {
  GraphView out{view.computation, {}, {}, view.valueStrip, view.flow, {}};
  std::vector<int32_t> numbers(view.nodes.size(), -1);
  const auto nearest = [&](int32_t outer) {
    while (outer >= 0 && numbers[at(outer)] < 0) outer = view.nodes[at(outer)].parent;
    return outer < 0 ? -1 : numbers[at(outer)];
  };
  for (size_t n = 0; n < view.nodes.size(); ++n) {
    if (!chosen[n]) continue;
    ViewNode node = view.nodes[n];
    node.parent = nearest(node.parent);
    node.owner = nearest(node.owner);
    numbers[n] = static_cast<int32_t>(out.nodes.size());
    out.nodes.push_back(std::move(node));
  }
  for (ViewEdge edge : view.edges) {
    edge.from = numbers[at(edge.from)], edge.to = numbers[at(edge.to)];
    if (edge.from >= 0 && edge.to >= 0) out.edges.push_back(edge);
  }
  for (int32_t box : view.boxes) out.boxes.push_back(box < 0 ? -1 : numbers[at(box)]);
  return out;
}

}  // namespace tessera
