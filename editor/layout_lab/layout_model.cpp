// LayoutModel: the memory map of the array, and the map of the array that fills the whole padded grid. Both put every
// index at the same position, so a cell of padding can be linked like an element.
#include "editor/layout_lab/layout_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked_math.h"
#include "core/hlo/element_type.h"
#include "core/hlo/index_math.h"

namespace tessera {
namespace {

using Extents = std::vector<int64_t>;

const Extents& paddedSizes(const Shape& shape) {
  return shape.layout->paddedDimensions.empty() ? shape.dimensions : shape.layout->paddedDimensions;
}

bool hasCombine(const Tile& tile) { return std::ranges::find(tile.dims, Tile::kCombine) != tile.dims.end(); }

// Size of a tile along a logical dimension; 0 where it does not cut it.
int64_t tileAlong(const Layout& layout, const Tile& tile, int64_t dimension) {
  if (hasCombine(tile)) return 0;
  const auto at = std::ranges::find(layout.minorToMajor, dimension) - layout.minorToMajor.begin();
  const auto count = static_cast<std::ptrdiff_t>(tile.dims.size());
  return at < count ? tile.dims[static_cast<size_t>(count - 1 - at)] : 0;
}

std::optional<int64_t> roundedUp(int64_t size, int64_t to) {
  if (size == 0) return 0;
  return checkedMul((size - 1) / to + 1, to);
}

// The grid with whole tiles; the padded sizes where that cannot be told (combined dimensions, overflow).
Extents wholeTiles(const Shape& shape) {
  Extents out = paddedSizes(shape);
  if (shape.layout->tiles.empty()) return out;
  for (size_t d = 0; d < out.size(); ++d)
    if (const int64_t tile = tileAlong(*shape.layout, shape.layout->tiles[0], static_cast<int64_t>(d)); tile > 0)
      out[d] = roundedUp(out[d], tile).value_or(out[d]);
  return out;
}

Shape gridShape(const Shape& shape, Extents extents) {
  Shape out = shape;
  out.dimensions = std::move(extents);
  out.dynamic.clear();
  out.layout->paddedDimensions.clear();
  return out;
}

std::optional<int64_t> product(std::span<const int64_t> sizes) {
  int64_t out = 1;
  for (int64_t size : sizes) {
    const auto next = checkedMul(out, size);
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

// Positions of a whole tile of `level` in memory, what its inner tiles add included; 0 when there is none.
int64_t volumeOf(const Layout& layout, size_t level) {
  if (level >= layout.tiles.size() || std::ranges::any_of(layout.tiles, hasCombine)) return 0;
  Extents dims = layout.tiles[level].dims;
  for (size_t l = level + 1; l < layout.tiles.size(); ++l) {
    const Extents& tile = layout.tiles[l].dims;
    if (tile.size() > dims.size()) dims.insert(dims.begin(), tile.size() - dims.size(), 1);
    const size_t first = dims.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) dims[first + i] = (dims[first + i] - 1) / tile[i] + 1;
    dims.insert(dims.end(), tile.begin(), tile.end());
  }
  return product(dims).value_or(0);
}

}  // namespace

LayoutModel::LayoutModel(Shape shape, MemoryMap memory, MemoryMap grid, Extents extents)
    : shape_(std::move(shape)), memory_(std::move(memory)), grid_(std::move(grid)), extents_(std::move(extents)) {
  Shape noTail = shape_;
  noTail.layout->tailPaddingAlignment = 1;
  const auto map = MemoryMap::of(noTail);
  tailBegin_ = map ? map->positions() : memory_.positions();
  tileVolumes_[0] = volumeOf(layout(), 0);
  tileVolumes_[1] = volumeOf(layout(), 1);
  elementBits_ = layout().elementSizeInBits > 0 ? layout().elementSizeInBits : byteWidth(shape_.type) * 8;
}

Result<LayoutModel> LayoutModel::of(Shape shape) {
  fillDefaultLayouts(shape);
  TESSERA_ASSIGN_OR_RETURN(MemoryMap memory, MemoryMap::of(shape));
  Extents extents = wholeTiles(shape);
  auto grid = MemoryMap::of(gridShape(shape, extents));
  if (!grid || grid->positions() != memory.positions()) {
    extents = paddedSizes(shape);
    grid = MemoryMap::of(gridShape(shape, extents));
    if (!grid) return std::unexpected(grid.error());
  }
  return LayoutModel(std::move(shape), std::move(memory), std::move(*grid), std::move(extents));
}

CellKind LayoutModel::kindAt(std::span<const int64_t> gridIndex) const {
  const Extents& padded = paddedSizes(shape_);
  CellKind kind = CellKind::Element;
  for (size_t d = 0; d < gridIndex.size(); ++d) {
    if (gridIndex[d] >= padded[d]) return CellKind::TilePadding;
    if (gridIndex[d] >= shape_.dimensions[d]) kind = CellKind::PaddedDimension;
  }
  return kind;
}

CellKind LayoutModel::kindOf(int64_t linear, const std::optional<std::vector<int64_t>>& gridIndex) const {
  if (gridIndex) return kindAt(*gridIndex);
  return linear < tailBegin_ ? CellKind::TilePadding : CellKind::TailPadding;
}

int64_t LayoutModel::tileSize(int64_t dimension, int level) const {
  const auto l = static_cast<size_t>(level);
  if (l >= layout().tiles.size()) return 0;
  // A second tile lies along the dimensions of the first only when it cuts the inside of it.
  if (l > 0 && layout().tiles[l].dims.size() > layout().tiles[0].dims.size()) return 0;
  return tileAlong(layout(), layout().tiles[l], dimension);
}

int64_t LayoutModel::minorRun() const {
  if (rank() == 0) return 1;
  return paddedSizes(shape_)[static_cast<size_t>(layout().minorToMajor[0])];
}

std::string LayoutModel::elementName(std::span<const int64_t> index) const {
  if (elementCount() <= 26) {
    int64_t ordinal = 0;
    for (size_t d = 0; d < index.size(); ++d) ordinal = ordinal * shape_.dimensions[d] + index[d];
    return std::string(1, static_cast<char>('a' + ordinal));
  }
  std::string out;
  for (int64_t i : index) out += (out.empty() ? "" : ",") + std::to_string(i);
  return out;
}

std::string LayoutModel::paddingText() const {
  const auto& value = layout().paddingValue;
  if (!value) return "";
  if (std::isnan(*value)) return "nan";
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return text;
}

std::vector<int64_t> stridesOf(const LayoutModel& model) {
  const Layout& layout = model.layout();
  if (!layout.tiles.empty()) return {};
  return stridesOf(paddedSizes(model.shape()), layout.minorToMajor);
}

std::string elementSizeText(const LayoutModel& model) {
  const int64_t bits = model.elementBits();
  return bits % 8 == 0 ? std::to_string(bits / 8) + " B" : std::to_string(bits) + " bits";
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace tessera
