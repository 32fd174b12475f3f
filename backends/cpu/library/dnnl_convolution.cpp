// Convolutions through oneDNN (runtime/dnnl/convolution_step): which of its three forms an instruction has.
#include <algorithm>

#include "backends/cpu/library/dnnl_geometry.h"

namespace tessera::cpu {

namespace {

// The kernel reversed along some of its spatial dimensions, dense in the order of `weights`, in scratch memory.
Status reverseKernel(LibraryContext& context, const std::vector<bool>& reversed, ConvolutionStep& step) {
  if (std::ranges::none_of(reversed, [](bool t) { return t; })) return {};
  Axes& weights = step.geometry.weights;
  size_t first = weights.sizes.size() - step.geometry.spatial();
  Gather gather;
  gather.from = step.slots.kernel;
  Dims inside;
  for (size_t d = 0; d < weights.sizes.size(); ++d) {
    bool isReversed = d >= first && reversed[d - first];
    if (isReversed) gather.start += (weights.sizes[d] - 1) * weights.strides[d];
    (d < first ? gather.rows : inside)
        .push_back({weights.sizes[d], isReversed ? -weights.strides[d] : weights.strides[d]});
  }
  gather.inside = allOffsets(inside);
  int64_t stride = 1;
  for (size_t d = weights.sizes.size(); d-- > 0; stride *= weights.sizes[d]) weights.strides[d] = stride;
  TESSERA_ASSIGN_OR_RETURN(gather.to, context.scratch(stride * 4));
  step.slots.kernel = gather.to;
  step.gather = std::move(gather);
  return {};
}

// For the array of kSlotOfShard.
Status takeShardScratch(LibraryContext& context, ConvolutionStep& step) {
  if (step.slots.output != kSlotOfShard) return {};
  const Geometry& g = step.geometry;
  const Axes& result = step.pass == ConvolutionPass::Weights  ? g.weights
                       : step.pass == ConvolutionPass::Source ? g.source
                                                              : g.result;
  int64_t most = 0;
  for (const DnnlShard& shard : step.shards) most = std::max(most, shard.count);
  ShardScratch& scratch = step.shardScratch;
  scratch.elementBytes = static_cast<int64_t>(dnnl::memory::data_type_size(result.kind));
  scratch.bytes = (most * scratch.elementBytes + 63) / 64 * 64;
  const int64_t whole = result.count() * scratch.elementBytes,
                threads = std::min<int64_t>(context.threads, static_cast<int64_t>(step.shards.size()));
  if (scratch.bytes * threads >= whole) scratch.bytes = 0;
  TESSERA_ASSIGN_OR_RETURN(scratch.slot, context.scratch(scratch.bytes > 0 ? scratch.bytes * threads : whole));
  return {};
}

std::vector<bool> reversals(const ConvolutionForm& form, bool wanted) {
  std::vector<bool> out;
  for (const WindowDimension& d : form.window) out.push_back(d.reversal != wanted && d.size > 1);
  return out;
}

// The window covers more than the output, which is not a single position (a dense layer) that forward does as well.
bool looksLikeWeightsGradient(const ConvolutionForm& form) {
  return product(form.kernel) > product(form.output) && (product(form.output) > 1 || !forwardGeometry(form));
}

bool isEmpty(const ConvolutionForm& form) {
  return form.flops() == 0 || form.inputBatch.size * form.inputFeature.size == 0 ||
         std::ranges::any_of(form.input, [](const Dim& d) { return d.size == 0; });
}

}  // namespace

Result<StepPtr> planDnnlConvolution(LibraryContext& context, const ConvolutionForm& form,
                                    std::optional<DnnlEpilogue> epilogue) {
  size_t spatial = form.window.size();
  if (isEmpty(form) || isFilter(form) || spatial < 1 || spatial > 3) return StepPtr{};
  bool dilatedBase = std::ranges::any_of(form.window, [](const WindowDimension& d) { return d.baseDilation > 1; });
  auto weightsGradient = looksLikeWeightsGradient(form) ? weightsGradientGeometry(form) : std::nullopt;
  auto geometry = weightsGradient ? weightsGradient
                  : dilatedBase   ? sourceGradientGeometry(form)
                                  : forwardGeometry(form);
  if (!geometry) return StepPtr{};
  auto step = std::make_unique<ConvolutionStep>();
  step->pass = weightsGradient ? ConvolutionPass::Weights
               : dilatedBase   ? ConvolutionPass::Source
                               : ConvolutionPass::Forward;
  step->geometry = std::move(*geometry);
  step->slots = {context.operands[0], context.operands[1], context.outputs[0]};
  step->flops = form.flops();
  if (!weightsGradient) TESSERA_TRY(reverseKernel(context, reversals(form, dilatedBase), *step));
  step->epilogue = std::move(epilogue);
  if (!step->prepare() || (step->epilogue && step->shards.size() == 1)) return StepPtr{};
  TESSERA_TRY(takeShardScratch(context, *step));
  context.what = weightsGradient ? "convolution (oneDNN, weights)"
                 : dilatedBase   ? "convolution (oneDNN, data)"
                                 : "convolution (oneDNN)";
  return step;
}

}  // namespace tessera::cpu
