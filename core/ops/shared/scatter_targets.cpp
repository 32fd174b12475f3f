// See scatter_targets.h. The evaluator asks this for every update.
#include "core/ops/shared/scatter_targets.h"

#include "core/hlo/numbers.h"

namespace tessera {

ScatterFacts scatterFactsOf(const AttributeSet& attributes, int64_t operandRank, int64_t updatesRank) {
  ScatterFacts out;
  out.windowInUpdates = attributes.ints(Attr::update_window_dims);
  out.scatterInUpdates = otherDims(updatesRank, out.windowInUpdates);
  out.inserted = attributes.ints(Attr::inserted_window_dims);
  out.startDims = attributes.ints(Attr::scatter_dims_to_operand_dims);
  out.operandBatch = attributes.ints(Attr::input_batching_dims);
  out.indicesBatch = attributes.ints(Attr::scatter_indices_batching_dims);
  out.windowInOperand = otherDims(operandRank, out.inserted, out.operandBatch);
  out.vectorDim = attributes.intOr(Attr::index_vector_dim, 0);
  return out;
}

IndexVector scatterWindow(const ScatterFacts& facts, const Shape& operand, const Shape& updates) {
  IndexVector sizes(operand.dimensions.size(), 1);
  for (size_t i = 0; i < facts.windowInOperand.size(); ++i)
    sizes[static_cast<size_t>(facts.windowInOperand[i])] =
        updates.dimensions[static_cast<size_t>(facts.windowInUpdates[i])];
  return sizes;
}

size_t scatterPlaceOf(const ScatterFacts& facts, int64_t indicesDim) {
  return static_cast<size_t>(indicesDim < facts.vectorDim ? indicesDim : indicesDim - 1);
}

std::optional<IndexVector> scatterTargetOf(const ScatterFacts& facts, const Literal& indices, const IndexVector& window,
                                           const Shape& operand, const IndexVector& update) {
  const Shape& shape = indices.shape();
  const IndexVector scatter = pickDims(update, facts.scatterInUpdates);
  IndexVector target(operand.dimensions.size(), 0), at = scatter;
  const bool scalars = facts.vectorDim == shape.rank();
  if (!scalars) at.insert(at.begin() + facts.vectorDim, 0);
  const IndexVector strides = rowMajorStrides(shape.dimensions);
  for (size_t j = 0; j < facts.startDims.size(); ++j) {
    if (!scalars) at[static_cast<size_t>(facts.vectorDim)] = static_cast<int64_t>(j);
    const auto d = static_cast<size_t>(facts.startDims[j]);
    const std::byte* data = indices.bytes().data() + linearIndexOf(at, strides) * byteWidth(shape.type);
    target[d] = loadInt(shape.type, data);
    if (target[d] < 0 || target[d] > operand.dimensions[d] - window[d]) return std::nullopt;
  }
  for (size_t i = 0; i < facts.operandBatch.size(); ++i)
    target[static_cast<size_t>(facts.operandBatch[i])] = scatter[scatterPlaceOf(facts, facts.indicesBatch[i])];
  for (size_t i = 0; i < facts.windowInOperand.size(); ++i)
    target[static_cast<size_t>(facts.windowInOperand[i])] += update[static_cast<size_t>(facts.windowInUpdates[i])];
  return target;
}

}  // namespace tessera
