// See convolution_step.h.
#include "backends/runtime/dnnl/convolution_step.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

using Algorithm = dnnl::algorithm;
using Forward = dnnl::convolution_forward;
using SourceGradient = dnnl::convolution_backward_data;
using WeightsGradient = dnnl::convolution_backward_weights;

// How many shards a convolution is cut into at most: `least`, or more where an epilogue finds each in a core's cache.
int64_t shardsOf(const DnnlStep& step, const Axes& result, int64_t least) {
  if (!step.epilogue) return least;
  const int64_t bytes = result.count() * static_cast<int64_t>(dnnl::memory::data_type_size(result.kind));
  return std::clamp(bytes / tuning().epilogues.convolutionShardBytes, least,
                    std::max(least, tuning().epilogues.maxConvolutionShards));
}

dnnl::primitive_attr userScratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Forward::primitive_desc describeForward(const Geometry& g) {
  Forward::desc desc(dnnl::prop_kind::forward_training, Algorithm::convolution_direct, g.source.any(), g.weights.any(),
                     g.result.any(), g.strides, g.dilations, g.low, g.high);
  return {desc, userScratch(), dnnlEngine()};
}

// On arrays as they lie, where the library generates code for that: nothing is reordered. Features must be neighbours.
std::optional<Forward::primitive_desc> describePlain(const Geometry& g) {
  if (g.source.strides[1] != 1 || g.result.strides[1] != 1) return std::nullopt;
  try {
    Forward::desc desc(dnnl::prop_kind::forward_training, Algorithm::convolution_direct, g.source.desc(),
                       g.weights.any(), g.result.desc(), g.strides, g.dilations, g.low, g.high);
    Forward::primitive_desc pd(desc, userScratch(), dnnlEngine());
    const std::string how = pd.impl_info_str();
    if (how.starts_with("jit") || how.starts_with("brg")) return pd;
  } catch (const dnnl::error&) {
  }
  return std::nullopt;
}

dnnl::memory scratchOf(const dnnl::memory::desc& desc) { return dnnl::memory(desc, dnnlEngine()); }

// Leaves a form that is no library call the way the library itself does; `built` catches both.
[[noreturn]] void refuse(const char* why) { throw dnnl::error(dnnl_unimplemented, why); }

// The epilogue computes ranges of elements, in whole pieces of its own (RowLocality).
void refuseScattered(const DnnlStep& step, const Axes& part) {
  if (!step.epilogue) return;
  const int64_t unit = step.epilogue->locality.elements, last = part.start + part.count();
  if (!part.isOneRange() || part.start % unit != 0 || (last % unit != 0 && last != step.epilogue->elements))
    refuse("no range of the epilogue");
}

// --- forward

// The part that makes batch entries [batch, batch + batches) and rows [row, row + rows) of the first spatial dimension.
Geometry partOf(const Geometry& whole, int64_t batch, int64_t batches, int64_t row, int64_t rows) {
  Geometry g = whole;
  g.source.narrow(0, batch, batches);
  g.result.narrow(0, batch, batches);
  if (rows == whole.result.sizes[2]) return g;
  int64_t kernel = whole.weights.sizes[whole.weights.sizes.size() - whole.spatial()];
  int64_t extent = (kernel - 1) * (whole.dilations[0] + 1) + 1;
  int64_t first = row * whole.strides[0] - whole.low[0], last = first + (rows - 1) * whole.strides[0] + extent;
  int64_t begin = std::clamp<int64_t>(first, 0, whole.source.sizes[2]),
          end = std::clamp<int64_t>(last, begin, whole.source.sizes[2]);
  if (begin == end) refuse("a shard of padding alone");
  g.low[0] = begin - first;
  g.high[0] = last - end;
  g.source.narrow(2, begin, end - begin);
  g.result.narrow(2, row, rows);
  return g;
}

void addForward(ConvolutionStep& step, const Geometry& g, const ConvolutionSlots& slots) {
  auto plain = step.asItLies ? describePlain(g) : std::nullopt;
  auto pd = plain ? *plain : describeForward(g);
  if (!step.shared) step.shared.emplace(DNNL_ARG_WEIGHTS, slots.kernel, 0, g.weights.desc(), pd.weights_desc(), false);
  if (step.shared->memory().get_desc() != pd.weights_desc()) refuse("shards differ");
  refuseScattered(step, g.result);
  DnnlShard shard{g.result.start, g.result.count(), Forward(pd), {}, scratchOf(pd.scratchpad_desc()), {}};
  shard.arguments.emplace_back(DNNL_ARG_SRC, slots.input, g.source.startBytes(), g.source.desc(), pd.src_desc(), false);
  shard.arguments.emplace_back(DNNL_ARG_DST, slots.output, g.result.startBytes(), g.result.desc(), pd.dst_desc(), true);
  step.shards.push_back(std::move(shard));
}

// In shards of the batch, and of rows where the batch is small.
void buildForward(ConvolutionStep& step, const Geometry& g, const ConvolutionSlots& slots, double flops) {
  const int64_t most = shardsOf(step, g.result, tuning().products.convolutionShards), batch = g.source.sizes[0],
                rows = g.result.sizes[2];
  const bool small = flops < tuning().products.librarySharedFlops;
  const int64_t each = small ? batch : (batch + most - 1) / most, inBatch = (batch + each - 1) / each;
  // An epilogue needs rows that are neighbours in memory, of one entry.
  const bool mayCutRows = !step.epilogue || (each == 1 && g.result.strides[2] * rows * batch == g.result.count());
  const int64_t wanted = step.epilogue ? most : tuning().products.convolutionRowShards,
                wantedRows = small || !mayCutRows ? 1 : std::min(rows, (wanted + inBatch - 1) / inBatch);
  int64_t rowsEach = (rows + wantedRows - 1) / wantedRows;
  for (int64_t b = 0; b < batch; b += each)
    for (int64_t row = 0; row < rows; row += rowsEach)
      addForward(step, partOf(g, b, std::min(each, batch - b), row, std::min(rowsEach, rows - row)), slots);
}

