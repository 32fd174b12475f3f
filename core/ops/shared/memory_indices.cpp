// See memory_indices.h. The steps are MemoryMap's: order, padding, tiles; forward for `to`, back for `from`.
#include "core/ops/shared/memory_indices.h"

#include <algorithm>

#include "core/hlo/memory_map.h"
#include "core/ops/shared/reshape_indices.h"

namespace tessera {
namespace {

using Sizes = std::vector<int64_t>;
using Nodes = std::vector<NodeId>;

int64_t product(const Sizes& sizes) {
  int64_t out = 1;
  for (int64_t size : sizes) out *= size;
  return out;
}

Nodes regrouped(ElementBuilder& builder, const Nodes& at, const Sizes& from, const Sizes& to) {
  return from == to ? at : reshapeIndices(builder, from, at, to);
}

// The shape whose row-major order is that of memory.
Sizes lastDims(const MemoryMap& map) {
  return map.levels().empty() ? map.paddedSizes() : map.levels().back().tiledDims();
}

// An index of `map`'s array as one of its last shape.
Nodes toMemory(ElementBuilder& builder, const MemoryMap& map, std::span<const NodeId> index) {
  Nodes at;
  for (int64_t d : map.physicalOrder()) at.push_back(index[static_cast<size_t>(d)]);
  Sizes dims = map.paddedSizes();
  for (const MemoryMap::Level& level : map.levels()) {
    at = regrouped(builder, at, dims, level.dims);
    const size_t first = level.dims.size() - level.tile.size();
    for (size_t i = 0; i < level.tile.size(); ++i) {
      const NodeId size = builder.index(level.tile[i]), whole = at[first + i];
      at[first + i] = builder.divide(whole, size);
      at.push_back(builder.remainder(whole, size));
    }
    dims = level.tiledDims();
  }
  return at;
}

// And back; what is in padding does not hold, and its index is brought into bounds.
class FromMemory {
 public:
  FromMemory(ElementBuilder& builder, const MemoryMap& map, const Shape& shape)
      : builder_(builder), map_(map), shape_(shape) {}

  MemoryIndices operator()(Nodes at, NodeId holds) {
    holds_ = holds;
    const auto& levels = map_.levels();
    for (size_t l = levels.size(); l-- > 0;) {
      const MemoryMap::Level& level = levels[l];
      const size_t rank = level.dims.size(), first = rank - level.tile.size();
      for (size_t i = 0; i < level.tile.size(); ++i) {
        const NodeId start = builder_.multiply(at[first + i], builder_.index(level.tile[i]));
        at[first + i] = within(builder_.add(start, at[rank + i]), level.dims[first + i]);
      }
      at.resize(rank);
      at = regrouped(builder_, at, level.dims, l == 0 ? map_.paddedSizes() : levels[l - 1].tiledDims());
    }
    const auto& order = map_.physicalOrder();
    Nodes out(order.size());  // padded ranks are leading dimensions of size 1
    for (size_t i = 0; i < order.size(); ++i) {
      const auto d = static_cast<size_t>(order[i]);
      out[d] = within(at[at.size() - order.size() + i], shape_.dimensions[d]);
    }
    return {std::move(out), holds_};
  }

 private:
  NodeId within(NodeId index, int64_t size) {
    holds_ = builder_.logicalAnd(holds_, builder_.inRange(index, 0, size));
    return builder_.clampIndex(index, 0, size - 1);
  }

  ElementBuilder& builder_;
  const MemoryMap& map_;
  const Shape& shape_;
  NodeId holds_;
};

}  // namespace

Result<MemoryIndices> elementAtSamePlace(ElementBuilder& builder, const Shape& from, const Shape& to,
                                         std::span<const NodeId> at) {
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap source, MemoryMap::of(from));
  TESSERA_ASSIGN_OR_RETURN(const MemoryMap target, MemoryMap::of(to));
  const Sizes sourceDims = lastDims(source), targetDims = lastDims(target);
  const int64_t room = product(sourceDims), places = product(targetDims);
  Nodes place = toMemory(builder, target, at);
  NodeId holds = builder.constant(ElementType::Pred, 1);
  if (room != places) {
    NodeId linear = regrouped(builder, place, targetDims, {places})[0];
    holds = builder.inRange(linear, 0, room);
    linear = builder.clampIndex(linear, 0, room - 1);
    place = regrouped(builder, {linear}, {room}, sourceDims);
  } else {
    place = regrouped(builder, place, targetDims, sourceDims);
  }
  return FromMemory(builder, source, from)(std::move(place), holds);
}

}  // namespace tessera
