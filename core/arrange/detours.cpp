// Detours are searched in the axes of the flow (core/arrange/flow.h). A detour is the cheapest path on the grid of
// lines beside all boxes near by: its length and a fee for each bend. Wires take turns in how far they keep from boxes,
// so that those in one gap are beside each other.
#include "core/arrange/detours.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <utility>

#include "core/arrange/box_style.h"
#include "core/arrange/curves.h"
#include "core/arrange/flow.h"
#include "core/arrange/rectangles.h"

namespace tessera {
namespace {

constexpr size_t kMostBoxes = 2500;     // of a page; beyond, wires stay as they are
constexpr size_t kMostCells = 400000;   // of one search
constexpr size_t kWalledIn = 4000;      // cells within walls, at most
constexpr size_t kMostOfAll = 4000000;  // of all searches for a page; when they are used up, wires stay as they are
constexpr float kInside = 1.5f;         // a wire may touch a box's edge
constexpr float kNear = 180;            // what is looked at first, round the straight line
constexpr float kBend = 26;             // what a bend costs, in units of length
constexpr float kClearances[] = {9, 13, 6, 16};
constexpr float kLeast = 3, kInGutter = 8;  // between columns wires keep further away, beside the lanes of the boxes

RectF boundsOfPoints(const std::vector<PointF>& points) {
  RectF out{points[0].x, points[0].y, 0, 0};
  for (PointF p : points) out = unionOf(out, {p.x, p.y, 0, 0});
  return out;
}

// Whether a stretch has a part inside of a rectangle.
bool crosses(PointF a, PointF b, const RectF& r) {
  float from = 0, to = 1;
  const auto clip = [&](float start, float step, float low, float high) {
    if (step == 0) return start > low && start < high;
    float t = (low - start) / step, u = (high - start) / step;
    if (t > u) std::swap(t, u);
    from = std::max(from, t), to = std::min(to, u);
    return from < to;
  };
  return clip(a.x, b.x - a.x, r.x, r.x + r.width) && clip(a.y, b.y - a.y, r.y, r.y + r.height);
}
bool crosses(const std::vector<PointF>& line, const RectF& r) {
  for (size_t i = 1; i < line.size(); ++i)
    if (crosses(line[i - 1], line[i], r)) return true;
  return false;
}

// What is in the way of wires: everything but fields, which are in their readers.
bool isInTheWay(const GraphView& view, int32_t box, const ViewEdge& wire) {
  if (view.nodes[at(box)].owner >= 0) return false;
  for (int32_t end : {wire.from, wire.to})
    for (int32_t outer = view.nodes[at(end)].parent; outer >= 0; outer = view.nodes[at(outer)].parent)
      if (outer == box) return false;
  return true;
}
// Of what is in a group that is itself in the way nothing need be asked.
bool isObstacle(const GraphView& view, int32_t box, const ViewEdge& wire) {
  const int32_t outer = view.nodes[at(box)].parent;
  return isInTheWay(view, box, wire) && (outer < 0 || !isInTheWay(view, outer, wire));
}
// Inside of an end that is an open group.
bool isWithin(const GraphView& view, int32_t box, int32_t outer) {
  while (box >= 0 && box != outer) box = view.nodes[at(box)].parent;
  return box == outer;
}

// The lines of a grid that obstacles block.
class Grid {
 public:
  Grid(const std::vector<RectF>& obstacles, PointF start, PointF end, const RectF& area) {
    for (const RectF& o : obstacles) {
      xs_.insert(xs_.end(), {o.x, o.x + o.width});
      ys_.insert(ys_.end(), {o.y, o.y + o.height});
    }
    xs_.insert(xs_.end(), {start.x, end.x, area.x, area.x + area.width});
    ys_.insert(ys_.end(), {start.y, end.y, area.y, area.y + area.height});
    tidy(xs_, area.x, area.x + area.width);
    tidy(ys_, area.y, area.y + area.height);
    if (tooLarge()) return;
    across_.resize(xs_.size() * ys_.size());
    down_.resize(xs_.size() * ys_.size());
    for (const RectF& o : obstacles) block(o);
  }
  size_t cells() const { return xs_.size() * ys_.size(); }
  bool tooLarge() const { return cells() > kMostCells; }

  std::optional<std::vector<PointF>> path(PointF start, PointF end) {
    start_ = cellOf(start), end_ = cellOf(end);
    if (isWalledIn(end_, start_)) return std::nullopt;
    best_.assign(2 * xs_.size() * ys_.size(), INFINITY);
    before_.assign(best_.size(), kNone);
    offer(2 * start_, 0, kNone);
    while (!open_.empty()) {
      const auto [rank, state] = open_.top();
      open_.pop();
      if (rank > best_[state] + restFrom(state) + 0.01f) continue;
      if (state == 2 * end_) return pathTo(state);
      expand(state);
    }
    return std::nullopt;
  }

