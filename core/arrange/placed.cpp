// See placed.h. Groups first, outer ones before inner ones, so that an instruction's own place has the last word; then
// what has no place, what is attached, the frames of open groups, wires.
#include "core/arrange/placed.h"

#include <algorithm>
#include <optional>

#include "core/arrange/box_style.h"

namespace tessera {
namespace {

class Placer {
 public:
  Placer(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement)
      : module_(module), view_(view), places_(places), arrangement_(arrangement), moved_(view.nodes.size()) {}

  void run() {
    for (const ViewNode& node : view_.nodes)
      if (node.kind == ViewNode::Kind::OpenGroup || node.kind == ViewNode::Kind::CollapsedGroup) place(node);
    for (const ViewNode& node : view_.nodes)
      if (node.kind == ViewNode::Kind::Instruction) place(node);
    settleNew();
    moveAttached();
    for (size_t v = 0; v < moved_.size(); ++v) arrangement_.boxes[v] = movedBox(v);
    growGroups();
    moveWires();
    reroute();
    growBounds();
  }

 private:
  std::optional<PointF> wanted(const ViewNode& node) const {
    const bool isGroup = node.kind != ViewNode::Kind::Instruction;
    const auto& names = isGroup ? places_.groups : places_.instructions;
    const bool known = isGroup || module_.contains(node.instruction);
    const auto found =
        known ? names.find(isGroup ? node.group : std::string(module_.at(node.instruction).name)) : names.end();
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }

  void place(const ViewNode& node) {
    const auto to = wanted(node);
    if (!to) return;
    const auto v = static_cast<int32_t>(&node - view_.nodes.data());
    const RectF& box = arrangement_.boxes[at(v)];
    const PointF step{to->x - box.x - moved_[at(v)].x, to->y - box.y - moved_[at(v)].y};
    shiftAll(v, step);
  }
  RectF movedBox(size_t v) const {
    RectF box = arrangement_.boxes[v];
    box.x += moved_[v].x;
    box.y += moved_[v].y;
    return box;
  }

  // New boxes on a page that is mostly placed by hand. Operands stand before users, so one pass settles chains.
  void settleNew() {
    std::vector<bool> settled(moved_.size());
    size_t plain = 0, placed = 0;
    for (size_t v = 0; v < settled.size(); ++v) {
      const ViewNode& node = view_.nodes[v];
      if (node.kind == ViewNode::Kind::Attached) continue;
      settled[v] = wanted(node).has_value() || node.parent >= 0;  // inside groups the arrangement decides
      ++plain;
      placed += settled[v] ? 1 : 0;
    }
    constexpr size_t kMaxNew = 500;
    if (placed * 2 <= plain || placed == plain || plain - placed > kMaxNew) return;
    for (const bool byOperands : {true, false})
      for (size_t v = 0; v < settled.size(); ++v)
        if (!settled[v] && view_.nodes[v].kind != ViewNode::Kind::Attached) settled[v] = settle(v, settled, byOperands);
  }
  bool settle(size_t v, const std::vector<bool>& settled, bool byOperands) {
    float sum = 0, edge = 0;
    int count = 0;
    for (const ViewEdge& wire : view_.edges) {
      const size_t other = at(byOperands ? wire.from : wire.to);
      if (at(byOperands ? wire.to : wire.from) != v || !settled[other] || view_.nodes[other].parent >= 0) continue;
      const RectF box = movedBox(other);
      const float side = byOperands ? box.y + box.height : box.y;
      edge = count == 0 ? side : byOperands ? std::max(edge, side) : std::min(edge, side);
      sum += box.x + box.width / 2;
      ++count;
    }
    if (count == 0) return false;
    RectF wish = arrangement_.boxes[v];
    wish.x = sum / static_cast<float>(count) - wish.width / 2;
    wish.y = byOperands ? edge + box::kRowGap : edge - box::kRowGap - wish.height;
    wish = freeOf(v, wish, settled);
    shiftAll(static_cast<int32_t>(v),
             {wish.x - arrangement_.boxes[v].x - moved_[v].x, wish.y - arrangement_.boxes[v].y - moved_[v].y});
    return true;
  }
  // To the right until nothing settled is in the way.
  RectF freeOf(size_t v, RectF wish, const std::vector<bool>& settled) const {
    constexpr int kMaxSteps = 200;
    for (int step = 0; step < kMaxSteps; ++step) {
      std::optional<RectF> hit;
      for (size_t other = 0; other < settled.size() && !hit; ++other)
        if (other != v && settled[other] && view_.nodes[other].parent < 0 && movedBox(other).intersects(wish))
          hit = movedBox(other);
      if (!hit) break;
      wish.x = hit->x + hit->width + box::kColumnGap;
    }
    return wish;
  }
  // A box with all that is in it.
  void shiftAll(int32_t v, PointF step) {
    const bool alone = view_.nodes[at(v)].kind != ViewNode::Kind::OpenGroup;
    const int32_t last = alone ? v + 1 : static_cast<int32_t>(moved_.size());
    for (int32_t i = alone ? v : 0; i < last; ++i)
      if (isInside(i, v)) moved_[at(i)].x += step.x, moved_[at(i)].y += step.y;
  }

  // Round what was moved in them, inner ones first: parents stand before their children.
  void growGroups() {
    for (size_t v = view_.nodes.size(); v-- > 0;) {
      const int32_t parent = view_.nodes[v].parent;
      if (parent < 0) continue;
      const RectF& box = arrangement_.boxes[v];
      RectF& frame = arrangement_.boxes[at(parent)];
      const float left = std::min(frame.x, box.x - box::kGroupPadding),
                  top = std::min(frame.y, box.y - box::kGroupHeader);
      const float right = std::max(frame.x + frame.width, box.x + box.width + box::kGroupPadding);
      const float bottom = std::max(frame.y + frame.height, box.y + box.height + box::kGroupPadding);
      if (moved_[v].x != moved_[at(parent)].x || moved_[v].y != moved_[at(parent)].y || left < frame.x || top < frame.y)
        frame = {left, top, right - left, bottom - top};
    }
  }

  // Wires through the points that a person gave them.
  void reroute() {
    if (places_.reroutes.empty()) return;
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      const ViewNode& user = view_.nodes[at(view_.edges[e].to)];
      auto& route = arrangement_.routes[e];
      if (user.kind != ViewNode::Kind::Instruction || !module_.contains(user.instruction) || route.size() < 2) continue;
      const auto found =
          places_.reroutes.find({std::string(module_.at(user.instruction).name), view_.edges[e].operand});
      if (found == places_.reroutes.end()) continue;
      std::vector<PointF> led{route.front()};
      led.insert(led.end(), found->second.begin(), found->second.end());
      led.push_back(route.back());
      route = std::move(led);
    }
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
