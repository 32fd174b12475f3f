// In the axes of the flow: where that is to the right, columns are lines. Cuts are between rows: into as few columns as
// show the graph large enough in its room, else into as many as show it largest; each cut where few wires cross
// it and columns are of like height. Of a level of very many rows the rows with the fewest wires are tried.
#include "core/arrange/columns.h"

#include <algorithm>
#include <cmath>

#include "core/arrange/box_style.h"
#include "core/arrange/detours.h"
#include "core/arrange/flow.h"

namespace tessera {
namespace {

constexpr size_t kMostFolded = 2000;   // boxes of a level
constexpr size_t kMostCuts = 200;      // rows below which a level may be cut
constexpr float kLargeEnough = 0.75f;  // zoom; what is seen so large is left alone
constexpr float kWorthIt = 1.2f;       // times as large
constexpr float kGutter = 64;          // between columns: room for wires upwards
// What a wire costs that crosses a cut, in units of height: as much as leaves the graph large enough.
constexpr float kCrossings[] = {150, 60, 10};

struct Extent {
  float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
  void add(float x, float y) {
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = std::max(bottom, y);
  }
};

class Folder {
 public:
  Folder(const Level& level, Flow flow, const Room& room) : level_(level), flow_(flow), room_(room) {}

  std::optional<Fold> run() {
    const size_t rows = level_.rows.size();
    if (level_.boxes.size() > kMostFolded || rows < 4) return std::nullopt;
    countCrossings();
    chooseCuts();
    const float before = zoomOf(extentsOf({rows}));
    if (before >= kLargeEnough) return std::nullopt;
    std::vector<size_t> best;
    float largest = 0;
    for (const float crossing : kCrossings)
      for (size_t columns = 2; 2 * columns <= cuts_.size() && largest < kLargeEnough; ++columns) {
        auto ends = cutInto(columns, crossing);
        const std::vector<Extent> extents = extentsOf(ends);
        const float zoom = zoomOf(extents);
        if (zoom > std::max(largest, before * kWorthIt)) largest = zoom, best = std::move(ends);
        if (isWide(extents)) break;  // more columns are wider still
      }
    return best.empty() ? std::nullopt : std::optional(foldAt(best));
  }

 private:
  float heightOf(size_t first, size_t end) const { return level_.rows[end - 1].bottom - level_.rows[first].top; }

  // By row: how many wires go from above it, or from it, to below it.
  void countCrossings() {
    crossings_.assign(level_.rows.size(), 0);
    for (const LevelWire& wire : level_.wires)
      for (int32_t row = std::max(level_.firstRow(wire) - 1, 0); row < level_.lastRow(wire); ++row)
        ++crossings_[at(row)];
  }

  // Rows below which a column may end, of equal windows the one with the fewest wires, and the last one.
  void chooseCuts() {
    const size_t rows = level_.rows.size(), window = (rows + kMostCuts - 1) / kMostCuts;
    for (size_t begin = 0; begin + 1 < rows; begin += window) {
      const auto first = crossings_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto least =
          std::min_element(first, first + static_cast<std::ptrdiff_t>(std::min(window, rows - 1 - begin)));
      cuts_.push_back(static_cast<size_t>(least - crossings_.begin()) + 1);
    }
    cuts_.push_back(rows);
  }

