// Sizes of results where a size of the run lies outside 0 to its bound: such a number is handed on as it was given, as
// XLA does, while the elements that count are those within the bounds. Beside dynamic_values.h, which cuts the
// elements.
#pragma once

#include <vector>

#include "core/hlo/module.h"

namespace tessera {

struct SizedOperand {
  std::vector<int64_t> sizes, bounds;
  bool isOutside(size_t d) const { return sizes[d] < 0 || sizes[d] > bounds[d]; }
};

bool anyOutside(const std::vector<SizedOperand>& operands);
// `counted`: what the sizes within the bounds make of the result, to which operations without a rule keep.
std::vector<int64_t> sizesAsGiven(const Instruction& instruction, const std::vector<SizedOperand>& operands,
                                  std::vector<int64_t> counted);
// The size of a padded dimension; none below 0.
int64_t paddedSize(int64_t size, const PaddingDimension& padding);

}  // namespace tessera
