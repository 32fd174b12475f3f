// A route leaves its source at the bottom, leaves the groups around it through their lower edges, crosses the common
// level, and enters the target's groups through their upper edges. Cost: O(rows crossed × log(boxes a row)), and
// only the rows near the ends of a very long wire are looked at.
#include "core/arrange/routing.h"

#include <algorithm>
#include <cmath>

#include "core/arrange/box_style.h"

namespace tessera {
namespace {

constexpr int32_t kLongWire = 48;      // rows; longer wires run straight behind the boxes in the middle
constexpr int32_t kNearEnds = 16;

size_t at(int32_t i) { return static_cast<size_t>(i); }

int32_t depthOf(const GraphView& view, int32_t node) {
  int32_t depth = 0;
  for (; node >= 0; node = view.nodes[at(node)].parent) ++depth;
  return depth;
}

class Router {
 public:
  Router(const GraphView& view, const PlacedLevels& placed, Arrangement& out) : view_(view), placed_(placed), out_(out) {
    countOperands();
  }

  void run() {
    out_.routes.resize(view_.edges.size());
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      const ViewEdge& edge = view_.edges[e];
      spread_ = static_cast<float>((e * 7) % 16) / 16;
      route_ = &out_.routes[e];
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) routeAttached(edge);
      else routeWire(edge);
    }
  }

 private:
  struct Arrivals {
    int32_t total = 0, next = 0;
  };
  void countOperands() {
    arrivals_.resize(view_.nodes.size());
    for (const ViewEdge& edge : view_.edges)
      if (view_.nodes[at(edge.from)].kind != ViewNode::Kind::Attached) ++arrivals_[at(edge.to)].total;
  }
  // The next place on the target's upper edge, in operand order.
  PointF arrivalAt(int32_t node) {
    Arrivals& a = arrivals_[at(node)];
    const RectF& b = out_.boxes[at(node)];
    const float fraction = static_cast<float>(++a.next) / static_cast<float>(a.total + 1);
    return {b.x + b.width * fraction, b.y};
  }

  void routeAttached(const ViewEdge& edge) {
    const RectF &from = out_.boxes[at(edge.from)], &to = out_.boxes[at(edge.to)];
    const float y = from.y + from.height / 2;
    *route_ = {{from.x + from.width, y}, {to.x, std::clamp(y, to.y + 4, to.y + to.height - 4)}};
  }

  void routeWire(const ViewEdge& edge) {
    const RectF& source = out_.boxes[at(edge.from)];
    const PointF end = arrivalAt(edge.to);
    add({source.x + source.width / 2, source.y + source.height});
    const CommonLevel common = commonLevel(view_, edge.from, edge.to);
    if (common.from != common.to) {
      leaveGroups(edge.from, common.from, end);
      crossLevel(common, end);
      enterGroups(edge.to, common.to, end);
    }
    add(end);
  }
  int32_t rowOf(int32_t node) const {
    return placed_.level(view_.nodes[at(node)].parent).boxes[at(placed_.localIndex[at(node)])].row;
  }
  void leaveGroups(int32_t node, int32_t outermost, PointF end) {
    while (node != outermost) {
      const int32_t group = view_.nodes[at(node)].parent;
      const auto rows = static_cast<int32_t>(placed_.level(group).rows.size());
      walkDown(placed_.level(group), rowOf(node) + 1, rows, end);
      const RectF& frame = out_.boxes[at(group)];
      add({std::clamp(route_->back().x, frame.x + 8, frame.x + frame.width - 8), frame.y + frame.height});
      node = group;
    }
  }
  void enterGroups(int32_t node, int32_t outermost, PointF end) {
    std::vector<int32_t> inwards;
    for (; node != outermost; node = view_.nodes[at(node)].parent) inwards.push_back(node);
    for (auto inner = inwards.rbegin(); inner != inwards.rend(); ++inner) {
      const int32_t group = view_.nodes[at(*inner)].parent;
      const RectF& frame = out_.boxes[at(group)];
      add({std::clamp(end.x, frame.x + 8, frame.x + frame.width - 8), frame.y});
      walkDown(placed_.level(group), 0, rowOf(*inner), end);
    }
  }
  void crossLevel(const CommonLevel& common, PointF end) {
    const Level& level = placed_.level(common.level);
    const int32_t from = rowOf(common.from), to = rowOf(common.to);
    if (to > from) {
      walkDown(level, from + 1, to, end);
      return;
    }
    for (int32_t row = from; row >= to; --row) {  // upwards, beside its own row and the target's too
      if (from - to > kLongWire && from - row > kNearEnds && row - to > kNearEnds) continue;
      const LevelRow& r = level.rows[at(row)];
      const float x = gapNear(level, r, row == to ? end.x : route_->back().x);
      add({x, r.bottom + box::kWireClearance});
      add({x, r.top - box::kWireClearance});
    }
  }
  // Crosses rows first … last-1 on the way down to `end`.
  void walkDown(const Level& level, int32_t first, int32_t last, PointF end) {
    for (int32_t row = first; row < last; ++row) {
      if (last - first > kLongWire && row == first + kNearEnds) row = last - kNearEnds;
      const LevelRow& r = level.rows[at(row)];
      const PointF here = route_->back();
      const float part = end.y > here.y + 1 ? std::clamp((r.top - here.y) / (end.y - here.y), 0.f, 1.f) : 1;
      const float x = gapNear(level, r, here.x + (end.x - here.x) * part);
      add({x, r.top - box::kWireClearance});
      add({x, r.bottom + box::kWireClearance});
    }
  }

