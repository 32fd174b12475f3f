// See sharding.h.
#include "core/devices/sharding.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/hlo/index_math.h"

namespace tessera {

int64_t deviceCount(const std::vector<int64_t>& sizes) {
  constexpr int64_t kMaxDevices = 1 << 20;
  int64_t out = 1;
  for (int64_t size : sizes) {
    const auto next = size < 1 ? std::nullopt : checkedMul(out, size);
    if (!next || *next > kMaxDevices) return 0;
    out = *next;
  }
  return out;
}

namespace {

std::unexpected<Diagnostic> refuse(std::string_view sharding) {
  return fail(ErrorKind::Unsupported, "the sharding " + std::string(sharding) + " cannot be followed");
}

// "2,4" from `at` on; stops at what is no number or comma.
std::vector<int64_t> numbersAt(std::string_view text, size_t& at) {
  std::vector<int64_t> out;
  while (at < text.size()) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc()) break;
    out.push_back(value);
    at = static_cast<size_t>(next - text.data());
    if (at >= text.size() || text[at] != ',') break;
    ++at;
  }
  return out;
}

// Numbers 0 … n-1, row-major over `sizes`, in the order of the transposed dimensions.
std::vector<int64_t> transposedIota(const std::vector<int64_t>& sizes, std::vector<int64_t> order) {
  if (order.empty()) {
    order.resize(sizes.size());
    std::iota(order.begin(), order.end(), 0);
  }
  const IndexVector strides = pickDims(rowMajorStrides(sizes), order);
  std::vector<int64_t> out;
  forEachIndex(pickDims(sizes, order), [&](const IndexVector& index) { out.push_back(linearIndexOf(index, strides)); });
  return out;
}

bool isPermutation(std::vector<int64_t> order, size_t rank) {
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int64_t>(i)) return false;
  return order.size() == rank;
}

// Behind "devices=[…]": "<=[8]", "<=[2,4]T(1,0)" or "0,1,2,3".
std::vector<int64_t> devicesAt(std::string_view text, size_t& at) {
  if (text.substr(at, 3) != "<=[") return numbersAt(text, at);
  at += 3;
  const std::vector<int64_t> sizes = numbersAt(text, at);
  std::vector<int64_t> order;
  if (text.substr(at, 3) == "]T(") {
    at += 3;
    order = numbersAt(text, at);
    if (!isPermutation(order, sizes.size())) return {};
  }
  return deviceCount(sizes) == 0 ? std::vector<int64_t>{} : transposedIota(sizes, order);
}

// Tile coordinates of a device; nullopt when it holds nothing.
std::optional<std::vector<int64_t>> placeOf(const Tiling& tiling, int64_t device) {
  const auto found = std::ranges::find(tiling.devices, device);
  if (found == tiling.devices.end()) return std::nullopt;
  int64_t tile = (found - tiling.devices.begin()) / tiling.copies;
  std::vector<int64_t> place(tiling.tiles.size());
  for (size_t d = place.size(); d-- > 0;) {
    place[d] = tile % tiling.tiles[d];
    tile /= tiling.tiles[d];
  }
  return place;
}

// Copies the rows of `block` that are in `whole` at `start`; recursion over the dimensions.
struct BlockCopy {
  const Literal& whole;
  Literal& block;
  std::vector<int64_t> start;

  void run(size_t d, int64_t from, int64_t to) {
    const std::vector<int64_t>& all = whole.shape().dimensions;
    const std::vector<int64_t>& part = block.shape().dimensions;
    const int64_t width = byteWidth(whole.shape().type);
    if (d == all.size()) {
      std::memcpy(block.mutableBytes().data() + to * width, whole.bytes().data() + from * width,
                  static_cast<size_t>(width));
      return;
    }
    const int64_t count = std::min(part[d], all[d] - start[d]);
    if (d + 1 == all.size()) {
      if (count > 0)
        std::memcpy(block.mutableBytes().data() + to * part[d] * width,
                    whole.bytes().data() + (from * all[d] + start[d]) * width, static_cast<size_t>(count * width));
      return;
    }
    for (int64_t i = 0; i < count; ++i) run(d + 1, from * all[d] + start[d] + i, to * part[d] + i);
  }
};

