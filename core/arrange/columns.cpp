// In the axes of the flow: where that is to the right, columns are lines. Cuts are between rows: into as few columns as
// show the graph large enough on a usual canvas, else into those that show it largest; each cut where few wires cross
// it and columns are of like height.
#include "core/arrange/columns.h"

#include <algorithm>
#include <cmath>

#include "core/arrange/box_style.h"
#include "core/arrange/detours.h"
#include "core/arrange/flow.h"

namespace tessera {
namespace {

constexpr size_t kMostFolded = 60;  // boxes of the page
constexpr size_t kMostColumns = 4;
constexpr float kCanvasWidth = 709, kCanvasHeight = 512;  // a window of 1366 × 768 with its panels, without margins
constexpr float kLargeEnough = 0.75f;                     // zoom; what is seen so large is left alone
constexpr float kWorthIt = 1.2f;                          // times as large
constexpr float kGutter = 64;                             // between columns: room for wires upwards
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
  Folder(const GraphView& view, const Level& page, Arrangement& out) : view_(view), page_(page), out_(out) {}

  void run() {
    const size_t rows = page_.rows.size();
    if (page_.boxes.size() > kMostFolded || rows < 4) return;
    countCrossings();
    const std::vector<size_t> whole{rows};
    const float before = zoomOf(extentsOf(whole));
    if (before >= kLargeEnough) return;
    std::vector<size_t> best;
    float largest = 0;
    for (const float crossing : kCrossings)
      for (size_t columns = 2; columns <= std::min(kMostColumns, rows / 2) && largest < kLargeEnough; ++columns) {
        auto ends = cutInto(columns, crossing);
        const float zoom = zoomOf(extentsOf(ends));
        if (zoom > std::max(largest, before * kWorthIt)) largest = zoom, best = std::move(ends);
      }
    if (!best.empty()) fold(best);
  }

 private:
  float heightOf(size_t first, size_t end) const { return page_.rows[end - 1].bottom - page_.rows[first].top; }

  // By row: how many wires go from above it, or from it, to below it.
  void countCrossings() {
    crossings_.assign(page_.rows.size(), 0);
    for (const LevelWire& wire : page_.wires)
      for (int32_t row = std::max(page_.firstRow(wire) - 1, 0); row < page_.lastRow(wire); ++row) ++crossings_[at(row)];
  }

  // Ends of the columns, as numbers of rows: the least of the greatest height with what the cuts cost.
  std::vector<size_t> cutInto(size_t columns, float crossing) const {
    const size_t rows = page_.rows.size();
    struct Best {
      float cost = INFINITY;
      size_t from = 0;
    };
    std::vector<std::vector<Best>> best(columns + 1, std::vector<Best>(rows + 1));
    best[0][0].cost = 0;
    for (size_t c = 1; c <= columns; ++c)
      for (size_t end = c; end <= rows; ++end)
        for (size_t from = c - 1; from < end; ++from) {
          const float cut = from == 0 ? 0 : crossing * crossings_[from - 1];
          const float cost = std::max(best[c - 1][from].cost, heightOf(from, end) + cut);
          if (cost < best[c][end].cost) best[c][end] = {cost, from};
        }
    std::vector<size_t> ends(columns);
    for (size_t c = columns, end = rows; c > 0; end = best[c--][end].from) ends[c - 1] = end;
    return ends;
  }

