// Rules of operations that read or write at places that an operand gives: dimensions that a window takes as a whole
// pass on, and those that count the places.
#include "core/passes/partition/rules.h"

#include "core/hlo/index_math.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera::partition {
namespace {

// The dimensions of the indices that count places, in order.
IndexVector countingDims(const Shape& indices, int64_t indexVectorDim) {
  return otherDims(indices.rank(), IndexVector{indexVectorDim});
}

}  // namespace

void dynamicSliceRule(RuleBuilder& r) {
  const std::vector<int64_t>& sizes = r.attributes.ints(Attr::dynamic_slice_sizes);
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] == r.operand(0).dimensions[d]) r.passes(0, static_cast<int64_t>(d), static_cast<int64_t>(d));
}

void dynamicUpdateSliceRule(RuleBuilder& r) {
  for (size_t d = 0; d < r.operand(0).dimensions.size(); ++d) {
    if (r.operand(0).dimensions[d] != r.operand(1).dimensions[d]) continue;
    Factor& factor = r.add();
    factor.operands[0] = factor.operands[1] = factor.results[0] = static_cast<int64_t>(d);
  }
}

void gatherRule(RuleBuilder& r) {
  const AttributeSet& a = r.attributes;
  const IndexVector offset = a.ints(Attr::offset_dims), batching = a.ints(Attr::operand_batching_dims);
  const IndexVector& indexBatching = a.ints(Attr::start_indices_batching_dims);
  const IndexVector window = otherDims(r.operand(0).rank(), a.ints(Attr::collapsed_slice_dims), batching);
  const IndexVector& sizes = a.ints(Attr::slice_sizes);
  for (size_t k = 0; k < window.size(); ++k)
    if (sizes[static_cast<size_t>(window[k])] == r.operand(0).dimensions[static_cast<size_t>(window[k])])
      r.passes(0, window[k], offset[k]);
  const IndexVector counting = countingDims(r.operand(1), a.intOr(Attr::index_vector_dim, r.operand(1).rank()));
  const IndexVector places = otherDims(r.instruction.shape->rank(), offset);
  for (size_t k = 0; k < counting.size(); ++k) {
    Factor& factor = r.add();
    factor.operands[1] = counting[k];
    factor.results[0] = places[k];
    for (size_t b = 0; b < indexBatching.size(); ++b)
      if (indexBatching[b] == counting[k]) factor.operands[0] = batching[b];
  }
}

// Parts of the updates are combined into arrays of neutral elements, and these with the operand.
void scatterRule(RuleBuilder& r) {
  const AttributeSet& a = r.attributes;
  const size_t n = r.instruction.operands.size() / 2;
  const IndexVector batching = a.ints(Attr::input_batching_dims), inUpdates = a.ints(Attr::update_window_dims);
  const IndexVector& indexBatching = a.ints(Attr::scatter_indices_batching_dims);
  const Shape &operand = r.operand(0), &indices = r.operand(n), &updates = r.operand(n + 1);
  const auto ofAll = [&](int64_t inOperand, int64_t inIndices, int64_t inUpdate) {
    Factor& factor = r.add();
    for (size_t i = 0; i < n; ++i) {
      factor.operands[i] = factor.results[i] = inOperand;
      factor.operands[n + 1 + i] = inUpdate;
    }
    factor.operands[n] = inIndices;
  };
  const IndexVector window = otherDims(operand.rank(), a.ints(Attr::inserted_window_dims), batching);
  for (size_t k = 0; k < window.size(); ++k)
    if (operand.dimensions[static_cast<size_t>(window[k])] == updates.dimensions[static_cast<size_t>(inUpdates[k])])
      ofAll(window[k], -1, inUpdates[k]);
  const IndexVector counting = countingDims(indices, a.intOr(Attr::index_vector_dim, indices.rank()));
  const IndexVector places = otherDims(updates.rank(), inUpdates);
  const auto combiner = n == 1 ? reducerOf(r.module, r.instruction, 0) : std::nullopt;
  for (size_t k = 0; k < counting.size(); ++k) {
    int64_t inOperand = -1;
    for (size_t b = 0; b < indexBatching.size(); ++b)
      if (indexBatching[b] == counting[k]) inOperand = batching[b];
    if (inOperand >= 0 || combiner) ofAll(inOperand, counting[k], places[k]);
  }
  if (combiner) r.rule.combiner = *combiner;
  r.rule.seed = 0;
}

}  // namespace tessera::partition