 private:
  static void tidy(std::vector<float>& lines, float low, float high) {
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    std::erase_if(lines, [&](float v) { return v < low || v > high; });
  }
  size_t width() const { return xs_.size(); }
  size_t cellOf(PointF p) const {
    const auto x = static_cast<size_t>(std::ranges::lower_bound(xs_, p.x) - xs_.begin());
    const auto y = static_cast<size_t>(std::ranges::lower_bound(ys_, p.y) - ys_.begin());
    return y * width() + x;
  }
  PointF pointOf(size_t cell) const { return {xs_[cell % width()], ys_[cell / width()]}; }
  // Stretches inside of an obstacle; on its edge a wire may run.
  void block(const RectF& o) {
    const auto first = [](const std::vector<float>& lines, float v) {
      return static_cast<size_t>(std::ranges::lower_bound(lines, v) - lines.begin());
    };
    const size_t left = first(xs_, o.x), right = first(xs_, o.x + o.width), top = first(ys_, o.y),
                 bottom = first(ys_, o.y + o.height);
    const bool cutLeft = left < width() && xs_[left] > o.x, cutTop = top < ys_.size() && ys_[top] > o.y;
    for (size_t y = cutTop ? top : top + 1; y < bottom; ++y)
      for (size_t x = left; x < right && x + 1 < width(); ++x) across_[y * width() + x] = 1;
    for (size_t y = top; y < bottom && y + 1 < ys_.size(); ++y)
      for (size_t x = cutLeft ? left : left + 1; x < right; ++x) down_[y * width() + x] = 1;
  }
  // Few cells are joined to it, and `start` is none of them. Most searches that fail do so since the end is walled in:
  // to find that out by the search itself would rank every cell on the page.
  bool isWalledIn(size_t end, size_t start) const {
    std::vector<uint8_t> seen(cells());
    std::vector<size_t> open{end};
    seen[end] = 1;
    for (size_t looked = 0; !open.empty(); ++looked) {
      if (seen[start] || looked == kWalledIn) return false;
      const size_t cell = open.back();
      open.pop_back();
      eachNext(cell, [&](size_t to, size_t) {
        if (!std::exchange(seen[to], 1)) open.push_back(to);
      });
    }
    return !seen[start];
  }
  // The cells beside it that no obstacle keeps it from, with the direction: 0 down or up, 1 across.
  template <class Visit>
  void eachNext(size_t cell, const Visit& visit) const {
    const size_t x = cell % width(), y = cell / width();
    if (y + 1 < ys_.size() && !down_[cell]) visit(cell + width(), size_t{0});
    if (y > 0 && !down_[cell - width()]) visit(cell - width(), size_t{0});
    if (x + 1 < width() && !across_[cell]) visit(cell + 1, size_t{1});
    if (x > 0 && !across_[cell - 1]) visit(cell - 1, size_t{1});
  }
  // What a path from there costs at least: it ends downwards, in the column of the end.
  float restFrom(size_t state) const {
    const PointF p = pointOf(state / 2), q = pointOf(end_);
    const int bends = state % 2 == 1 ? 1 : p.x == q.x ? 0 : 2;
    return std::abs(p.x - q.x) + std::abs(p.y - q.y) + static_cast<float>(bends) * kBend;
  }
  // A state is a cell with the direction in which it was reached.
  void offer(size_t state, float cost, uint32_t from) {
    if (cost >= best_[state]) return;
    best_[state] = cost;
    before_[state] = from;
    open_.push({cost + restFrom(state), static_cast<uint32_t>(state)});
  }
  void expand(size_t state) {
    const size_t cell = state / 2;
    const PointF p = pointOf(cell);
    eachNext(cell, [&](size_t to, size_t direction) {
      const PointF q = pointOf(to);
      const float length = std::abs(p.x - q.x) + std::abs(p.y - q.y);
      offer(2 * to + direction, best_[state] + length + (direction == state % 2 ? 0 : kBend),
            static_cast<uint32_t>(state));
    });
    // Arriving across: the last turn is down into the input.
    if (cell == end_ && state % 2 == 1) offer(2 * end_, best_[state] + kBend, before_[state]);
  }
  std::vector<PointF> pathTo(size_t state) const {
    std::vector<PointF> out;
    for (auto s = static_cast<uint32_t>(state); s != kNone; s = before_[s]) {
      const PointF p = pointOf(s / 2);
      const size_t n = out.size();
      const bool straight =
          n >= 2 && ((out[n - 1].x == p.x && out[n - 2].x == p.x) || (out[n - 1].y == p.y && out[n - 2].y == p.y));
      if (straight)
        out.back() = p;
      else
        out.push_back(p);
    }
    std::ranges::reverse(out);
    return out;
  }

