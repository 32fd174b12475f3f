// Reductions, products and windows over sizes of the run: what does not count becomes what changes nothing. See
// dynamic_rule.h.
#include "core/passes/dynamic/dynamic_rule.h"

#include <algorithm>

#include "core/ops/shared/index_space.h"

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
  for (size_t i = 0; i < n; ++i) operands_[i] = build_.filled(operands_[i], all, reduced, operands_[n + i]);
  DimensionSizes result;
  for (int64_t d : otherDims(static_cast<int64_t>(all.size()), reduced)) result.push_back(all[static_cast<size_t>(d)]);
  keepLeaves(LeafSizes(n, result));
}

// What does not count of a contracting dimension becomes 0, on both sides.
void DynamicRule::dot() {
  const Attr batch[] = {Attr::lhs_batch_dims, Attr::rhs_batch_dims},
             contracting[] = {Attr::lhs_contracting_dims, Attr::rhs_contracting_dims};
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
  DimensionSizes result;
  for (size_t side = 0; side < 2; ++side) {
    const auto rank = static_cast<int64_t>(dims(side).size());
    if (side == 0)
      for (size_t i = 0; i < attributes().ints(batch[0]).size(); ++i) {
        const InstructionId a = both[0][static_cast<size_t>(attributes().ints(batch[0])[i])];
        result.push_back(a.valid() ? a : both[1][static_cast<size_t>(attributes().ints(batch[1])[i])]);
      }
    for (int64_t d : otherDims(rank, attributes().ints(batch[side]), attributes().ints(contracting[side])))
      result.push_back(both[side][static_cast<size_t>(d)]);
    operands_[side] = build_.filled(operands_[side], both[side], attributes().ints(contracting[side]),
                                    build_.zeroOf(build_.shapeOf(operands_[side]).type));
  }
  keep(std::move(result));
}

// Positions of a window over `size` elements: none below 0.
InstructionId DynamicRule::windowed(InstructionId size, const WindowDimension& w) {
  const InstructionId zero = build_.number(0), one = build_.number(1);
  InstructionId base = size;
  if (w.baseDilation != 1)
    base = build_.maximum(build_.add(build_.multiply(build_.subtract(size, one), build_.number(w.baseDilation)), one),
                          zero);
  const int64_t window = (w.size - 1) * w.windowDilation + 1;
  const InstructionId room = build_.add(base, build_.number(w.paddingLow + w.paddingHigh - window + w.stride));
  return build_.maximum(build_.divide(room, build_.number(w.stride)), zero);
}

void DynamicRule::convolve() {
  const auto* labels = attributes().get<ConvolutionDimensions>(Attr::dim_labels);
  const auto* window = attributes().get<Window>(Attr::window);
  DimensionSizes result = noSizes();
  result[static_cast<size_t>(labels->outputBatch)] = size(0, static_cast<size_t>(labels->inputBatch));
  result[static_cast<size_t>(labels->outputFeature)] = size(1, static_cast<size_t>(labels->kernelOutput));
  for (size_t i = 0; i < labels->inputSpatial.size(); ++i) {
    const InstructionId in = size(0, static_cast<size_t>(labels->inputSpatial[i]));
    if (in.valid())
      result[static_cast<size_t>(labels->outputSpatial[i])] =
          windowed(in, window ? window->dimensions[i] : WindowDimension());
  }
  for (size_t i = 0; i < 2; ++i)
    fill(i, build_.everyDimension(operands_[i]), build_.zeroOf(build_.shapeOf(operands_[i]).type));
  keep(std::move(result));
}

void DynamicRule::reduceWindow() {
  const size_t n = operands_.size() / 2;
  const auto* window = attributes().get<Window>(Attr::window);
  DimensionSizes result(dims(0).size());
  for (size_t d = 0; d < result.size(); ++d)
    for (size_t i = 0; i < n && !result[d].valid(); ++i)
      if (isDynamic(i, d)) result[d] = windowed(size(i, d), window ? window->dimensions[d] : WindowDimension());
  for (size_t i = 0; i < n; ++i) fill(i, build_.everyDimension(operands_[i]), operands_[n + i]);
  keepLeaves(LeafSizes(n, result));
}

// No window selects what does not count, and no source that does not count is scattered.
void DynamicRule::selectAndScatter() {
  const DimensionSizes result = sizes(0);
  fill(0, build_.everyDimension(operands_[0]), build_.lowestOf(build_.shapeOf(operands_[0]).type));
  fill(1, build_.everyDimension(operands_[1]), operands_[2]);
  keep(result);
}

}  // namespace tessera
