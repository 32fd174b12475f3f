// Convolutions through oneDNN, f32 and bf16: one primitive per piece of the batch or of the output's rows, so that our
// threads share the work even of a single image. All pieces share the kernel in the form that the library asks for.
// Refused: base dilation, reversal, cropping, batch groups.
#include <algorithm>

#include "backends/cpu/convolution_form.h"
#include "backends/cpu/dnnl_engine.h"

namespace tessera::cpu {

namespace {

using Tag = dnnl::memory::format_tag;
using Kind = dnnl::memory::data_type;
using Desc = dnnl::memory::desc;

// Sizes and strides in oneDNN's order of dimensions.
struct Axes {
  dnnl::memory::dims sizes, strides;
  Kind kind = Kind::f32;
  void add(Dim d) {
    sizes.push_back(d.size);
    strides.push_back(d.stride);
  }
  Desc desc() const { return Desc(sizes, kind, strides); }
  Desc any() const { return Desc(sizes, kind, Tag::any); }
};

struct Geometry {
  Axes source, weights, result;
  dnnl::memory::dims strides, dilations, low, high;
};

// One piece: its primitive, its memories in the primitive's own formats, and where it lies in the operands.
struct Piece {
  dnnl::convolution_forward primitive;
  dnnl::memory source, result, sourcePlain, resultPlain, scratch;
  dnnl::reorder packSource, unpackResult;
  bool packs = false, unpacks = false;
  int64_t sourceOffset = 0, resultOffset = 0;  // bytes
};

class ConvolutionStep : public Step {
 public:
  int source = -1, weights = -1, result = -1;
  std::vector<Piece> pieces;
  dnnl::memory weightsPlain, weightsPacked;
  dnnl::reorder packWeights;
  bool packsWeights = false;

  Status run(RunState& state) override;

 private:
  void runPiece(RunState& state, Piece& piece, dnnl::stream& stream);
};

void ConvolutionStep::runPiece(RunState& state, Piece& p, dnnl::stream& stream) {
  p.sourcePlain.set_data_handle(state.pointers[static_cast<size_t>(source)] + p.sourceOffset);
  p.resultPlain.set_data_handle(state.pointers[static_cast<size_t>(result)] + p.resultOffset);
  if (p.packs) p.packSource.execute(stream, p.sourcePlain, p.source);
  p.primitive.execute(stream, {{DNNL_ARG_SRC, p.packs ? p.source : p.sourcePlain},
                               {DNNL_ARG_WEIGHTS, packsWeights ? weightsPacked : weightsPlain},
                               {DNNL_ARG_DST, p.unpacks ? p.result : p.resultPlain},
                               {DNNL_ARG_SCRATCHPAD, p.scratch}});
  if (p.unpacks) p.unpackResult.execute(stream, p.result, p.resultPlain);
}

Status ConvolutionStep::run(RunState& state) {
  TESSERA_TRY(dnnlGuarded("convolution", [&] {
    weightsPlain.set_data_handle(state.pointers[static_cast<size_t>(weights)]);
    if (!packsWeights) return;
    dnnl::stream stream(dnnlEngine());
    packWeights.execute(stream, weightsPlain, weightsPacked);
    stream.wait();
  }));
  return dnnlForEach(*state.pool, static_cast<int64_t>(pieces.size()), "convolution", [&](int64_t i, dnnl::stream& stream) {
    runPiece(state, pieces[static_cast<size_t>(i)], stream);
  });
}

dnnl::convolution_forward::primitive_desc describe(const Geometry& g) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                       g.source.any(), g.weights.any(), g.result.any(), g.strides, g.dilations, g.low, g.high);
  return {desc, attributes, dnnlEngine()};
}

Piece makePiece(const Geometry& g, const dnnl::convolution_forward::primitive_desc& pd) {
  Piece p;
  dnnl::engine& engine = dnnlEngine();
  p.primitive = dnnl::convolution_forward(pd);
  p.sourcePlain = dnnl::memory(g.source.desc(), engine, nullptr);
  p.resultPlain = dnnl::memory(g.result.desc(), engine, nullptr);
  p.scratch = dnnl::memory(pd.scratchpad_desc(), engine);
  p.packs = pd.src_desc() != g.source.desc();
  p.unpacks = pd.dst_desc() != g.result.desc();
  if (p.packs) {
    p.source = dnnl::memory(pd.src_desc(), engine);
    p.packSource = dnnl::reorder(p.sourcePlain, p.source);
  }
  if (p.unpacks) {
    p.result = dnnl::memory(pd.dst_desc(), engine);
    p.unpackResult = dnnl::reorder(p.result, p.resultPlain);
  }
  return p;
}

// The part of the convolution that makes batch entries [batch, batch + batches) and rows [row, row + rows) of the first
// spatial dimension; offsets of its corner in elements.
Geometry partOf(const Geometry& whole, int64_t batch, int64_t batches, int64_t row, int64_t rows, int64_t& sourceAt, int64_t& resultAt) {
  Geometry g = whole;
  g.source.sizes[0] = g.result.sizes[0] = batches;
  sourceAt = batch * whole.source.strides[0];
  resultAt = batch * whole.result.strides[0];
  if (rows == whole.result.sizes[2]) return g;
  int64_t kernel = whole.weights.sizes[whole.weights.sizes.size() - (whole.source.sizes.size() - 2)];
  int64_t extent = (kernel - 1) * (whole.dilations[0] + 1) + 1;
  int64_t first = row * whole.strides[0] - whole.low[0], last = first + (rows - 1) * whole.strides[0] + extent;
  int64_t begin = std::clamp<int64_t>(first, 0, whole.source.sizes[2]), end = std::clamp<int64_t>(last, begin, whole.source.sizes[2]);
  g.low[0] = begin - first;
  g.high[0] = last - end;
  g.source.sizes[2] = end - begin;
  g.result.sizes[2] = rows;
  sourceAt += begin * whole.source.strides[2];
  resultAt += row * whole.result.strides[2];
  return g;
}

