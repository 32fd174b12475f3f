// The index map of a reshape: which index of one set of dimensions is the same row-major position as an index of
// another. Shared by reshape and, under physical orders of dimensions, by bitcast.
#pragma once

#include <span>
#include <vector>

#include "core/element/element_builder.h"

namespace tessera {

// Indices into `in` dimensions of the element at index `at` in `out` dimensions. Both hold equally many
// elements. Dimensions that stay keep their plain index: only the shortest runs with equal products are linearised.
std::vector<NodeId> reshapeIndices(ElementBuilder& builder, std::span<const int64_t> out, std::span<const NodeId> at,
                                   std::span<const int64_t> in);

}  // namespace tessera
