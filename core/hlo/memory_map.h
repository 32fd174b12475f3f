// Where an element is in memory: multidimensional index <-> linear position under any layout (minor_to_major,
// padded dimensions, tiles, element size). The formulas are in core/hlo/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/shape.h"

namespace tessera {

// The memory image of one array shape (with layout; without one row-major is assumed).
class MemoryMap {
 public:
  struct Level {  // one tiling level: physical dims major to minor and this level's tile
    std::vector<int64_t> dims, tile;
    std::vector<int64_t> tiledDims() const;  // majors, blocks, then the tile itself
  };
  // Fails on unbounded dimensions, a bad layout or an overflow of sizes.
  static Result<MemoryMap> of(const Shape& shape);

  int64_t positions() const;   // elements of the buffer, padding included
  int64_t bytes() const;       // size of the buffer
  int64_t wasteBytes() const;  // bytes that hold no element
  // Linear position (in elements) of a logical index; the index must be in bounds.
  int64_t linearIndex(std::span<const int64_t> index) const;
  // Logical index at a linear position; nullopt where the position holds padding.
  std::optional<std::vector<int64_t>> index(int64_t linear) const;
  // The steps from a logical index to a position, for printing them as formulas: logical dimensions major to
  // minor, their sizes in memory, then the tiles. The position is the row-major one in the last shape.
  const std::vector<int64_t>& physicalOrder() const { return physicalOrder_; }
  const std::vector<int64_t>& paddedSizes() const { return paddedSizes_; }
  const std::vector<Level>& levels() const { return levels_; }
  // First byte of a position (sub-byte elements share one).
  int64_t byteOffset(int64_t linear) const;

 private:
  Shape shape_;
  std::vector<int64_t> physicalOrder_;  // logical dimension of each physical one, major to minor
  std::vector<int64_t> paddedSizes_;    // physical, with padded_dimensions applied
  std::vector<Level> levels_;
  int64_t positions_ = 0;
  int64_t elementBits_ = 0;
};

}  // namespace tessera