// A block into its place of the whole; recursion over the dimensions.
struct BlockPlacement {
  const Literal& block;
  Literal& whole;
  const std::vector<int64_t>& place;

  void run(size_t d, int64_t from, int64_t to) {
    const std::vector<int64_t>& part = block.shape().dimensions;
    const std::vector<int64_t>& all = whole.shape().dimensions;
    const auto width = static_cast<size_t>(byteWidth(block.shape().type));
    const int64_t start = place[d] * part[d], count = std::min(part[d], all[d] - start);
    if (d + 1 < all.size()) {
      for (int64_t i = 0; i < count; ++i) run(d + 1, from * part[d] + i, to * all[d] + start + i);
    } else if (count > 0) {
      std::memcpy(whole.mutableBytes().data() + static_cast<size_t>(to * all[d] + start) * width,
                  block.bytes().data() + static_cast<size_t>(from * part[d]) * width,
                  static_cast<size_t>(count) * width);
    }
  }
};

}  // namespace

Result<Tiling> tilingOf(std::string_view sharding) {
  Tiling out;
  const size_t devices = sharding.find("devices=[");
  if (devices == std::string_view::npos) {
    const bool whole = sharding.empty() || sharding == "{replicated}" || sharding == "{manual}" ||
                       sharding.starts_with("{maximal device=");
    if (!whole) return refuse(sharding);
    return out;
  }
  size_t at = devices + std::string_view("devices=[").size();
  out.tiles = numbersAt(sharding, at);
  if (sharding.substr(at, 1) != "]" || deviceCount(out.tiles) == 0) return refuse(sharding);
  out.devices = devicesAt(sharding, ++at);
  if (static_cast<int64_t>(out.devices.size()) != deviceCount(out.tiles)) return refuse(sharding);
  size_t copied = sharding.find("last_tile_dim_replicate") != std::string_view::npos ? 1 : 0;
  if (const size_t kinds = sharding.find("last_tile_dims={"); kinds != std::string_view::npos) {
    const std::string_view list = sharding.substr(kinds, sharding.find('}', kinds) - kinds);
    copied = 1 + static_cast<size_t>(std::ranges::count(list, ','));
  }
  if (copied > out.tiles.size()) return refuse(sharding);
  for (; copied > 0; --copied) {
    out.copies *= out.tiles.back();
    out.tiles.pop_back();
  }
  return out;
}

Result<Shape> globalShape(const Shape& block, const Tiling& tiling) {
  Shape out = block;
  if (tiling.tiles.empty()) return out;
  if (tiling.tiles.size() != block.dimensions.size())
    return fail("a sharding of " + std::to_string(tiling.tiles.size()) + " dimensions does not fit " +
                toString(block, false));
  for (size_t d = 0; d < tiling.tiles.size(); ++d) {
    const auto size = checkedMul(block.dimensions[d], tiling.tiles[d]);
    if (!size) return fail("the sharded array is too large");
    out.dimensions[d] = *size;
  }
  return out;
}

std::optional<std::vector<int64_t>> blockStart(const Shape& block, const Tiling& tiling, int64_t device) {
  if (tiling.tiles.empty() || tiling.tiles.size() != block.dimensions.size()) return std::nullopt;
  auto place = placeOf(tiling, device);
  if (!place) return std::nullopt;
  for (size_t d = 0; d < place->size(); ++d) (*place)[d] *= block.dimensions[d];
  return place;
}

Result<Literal> blockOf(const Literal& whole, const Shape& block, const Tiling& tiling, int64_t device) {
  if (tiling.tiles.empty() || compatible(whole.shape(), block)) return whole;
  if (tiling.tiles.size() != block.dimensions.size() || whole.shape().rank() != block.rank() ||
      whole.shape().type != block.type)
    return fail(toString(whole.shape(), false) + " cannot be cut into " + toString(block, false));
  const auto start = blockStart(block, tiling, device);
  if (!start) return fail("device " + std::to_string(device) + " is not in the sharding");
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::zeros(block));
  BlockCopy copy{whole, out, *start};
  copy.run(0, 0, 0);
  return out;
}

