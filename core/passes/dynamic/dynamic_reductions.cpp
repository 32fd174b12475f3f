// Reductions, products and windows over sizes of the run: what does not count becomes what changes nothing. See
// dynamic_rule.h.
#include "core/passes/dynamic/dynamic_rule.h"

#include <algorithm>

#include "core/hlo/index_math.h"

namespace tessera {

// Elements that do not count become the initial value.
void DynamicRule::reduce() {
  const size_t n = operands_.size() / 2;
  const auto& reduced = attributes().ints(Attr::dimensions);
  DimensionSizes all(dims(0).size());
  for (size_t i = 0; i < n; ++i)
    for (size_t d = 0; d < all.size(); ++d)
      if (isDynamic(i, d))
        all[d] = all[d].valid() && all[d] != size(i, d) ? build_.minimum(all[d], size(i, d)) : size(i, d);
  LeafSizes result = leavesByRelation();
  for (size_t i = 0; i < n; ++i) operands_[i] = build_.filled(operands_[i], all, reduced, operands_[n + i]);
  keepLeaves(std::move(result));
}

// What does not count of a contracting dimension becomes 0, on both sides.
void DynamicRule::dot() {
  const Attr contracting[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};
  const auto& left = attributes().ints(contracting[0]);
  const auto& right = attributes().ints(contracting[1]);
  DimensionSizes both[] = {sizes(0), sizes(1)};
  both[0].resize(dims(0).size());
  both[1].resize(dims(1).size());
  for (size_t i = 0; i < left.size(); ++i) {
    InstructionId &a = both[0][static_cast<size_t>(left[i])], &b = both[1][static_cast<size_t>(right[i])];
    if (a.valid() && b.valid() && a != b)
      a = b = build_.minimum(a, b);
    else if (a.valid())
      b = a;
    else
      a = b;
  }
  DimensionSizes result = sizesByRelation();
  for (size_t side = 0; side < 2; ++side)
    operands_[side] = build_.filled(operands_[side], both[side], attributes().ints(contracting[side]),
                                    build_.zeroOf(build_.shapeOf(operands_[side]).type));
  keep(std::move(result));
}

void DynamicRule::convolve() {
  DimensionSizes result = sizesByRelation();
  for (size_t i = 0; i < 2; ++i)
    fill(i, build_.everyDimension(operands_[i]), build_.zeroOf(build_.shapeOf(operands_[i]).type));
  keep(std::move(result));
}

void DynamicRule::reduceWindow() {
  const size_t n = operands_.size() / 2;
  LeafSizes result = leavesByRelation();
  for (size_t i = 0; i < n; ++i) fill(i, build_.everyDimension(operands_[i]), operands_[n + i]);
  keepLeaves(std::move(result));
}

// No window selects what does not count, and no source that does not count is scattered.
void DynamicRule::selectAndScatter() {
  const DimensionSizes result = sizes(0);
  fill(0, build_.everyDimension(operands_[0]), build_.lowestOf(build_.shapeOf(operands_[0]).type));
  fill(1, build_.everyDimension(operands_[1]), operands_[2]);
  keep(result);
}

}  // namespace tessera