// --- gradients

void addSourceGradient(DnnlStep& step, const Geometry& g, const ConvolutionSlots& slots) {
  SourceGradient::desc desc(Algorithm::convolution_direct, g.source.any(), g.weights.any(), g.result.any(), g.strides,
                            g.dilations, g.low, g.high);
  SourceGradient::primitive_desc pd(desc, userScratch(), dnnlEngine(), describeForward(g));
  if (!step.shared) step.shared.emplace(DNNL_ARG_WEIGHTS, slots.kernel, 0, g.weights.desc(), pd.weights_desc(), false);
  if (step.shared->memory().get_desc() != pd.weights_desc()) refuse("shards differ");
  refuseScattered(step, g.source);
  DnnlShard shard{g.source.start, g.source.count(), SourceGradient(pd), {}, scratchOf(pd.scratchpad_desc()), {}};
  shard.arguments.emplace_back(DNNL_ARG_DIFF_DST, slots.input, g.result.startBytes(), g.result.desc(),
                               pd.diff_dst_desc(), false);
  shard.arguments.emplace_back(DNNL_ARG_DIFF_SRC, slots.output, g.source.startBytes(), g.source.desc(),
                               pd.diff_src_desc(), true);
  step.shards.push_back(std::move(shard));
}

void buildSourceGradient(ConvolutionStep& step, const Geometry& whole, const ConvolutionSlots& slots, double flops) {
  const int64_t most = shardsOf(step, whole.source, tuning().products.convolutionShards);
  int64_t batch = whole.source.sizes[0],
          each = flops < tuning().products.librarySharedFlops ? batch : (batch + most - 1) / most;
  for (int64_t b = 0; b < batch; b += each) {
    Geometry g = whole;
    g.source.narrow(0, b, std::min(each, batch - b));
    g.result.narrow(0, b, std::min(each, batch - b));
    addSourceGradient(step, g, slots);
  }
}

void addWeightsGradient(DnnlStep& step, const Geometry& g, const ConvolutionSlots& slots) {
  WeightsGradient::desc desc(Algorithm::convolution_direct, g.source.any(), g.weights.any(), g.result.any(), g.strides,
                             g.dilations, g.low, g.high);
  WeightsGradient::primitive_desc pd(desc, userScratch(), dnnlEngine(), describeForward(g));
  if (!step.shared) step.shared.emplace(DNNL_ARG_SRC, slots.input, 0, g.source.desc(), pd.src_desc(), false);
  if (step.shared->memory().get_desc() != pd.src_desc()) refuse("shards differ");
  refuseScattered(step, g.weights);
  DnnlShard shard{g.weights.start, g.weights.count(), WeightsGradient(pd), {}, scratchOf(pd.scratchpad_desc()), {}};
  shard.arguments.emplace_back(DNNL_ARG_DIFF_DST, slots.kernel, g.result.startBytes(), g.result.desc(),
                               pd.diff_dst_desc(), false);
  shard.arguments.emplace_back(DNNL_ARG_DIFF_WEIGHTS, slots.output, g.weights.startBytes(), g.weights.desc(),
                               pd.diff_weights_desc(), true);
  step.shards.push_back(std::move(shard));
}

// By output features, in multiples of a vector.
void buildWeightsGradient(ConvolutionStep& step, const Geometry& whole, const ConvolutionSlots& slots, double flops) {
  constexpr int64_t kVector = 16;
  const int64_t wanted = tuning().products.weightsGradientShards;
  int64_t features = whole.weights.sizes[0];
  int64_t each = flops < tuning().products.librarySharedFlops
                     ? features
                     : ((features + wanted - 1) / wanted + kVector - 1) / kVector * kVector;
  for (int64_t f = 0; f < features; f += each) {
    Geometry g = whole;
    g.weights.narrow(0, f, std::min(each, features - f));
    g.result.narrow(1, f, std::min(each, features - f));
    addWeightsGradient(step, g, slots);
  }
}

}  // namespace

bool Axes::isOneRange() const {
  std::vector<size_t> order;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > 1) order.push_back(d);
  std::ranges::sort(order, {}, [&](size_t d) { return strides[d]; });
  int64_t expected = 1;
  for (size_t d : order) {
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

// False: the library refused, or the shards would need different forms of what they share.
bool ConvolutionStep::build(double work) {
  shards.clear();
  shared.reset();
  if (!hasRoomForCode()) return false;
  try {
    auto* add = pass == ConvolutionPass::Weights  ? buildWeightsGradient
                : pass == ConvolutionPass::Source ? buildSourceGradient
                                                  : buildForward;
    add(*this, geometry, slots, work);
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

bool ConvolutionStep::prepare() {
  OneOpenMpThread single;
  asItLies = true;
  if (build(flops)) return true;
  asItLies = false;
  return build(flops) || build(0);
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_dnnl_convolution(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::ConvolutionStep>(in);
}
