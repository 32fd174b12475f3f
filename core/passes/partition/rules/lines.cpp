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

// Each column of the right-hand side, or row where the matrix stands on the right, is a system of its own.
void triangularSolveRule(RuleBuilder& r) {
  const int64_t rank = r.operand(0).rank();
  passBatches(r, rank - 2);
  const int64_t free = rank - (r.attributes.boolOr(Attr::left_side, false) ? 1 : 2);
  r.passes(1, free, free);
}

}  // namespace tessera::partition
