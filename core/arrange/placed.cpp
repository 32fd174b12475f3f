// See placed.h. Groups first, outer ones before inner ones, so that an instruction's own place has the last word.
#include "core/arrange/placed.h"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

size_t at(int32_t i) { return static_cast<size_t>(i); }

class Placer {
 public:
  Placer(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement)
      : module_(module), view_(view), places_(places), arrangement_(arrangement), moved_(view.nodes.size()) {}

  void run() {
    for (const ViewNode& node : view_.nodes)
      if (node.kind == ViewNode::Kind::OpenGroup || node.kind == ViewNode::Kind::CollapsedGroup) place(node);
    for (const ViewNode& node : view_.nodes)
      if (node.kind == ViewNode::Kind::Instruction) place(node);
    moveAttached();
    for (size_t v = 0; v < moved_.size(); ++v) {
      arrangement_.boxes[v].x += moved_[v].x;
      arrangement_.boxes[v].y += moved_[v].y;
    }
    moveWires();
    growBounds();
  }

 private:
  std::optional<PointF> wanted(const ViewNode& node) const {
    const bool isGroup = node.kind != ViewNode::Kind::Instruction;
    const auto& names = isGroup ? places_.groups : places_.instructions;
    const bool known = isGroup || module_.contains(node.instruction);
    const auto found = known ? names.find(isGroup ? node.group : std::string(module_.at(node.instruction).name)) : names.end();
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }

  void place(const ViewNode& node) {
    const auto to = wanted(node);
    if (!to) return;
    const auto v = static_cast<int32_t>(&node - view_.nodes.data());
    const RectF& box = arrangement_.boxes[at(v)];
    const PointF step{to->x - box.x - moved_[at(v)].x, to->y - box.y - moved_[at(v)].y};
    const bool alone = node.kind != ViewNode::Kind::OpenGroup;
    const int32_t last = alone ? v + 1 : static_cast<int32_t>(moved_.size());
    for (int32_t i = alone ? v : 0; i < last; ++i)
      if (isInside(i, v)) moved_[at(i)].x += step.x, moved_[at(i)].y += step.y;
  }
  bool isInside(int32_t inner, int32_t outer) const {
    while (inner >= 0 && inner != outer) inner = view_.nodes[at(inner)].parent;
    return inner == outer;
  }

  // Constants drawn beside a user go with it.
  void moveAttached() {
    for (const ViewEdge& edge : view_.edges)
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) moved_[at(edge.from)] = moved_[at(edge.to)];
  }

  void moveWires() {
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      auto& route = arrangement_.routes[e];
      if (route.size() < 2) continue;
      const PointF from = moved_[at(view_.edges[e].from)], to = moved_[at(view_.edges[e].to)];
      const bool together = from.x == to.x && from.y == to.y;
      if (!together) route = {route.front(), route.back()};
      for (size_t i = 0; i < route.size(); ++i) {
        const PointF step = i == 0 ? from : to;
        route[i].x += step.x;
        route[i].y += step.y;
      }
    }
  }

  void growBounds() {
    constexpr float kMargin = 20;
    RectF& b = arrangement_.bounds;
    float right = b.x + b.width, bottom = b.y + b.height;
    for (const RectF& box : arrangement_.boxes) {
      b.x = std::min(b.x, box.x - kMargin);
      b.y = std::min(b.y, box.y - kMargin);
      right = std::max(right, box.x + box.width + kMargin);
      bottom = std::max(bottom, box.y + box.height + kMargin);
    }
    b.width = right - b.x;
    b.height = bottom - b.y;
  }

  const Module& module_;
  const GraphView& view_;
  const Places& places_;
  Arrangement& arrangement_;
  std::vector<PointF> moved_;
};

}  // namespace

void placeBoxes(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement) {
  if (!places.empty() && arrangement.boxes.size() == view.nodes.size()) Placer(module, view, places, arrangement).run();
}

}  // namespace tessera
