// A value with run-time sizes taken apart: its buffer, as large as the bounds, and the sizes. Used by dynamic_values.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/literal.h"

namespace tessera {

using Sizes = std::vector<int64_t>;

struct DynamicView {
  Literal buffer;
  Sizes sizes;
  std::vector<bool> dynamic;  // by dimension: declared so, or the size is not the bound
};
DynamicView viewOf(const Literal& value, const Shape& declared);
// The pair of buffer and sizes; the buffer alone if it is full.
Literal withSizes(Literal buffer, const Sizes& sizes);
// Each size within 0 and its bound.
Sizes clamped(std::span<const int64_t> sizes, std::span<const int64_t> bounds);
// Copies `part` to the origin of `whole`.
void paste(Literal& whole, const Literal& part);
// Copies a block of these dimensions at the origin, from or to an array of larger ones.
void copyBlock(std::span<const int64_t> block, const std::byte* from, std::span<const int64_t> fromDims, std::byte* to,
               std::span<const int64_t> toDims, size_t width);

}  // namespace tessera