  static constexpr uint32_t kNone = UINT32_MAX;
  using Ranked = std::pair<float, uint32_t>;
  std::vector<float> xs_, ys_;
  std::vector<uint8_t> across_, down_;  // 1: blocked, by the cell at the upper left end
  size_t start_ = 0, end_ = 0;
  std::vector<float> best_;
  std::vector<uint32_t> before_;
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> open_;
};

class Detours {
 public:
  Detours(const GraphView& view, const Arrangement& arrangement) : view_(view), arrangement_(arrangement) {}

  bool isHit(size_t edge) const {
    const std::vector<PointF> line = pointsOn(curveOf(arrangement_.routes[edge]));
    const RectF around = boundsOfPoints(line);
    for (int32_t v = 0; v < static_cast<int32_t>(view_.nodes.size()); ++v)
      if (hits(edge, v, line, around)) return true;
    return false;
  }
  bool hits(size_t edge, int32_t box, const std::vector<PointF>& line, const RectF& around) const {
    const ViewEdge& wire = view_.edges[edge];
    const RectF inside = grown(arrangement_.boxes[at(box)], -kInside);
    if (inside.width <= 0 || inside.height <= 0 || !grown(around, 1).intersects(inside)) return false;
    if (!isInTheWay(view_, box, wire)) return false;
    for (int32_t end : {wire.from, wire.to})
      if (box != end && isWithin(view_, box, end)) return false;
    return crosses(line, inside);
  }

  // Empty: there is none.
  std::vector<PointF> detour(size_t edge, bool inGutter) {
    const float clearance = kClearances[edge % std::size(kClearances)];
    for (const float distance : {clearance + (inGutter ? kInGutter : 0), clearance, kLeast})
      for (const bool near : {true, false})
        if (auto found = search(edge, distance, near)) return *std::move(found);
    return {};
  }

 private:
  std::optional<std::vector<PointF>> search(size_t edge, float distance, bool near) {
    if (cells_ >= kMostOfAll) return std::nullopt;
    const PointF from = arrangement_.routes[edge].front(), to = arrangement_.routes[edge].back();
    const PointF start{from.x, from.y + distance}, end{to.x, to.y - distance};
    const ViewEdge& wire = view_.edges[edge];
    RectF area = unionOf(arrangement_.boxes[at(wire.from)], arrangement_.boxes[at(wire.to)]);
    area = grown(unionOf(area, boundsOfPoints({start, end})), kNear);
    if (!near) area = grown(unionOf(area, arrangement_.bounds), kNear);
    std::vector<RectF> obstacles;
    for (int32_t v = 0; v < static_cast<int32_t>(view_.nodes.size()); ++v) {
      const RectF box = grown(arrangement_.boxes[at(v)], distance);
      if (box.intersects(area) && isObstacle(view_, v, wire)) obstacles.push_back(box);
    }
    Grid grid(obstacles, start, end, area);
    if (grid.tooLarge()) return std::nullopt;
    cells_ += grid.cells();
    auto path = grid.path(start, end);
    if (!path) return std::nullopt;
    return withEnds(*std::move(path), from, to);
  }
  static std::vector<PointF> withEnds(std::vector<PointF> path, PointF from, PointF to) {
    if (path.size() > 1 && path[1].x == from.x)
      path.front() = from;
    else
      path.insert(path.begin(), from);
    if (path.size() > 1 && path[path.size() - 2].x == to.x)
      path.back() = to;
    else
      path.push_back(to);
    return path;
  }

  const GraphView& view_;
  const Arrangement& arrangement_;
  size_t cells_ = 0;  // searched so far
};

bool isWire(const GraphView& view, const Arrangement& arrangement, size_t edge) {
  return arrangement.routes[edge].size() >= 2 && view.nodes[at(view.edges[edge].from)].kind != ViewNode::Kind::Attached;
}

}  // namespace

std::vector<int32_t> boxesUnder(const GraphView& view, const Arrangement& arrangement, size_t edge) {
  std::vector<int32_t> out;
  if (!isWire(view, arrangement, edge)) return out;
  const Detours detours(view, arrangement);
  const std::vector<PointF> line = pointsOn(curveOf(arrangement.routes[edge], view.flow));
  for (int32_t v = 0; v < static_cast<int32_t>(view.nodes.size()); ++v)
    if (detours.hits(edge, v, line, boundsOfPoints(line))) out.push_back(v);
  return out;
}

void leadRoundBoxes(const GraphView& view, Arrangement& arrangement, const std::vector<bool>& kept,
                    const std::stop_token& stop) {
  if (view.nodes.size() > kMostBoxes || arrangement.routes.size() != view.edges.size()) return;
  if (view.flow == Flow::Right) transpose(arrangement);
  Detours detours(view, arrangement);
  for (size_t e = 0; e < view.edges.size() && !stop.stop_requested(); ++e) {
    if (!isWire(view, arrangement, e) || (e < kept.size() && kept[e]) || !detours.isHit(e)) continue;
    if (auto route = detours.detour(e, !kept.empty()); !route.empty()) arrangement.routes[e] = std::move(route);
  }
  if (view.flow == Flow::Right) transpose(arrangement);
}

}  // namespace tessera