  // The x nearest to `wish` that no box of the row covers; wires that are pushed aside spread over the gap.
  float gapNear(const Level& level, const LevelRow& row, float wish) const {
    auto leftOf = [&](int32_t v) { return level.boxes[at(v)].x - level.boxes[at(v)].left; };
    auto rightOf = [&](int32_t v) { return level.boxes[at(v)].x + level.boxes[at(v)].right; };
    const auto after = std::partition_point(row.boxes.begin(), row.boxes.end(),
                                            [&](int32_t v) { return leftOf(v) - box::kWireClearance <= wish; });
    if (after == row.boxes.begin()) return wish;
    const int32_t under = *(after - 1);
    if (wish >= rightOf(under) + box::kWireClearance) return wish;
    const float aside = box::kWireClearance + spread_ * (box::kColumnGap - 2 * box::kWireClearance);
    const float middle = (leftOf(under) + rightOf(under)) / 2;
    return wish < middle ? leftOf(under) - aside : rightOf(under) + aside;
  }

  void add(PointF p) {
    auto& r = *route_;
    if (!r.empty() && r.back().x == p.x && r.back().y == p.y) return;
    if (r.size() >= 2 && r.back().x == p.x && r[r.size() - 2].x == p.x && p.y > r.back().y) r.back() = p;
    else r.push_back(p);
  }

  const GraphView& view_;
  const PlacedLevels& placed_;
  Arrangement& out_;
  std::vector<Arrivals> arrivals_;
  std::vector<PointF>* route_ = nullptr;
  float spread_ = 0;
};

}  // namespace

CommonLevel commonLevel(const GraphView& view, int32_t from, int32_t to) {
  int32_t a = from, b = to, depthA = depthOf(view, a), depthB = depthOf(view, b);
  for (; depthA > depthB; --depthA) a = view.nodes[at(a)].parent;
  for (; depthB > depthA; --depthB) b = view.nodes[at(b)].parent;
  if (a == b) return {view.nodes[at(a)].parent, a, a};  // one holds the other
  while (view.nodes[at(a)].parent != view.nodes[at(b)].parent) {
    a = view.nodes[at(a)].parent;
    b = view.nodes[at(b)].parent;
  }
  return {view.nodes[at(a)].parent, a, b};
}

void routeWires(const GraphView& view, const PlacedLevels& placed, Arrangement& arrangement) {
  Router(view, placed, arrangement).run();
}

}  // namespace tessera
