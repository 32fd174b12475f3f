// convolution: f32 through oneDNN, one primitive per piece of the batch so that our threads share the work. What
// oneDNN does not take (other types, base dilation, cropping, reversal, batch groups) runs through the element program.
#include <algorithm>
#include <map>

#include <oneapi/dnnl/dnnl.hpp>

#include "backends/cpu/library_steps.h"

namespace tessera::cpu {

namespace {

using Tag = dnnl::memory::format_tag;
using Desc = dnnl::memory::desc;

dnnl::engine& engine() {
  static dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

// One piece: its primitive and the memories in the primitive's own formats.
struct Piece {
  dnnl::convolution_forward primitive;
  dnnl::memory source, result, sourcePlain, resultPlain;
  dnnl::reorder packSource, unpackResult;
  dnnl::memory scratch;
  bool packs = false, unpacks = false;
};

class ConvolutionStep : public Step {
 public:
  int source = -1, weights = -1, result = -1;
  int64_t sourceStride = 0, resultStride = 0;  // bytes from one batch entry to the next
  int64_t piece = 1, batch = 1;
  std::vector<Piece> pieces;
  dnnl::memory weightsPlain, weightsPacked;
  dnnl::reorder packWeights;
  bool packsWeights = false;

  Status run(RunState& state) override;

 private:
  void runPiece(RunState& state, size_t i, dnnl::stream& stream);
};

void ConvolutionStep::runPiece(RunState& state, size_t i, dnnl::stream& stream) {
  Piece& p = pieces[i];
  auto at = static_cast<int64_t>(i) * piece;
  p.sourcePlain.set_data_handle(state.pointers[static_cast<size_t>(source)] + at * sourceStride);
  p.resultPlain.set_data_handle(state.pointers[static_cast<size_t>(result)] + at * resultStride);
  if (p.packs) p.packSource.execute(stream, p.sourcePlain, p.source);
  p.primitive.execute(stream, {{DNNL_ARG_SRC, p.packs ? p.source : p.sourcePlain},
                               {DNNL_ARG_WEIGHTS, packsWeights ? weightsPacked : weightsPlain},
                               {DNNL_ARG_DST, p.unpacks ? p.result : p.resultPlain},
                               {DNNL_ARG_SCRATCHPAD, p.scratch}});
  if (p.unpacks) p.unpackResult.execute(stream, p.result, p.resultPlain);
  stream.wait();
}

Status ConvolutionStep::run(RunState& state) {
  try {
    dnnl::stream stream(engine());
    weightsPlain.set_data_handle(state.pointers[static_cast<size_t>(weights)]);
    if (packsWeights) {
      packWeights.execute(stream, weightsPlain, weightsPacked);
      stream.wait();
    }
    state.pool->parallelFor(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end, int) {
      dnnl::stream own(engine());
      for (int64_t i = begin; i < end; ++i) runPiece(state, static_cast<size_t>(i), own);
    });
  } catch (const dnnl::error& error) {
    Diagnostic d;
    d.fault = Fault::Runtime;
    d.message = std::string("convolution: ") + error.what();
    return fail(std::move(d));
  }
  return {};
}

bool plainWindow(const Window& window) {
  return std::all_of(window.dimensions.begin(), window.dimensions.end(), [](const WindowDimension& d) {
    return d.baseDilation == 1 && !d.reversal && d.paddingLow >= 0 && d.paddingHigh >= 0;
  });
}

std::vector<int64_t> stridesOf(const Shape& shape) {
  std::vector<int64_t> out(shape.dimensions.size(), 1);
  for (size_t d = out.size(); d-- > 1;) out[d - 1] = out[d] * shape.dimensions[d];
  return out;
}

// Sizes and strides in oneDNN's order of dimensions.
struct Axes {
  dnnl::memory::dims sizes, strides;
  void add(const Shape& shape, int64_t dimension) {
    sizes.push_back(shape.dimensions[static_cast<size_t>(dimension)]);
    strides.push_back(stridesOf(shape)[static_cast<size_t>(dimension)]);
  }
  Desc desc() const { return Desc(sizes, dnnl::memory::data_type::f32, strides); }
  Desc any() const { return Desc(sizes, dnnl::memory::data_type::f32, Tag::any); }
};

Axes axesOf(const Shape& shape, int64_t first, int64_t second, const std::vector<int64_t>& spatial) {
  Axes axes;
  axes.add(shape, first);
  axes.add(shape, second);
  for (int64_t d : spatial) axes.add(shape, d);
  return axes;
}

void splitGroups(Axes& weights, int64_t groups) {
  int64_t outStride = weights.strides[0], perGroup = weights.sizes[0] / groups;
  weights.sizes[0] = perGroup;
  weights.sizes.insert(weights.sizes.begin(), groups);
  weights.strides.insert(weights.strides.begin(), perGroup * outStride);
}

struct Geometry {
  Axes source, weights, result;
  dnnl::memory::dims strides, dilations, low, high;
};

dnnl::convolution_forward::primitive_desc describe(const Geometry& g) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                       g.source.any(), g.weights.any(), g.result.any(), g.strides, g.dilations, g.low, g.high);
  return {desc, attributes, engine()};
}

