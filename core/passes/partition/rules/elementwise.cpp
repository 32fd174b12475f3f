// Rules of operations whose element i comes from the operands' elements i, or from scalars.
#include "core/passes/partition/rules.h"

namespace tessera::partition {

void elementwiseRule(RuleBuilder& r) {
  for (int64_t d = 0; d < r.instruction.shape->rank(); ++d) r.passesOfAll(d);
}

// Where the widths differ one side has a last dimension more, which stays whole.
void bitcastConvertRule(RuleBuilder& r) {
  const int64_t common = std::min(r.operand(0).rank(), r.instruction.shape->rank());
  for (int64_t d = 0; d < common; ++d) r.passes(0, d, d);
}

}  // namespace tessera::partition
