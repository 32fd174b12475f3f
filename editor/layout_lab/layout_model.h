// LayoutModel: all that the layout lab shows of one array, as numbers and text without Qt. Made from a Shape; the panes
// ask only for the cells that are visible, so a shape may have 2^62 elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/memory_map.h"
#include "core/hlo/shape.h"

namespace tessera {

enum class CellKind : uint8_t {
  Element,
  PaddedDimension,  // inside padded_dimensions, outside the array
  TilePadding,      // rounds a dimension up to whole tiles
  TailPadding,      // behind the last tile (tail_padding_alignment_in_elements)
};

class LayoutModel {
 public:
  // The array with its layout (row-major when it has none). Fails as MemoryMap::of does.
  static Result<LayoutModel> of(Shape shape);

  const Shape& shape() const { return shape_; }
  const Layout& layout() const { return *shape_.layout; }
  const MemoryMap& memory() const { return memory_; }
  int64_t rank() const { return shape_.rank(); }
  int64_t positions() const { return memory_.positions(); }

  // Sizes of the logical grid with all its padding, in logical order: padded_dimensions, then whole tiles.
  const std::vector<int64_t>& extents() const { return extents_; }
  CellKind kindAt(std::span<const int64_t> gridIndex) const;
  CellKind kindOf(int64_t linear, const std::optional<std::vector<int64_t>>& gridIndex) const;
  int64_t linearOf(std::span<const int64_t> gridIndex) const { return grid_.linearIndex(gridIndex); }
  // Where a position of memory lies in the grid; nullopt for tail padding and for what only a tile adds (a tile of
  // more dimensions than the array, a tile that does not divide the one around it).
  std::optional<std::vector<int64_t>> gridIndex(int64_t linear) const { return grid_.index(linear); }

  // Size of the first (level 0) or second (level 1) tile along a logical dimension; 0 where it does not cut it.
  int64_t tileSize(int64_t dimension, int level) const;
  // Positions of one whole tile of that level in memory; 0 without tiles.
  int64_t tileVolume(int level) const { return tileVolumes_[level]; }
  // Size in memory of the most minor dimension; 1 at rank 0.
  int64_t minorRun() const;

  // "a" … "z" in row-major order when there are at most 26 elements, else the index as "1,2".
  std::string elementName(std::span<const int64_t> index) const;
  // What the padding holds: "0", or "" when no value is given.
  std::string paddingText() const;

  int64_t elementBits() const { return elementBits_; }
  int64_t elementCount() const { return shape_.elementCount().value_or(0); }

 private:
  LayoutModel(Shape shape, MemoryMap memory, MemoryMap grid, std::vector<int64_t> extents);

  Shape shape_;
  MemoryMap memory_;
  MemoryMap grid_;  // of the array that fills the whole grid
  std::vector<int64_t> extents_;
  int64_t tileVolumes_[2] = {0, 0};
  int64_t tailBegin_ = 0;  // positions before tail_padding_alignment_in_elements
  int64_t elementBits_ = 0;
};

// The linear index as a formula in i0, i1, …: "i0*3 + i1", under tiles with / and %. With an index the numbers stand
// in place of the names: "1*3 + 2".
std::string linearFormula(const Layout& layout, std::span<const int64_t> paddedSizes,
                          std::span<const int64_t> index = {});
// Positions between neighbours along each dimension, in logical order; empty under tiles, where there is no one stride.
std::vector<int64_t> stridesOf(const LayoutModel& model);
// "f32" 4 B: "4 B", packed types "4 bits".
std::string elementSizeText(const LayoutModel& model);
// 1234567 as "1,234,567".
std::string grouped(int64_t number);

}  // namespace tessera
