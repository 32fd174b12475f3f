// Rules of products: batches and free dimensions pass on, contracted ones are summed up.
#include "core/passes/partition/rules.h"

#include "core/hlo/index_math.h"

namespace tessera::partition {

namespace {

// Parts may be added after each has been rounded to the result's type, unless that loses fractions.
bool mayAddParts(const RuleBuilder& r) { return isInteger(r.operand(0).type) || !isInteger(r.instruction.shape->type); }

}  // namespace

void dotRule(RuleBuilder& r) {
  const AttributeSet& a = r.attributes;
  const IndexVector &lhsBatch = a.ints(Attr::lhs_batch_dims), &rhsBatch = a.ints(Attr::rhs_batch_dims);
  const IndexVector &lhsSum = a.ints(Attr::lhs_contracting_dims), &rhsSum = a.ints(Attr::rhs_contracting_dims);
  if (a.has(Attr::sparsity_config) || r.instruction.operands.size() != 2) return;
  int64_t next = 0;
  const auto add = [&](int64_t lhs, int64_t rhs, int64_t result) {
    Factor& factor = r.add();
    factor.operands = {lhs, rhs};
    factor.results = {result};
  };
  for (size_t k = 0; k < lhsBatch.size(); ++k) add(lhsBatch[k], rhsBatch[k], next++);
  for (int64_t d : otherDims(r.operand(0).rank(), lhsBatch, lhsSum)) add(d, -1, next++);
  for (int64_t d : otherDims(r.operand(1).rank(), rhsBatch, rhsSum)) add(-1, d, next++);
  for (size_t k = 0; k < lhsSum.size() && mayAddParts(r); ++k) add(lhsSum[k], rhsSum[k], -1);
}

// A block of the result along a spatial dimension needs what its windows span. Where a window spans most of the input,
// as in a kernel's gradient, it is cut with the input instead, and parts are summed up.
void spatialRule(RuleBuilder& r, const ConvolutionDimensions& dims, size_t k, const WindowDimension& window) {
  const int64_t results = r.instruction.shape->dimensions[static_cast<size_t>(dims.outputSpatial[k])];
  const int64_t inputs = r.operand(0).dimensions[static_cast<size_t>(dims.inputSpatial[k])] * window.baseDilation;
  if (2 * reachOf(window).extent <= inputs)
    return r.reaches(0, dims.inputSpatial[k], dims.outputSpatial[k], reachOf(window));
  if (window.reversal || !mayAddParts(r)) return;
  Factor& summed = r.add();
  summed.operands = {dims.inputSpatial[k], dims.kernelSpatial[k]};
  summed.reaches = {Reach{.stride = window.windowDilation,
                          .offset = -window.paddingLow,
                          .extent = (results - 1) * window.stride + 1,
                          .dilation = window.baseDilation},
                    std::nullopt};
}

// The features of grouped convolutions stay whole.
void convolutionRule(RuleBuilder& r) {
  const auto* dims = r.attributes.get<ConvolutionDimensions>(Attr::dim_labels);
  if (!dims || r.attributes.has(Attr::sparsity_config)) return;
  const bool featureGroups = r.attributes.intOr(Attr::feature_group_count, 1) > 1;
  const bool batchGroups = r.attributes.intOr(Attr::batch_group_count, 1) > 1;
  const auto* window = r.attributes.get<Window>(Attr::window);
  r.rule.outside = Outside::Zero;
  if (!batchGroups) r.passes(0, dims->inputBatch, dims->outputBatch);
  for (size_t k = 0; window && k < dims->inputSpatial.size(); ++k) spatialRule(r, *dims, k, window->dimensions[k]);
  if (featureGroups || batchGroups) return;
  r.passes(1, dims->kernelOutput, dims->outputFeature);
  if (!mayAddParts(r)) return;
  Factor& summed = r.add();
  summed.operands = {dims->inputFeature, dims->kernelInput};
}

}  // namespace tessera::partition