  // Ends of the columns, as numbers of rows: the least of the greatest height with what the cuts cost.
  std::vector<size_t> cutInto(size_t columns, float crossing) const {
    const size_t cuts = cuts_.size();
    struct Best {
      float cost = INFINITY;
      size_t from = 0;  // how many of the cuts are above
    };
    std::vector<std::vector<Best>> best(columns + 1, std::vector<Best>(cuts + 1));
    best[0][0].cost = 0;
    for (size_t c = 1; c <= columns; ++c)
      for (size_t end = c; end <= cuts; ++end)
        for (size_t from = end; from-- > c - 1;) {
          const size_t above = from == 0 ? 0 : cuts_[from - 1];
          const float height = heightOf(above, cuts_[end - 1]);
          if (height > best[c][end].cost) break;  // and so are those that begin above it
          const float cut = above == 0 ? 0 : crossing * crossings_[above - 1];
          const float cost = std::max(best[c - 1][from].cost, height + cut);
          if (cost <= best[c][end].cost) best[c][end] = {cost, from};
        }
    std::vector<size_t> ends(columns);
    for (size_t c = columns, end = cuts; c > 0; end = best[c--][end].from) ends[c - 1] = cuts_[end - 1];
    return ends;
  }

  std::vector<Extent> extentsOf(const std::vector<size_t>& ends) const {
    std::vector<Extent> out(ends.size());
    std::vector<size_t> columnOf(level_.rows.size());
    for (size_t row = 0, column = 0; row < level_.rows.size(); ++row) {
      if (row == ends[column]) ++column;
      columnOf[row] = column;
      for (int32_t v : level_.rows[row].boxes) {
        const LevelBox& box = level_.boxes[at(v)];
        out[column].add(box.x - box.left, level_.rows[row].top);
        out[column].add(box.x + box.right, level_.rows[row].bottom);
      }
    }
    for (size_t w = 0; w < level_.wires.size(); ++w)  // those that stay in one column
      for (size_t k = 0; k < level_.lanes[w].size(); ++k) {
        const LevelWire& wire = level_.wires[w];
        const size_t from = at(std::max(level_.firstRow(wire) - 1, 0));
        const size_t to = std::min(at(std::max(level_.lastRow(wire), 0)), columnOf.size() - 1);
        if (columnOf[from] == columnOf[to]) out[columnOf[from]].add(level_.lanes[w][k], out[columnOf[from]].top);
      }
    return out;
  }
  // On the page, with the margins of a group.
  PointF sizeOf(const std::vector<Extent>& columns) const {
    float width = -kGutter, height = 0;
    for (const Extent& each : columns) {
      width += each.right - each.left + kGutter;
      height = std::max(height, each.bottom - each.top);
    }
    return along(flow_, PointF{width + 2 * box::kGroupPadding, height + 2 * box::kGroupPadding});
  }
  float zoomOf(const std::vector<Extent>& columns) const {
    const PointF size = sizeOf(columns);
    return room_.zoomOf(size.x, size.y);
  }
  // What limits the zoom is the width of all columns together.
  bool isWide(const std::vector<Extent>& columns) const {
    const PointF size = sizeOf(columns);
    const bool wide = size.x * room_.height > size.y * room_.width;
    return wide == (flow_ == Flow::Down);
  }

  Fold foldAt(const std::vector<size_t>& ends) const {
    const std::vector<Extent> extents = extentsOf(ends);
    Fold out{ends, {}, extents[0].left - kGutter, 0};  // lanes that are left of all boxes keep their room
    float x = extents[0].left;
    for (const Extent& each : extents) {
      out.shifts.push_back({x - each.left, extents[0].top - each.top});
      x += each.right - each.left + kGutter;
      out.width += each.right - each.left + kGutter;
      out.height = std::max(out.height, each.bottom - each.top);
    }
    return out;
  }

  const Level& level_;
  const Flow flow_;
  const Room room_;
  std::vector<float> crossings_;
  std::vector<size_t> cuts_;  // as numbers of rows
};

class Mover {
 public:
  Mover(const GraphView& view, const PlacedLevels& placed, const Folds& folds, Arrangement& out)
      : view_(view), placed_(placed), folds_(folds), out_(out) {}

  void run() {
    setShifts();
    for (size_t v = 0; v < shifts_.size(); ++v) {
      out_.boxes[v].x += shifts_[v].x;
      out_.boxes[v].y += shifts_[v].y;
    }
    moveWires();
  }

