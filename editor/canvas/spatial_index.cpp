// The grid: about four items a cell, items over more than kManyCells cells in a list of their own.
#include "editor/canvas/spatial_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

constexpr int64_t kManyCells = 64;
constexpr float kItemsPerCell = 4;
constexpr float kSmallestCell = 64;
constexpr float kFewCells = 64;  // in a row or column, besides one an item

// With strokes and arrow heads.
RectF paintedBy(const PictureItem& item) {
  const float grown = item.width + 4;
  const RectF& reach = item.reach();
  return {reach.x - grown, reach.y - grown, reach.width + 2 * grown, reach.height + 2 * grown};
}

}  // namespace

SpatialIndex::SpatialIndex(const Picture& picture) : bounds_(picture.bounds) {
  const float area = std::max(bounds_.width, 1.f) * std::max(bounds_.height, 1.f);
  const float items = std::max<float>(static_cast<float>(picture.items.size()), 1);
  cell_ = std::max(kSmallestCell, std::sqrt(area / items * kItemsPerCell));
  // By the area alone a box that was moved far away makes a row of millions of cells.
  cell_ = std::max(cell_, std::max(bounds_.width, bounds_.height) / (items + kFewCells));
  columns_ = std::max(1, static_cast<int32_t>(std::ceil(bounds_.width / cell_)));
  rows_ = std::max(1, static_cast<int32_t>(std::ceil(bounds_.height / cell_)));
  begin_.assign(static_cast<size_t>(columns_) * static_cast<size_t>(rows_) + 1, 0);
  auto forCells = [&](const Cells& c, auto&& visit) {
    for (int32_t y = c.top; y <= c.bottom; ++y)
      for (int32_t x = c.left; x <= c.right; ++x)
        visit(static_cast<size_t>(y) * static_cast<size_t>(columns_) + static_cast<size_t>(x));
  };
  auto isLarge = [](const Cells& c) {
    return static_cast<int64_t>(c.right - c.left + 1) * (c.bottom - c.top + 1) > kManyCells;
  };
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
    const Cells c = cellsOf(item.reach());
    if (isLarge(c))
      large_.push_back({paintedBy(item), item.minZoom, item.maxZoom, i});
    else
      forCells(c, [&](size_t cell) { ++begin_[cell + 1]; });
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  items_.resize(begin_.back());
  std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (uint32_t i = 0; i < picture.items.size(); ++i) {
    const Cells c = cellsOf(picture.items[i].reach());
    if (!isLarge(c)) forCells(c, [&](size_t cell) { items_[next[cell]++] = i; });
  }
}

SpatialIndex::Cells SpatialIndex::cellsOf(const RectF& rect) const {
  auto column = [&](float x) {
    return static_cast<int32_t>(std::clamp((x - bounds_.x) / cell_, 0.f, static_cast<float>(columns_ - 1)));
  };
  auto row = [&](float y) {
    return static_cast<int32_t>(std::clamp((y - bounds_.y) / cell_, 0.f, static_cast<float>(rows_ - 1)));
  };
  return {column(rect.x), row(rect.y), column(rect.x + rect.width), row(rect.y + rect.height)};
}

size_t SpatialIndex::mostIn(const RectF& scene) const {
  const Cells c = cellsOf(scene);
  size_t out = 0;
  for (int32_t y = c.top; y <= c.bottom; ++y) {
    const size_t row = static_cast<size_t>(y) * static_cast<size_t>(columns_);
    out += begin_[row + static_cast<size_t>(c.right) + 1] - begin_[row + static_cast<size_t>(c.left)];
  }
  return out;
}

std::vector<uint32_t> SpatialIndex::itemsIn(const Picture& picture, const RectF& scene, double zoom) const {
  std::vector<uint32_t> out;
  auto take = [&](uint32_t i) {
    const PictureItem& item = picture.items[i];
    if (item.isSeenAt(zoom) && paintedBy(item).intersects(scene)) out.push_back(i);
  };
  for (const Large& large : large_)
    if (large.minZoom <= zoom && zoom < large.maxZoom && large.reach.intersects(scene)) out.push_back(large.item);
  const RectF grown{scene.x - 6, scene.y - 6, scene.width + 12, scene.height + 12};
  const Cells c = cellsOf(grown);
  for (int32_t y = c.top; y <= c.bottom; ++y)
    for (int32_t x = c.left; x <= c.right; ++x) {
      const size_t cell = static_cast<size_t>(y) * static_cast<size_t>(columns_) + static_cast<size_t>(x);
      for (uint32_t k = begin_[cell]; k < begin_[cell + 1]; ++k) take(items_[k]);
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace tessera
