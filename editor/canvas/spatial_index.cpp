// The grid: about four items a cell. Items over more than kManyCells cells are in lists of their own; of them the
// wires, of which a large page has many thousands, also in a coarser grid, by the cells that they run through.
#include "editor/canvas/spatial_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "core/arrange/rectangles.h"

namespace tessera {
namespace {

constexpr int64_t kManyCells = 64;
constexpr float kItemsPerCell = 4;
constexpr float kSmallestCell = 64;
constexpr float kFewCells = 64;  // in a row or column, besides one an item
constexpr float kWireCell = 4;   // cells
constexpr int kFewWireCells = 4;

// With strokes and arrow heads.
float grownBy(const PictureItem& item) { return item.width + 4; }
RectF paintedBy(const PictureItem& item) { return grown(item.reach(), grownBy(item)); }

using Piece = std::array<PointF, 4>;  // a cubic; of a line its ends twice
RectF hullOf(const Piece& p) {
  const auto [left, right] = std::minmax({p[0].x, p[1].x, p[2].x, p[3].x});
  const auto [top, bottom] = std::minmax({p[0].y, p[1].y, p[2].y, p[3].y});
  return {left, top, right - left, bottom - top};
}
PointF middle(PointF a, PointF b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }
std::pair<Piece, Piece> halvesOf(const Piece& p) {
  const PointF a = middle(p[0], p[1]), b = middle(p[1], p[2]), c = middle(p[2], p[3]);
  const PointF ab = middle(a, b), bc = middle(b, c), half = middle(ab, bc);
  return {{p[0], a, ab, half}, {half, bc, c, p[3]}};
}

}  // namespace

SpatialIndex::Grid::Grid(const RectF& over, float side)
    : bounds(over),
      cell(side),
      columns(std::max(1, static_cast<int32_t>(std::ceil(over.width / side)))),
      rows(std::max(1, static_cast<int32_t>(std::ceil(over.height / side)))) {}

SpatialIndex::Cells SpatialIndex::Grid::cellsOf(const RectF& rect) const {
  auto column = [&](float x) {
    return static_cast<int32_t>(std::clamp((x - bounds.x) / cell, 0.f, static_cast<float>(columns - 1)));
  };
  auto row = [&](float y) {
    return static_cast<int32_t>(std::clamp((y - bounds.y) / cell, 0.f, static_cast<float>(rows - 1)));
  };
  return {column(rect.x), row(rect.y), column(rect.x + rect.width), row(rect.y + rect.height)};
}

SpatialIndex::ByCell SpatialIndex::byCell(const Grid& grid, const std::vector<Entry>& entries) {
  ByCell out;
  out.begin.assign(grid.size() + 1, 0);
  for (const auto& [cell, number] : entries) ++out.begin[cell + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(entries.size());
  std::vector<uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (const auto& [cell, number] : entries) out.items[next[cell]++] = number;
  return out;
}

size_t SpatialIndex::ByCell::countIn(const Grid& grid, const Cells& cells) const {
  size_t out = 0;
  for (int32_t row = cells.top; row <= cells.bottom; ++row)
    out += begin[grid.at(cells.right, row) + 1] - begin[grid.at(cells.left, row)];
  return out;
}

SpatialIndex::SpatialIndex(const Picture& picture) {
  const RectF& bounds = picture.bounds;
  const float area = std::max(bounds.width, 1.f) * std::max(bounds.height, 1.f);
  const float items = std::max<float>(static_cast<float>(picture.items.size()), 1);
  float cell = std::max(kSmallestCell, std::sqrt(area / items * kItemsPerCell));
  // By the area alone a box that was moved far away makes a row of millions of cells.
  cell = std::max(cell, std::max(bounds.width, bounds.height) / (items + kFewCells));
  grid_ = Grid(bounds, cell);
  wireGrid_ = Grid(bounds, kWireCell * cell);
  std::vector<Entry> entries, wireEntries;
  std::vector<uint32_t> lastOf(wireGrid_.size(), UINT32_MAX);
  for (uint32_t i = 0; i < picture.items.size(); ++i) {
    const PictureItem& item = picture.items[i];
    if (item.part == PictureItem::Part::Frame && item.viewNode >= 0) {
      frameBounds_.resize(std::max(frameBounds_.size(), static_cast<size_t>(item.viewNode) + 1));
      frameBounds_[static_cast<size_t>(item.viewNode)] = item.bounds;
    }
    if (item.viewEdge >= 0) {
      wires_.resize(std::max(wires_.size(), static_cast<size_t>(item.viewEdge) + 1), -1);
      wires_[static_cast<size_t>(item.viewEdge)] = static_cast<int32_t>(i);
    }
    const Cells c = grid_.cellsOf(item.reach());
    if (static_cast<int64_t>(c.right - c.left + 1) * (c.bottom - c.top + 1) <= kManyCells) {
      for (int32_t y = c.top; y <= c.bottom; ++y)
        for (int32_t x = c.left; x <= c.right; ++x) entries.emplace_back(grid_.at(x, y), i);
      continue;
    }
    const bool isWire = item.kind == PictureItem::Kind::Path && !item.filled;
    if (isWire) addWire(item, static_cast<uint32_t>(longWires_.size()), lastOf, wireEntries);
    (isWire ? longWires_ : large_).push_back({paintedBy(item), item.minZoom, item.maxZoom, i});
  }
  items_ = byCell(grid_, entries);
  longWiresOf_ = byCell(wireGrid_, wireEntries);
}

// To the cells round each part of it that is small enough to be told by its box. lastOf: the last wire of each cell.
void SpatialIndex::addWire(const PictureItem& wire, uint32_t number, std::vector<uint32_t>& lastOf,
                           std::vector<Entry>& out) const {
  const size_t step = wire.curved ? 3 : 1;
  std::vector<Piece> left;
  for (size_t i = 0; i + step < wire.points.size(); i += step) {
    const auto p = std::span(wire.points).subspan(i, step + 1);
    left.push_back(wire.curved ? Piece{p[0], p[1], p[2], p[3]} : Piece{p[0], p[0], p[1], p[1]});
    while (!left.empty()) {
      const Piece piece = left.back();
      left.pop_back();
      const Cells c = wireGrid_.cellsOf(grown(hullOf(piece), grownBy(wire)));
      const int32_t columns = c.right - c.left + 1, rows = c.bottom - c.top + 1;
      if (columns > 1 && rows > 1 && static_cast<int64_t>(columns) * rows > kFewWireCells) {
        const auto [before, behind] = halvesOf(piece);
        left.push_back(behind);
        left.push_back(before);
        continue;
      }
      for (int32_t y = c.top; y <= c.bottom; ++y)
        for (int32_t x = c.left; x <= c.right; ++x)
          if (uint32_t& last = lastOf[wireGrid_.at(x, y)]; last != number) {
            last = number;
            out.emplace_back(wireGrid_.at(x, y), number);
          }
    }
  }
}

size_t SpatialIndex::mostIn(const RectF& scene) const { return items_.countIn(grid_, grid_.cellsOf(scene)); }

std::vector<uint32_t> SpatialIndex::itemsIn(const Picture& picture, const RectF& scene, double zoom) const {
  std::vector<uint32_t> out;
  const auto takeLarge = [&](const Large& large) {
    if (large.isSeenIn(scene, zoom)) out.push_back(large.item);
  };
  const auto forNumbers = [](const Grid& grid, const ByCell& all, const Cells& c, auto&& take) {
    for (int32_t y = c.top; y <= c.bottom; ++y)
      for (uint32_t k = all.begin[grid.at(c.left, y)]; k < all.begin[grid.at(c.right, y) + 1]; ++k) take(all.items[k]);
  };
  for (const Large& large : large_) takeLarge(large);
  if (const Cells c = wireGrid_.cellsOf(scene); longWiresOf_.countIn(wireGrid_, c) < longWires_.size())
    forNumbers(wireGrid_, longWiresOf_, c, [&](uint32_t number) { takeLarge(longWires_[number]); });
  else
    for (const Large& wire : longWires_) takeLarge(wire);
  forNumbers(grid_, items_, grid_.cellsOf(grown(scene, 6)), [&](uint32_t i) {
    const PictureItem& item = picture.items[i];
    if (item.isSeenAt(zoom) && paintedBy(item).intersects(scene)) out.push_back(i);
  });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tessera
