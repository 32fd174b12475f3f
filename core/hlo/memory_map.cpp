// MemoryMap. Three steps, each undone in reverse by index():
// 1. order: logical dimensions become physical ones, major to minor (minor_to_major reversed);
// 2. padding: each physical dimension has its padded size (padded_dimensions);
// 3. tiles: each tile cuts the most minor dimensions of the current physical shape d_{k}…d_{n-1} into
//    ceil(d_i / t_i) blocks of t_i; the shape becomes (majors…, blocks…, tile…). The next tile applies to that
//    shape: T(1024)(128)(2,1) cuts 1024 into 8 rows of 128 and these into pairs of rows. A tile of more dimensions
//    than the shape sees leading dimensions of size 1 (f32[]{:T(128)} fills 128 positions). A `*` in a tile first
//    merges that dimension with the next more minor one.
// The linear position is the row-major position in the last shape; positions are padded to whole tiles and to
// tail_padding_alignment_in_elements.
#include "core/hlo/memory_map.h"

#include <algorithm>
#include <limits>

#include "core/base/checked_math.h"

namespace tessera {
namespace {

using Sizes = std::vector<int64_t>;

// The tile with its combined dimensions merged away, applied to `dims` (major to minor): merges the same dims.
struct Combined {
  Sizes dims, tile;
};

std::optional<Combined> combine(const Sizes& dims, const std::vector<int64_t>& tile) {
  if (tile.size() > dims.size()) return std::nullopt;
  Combined out;
  const size_t untouched = dims.size() - tile.size();
  out.dims.assign(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(untouched));
  int64_t merged = 1;
  for (size_t i = 0; i < tile.size(); ++i) {
    const auto size = checkedMul(merged, dims[untouched + i]);
    if (!size) return std::nullopt;
    merged = *size;
    if (tile[i] == Tile::kCombine) continue;
    out.dims.push_back(merged);
    out.tile.push_back(tile[i]);
    merged = 1;
  }
  if (!tile.empty() && tile.back() == Tile::kCombine) return std::nullopt;
  return out;
}

std::optional<int64_t> product(const Sizes& sizes) {
  int64_t out = 1;
  for (int64_t size : sizes) {
    const auto next = checkedMul(out, size);
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

// The shape after a tile: majors, blocks, then the tile itself.
Sizes tiledDims(const Sizes& dims, const Sizes& tile) {
  const size_t first = dims.size() - tile.size();
  Sizes out(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(first));
  for (size_t i = 0; i < tile.size(); ++i)
    out.push_back(dims[first + i] == 0 ? 0 : (dims[first + i] - 1) / tile[i] + 1);
  out.insert(out.end(), tile.begin(), tile.end());
  return out;
}

int64_t flatten(const Sizes& index, const Sizes& dims) {
  int64_t linear = 0;
  for (size_t i = 0; i < index.size(); ++i) linear = linear * dims[i] + index[i];
  return linear;
}

Sizes unflatten(int64_t linear, const Sizes& dims) {
  Sizes index(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    index[i] = dims[i] ? linear % dims[i] : 0;
    linear = dims[i] ? linear / dims[i] : 0;
  }
  return index;
}

// An index of one shape as the index of another with the same elements in the same order (dimensions merged or split).
Sizes regrouped(const Sizes& index, const Sizes& from, const Sizes& to) { return unflatten(flatten(index, from), to); }

std::unexpected<Diagnostic> badLayout(const Shape& shape, const std::string& why) {
  return fail("the layout of " + toString(shape) + " " + why);
}

bool isPermutation(const std::vector<int64_t>& order, int64_t rank) {
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t d = 0; d < static_cast<int64_t>(sorted.size()); ++d)
    if (sorted[static_cast<size_t>(d)] != d) return false;
  return static_cast<int64_t>(order.size()) == rank;
}

std::optional<int64_t> alignedUp(int64_t value, int64_t alignment) {
  const auto more = checkedAdd(value, alignment - 1);
  return more ? std::optional(*more / alignment * alignment) : std::nullopt;
}

// In 128 bits: positions × bits may pass 2^63 where the bytes do not.
__int128 bytesOf(int64_t positions, int64_t bits) { return (static_cast<__int128>(positions) * bits + 7) / 8; }
constexpr int64_t kMaxBytes = std::numeric_limits<int64_t>::max();

// Size of each dimension in memory, in logical order; nullopt when padded_dimensions do not fit.
std::optional<Sizes> paddedOf(const Shape& shape, const Layout& layout) {
  if (layout.paddedDimensions.empty()) return shape.dimensions;
  if (layout.paddedDimensions.size() != shape.dimensions.size()) return std::nullopt;
  for (size_t d = 0; d < shape.dimensions.size(); ++d)
    if (layout.paddedDimensions[d] < shape.dimensions[d]) return std::nullopt;
  return layout.paddedDimensions;
}

}  // namespace

std::vector<int64_t> MemoryMap::Level::tiledDims() const { return tessera::tiledDims(dims, tile); }

Result<MemoryMap> MemoryMap::of(const Shape& shape) {
  if (!shape.isArray()) return fail(toString(shape) + " is no array and has no memory layout");
  for (int64_t size : shape.dimensions)
    if (size < 0) return badLayout(shape, "cannot be worked out: a dimension has no bound");
  const Layout layout = shape.layout.value_or(Layout::rowMajor(shape.rank()));
  if (!isPermutation(layout.minorToMajor, shape.rank())) return badLayout(shape, "does not order all dimensions once");
  const auto padded = paddedOf(shape, layout);
  if (!padded) return badLayout(shape, "has padded dimensions that do not hold the array");
  if (layout.tailPaddingAlignment < 1) return badLayout(shape, "has a tail padding alignment below 1");
  if (layout.dynamicShapeMetadataPrefixBytes < 0) return badLayout(shape, "has a metadata prefix below 0");
  MemoryMap map;
  map.shape_ = shape;
  map.elementBits_ = layout.elementSizeInBits > 0 ? layout.elementSizeInBits : int64_t{8} * byteWidth(shape.type);
  map.physicalOrder_.assign(layout.minorToMajor.rbegin(), layout.minorToMajor.rend());
  for (int64_t d : map.physicalOrder_) map.paddedSizes_.push_back((*padded)[static_cast<size_t>(d)]);
  // Levels: the dims that a tile is applied to (combined), and the tile.
  Sizes dims = map.paddedSizes_;
  for (const Tile& tile : layout.tiles) {
    for (int64_t size : tile.dims)
      if (size != Tile::kCombine && size < 1) return badLayout(shape, "has a tile with a size below 1");
    if (tile.dims.size() > dims.size()) dims.insert(dims.begin(), tile.dims.size() - dims.size(), 1);
    auto combined = combine(dims, tile.dims);
    if (!combined) return badLayout(shape, "has a tile that cannot be applied");
    dims = tiledDims(combined->dims, combined->tile);
    if (!product(dims)) return badLayout(shape, "overflows 64-bit sizes");
    map.levels_.push_back({std::move(combined->dims), std::move(combined->tile)});
  }
  const auto positions = product(dims);
  const auto aligned = positions ? alignedUp(*positions, layout.tailPaddingAlignment) : std::nullopt;
  if (!aligned || bytesOf(*aligned, map.elementBits_) + layout.dynamicShapeMetadataPrefixBytes > kMaxBytes)
    return badLayout(shape, "overflows 64-bit sizes");
  map.positions_ = *aligned;
  return map;
}

int64_t MemoryMap::positions() const { return positions_; }

int64_t MemoryMap::bytes() const {
  const int64_t prefix = shape_.layout ? shape_.layout->dynamicShapeMetadataPrefixBytes : 0;
  return static_cast<int64_t>(bytesOf(positions_, elementBits_)) + prefix;
}

int64_t MemoryMap::wasteBytes() const {
  const int64_t count = shape_.elementCount().value_or(0);
  return bytes() - static_cast<int64_t>(bytesOf(count, elementBits_));
}

int64_t MemoryMap::byteOffset(int64_t linear) const {
  const int64_t prefix = shape_.layout ? shape_.layout->dynamicShapeMetadataPrefixBytes : 0;
  return prefix + static_cast<int64_t>(static_cast<__int128>(linear) * elementBits_ / 8);
}

int64_t MemoryMap::linearIndex(std::span<const int64_t> index) const {
  Sizes at;
  for (int64_t d : physicalOrder_) at.push_back(index[static_cast<size_t>(d)]);
  Sizes dims = paddedSizes_;
  for (const Level& level : levels_) {
    at = regrouped(at, dims, level.dims);
    const size_t first = level.dims.size() - level.tile.size();
    Sizes inTile;
    for (size_t i = 0; i < level.tile.size(); ++i) {
      inTile.push_back(at[first + i] % level.tile[i]);
      at[first + i] /= level.tile[i];
    }
    at.insert(at.end(), inTile.begin(), inTile.end());
    dims = tiledDims(level.dims, level.tile);
  }
  return flatten(at, dims);
}

std::optional<std::vector<int64_t>> MemoryMap::index(int64_t linear) const {
  Sizes dims = levels_.empty() ? paddedSizes_ : tiledDims(levels_.back().dims, levels_.back().tile);
  if (linear < 0 || linear >= product(dims).value_or(0)) return std::nullopt;  // tail padding holds nothing
  Sizes at = unflatten(linear, dims);
  for (size_t l = levels_.size(); l-- > 0;) {
    const Level& level = levels_[l];
    const size_t first = level.dims.size() - level.tile.size();
    for (size_t i = 0; i < level.tile.size(); ++i) {
      at[first + i] = at[first + i] * level.tile[i] + at[level.dims.size() + i];
      if (at[first + i] >= level.dims[first + i]) return std::nullopt;  // tile padding
    }
    at.resize(level.dims.size());
    const Sizes before = l == 0 ? paddedSizes_ : tiledDims(levels_[l - 1].dims, levels_[l - 1].tile);
    at = regrouped(at, level.dims, before);
  }
  std::vector<int64_t> out(at.size());
  for (size_t i = 0; i < at.size(); ++i) out[static_cast<size_t>(physicalOrder_[i])] = at[i];
  for (size_t d = 0; d < out.size(); ++d)
    if (out[d] >= shape_.dimensions[d]) return std::nullopt;  // padded_dimensions
  return out;
}

}  // namespace tessera
