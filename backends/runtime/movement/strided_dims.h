// Strided dimensions: an array, or a part of one, as a list of (size, stride) in elements, major to minor. Describes
// the operands of dot, convolution and contraction steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/shape.h"

namespace tessera::cpu {

struct Dim {
  int64_t size = 1, stride = 1;
};
using Dims = std::vector<Dim>;

int64_t product(const Dims& dims);
// All dimensions of a dense row-major array.
Dims denseDims(const Shape& shape);
Dims pick(const Dims& dims, const std::vector<int64_t>& which);
// The dimensions that neither list names.
Dims others(const Dims& dims, const std::vector<int64_t>& a, const std::vector<int64_t>& b);
// Several dimensions as one with a single stride, where memory allows it; none: {1, 1}.
std::optional<Dim> collapse(const Dims& dims);
// Position of row-major element `index` of the dimensions.
int64_t offsetAt(const Dims& dims, int64_t index);
// offsetAt of every index.
std::vector<int64_t> allOffsets(const Dims& dims);

}  // namespace tessera::cpu