void addPiece(ConvolutionStep& step, const Geometry& whole, int64_t batch, int64_t batches, int64_t row, int64_t rows) {
  int64_t sourceAt = 0, resultAt = 0;
  Geometry g = partOf(whole, batch, batches, row, rows, sourceAt, resultAt);
  if (g.source.sizes[2] == 0) throw dnnl::error(dnnl_unimplemented, "a piece of padding alone");
  auto pd = describe(g);
  if (step.pieces.empty()) {
    step.weightsPlain = dnnl::memory(g.weights.desc(), dnnlEngine(), nullptr);
    step.packsWeights = pd.weights_desc() != g.weights.desc();
    step.weightsPacked = dnnl::memory(pd.weights_desc(), dnnlEngine());
    step.packWeights = dnnl::reorder(step.weightsPlain, step.weightsPacked);
  }
  if (pd.weights_desc() != step.weightsPacked.get_desc()) throw dnnl::error(dnnl_unimplemented, "pieces differ");
  Piece piece = makePiece(g, pd);
  piece.sourceOffset = sourceAt * static_cast<int64_t>(dnnl::memory::data_type_size(g.source.kind));
  piece.resultOffset = resultAt * static_cast<int64_t>(dnnl::memory::data_type_size(g.result.kind));
  step.pieces.push_back(std::move(piece));
}

// In pieces of the batch, and of rows where the batch is small; as a whole where the pieces would need different forms.
void buildPieces(ConvolutionStep& step, const Geometry& g, double flops) {
  constexpr int64_t kMostPieces = 8, kWantedPieces = 4;
  int64_t batch = g.source.sizes[0], rows = g.result.sizes[2];
  bool small = flops < 4e5;
  int64_t each = small ? batch : (batch + kMostPieces - 1) / kMostPieces, inBatch = (batch + each - 1) / each;
  int64_t wantedRows = small ? 1 : std::min(rows, (kWantedPieces + inBatch - 1) / inBatch);
  int64_t rowsEach = (rows + wantedRows - 1) / wantedRows;
  try {
    for (int64_t b = 0; b < batch; b += each)
      for (int64_t row = 0; row < rows; row += rowsEach)
        addPiece(step, g, b, std::min(each, batch - b), row, std::min(rowsEach, rows - row));
  } catch (const dnnl::error&) {
    step.pieces.clear();
    addPiece(step, g, 0, batch, 0, rows);
  }
}

std::optional<Kind> kindOf(const ConvolutionForm& form) {
  using E = ElementType;
  if (form.inputType == E::F32 && form.kernelType == E::F32 && form.resultType == E::F32) return Kind::f32;
  bool bf16 = form.inputType == E::BF16 && form.kernelType == E::BF16 && (form.resultType == E::BF16 || form.resultType == E::F32);
  if (bf16 && dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core_bf16) return Kind::bf16;
  return std::nullopt;
}

bool isPlain(const ConvolutionForm& form) {
  auto plain = [](const WindowDimension& d) { return d.baseDilation == 1 && !d.reversal && d.paddingLow >= 0 && d.paddingHigh >= 0; };
  return form.batchGroups == 1 && std::ranges::all_of(form.window, plain);
}

Geometry geometryOf(const ConvolutionForm& form, Kind kind) {
  Geometry g;
  g.source.kind = g.weights.kind = kind;
  g.result.kind = form.resultType == ElementType::F32 ? Kind::f32 : kind;
  int64_t groups = form.featureGroups, perGroup = form.kernelOutput.size / groups;
  if (groups > 1) g.weights.add({groups, perGroup * form.kernelOutput.stride});
  g.weights.add({perGroup, form.kernelOutput.stride});
  g.weights.add(form.kernelInput);
  g.source.add(form.inputBatch);
  g.source.add(form.inputFeature);
  g.result.add(form.outputBatch);
  g.result.add(form.outputFeature);
  for (size_t d = 0; d < form.window.size(); ++d) {
    g.source.add(form.input[d]);
    g.weights.add(form.kernel[d]);
    g.result.add(form.output[d]);
    g.strides.push_back(form.window[d].stride);
    g.dilations.push_back(form.window[d].windowDilation - 1);
    g.low.push_back(form.window[d].paddingLow);
    g.high.push_back(form.window[d].paddingHigh);
  }
  return g;
}

}  // namespace

Result<StepPtr> planDnnlConvolution(LibraryContext& context, const ConvolutionForm& form) {
  auto kind = kindOf(form);
  size_t spatial = form.window.size();
  bool empty = form.flops() == 0 || form.inputBatch.size * form.inputFeature.size == 0 ||
               std::ranges::any_of(form.input, [](const Dim& d) { return d.size == 0; });
  if (!kind || empty || spatial < 1 || spatial > 3 || !isPlain(form)) return StepPtr{};
  auto step = std::make_unique<ConvolutionStep>();
  step->source = context.operands[0];
  step->weights = context.operands[1];
  step->result = context.outputs[0];
  OneOpenMpThread single;
  try {
    buildPieces(*step, geometryOf(form, *kind), form.flops());
  } catch (const dnnl::error&) {
    return StepPtr{};
  }
  context.what = "convolution (oneDNN)";
  return step;
}

}  // namespace tessera::cpu
