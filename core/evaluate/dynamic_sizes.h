// Sizes of results from sizes of the run, by the relations of the op (core/ops/shared/dimension_relations.h). Where a
// size is outside 0 to its bound, it is passed on unchanged, as XLA does, while the elements that
// count are those within the bounds. Beside dynamic_values.h, which cuts the elements.
#pragma once

#include <vector>

#include "core/ops/shared/dimension_relations.h"

namespace tessera {

struct SizedOperand {
  std::vector<int64_t> sizes, bounds;
  std::vector<bool> dynamic;  // by dimension: declared so, or the size is not the bound
  bool isOutside(size_t d) const { return sizes[d] < 0 || sizes[d] > bounds[d]; }
};

bool anyOutside(const std::vector<SizedOperand>& operands);
// `counted`: what the sizes within the bounds make of an array of the result, to which what no relation tells keeps.
std::vector<int64_t> sizesAsGiven(const DimensionRelations& relations, size_t leaf,
                                  const std::vector<SizedOperand>& operands, std::vector<int64_t> counted);
// Sizes of the result's (first) array: what dynamic dimensions of the operands make of them, bounds elsewhere.
std::vector<int64_t> sizesByRelations(const DimensionRelations& relations, const std::vector<SizedOperand>& operands,
                                      std::vector<int64_t> bounds);

}  // namespace tessera
