// Rules of operations that move elements: dimensions along which nothing moves pass on; along the others a block comes
// from a range of the operand that lies elsewhere.
#include "core/passes/partition/rules.h"

#include <algorithm>

#include "core/hlo/index_math.h"

namespace tessera::partition {

void broadcastRule(RuleBuilder& r) {
  const std::vector<int64_t>& to = r.attributes.ints(Attr::dimensions);
  for (size_t d = 0; d < to.size(); ++d) r.passes(0, static_cast<int64_t>(d), to[d]);
  for (int64_t d : otherDims(r.instruction.shape->rank(), to)) r.onlyResult(d);
}

void transposeRule(RuleBuilder& r) {
  const std::vector<int64_t>& from = r.attributes.ints(Attr::dimensions);
  for (size_t d = 0; d < from.size(); ++d) r.passes(0, from[d], static_cast<int64_t>(d));
}

void reverseRule(RuleBuilder& r) {
  const std::vector<int64_t>& reversed = r.attributes.ints(Attr::dimensions);
  for (int64_t d : otherDims(r.instruction.shape->rank(), reversed)) r.passes(0, d, d);
  for (int64_t d : reversed)
    r.reaches(0, d, d, {.stride = -1, .offset = r.operand(0).dimensions[static_cast<size_t>(d)] - 1});
}

void sliceRule(RuleBuilder& r) {
  const auto* ranges = r.attributes.get<std::vector<SliceDimension>>(Attr::slice);
  for (size_t i = 0; ranges && i < ranges->size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    const SliceDimension& range = (*ranges)[i];
    if (range == SliceDimension{0, r.operand(0).dimensions[i], 1})
      r.passes(0, d, d);
    else
      r.reaches(0, d, d, {.stride = range.stride, .offset = range.start});
  }
}

void padRule(RuleBuilder& r) {
  const auto* padding = r.attributes.get<std::vector<PaddingDimension>>(Attr::padding);
  r.rule.outside = Outside::SecondOperand;
  for (size_t i = 0; padding && i < padding->size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    const PaddingDimension& one = (*padding)[i];
    if (one == PaddingDimension{})
      r.passes(0, d, d);
    else
      r.reaches(0, d, d, {.offset = -one.low, .dilation = one.interior + 1});
  }
}

void concatenateRule(RuleBuilder& r) {
  const std::vector<int64_t>& dimensions = r.attributes.ints(Attr::dimensions);
  for (int64_t d : otherDims(r.instruction.shape->rank(), dimensions)) r.passesOfAll(d);
  if (dimensions.size() != 1) return;
  r.rule.outside = Outside::OtherOperands;
  r.passesOfAll(dimensions[0]);
  Factor& factor = r.rule.factors.back();
  int64_t before = 0;
  for (size_t i = 0; i < r.instruction.operands.size(); ++i) {
    factor.reaches.push_back(Reach{.offset = -before});
    before += r.operand(i).dimensions[static_cast<size_t>(dimensions[0])];
  }
}

}  // namespace tessera::partition