 private:
  const Fold* foldOfLevel(int32_t group) const {
    const auto found = folds_.find(group);
    return found == folds_.end() ? nullptr : &found->second;
  }
  size_t columnOf(const Fold& fold, int32_t v) const {
    const int32_t row = placed_.level(view_.nodes[at(v)].parent).boxes[at(placed_.localIndex[at(v)])].row;
    return static_cast<size_t>(std::ranges::upper_bound(fold.ends, at(row)) - fold.ends.begin());
  }

  // What is in a group goes with it, what is beside a box with that one.
  void setShifts() {
    shifts_.resize(view_.nodes.size());
    for (size_t v = 0; v < shifts_.size(); ++v) {  // parents come before their children
      const ViewNode& node = view_.nodes[v];
      if (node.kind == ViewNode::Kind::Attached) continue;
      if (node.parent >= 0) shifts_[v] = shifts_[at(node.parent)];
      const Fold* fold = foldOfLevel(node.parent);
      if (!fold) continue;
      const PointF& shift = fold->shifts[columnOf(*fold, static_cast<int32_t>(v))];
      shifts_[v].x += shift.x;
      shifts_[v].y += shift.y;
    }
    for (const ViewEdge& edge : view_.edges)
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) shifts_[at(edge.from)] = shifts_[at(edge.to)];
  }
  // The way that it was led is still there: within one column, or from above into a first one.
  bool keepsItsWay(const ViewEdge& edge) const {
    if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) return true;
    const CommonLevel common = commonLevel(view_, edge.from, edge.to);
    for (int32_t v = edge.from; v != common.from; v = view_.nodes[at(v)].parent)
      if (foldOfLevel(view_.nodes[at(v)].parent)) return false;
    for (int32_t v = edge.to; v != common.to; v = view_.nodes[at(v)].parent)
      if (const Fold* fold = foldOfLevel(view_.nodes[at(v)].parent); fold && columnOf(*fold, v) > 0) return false;
    const Fold* fold = foldOfLevel(common.level);
    return !fold || columnOf(*fold, common.from) == columnOf(*fold, common.to);
  }
  void moveWires() {
    std::vector<bool> kept(view_.edges.size(), true);
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      const ViewEdge& edge = view_.edges[e];
      auto& route = out_.routes[e];
      kept[e] = keepsItsWay(edge);
      if (!kept[e] && route.size() >= 2) route = {route.front(), route.back()};
      for (size_t k = 0; k < route.size(); ++k) {
        const PointF& shift = shifts_[at(!kept[e] && k > 0 ? edge.to : edge.from)];
        route[k].x += shift.x;
        route[k].y += shift.y;
      }
    }
    if (view_.flow == Flow::Right) transpose(out_);
    leadRoundBoxes(view_, out_, kept);
    if (view_.flow == Flow::Right) transpose(out_);
  }

  const GraphView& view_;
  const PlacedLevels& placed_;
  const Folds& folds_;
  Arrangement& out_;
  std::vector<PointF> shifts_;  // by box
};

void setBounds(Arrangement& out) {
  Extent all;
  for (const RectF& box : out.boxes) {
    all.add(box.x, box.y);
    all.add(box.x + box.width, box.y + box.height);
  }
  for (const auto& route : out.routes)
    for (PointF p : route) all.add(p.x, p.y);
  constexpr float kMargin = box::kGroupPadding;
  out.bounds = {all.left - kMargin, all.top - kMargin, all.right - all.left + 2 * kMargin,
                all.bottom - all.top + 2 * kMargin};
}

}  // namespace

std::optional<Fold> foldOf(const Level& level, Flow flow, const Room& room) { return Folder(level, flow, room).run(); }

void applyFolds(const GraphView& view, const PlacedLevels& placed, const Folds& folds, Arrangement& arrangement) {
  if (folds.empty()) return;
  Mover(view, placed, folds, arrangement).run();
  setBounds(arrangement);
}

}  // namespace tessera
