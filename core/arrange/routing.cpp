// In the axes of the flow. A route leaves its source at the bottom, leaves the groups around it through their lower
// edges, crosses the common level, and enters the target's groups through their upper edges. Cost: O(rows crossed),
// times log(boxes a row) where there are no lanes.
#include "core/arrange/routing.h"

#include <algorithm>
#include <cmath>

#include "core/arrange/box_style.h"
#include "core/arrange/flow.h"
#include "core/arrange/sockets.h"

namespace tessera {
namespace {

constexpr int32_t kLongWire = 48;  // rows; longer wires without lanes run beside the level
constexpr int32_t kNearestMargins = 24, kMarginStep = 7;

int32_t depthOf(const GraphView& view, int32_t node) {
  int32_t depth = 0;
  for (; node >= 0; node = view.nodes[at(node)].parent) ++depth;
  return depth;
}

class Router {
 public:
  Router(const GraphView& view, const PlacedLevels& placed, Arrangement& out)
      : view_(view), placed_(placed), out_(out) {}

  void run(const std::stop_token& stop) {
    out_.routes.resize(view_.edges.size());
    orderArrivals();
    for (size_t e = 0; e < view_.edges.size() && !stop.stop_requested(); ++e) {
      const ViewEdge& edge = view_.edges[e];
      spread_ = static_cast<float>((e * 7) % 16) / 16;
      route_ = &out_.routes[e];
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached)
        routeAttached(edge);
      else
        routeWire(e);
    }
  }

 private:
  // The places on the upper edge of a target without ports are given out from the left, in the order in which the
  // wires come.
  void orderArrivals() {
    arrivals_.resize(view_.edges.size());
    std::vector<std::vector<size_t>> byTarget(view_.nodes.size());
    for (size_t e = 0; e < view_.edges.size(); ++e)
      if (view_.nodes[at(view_.edges[e].from)].kind != ViewNode::Kind::Attached)
        byTarget[at(view_.edges[e].to)].push_back(e);
    for (auto& edges : byTarget) {
      std::stable_sort(edges.begin(), edges.end(), [&](size_t a, size_t b) { return comesFrom(a) < comesFrom(b); });
      for (size_t k = 0; k < edges.size(); ++k)
        arrivals_[edges[k]] = static_cast<float>(k + 1) / static_cast<float>(edges.size() + 1);
    }
  }
  // The x from which an edge comes to its target: its last lane, else its source.
  float comesFrom(size_t edge) const {
    const auto& stretches = placed_.stretches[edge];
    for (auto s = stretches.rbegin(); s != stretches.rend(); ++s)
      if (const auto& lanes = placed_.level(s->group).lanes[at(s->wire)]; !lanes.empty()) return lanes.back();
    return outputOf(view_.edges[edge].from).x;
  }
  PointF outputOf(int32_t v) const {
    return along(view_.flow, outputSocket(view_.nodes[at(v)], along(view_.flow, out_.boxes[at(v)]), view_.flow));
  }
  PointF arrivalAt(size_t edge) const {
    const int32_t to = view_.edges[edge].to;
    const RectF& b = out_.boxes[at(to)];
    const auto port = inputSocket(view_.nodes[at(to)], along(view_.flow, b), view_.edges[edge].operand, view_.flow);
    return port ? along(view_.flow, *port) : PointF{b.x + b.width * arrivals_[edge], b.y};
  }

  void routeAttached(const ViewEdge& edge) {
    if (view_.nodes[at(edge.from)].owner >= 0) return;  // in its reader
    const RectF from = along(view_.flow, out_.boxes[at(edge.from)]), to = along(view_.flow, out_.boxes[at(edge.to)]);
    const PointF begin{from.x + from.width, from.y + from.height / 2};
    *route_ = {along(view_.flow, begin), along(view_.flow, besideSocket(to, from))};
  }