  std::vector<Extent> extentsOf(const std::vector<size_t>& ends) const {
    std::vector<Extent> out(ends.size());
    std::vector<size_t> columnOf(page_.rows.size());
    for (size_t row = 0, column = 0; row < page_.rows.size(); ++row) {
      if (row == ends[column]) ++column;
      columnOf[row] = column;
      for (int32_t v : page_.rows[row].boxes) {
        const LevelBox& box = page_.boxes[at(v)];
        out[column].add(box.x - box.left, page_.rows[row].top);
        out[column].add(box.x + box.right, page_.rows[row].bottom);
      }
    }
    for (size_t w = 0; w < page_.wires.size(); ++w)  // those that stay in one column
      for (size_t k = 0; k < page_.lanes[w].size(); ++k) {
        const LevelWire& wire = page_.wires[w];
        const size_t from = at(std::max(page_.firstRow(wire) - 1, 0));
        const size_t to = std::min(at(std::max(page_.lastRow(wire), 0)), columnOf.size() - 1);
        if (columnOf[from] == columnOf[to]) out[columnOf[from]].add(page_.lanes[w][k], out[columnOf[from]].top);
      }
    return out;
  }
  float zoomOf(const std::vector<Extent>& columns) const {
    float width = -kGutter, height = 0;
    for (const Extent& each : columns) {
      width += each.right - each.left + kGutter;
      height = std::max(height, each.bottom - each.top);
    }
    width += 2 * box::kGroupPadding, height += 2 * box::kGroupPadding;
    return view_.flow == Flow::Right ? zoomOnCanvas(height, width) : zoomOnCanvas(width, height);
  }

  void fold(const std::vector<size_t>& ends) {
    const std::vector<Extent> extents = extentsOf(ends);
    std::vector<PointF> shifts;
    float x = extents[0].left;
    for (const Extent& each : extents) {
      shifts.push_back({x - each.left, extents[0].top - each.top});
      x += each.right - each.left + kGutter;
    }
    std::vector<size_t> columns = columnsOfBoxes(ends);
    for (size_t v = 0; v < columns.size(); ++v) {
      out_.boxes[v].x += shifts[columns[v]].x;
      out_.boxes[v].y += shifts[columns[v]].y;
    }
    moveWires(columns, shifts);
    setBounds();
  }
  // What is in a box of the page or beside it is in its column.
  std::vector<size_t> columnsOfBoxes(const std::vector<size_t>& ends) const {
    std::vector<size_t> out(view_.nodes.size());
    for (size_t row = 0, column = 0; row < page_.rows.size(); ++row) {
      if (row == ends[column]) ++column;
      for (int32_t v : page_.rows[row].boxes) out[at(page_.nodes[at(v)])] = column;
    }
    for (size_t v = 0; v < out.size(); ++v)  // parents come before their children
      if (view_.nodes[v].parent >= 0) out[v] = out[at(view_.nodes[v].parent)];
    for (const ViewEdge& edge : view_.edges)
      if (view_.nodes[at(edge.from)].kind == ViewNode::Kind::Attached) out[at(edge.from)] = out[at(edge.to)];
    return out;
  }
  void moveWires(const std::vector<size_t>& columns, const std::vector<PointF>& shifts) {
    std::vector<bool> kept(view_.edges.size(), true);
    for (size_t e = 0; e < view_.edges.size(); ++e) {
      auto& route = out_.routes[e];
      const size_t from = columns[at(view_.edges[e].from)], to = columns[at(view_.edges[e].to)];
      if (from != to && route.size() >= 2) route = {route.front(), route.back()}, kept[e] = false;
      for (size_t k = 0; k < route.size(); ++k) {
        const PointF& shift = shifts[from != to && k > 0 ? to : from];
        route[k].x += shift.x;
        route[k].y += shift.y;
      }
    }
    if (view_.flow == Flow::Right) transpose(out_);
    leadRoundBoxes(view_, out_, kept);
    if (view_.flow == Flow::Right) transpose(out_);
  }
  void setBounds() {
    Extent all;
    for (const RectF& box : out_.boxes) {
      all.add(box.x, box.y);
      all.add(box.x + box.width, box.y + box.height);
    }
    for (const auto& route : out_.routes)
      for (PointF p : route) all.add(p.x, p.y);
    constexpr float kMargin = box::kGroupPadding;
    out_.bounds = {all.left - kMargin, all.top - kMargin, all.right - all.left + 2 * kMargin,
                   all.bottom - all.top + 2 * kMargin};
  }

  const GraphView& view_;
  const Level& page_;
  Arrangement& out_;
  std::vector<float> crossings_;
};

}  // namespace

float zoomOnCanvas(float width, float height) { return std::min(kCanvasWidth / width, kCanvasHeight / height); }

void foldRibbon(const GraphView& view, const Level& page, Arrangement& arrangement) {
  Folder(view, page, arrangement).run();
}

}  // namespace tessera
