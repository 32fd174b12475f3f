// Where a scatter's updates go: its dimension numbers worked out, and the operand's index of each update. Used by
// scatter, the simplifier and core/evaluate's applications.
#pragma once

#include <optional>

#include "core/hlo/attributes.h"
#include "core/hlo/index_math.h"
#include "core/hlo/literal.h"

namespace tessera {

// The dimension numbers, worked out.
struct ScatterFacts {
  IndexVector windowInUpdates, scatterInUpdates;  // dimensions of updates
  IndexVector windowInOperand, inserted, startDims, operandBatch, indicesBatch;
  int64_t vectorDim = 0;
};

ScatterFacts scatterFactsOf(const AttributeSet& attributes, int64_t operandRank, int64_t updatesRank);
// Size of an update window along each dimension of the operand.
IndexVector scatterWindow(const ScatterFacts& facts, const Shape& operand, const Shape& updates);
// Place in the updates' scatter dimensions of a dimension of the indices.
size_t scatterPlaceOf(const ScatterFacts& facts, int64_t indicesDim);
// The operand's index that an update goes to; nullopt when its window is not inside the operand.
std::optional<IndexVector> scatterTargetOf(const ScatterFacts& facts, const Literal& indices, const IndexVector& window,
                                           const Shape& operand, const IndexVector& update);

}  // namespace tessera
