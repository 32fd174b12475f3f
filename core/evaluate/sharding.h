// HLO's sharding={…}: which block of a global array a device holds. Parameters of a partitioned program are cut by it;
// outputs are joined again. Read: {replicated}, {maximal device=N}, {manual}, {devices=[2,4]<=[8]} with transposed and
// listed devices, last_tile_dim_replicate and last_tile_dims. After: `tessera run` on several devices.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/literal.h"

namespace tessera {

struct Tiling {
  std::vector<int64_t> tiles;    // blocks along each dimension of the array; empty: every device holds all of it
  std::vector<int64_t> devices;  // row-major over tiles and, innermost, the copies of a block
  int64_t copies = 1;
};

// An empty text means replicated.
Result<Tiling> tilingOf(std::string_view sharding);
// Shape of the whole, out of a block's.
Result<Shape> globalShape(const Shape& block, const Tiling& tiling);
// The block of a device; dimensions that the tiles do not divide are filled up with zeros.
Result<Literal> blockOf(const Literal& whole, const Shape& block, const Tiling& tiling, int64_t device);
// Blocks side by side in device order, along the one dimension in which `whole` differs from a block; a block by
// itself when none does.
Result<Literal> joinBlocks(std::span<const Literal> blocks, const Shape& whole);

}  // namespace tessera
