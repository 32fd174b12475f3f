// HLO's sharding={…}: which block of a global array a device holds. Parameters of a partitioned program are cut by
// it; outputs are joined again. Read: {replicated}, {maximal device=N}, {manual}, {devices=[2,4]<=[8]} with transposed
// and listed devices, last_tile_dim_replicate and last_tile_dims. Used by core/ops/verify,
// core/custom_calls and core/evaluate.
#pragma once

#include <optional>
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

// Their product; 0 where one is less than 1 or the product is no number of devices.
int64_t deviceCount(const std::vector<int64_t>& sizes);
// An empty text means replicated. "{{…}, {…}}" of a tuple is not one sharding: shardingsOf splits it.
Result<Tiling> tilingOf(std::string_view sharding);
std::vector<std::string_view> shardingsOf(std::string_view sharding);
// Blocks along each dimension; empty when the shapes do not fit each other.
std::vector<int64_t> tilesBetween(const Shape& block, const Shape& whole);
// N of {maximal device=N}.
std::optional<int64_t> maximalDeviceOf(std::string_view sharding);
// Shape of the whole, out of a block's, where the tiles divide it.
Result<Shape> globalShape(const Shape& block, const Tiling& tiling);
// The tiling cuts the whole into blocks of this shape, of which the last may be partly, or altogether, padding.
bool cutsInto(const Tiling& tiling, const Shape& whole, const Shape& block);
// The block of a device; dimensions that the tiles do not divide are filled up with zeros.
Result<Literal> blockOf(const Literal& whole, const Shape& block, const Tiling& tiling, int64_t device);
// Where the block of a device begins in the whole; absent: the device is not in the sharding, or there are no tiles.
std::optional<std::vector<int64_t>> blockStart(const Shape& block, const Tiling& tiling, int64_t device);
// The devices that hold the blocks of one whole, in the order of the blocks: those that are the same copy as `device`.
Result<std::vector<int64_t>> blockHolders(const Tiling& tiling, int64_t device);
// The whole out of one block a tile, in row-major order of the tiles, without the padding of its last blocks.
Result<Literal> joinTiles(std::span<const Literal> blocks, const Tiling& tiling, const Shape& whole);
// The same where the tiles divide it.
Result<Literal> joinTiles(std::span<const Literal> blocks, const Tiling& tiling);
// What a parameter or a result that is cut unevenly says of its whole arrays, among frontend_attributes.
inline constexpr std::string_view kWholeShape = "tessera.whole";

}  // namespace tessera