  void routeWire(size_t index) {
    const ViewEdge& edge = view_.edges[index];
    const PointF end = arrivalAt(index);
    add(outputOf(edge.from));
    const auto& stretches = placed_.stretches[index];
    for (size_t k = 0; k < stretches.size(); ++k) {
      const Level& level = placed_.level(stretches[k].group);
      const LevelWire& wire = level.wires[at(stretches[k].wire)];
      if (wire.from < 0) throughFrame(stretches[k].group, entryX(stretches[k], end), false);
      const bool entersNext = k + 1 < stretches.size() && wire.to >= 0;
      follow(level, stretches[k].wire, {entersNext ? entryX(stretches[k + 1], end) : end.x, end.y});
      if (wire.to < 0) throughFrame(stretches[k].group, route_->back().x, true);
    }
    add(end);
  }
  // Where a wire goes through the upper edge of a group: above its first lane in there.
  float entryX(const PlacedLevels::Stretch& stretch, PointF end) const {
    const auto& lanes = placed_.level(stretch.group).lanes[at(stretch.wire)];
    const RectF& frame = out_.boxes[at(stretch.group)];
    return std::clamp(lanes.empty() ? end.x : lanes.front(), frame.x + 8, frame.x + frame.width - 8);
  }
  void throughFrame(int32_t group, float x, bool out) {
    const RectF& frame = out_.boxes[at(group)];
    add({std::clamp(x, frame.x + 8, frame.x + frame.width - 8), out ? frame.y + frame.height : frame.y});
  }
  void follow(const Level& level, int32_t index, PointF end) {
    const LevelWire& wire = level.wires[at(index)];
    const int32_t first = level.firstRow(wire), last = level.lastRow(wire);
    const auto& lanes = level.lanes[at(index)];
    if (wire.from >= 0 && last >= first) straightTo(level.rows[at(first) - 1].bottom);
    if (last < first)
      upwards(level, first - 1, last, end);
    else if (lanes.empty() && last - first > kLongWire)
      besideLevel(level, first, last, end);
    else if (lanes.empty())
      walkDown(level, first, last, end);
    for (size_t k = 0; k < lanes.size(); ++k) {
      const LevelRow& row = level.rows[at(first) + k];
      add({lanes[k], row.top - box::kWireClearance});
      add({lanes[k], row.bottom + box::kWireClearance});
    }
    if (wire.to < 0 || last < first) return;
    const RectF& target = out_.boxes[at(level.nodes[at(wire.to)])];
    const float top = level.rows[at(last)].top - box::kWireClearance;
    if (target.y - top > 2 * box::kWireClearance)
      add({std::clamp(end.x, target.x + 8, target.x + target.width - 8), top});
  }
  // Down beside the taller boxes of its own row.
  void straightTo(float bottom) {
    if (bottom + box::kWireClearance > route_->back().y + 2 * box::kWireClearance)
      add({route_->back().x, bottom + box::kWireClearance});
  }
  // Upwards, beside its own row and the target's too.
  void upwards(const Level& level, int32_t from, int32_t to, PointF end) {
    if (from - to > kLongWire) return besideLevel(level, from, to, end);
    for (int32_t row = from; row >= to; --row) {
      const LevelRow& r = level.rows[at(row)];
      const float x = gapNear(level, r, row == to ? end.x : route_->back().x);
      add({x, r.bottom + box::kWireClearance});
      add({x, r.top - box::kWireClearance});
    }
  }
  // Through the margin at the nearer side: no box is there.
  void besideLevel(const Level& level, int32_t first, int32_t last, PointF end) {
    const LevelRow &top = level.rows[at(first)], &bottom = level.rows[at(std::max(last - 1, 0))];
    const float left = level.left, right = level.left + level.width;
    const float aside = kMarginStep * (1 + static_cast<float>(margins_++ % kNearestMargins));
    const float x = route_->back().x + end.x < left + right ? left - aside : right + aside;
    const bool down = end.y > route_->back().y;
    add({x, down ? top.top - box::kWireClearance : top.bottom + box::kWireClearance});
    add({x, down ? bottom.bottom + box::kWireClearance : bottom.top - box::kWireClearance});
  }
  // Crosses rows first … last-1 on the way down to `end`.
  void walkDown(const Level& level, int32_t first, int32_t last, PointF end) {
    for (int32_t row = first; row < last; ++row) {
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
    const float aside = box::kWireClearance + spread_ * (level.boxGap - 2 * box::kWireClearance);
    const float middle = (leftOf(under) + rightOf(under)) / 2;
    return wish < middle ? leftOf(under) - aside : rightOf(under) + aside;
  }

  void add(PointF p) {
    auto& r = *route_;
    if (!r.empty() && r.back().x == p.x && r.back().y == p.y) return;
    if (r.size() >= 2 && r.back().x == p.x && r[r.size() - 2].x == p.x && p.y > r.back().y)
      r.back() = p;
    else
      r.push_back(p);
  }

  const GraphView& view_;
  const PlacedLevels& placed_;
  Arrangement& out_;
  std::vector<float> arrivals_;  // by edge: part of the target's width
  std::vector<PointF>* route_ = nullptr;
  float spread_ = 0;
  size_t margins_ = 0;
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

void routeWires(const GraphView& view, const PlacedLevels& placed, Arrangement& arrangement,
                const std::stop_token& stop) {
  Router(view, placed, arrangement).run(stop);
}

}  // namespace tessera
