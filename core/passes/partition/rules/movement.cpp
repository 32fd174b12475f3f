// Rules of operations that move elements: dimensions along which nothing moves pass on.
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
  for (int64_t d : otherDims(r.instruction.shape->rank(), r.attributes.ints(Attr::dimensions))) r.passes(0, d, d);
}

void sliceRule(RuleBuilder& r) {
  const auto* ranges = r.attributes.get<std::vector<SliceDimension>>(Attr::slice);
  for (size_t d = 0; ranges && d < ranges->size(); ++d)
    if ((*ranges)[d] == SliceDimension{0, r.operand(0).dimensions[d], 1})
      r.passes(0, static_cast<int64_t>(d), static_cast<int64_t>(d));
}

void padRule(RuleBuilder& r) {
  const auto* padding = r.attributes.get<std::vector<PaddingDimension>>(Attr::padding);
  for (size_t d = 0; padding && d < padding->size(); ++d)
    if ((*padding)[d] == PaddingDimension{}) r.passes(0, static_cast<int64_t>(d), static_cast<int64_t>(d));
}

void concatenateRule(RuleBuilder& r) {
  for (int64_t d : otherDims(r.instruction.shape->rank(), r.attributes.ints(Attr::dimensions))) r.passesOfAll(d);
}

}  // namespace tessera::partition