bool cutsInto(const Tiling& tiling, const Shape& whole, const Shape& block) {
  if (whole.type != block.type || whole.rank() != block.rank() || tiling.tiles.size() != whole.dimensions.size())
    return tiling.tiles.empty() && compatible(whole, block);
  for (size_t d = 0; d < tiling.tiles.size(); ++d)
    if ((whole.dimensions[d] + tiling.tiles[d] - 1) / tiling.tiles[d] != block.dimensions[d]) return false;
  return true;
}

std::vector<int64_t> tilesBetween(const Shape& block, const Shape& whole) {
  if (block.rank() != whole.rank() || block.type != whole.type) return {};
  std::vector<int64_t> out;
  for (size_t d = 0; d < whole.dimensions.size(); ++d) {
    const int64_t part = block.dimensions[d], all = whole.dimensions[d];
    if (part == all)
      out.push_back(1);
    else if (part > 0 && all % part == 0)
      out.push_back(all / part);
    else
      return {};
  }
  return out;
}

std::optional<int64_t> maximalDeviceOf(std::string_view sharding) {
  constexpr std::string_view kStart = "{maximal device=";
  int64_t device = 0;
  if (!sharding.starts_with(kStart)) return std::nullopt;
  const auto [next, error] =
      std::from_chars(sharding.data() + kStart.size(), sharding.data() + sharding.size(), device);
  return error == std::errc() ? std::optional(device) : std::nullopt;
}

std::vector<std::string_view> shardingsOf(std::string_view sharding) {
  if (!sharding.starts_with("{{")) return {sharding};
  std::vector<std::string_view> out;
  int depth = 0;
  size_t from = 0;
  for (size_t at = 0; at < sharding.size(); ++at) {
    if (sharding[at] == '{' && ++depth == 2) from = at;
    if (sharding[at] == '}' && depth-- == 2) out.push_back(sharding.substr(from, at + 1 - from));
  }
  return out;
}

Result<std::vector<int64_t>> blockHolders(const Tiling& tiling, int64_t device) {
  if (tiling.tiles.empty()) return std::vector<int64_t>{device};
  const auto found = std::ranges::find(tiling.devices, device);
  if (found == tiling.devices.end()) return fail("device " + std::to_string(device) + " is not in the sharding");
  std::vector<int64_t> out;
  for (size_t at = static_cast<size_t>((found - tiling.devices.begin()) % tiling.copies); at < tiling.devices.size();
       at += static_cast<size_t>(tiling.copies))
    out.push_back(tiling.devices[at]);
  return out;
}

Result<Literal> joinTiles(std::span<const Literal> blocks, const Tiling& tiling) {
  TESSERA_ASSIGN_OR_RETURN(const Shape whole, globalShape(blocks[0].shape(), tiling));
  return joinTiles(blocks, tiling, whole);
}

Result<Literal> joinTiles(std::span<const Literal> blocks, const Tiling& tiling, const Shape& whole) {
  if (tiling.tiles.empty() || compatible(whole, blocks[0].shape())) return blocks[0];
  if (static_cast<int64_t>(blocks.size()) != deviceCount(tiling.tiles) || !cutsInto(tiling, whole, blocks[0].shape()))
    return fail(std::to_string(blocks.size()) + " blocks do not make " + toString(whole, false));
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(withoutLayout(whole)));
  std::vector<int64_t> place(tiling.tiles.size(), 0);
  for (const Literal& block : blocks) {
    BlockPlacement{block, out, place}.run(0, 0, 0);
    for (size_t d = place.size(); d-- > 0;) {
      if (++place[d] < tiling.tiles[d]) break;
      place[d] = 0;
    }
  }
  return out;
}

}  // namespace tessera