Piece makePiece(const Geometry& g, const dnnl::convolution_forward::primitive_desc& pd) {
  Piece p;
  p.primitive = dnnl::convolution_forward(pd);
  p.sourcePlain = dnnl::memory(g.source.desc(), engine(), nullptr);
  p.resultPlain = dnnl::memory(g.result.desc(), engine(), nullptr);
  p.scratch = dnnl::memory(pd.scratchpad_desc(), engine());
  p.packs = pd.src_desc() != g.source.desc();
  p.unpacks = pd.dst_desc() != g.result.desc();
  if (p.packs) {
    p.source = dnnl::memory(pd.src_desc(), engine());
    p.packSource = dnnl::reorder(p.sourcePlain, p.source);
  }
  if (p.unpacks) {
    p.result = dnnl::memory(pd.dst_desc(), engine());
    p.unpackResult = dnnl::reorder(p.result, p.resultPlain);
  }
  return p;
}

void buildPieces(ConvolutionStep& step, Geometry g) {
  int64_t batch = g.source.sizes[0];
  constexpr int64_t kPieces = 8;
  step.batch = batch;
  step.piece = (batch + kPieces - 1) / kPieces;
  for (int64_t first = 0; first < batch; first += step.piece) {
    g.source.sizes[0] = g.result.sizes[0] = std::min(step.piece, batch - first);
    auto pd = describe(g);
    if (step.pieces.empty()) {
      step.weightsPlain = dnnl::memory(g.weights.desc(), engine(), nullptr);
      step.packsWeights = pd.weights_desc() != g.weights.desc();
      step.weightsPacked = dnnl::memory(pd.weights_desc(), engine());
      step.packWeights = dnnl::reorder(step.weightsPlain, step.weightsPacked);
    }
    step.pieces.push_back(makePiece(g, pd));
    // The last piece may be smaller; its weights must have the same form, else all runs in one piece.
    if (pd.weights_desc() != step.weightsPacked.get_desc()) throw dnnl::error(dnnl_unimplemented, "pieces differ");
  }
}

}  // namespace

Result<StepPtr> planConvolution(LibraryContext& context) {
  const Instruction& instruction = context.instruction;
  const Shape& source = context.module.shapeOf(instruction.operands[0]);
  const Shape& weights = context.module.shapeOf(instruction.operands[1]);
  const Shape& result = *instruction.shape;
  const auto* labels = instruction.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  const auto* window = instruction.attributes->get<Window>(Attr::window);
  bool f32 = source.type == ElementType::F32 && weights.type == ElementType::F32 && result.type == ElementType::F32;
  bool empty = source.elementCount() == 0 || weights.elementCount() == 0 || result.elementCount() == 0;
  size_t spatial = labels ? labels->inputSpatial.size() : 0;
  if (!f32 || empty || !labels || !window || spatial < 1 || spatial > 3 || window->dimensions.size() != spatial ||
      !plainWindow(*window) || instruction.attributes->intOr(Attr::batch_group_count, 1) != 1)
    return StepPtr{};
  Geometry g;
  g.source = axesOf(source, labels->inputBatch, labels->inputFeature, labels->inputSpatial);
  g.weights = axesOf(weights, labels->kernelOutput, labels->kernelInput, labels->kernelSpatial);
  g.result = axesOf(result, labels->outputBatch, labels->outputFeature, labels->outputSpatial);
  int64_t groups = instruction.attributes->intOr(Attr::feature_group_count, 1);
  if (groups > 1) splitGroups(g.weights, groups);
  for (const WindowDimension& d : window->dimensions) {
    g.strides.push_back(d.stride);
    g.dilations.push_back(d.windowDilation - 1);
    g.low.push_back(d.paddingLow);
    g.high.push_back(d.paddingHigh);
  }
  auto step = std::make_unique<ConvolutionStep>();
  step->source = context.operands[0];
  step->weights = context.operands[1];
  step->result = context.outputs[0];
  step->sourceStride = g.source.strides[0] * 4;
  step->resultStride = g.result.strides[0] * 4;
  try {
    buildPieces(*step, g);
  } catch (const dnnl::error&) {
    return StepPtr{};
  }
  context.what = "convolution (oneDNN)";
  return step;
}

}  // namespace tessera::cpu
