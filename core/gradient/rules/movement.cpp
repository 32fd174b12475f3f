// Gradients of what moves elements to places known beforehand: each way is undone, and what was repeated is summed.
#include <algorithm>
#include <numeric>

#include "core/gradient/rules.h"
#include "core/hlo/index_math.h"

namespace tessera::gradient {

Status passOnRule(Rule& r) {
  const std::vector<bool> given = r.given();
  for (size_t k = 0; k < given.size(); ++k)
    if (given[k] && r.wants(0, k)) r.give(0, r.d(k), k);
  return {};
}

Status tupleRule(Rule& r) {
  size_t first = 0;
  for (size_t i = 0; i < r.operandCount(); ++i) {
    const size_t count = leavesOf(r.operandShape(i)).size();
    for (size_t k = 0; k < count; ++k)
      if (r.d(first + k) && r.wants(i, k)) r.give(i, r.d(first + k), k);
    first += count;
  }
  return {};
}

Status getTupleElementRule(Rule& r) {
  const auto index = static_cast<size_t>(r.attributes().intOr(Attr::index, 0));
  const size_t first = firstLeafOfElement(r.operandShape(0), index);
  const std::vector<bool> given = r.given();
  for (size_t k = 0; k < given.size(); ++k)
    if (given[k] && r.wants(0, first + k)) r.give(0, r.d(k), first + k);
  return {};
}

Status reshapeRule(Rule& r) {
  if (r.wants(0)) r.give(0, reshape(r.d(), r.operandShape(0).dimensions));
  return {};
}

// Over row-major arrays it is a reshape; any other is of a compiled program.
Status bitcastRule(Rule& r) {
  const Shape &from = r.operandShape(0), &to = *r.forward.shape;
  const auto rowMajor = [](const Shape& shape) { return !shape.layout || shape.layout->isRowMajor(); };
  if (!r.wants(0)) return {};
  if (from.type != to.type || !rowMajor(from) || !rowMajor(to))
    return r.refuse("bitcast between layouts belongs to a compiled program; take the module before optimization");
  return reshapeRule(r);
}

Status broadcastRule(Rule& r) {
  if (!r.wants(0)) return {};
  const Ints& to = r.attributes().ints(Attr::dimensions);
  const Value summed = reduce(Opcode::Add, r.d(), otherDims(r.forward.shape->rank(), to));
  // What is left has the operand's dimensions in the order of their places.
  Ints sorted = to, permutation;
  std::ranges::sort(sorted);
  for (int64_t place : to) permutation.push_back(std::ranges::find(sorted, place) - sorted.begin());
  r.give(0, transpose(summed, permutation));
  return {};
}

Status transposeRule(Rule& r) {
  if (!r.wants(0)) return {};
  const Ints& permutation = r.attributes().ints(Attr::dimensions);
  Ints inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  r.give(0, transpose(r.d(), inverse));
  return {};
}

Status reverseRule(Rule& r) {
  if (r.wants(0)) r.give(0, r.emit.make(Opcode::Reverse, {r.d()}, r.attributes()));
  return {};
}

Status sliceRule(Rule& r) {
  if (!r.wants(0)) return {};
  const auto& ranges = *r.attributes().get<std::vector<SliceDimension>>(Attr::slice);
  const Ints from = r.operandShape(0).dimensions, to = r.forward.shape->dimensions;
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const int64_t covered = to[d] == 0 ? 0 : (to[d] - 1) * ranges[d].stride + 1;
    padding.push_back({ranges[d].start, from[d] - ranges[d].start - covered, ranges[d].stride - 1});
  }
  r.give(0, padZeros(r.d(), padding));
  return {};
}

Status padRule(Rule& r) {
  const auto padding = *r.attributes().get<std::vector<PaddingDimension>>(Attr::padding);
  const Ints from = r.operandShape(0).dimensions;
  // Without its edges the cotangent has the operand's elements and the gaps between them; where pad cut elements away,
  // zeros come in.
  std::vector<PaddingDimension> edges;
  std::vector<SliceDimension> places;
  for (size_t d = 0; d < padding.size(); ++d) {
    edges.push_back({-padding[d].low, -padding[d].high, 0});
    const int64_t stride = padding[d].interior + 1;
    places.push_back({0, from[d] == 0 ? 0 : (from[d] - 1) * stride + 1, stride});
  }
  const Value inside = slice(padZeros(r.d(), edges), places);
  if (r.wants(0)) r.give(0, inside);
  if (!r.wants(1)) return {};
  const auto sum = [](Value value) { return reduce(Opcode::Add, value, otherDims(value.shape().rank(), {})); };
  r.give(1, sum(r.d()) - sum(inside));
  return {};
}

Status concatenateRule(Rule& r) {
  const auto along = static_cast<size_t>(r.attributes().ints(Attr::dimensions)[0]);
  std::vector<SliceDimension> ranges;
  for (int64_t size : r.d().dims()) ranges.push_back({0, size, 1});
  int64_t start = 0;
  for (size_t i = 0; i < r.operandCount(); ++i) {
    const int64_t size = r.operandShape(i).dimensions[along];
    ranges[along] = {start, start + size, 1};
    start += size;
    if (r.wants(i)) r.give(i, slice(r.d(), ranges));
  }
  return {};
}

}  // namespace tessera::gradient
