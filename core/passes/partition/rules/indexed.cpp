// Rules of operations that read or write at places that an operand gives: dimensions that a window takes as a whole
// pass on, and those that count the places. Of a dimension where a window is one index, each device has a block.
#include "core/passes/partition/rules.h"

#include <algorithm>

#include "core/hlo/index_math.h"
#include "core/ops/shared/scalar_function.h"

namespace tessera::partition {
namespace {

// The dimensions of the indices that count places, in order.
IndexVector countingDims(const Shape& indices, int64_t indexVectorDim) {
  return otherDims(indices.rank(), IndexVector{indexVectorDim});
}

// One of several indices of dimension `d` is read, and the devices' parts are summed up.
void readsOne(RuleBuilder& r, int64_t d, Place place) {
  Factor& factor = r.add();
  factor.operands[0] = d;
  factor.place = place;
  if (r.instruction.shape->type == ElementType::Pred) r.rule.combiner = Opcode::Or;
}

// A start is an operand of its own, not an element of a vector.
bool hasScalarStarts(const RuleBuilder& r, size_t first) {
  return r.instruction.operands.size() == first + r.operand(0).dimensions.size() && r.operand(first).isScalar();
}

}  // namespace

void dynamicSliceRule(RuleBuilder& r) {
  r.placesFrom(1, r.instruction.operands.size() - 1);
  const std::vector<int64_t>& sizes = r.attributes.ints(Attr::dynamic_slice_sizes);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (sizes[d] == r.operand(0).dimensions[d])
      r.passes(0, dimension, dimension);
    else if (sizes[d] == 1 && hasScalarStarts(r, 1))
      readsOne(r, dimension, {1 + d});
  }
}

void dynamicUpdateSliceRule(RuleBuilder& r) {
  r.placesFrom(2, r.instruction.operands.size() - 2);
  for (size_t d = 0; d < r.operand(0).dimensions.size(); ++d) {
    const int64_t size = r.operand(1).dimensions[d];
    const bool isWhole = size == r.operand(0).dimensions[d];
    if (!isWhole && (size != 1 || !hasScalarStarts(r, 2))) continue;
    Factor& factor = r.add();
    factor.operands[0] = factor.results[0] = static_cast<int64_t>(d);
    if (isWhole)
      factor.operands[1] = static_cast<int64_t>(d);
    else
      factor.place = Place{2 + d};
  }
}

void gatherRule(RuleBuilder& r) {
  r.placesFrom(1, 1);
  const AttributeSet& a = r.attributes;
  const IndexVector offset = a.ints(Attr::offset_dims), batching = a.ints(Attr::operand_batching_dims);
  const IndexVector& indexBatching = a.ints(Attr::start_indices_batching_dims);
  const IndexVector window = otherDims(r.operand(0).rank(), a.ints(Attr::collapsed_slice_dims), batching);
  const IndexVector& sizes = a.ints(Attr::slice_sizes);
  for (size_t k = 0; k < window.size(); ++k)
    if (sizes[static_cast<size_t>(window[k])] == r.operand(0).dimensions[static_cast<size_t>(window[k])])
      r.passes(0, window[k], offset[k]);
  const IndexVector& indexed = a.ints(Attr::start_index_map);
  for (size_t k = 0; k < indexed.size(); ++k)
    if (const auto d = static_cast<size_t>(indexed[k]); sizes[d] == 1 && r.operand(0).dimensions[d] > 1)
      readsOne(r, indexed[k], {1, static_cast<int64_t>(k)});
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
  r.placesFrom(n, 1);
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
  const IndexVector& indexed = a.ints(Attr::scatter_dims_to_operand_dims);
  for (size_t k = 0; k < indexed.size(); ++k) {
    const auto inWindow = std::ranges::find(window, indexed[k]) - window.begin();
    const bool isOne = containsDim(a.ints(Attr::inserted_window_dims), indexed[k]) ||
                       updates.dimensions[static_cast<size_t>(inUpdates[static_cast<size_t>(inWindow)])] == 1;
    if (!isOne || operand.dimensions[static_cast<size_t>(indexed[k])] == 1) continue;
    ofAll(indexed[k], -1, -1);
    r.rule.factors.back().place = Place{n, static_cast<int64_t>(k)};
  }
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
