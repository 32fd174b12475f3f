// Rules of operations on lines along one dimension, or on matrices in the last two: all other dimensions are batches.
#include "core/passes/partition/rules.h"

#include "core/hlo/index_math.h"

namespace tessera::partition {
namespace {

void passBatches(RuleBuilder& r, int64_t count) {
  for (int64_t d = 0; d < count; ++d) r.passesOfAll(d);
}

}  // namespace

void sortRule(RuleBuilder& r) {
  for (int64_t d : otherDims(r.operand(0).rank(), r.attributes.ints(Attr::dimensions))) r.passesOfAll(d);
}

void topkRule(RuleBuilder& r) { passBatches(r, r.operand(0).rank() - 1); }

void fftRule(RuleBuilder& r) {
  passBatches(r, r.operand(0).rank() - static_cast<int64_t>(r.attributes.ints(Attr::fft_length).size()));
}

void choleskyRule(RuleBuilder& r) { passBatches(r, r.operand(0).rank() - 2); }

void triangularSolveRule(RuleBuilder& r) { passBatches(r, r.operand(0).rank() - 2); }

}  // namespace tessera::partition
