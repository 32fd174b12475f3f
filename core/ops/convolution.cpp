// convolution: a kernel slides over spatial dimensions and contracts features; dim_labels name the dimensions in any
// order. Strides, padding (negative too), dilation of base (lhs) and kernel (rhs), reversal, feature and batch groups.
// The result type is the written one (preferred element type), else the wider of the operands'.
#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/ops/shared/accumulation.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/dot_dimensions.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/op_cost.h"
#include "core/ops/shared/scalar_callee.h"
#include "core/ops/shared/window_math.h"

namespace tessera {
namespace {

constexpr OperandDoc kConvolutionOperands[] = {
    {"lhs", "input: batch, features and spatial dimensions"},
    {"rhs", "kernel: input features of a group, output features and spatial dimensions"},
};

constexpr AttributeRow kConvolutionAttributes[] = {
    {Attr::window, false, "", "size, stride, padding, dilations and reversal per spatial dimension"},
    {Attr::dim_labels, true, "",
     "which dimension is batch (b), feature (f; i and o in the kernel) or spatial (0, 1, …)"},
    {Attr::feature_group_count, false, "1", "input features are cut into so many groups with kernels of their own"},
    {Attr::batch_group_count, false, "1", "the batch is cut into so many groups with output features of their own"},
    {Attr::convolution_kind, false, "", "what the convolution was made from", "fprop wgrad dgrad"},
    kOperandPrecisionRow,
    kAlgorithmRow,
    {Attr::sparsity_config, false, "", "structured sparsity; kept and shown"},
};

constexpr Constraint kConvolutionConstraints[] = {
    {"C1", "Both operands are arrays of one rank."},
    {"C2", "`dim_labels` names every dimension of input, kernel and output once, with equally many spatial ones."},
    {"C3", "`window` has one dimension per spatial dimension, with sizes equal to the kernel's."},
    {"C4", "Sizes, strides and dilations of the window are positive."},
    {"C5", "The input features are the kernel's input features times feature_group_count."},
    {"C6", "The kernel's output features can be divided by feature_group_count and by batch_group_count."},
    {"C7", "The batch can be divided by batch_group_count; not both group counts are above 1."},
};

struct ConvolutionFacts {
  const ConvolutionDimensions* dims;
  Window window;
  int64_t featureGroups, batchGroups;
};

ConvolutionFacts factsOf(const AttributeSet& attributes) {
  const auto* dims = attributes.get<ConvolutionDimensions>(Attr::dim_labels);
  return {dims, windowOr(attributes, dims ? dims->inputSpatial.size() : 0),
          attributes.intOr(Attr::feature_group_count, 1), attributes.intOr(Attr::batch_group_count, 1)};
}

int64_t sizeAt(const Shape& shape, int64_t d) { return shape.dimensions[static_cast<size_t>(d)]; }

bool namesAll(int64_t first, int64_t second, const std::vector<int64_t>& spatial, int64_t rank) {
  IndexVector all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return static_cast<int64_t>(all.size()) == rank && !badDimension(all, rank);
}

Status checkDimLabels(const InferContext& context, const ConvolutionFacts& facts) {
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  if (!facts.dims) return context.violated("C2", "convolution needs dim_labels");
  const ConvolutionDimensions& d = *facts.dims;
  const bool complete = namesAll(d.inputBatch, d.inputFeature, d.inputSpatial, lhs.rank()) &&
                        namesAll(d.kernelInput, d.kernelOutput, d.kernelSpatial, rhs.rank()) &&
                        namesAll(d.outputBatch, d.outputFeature, d.outputSpatial, lhs.rank());
  if (!complete)
    return context.violated("C2", "the dimension labels do not fit the operands",
                            fmt::format("labels for rank {}", lhs.rank()), d.text);
  if (facts.window.dimensions.size() != d.inputSpatial.size())
    return context.violated("C3", "the window has another number of dimensions", std::to_string(d.inputSpatial.size()),
                            std::to_string(facts.window.dimensions.size()));
  TESSERA_TRY(checkWindow(context, facts.window, "C4"));
  for (size_t i = 0; i < d.kernelSpatial.size(); ++i)
    if (sizeAt(rhs, d.kernelSpatial[i]) != facts.window.dimensions[i].size)
      return context.violated(
          "C3", fmt::format("the window's size differs from the kernel's in spatial dimension {}", i),
          std::to_string(sizeAt(rhs, d.kernelSpatial[i])), std::to_string(facts.window.dimensions[i].size));
  return {};
}

Status checkGroupCounts(const InferContext& context, const ConvolutionFacts& facts) {
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  const int64_t groups = facts.featureGroups, batchGroups = facts.batchGroups;
  if (groups < 1 || batchGroups < 1 || (groups > 1 && batchGroups > 1))
    return context.violated("C7", "the group counts exclude each other", "one of them 1, the other at least 1",
                            fmt::format("{} and {}", groups, batchGroups));
  const int64_t features = sizeAt(lhs, facts.dims->inputFeature), inGroup = sizeAt(rhs, facts.dims->kernelInput);
  if (features % groups != 0 || features / groups != inGroup)
    return context.violated("C5", fmt::format("{} input features in {} groups do not fit the kernel", features, groups),
                            std::to_string(features / groups), std::to_string(inGroup));
  const int64_t outputs = sizeAt(rhs, facts.dims->kernelOutput);
  if (outputs % groups != 0 || outputs % batchGroups != 0)
    return context.violated("C6", "the output features do not divide into the groups",
                            fmt::format("a multiple of {}", std::max(groups, batchGroups)), std::to_string(outputs));
  const int64_t batch = sizeAt(lhs, facts.dims->inputBatch);
  if (batch % batchGroups != 0)
    return context.violated("C7", "the batch does not divide into the groups",
                            fmt::format("a multiple of {}", batchGroups), std::to_string(batch));
  return {};
}

Result<Shape> inferConvolution(const InferContext& context) {
  const bool arrays = context.operands.size() >= 2 && context.operand(0).isArray() && context.operand(1).isArray();
  if (!arrays || context.operand(0).rank() != context.operand(1).rank())
    return context.violated("C1", "the operands do not fit each other");
  const ConvolutionFacts facts = factsOf(*context.attributes);
  TESSERA_TRY(checkDimLabels(context, facts));
  TESSERA_TRY(checkGroupCounts(context, facts));
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  const ConvolutionDimensions& dims = *facts.dims;
  Shape out;
  const bool written = context.written && context.written->isArray();
  out.type = written ? context.written->type : widerType(lhs.type, rhs.type);
  out.dimensions.resize(lhs.dimensions.size());
  const auto set = [&](int64_t at, int64_t size) { out.dimensions[static_cast<size_t>(at)] = size; };
  set(dims.outputBatch, sizeAt(lhs, dims.inputBatch) / facts.batchGroups);
  set(dims.outputFeature, sizeAt(rhs, dims.kernelOutput));
  for (size_t i = 0; i < dims.inputSpatial.size(); ++i) {
    const auto positions = windowPositions(facts.window.dimensions[i], sizeAt(lhs, dims.inputSpatial[i]));
    if (!positions) return context.violated("C4", fmt::format("the size of spatial dimension {} overflows", i));
    set(dims.outputSpatial[i], *positions);
  }
  return out;
}

// Everything along one spatial dimension for one output position: which kernel element multiplies which input element.
struct Tap {
  int64_t kernelOffset, inputOffset;
};

// [spatial dimension][output position] -> taps, offsets in elements.
using TapTable = std::vector<std::vector<std::vector<Tap>>>;

TapTable tapsOf(const ConvolutionFacts& facts, const Shape& lhs, const Shape& rhs, const Shape& out) {
  const IndexVector left = rowMajorStrides(lhs.dimensions), right = rowMajorStrides(rhs.dimensions);
  TapTable table;
  for (size_t i = 0; i < facts.dims->inputSpatial.size(); ++i) {
    const WindowDimension& window = facts.window.dimensions[i];
    const auto in = static_cast<size_t>(facts.dims->inputSpatial[i]),
               kernel = static_cast<size_t>(facts.dims->kernelSpatial[i]);
    auto& positions = table.emplace_back();
    for (int64_t p = 0; p < sizeAt(out, facts.dims->outputSpatial[i]); ++p) {
      auto& taps = positions.emplace_back();
      for (int64_t w = 0; w < window.size; ++w) {
        // `reversal` reverses the kernel: window element w then reads kernel element size-1-w.
        WindowDimension straight = window;
        straight.reversal = false;
        const int64_t element = window.reversal ? window.size - 1 - w : w;
        if (const auto source = windowSource(straight, lhs.dimensions[in], p, w))
          taps.push_back({element * right[kernel], *source * left[in]});
      }
    }
  }
  return table;
}

// All (kernel, input) offset pairs of one output position over all spatial dimensions.
void combine(const TapTable& table, std::span<const int64_t> position, size_t dimension, Tap soFar,
             std::vector<Tap>& out) {
  if (dimension == table.size()) return out.push_back(soFar);
  for (const Tap& tap : table[dimension][static_cast<size_t>(position[dimension])])
    combine(table, position, dimension + 1,
            {soFar.kernelOffset + tap.kernelOffset, soFar.inputOffset + tap.inputOffset}, out);
}

template <class Acc>
Status convolve(const EvaluateContext& context, const ConvolutionFacts& facts, Literal& output) {
  const Shape &lhs = context.operands[0].shape(), &rhs = context.operands[1].shape(), &out = output.shape();
  const ConvolutionDimensions& dims = *facts.dims;
  const auto input = elementsAs<Acc>(context.operands[0]), kernel = elementsAs<Acc>(context.operands[1]);
  const IndexVector left = rowMajorStrides(lhs.dimensions), right = rowMajorStrides(rhs.dimensions),
                    result = rowMajorStrides(out.dimensions);
  const auto at = [](const IndexVector& strides, int64_t d) { return strides[static_cast<size_t>(d)]; };
  const int64_t depth = sizeAt(rhs, dims.kernelInput), outputs = sizeAt(rhs, dims.kernelOutput);
  const int64_t batch = sizeAt(out, dims.outputBatch);
  const int64_t outputsInGroup = std::max<int64_t>(outputs / facts.featureGroups, 1);
  const int64_t outputsInBatchGroup = std::max<int64_t>(outputs / facts.batchGroups, 1);
  const TapTable table = tapsOf(facts, lhs, rhs, out);
  const int64_t inputStep = at(left, dims.inputFeature), kernelStep = at(right, dims.kernelInput);
  std::vector<Tap> taps;
  bool stop = false;
  forEachIndex(pickDims(out.dimensions, dims.outputSpatial), [&](const IndexVector& position) {
    if (stop || (stop = isCancelled(context))) return;
    taps.clear();
    combine(table, position, 0, {0, 0}, taps);
    const int64_t outBase = linearIndexOf(position, pickDims(result, dims.outputSpatial));
    for (int64_t cell = 0; cell < batch * outputs; ++cell) {
      const int64_t b = cell / outputs, f = cell % outputs;
      const int64_t inputBatch = f / outputsInBatchGroup * batch + b;
      const int64_t inputBase = inputBatch * at(left, dims.inputBatch) + f / outputsInGroup * depth * inputStep;
      const int64_t kernelBase = f * at(right, dims.kernelOutput);
      Acc sum{};
      for (const Tap& tap : taps) {
        const Acc *x = input.data() + inputBase + tap.inputOffset, *k = kernel.data() + kernelBase + tap.kernelOffset;
        for (int64_t i = 0; i < depth; ++i) sum += x[i * inputStep] * k[i * kernelStep];
      }
      const int64_t offset = outBase + b * at(result, dims.outputBatch) + f * at(result, dims.outputFeature);
      storeFrom<Acc>(out.type, output.mutableBytes().data() + offset * byteWidth(out.type), sum);
    }
  });
  if (stop) return failCancelled();
  return {};
}

Result<Literal> evaluateConvolution(const EvaluateContext& context) {
  if (context.operands.size() != 2) return failUnsupported("a sparse convolution is shown, but not evaluated");
  TESSERA_ASSIGN_OR_RETURN(Literal output, Literal::allocate(context.shape));
  const ConvolutionFacts facts = factsOf(*context.instruction.attributes);
  TESSERA_TRY(visitAccumulation(context.operands[0].shape().type, context.operands[1].shape().type, [&](auto tag) {
    return convolve<typename decltype(tag)::Type>(context, facts, output);
  }));
  return output;
}

// Where one multiplication of the loop reads; the loop runs over the kernel's spatial dimensions, then its features.
struct Taps {
  std::vector<NodeId> input, kernel;
  NodeId present;
};

Taps tapsOf(ElementContext& context, const ConvolutionFacts& facts, std::span<const NodeId> loop) {
  ElementBuilder& b = context.builder;
  const ConvolutionDimensions& dims = *facts.dims;
  const Shape &lhs = context.operandShape(0), &rhs = context.operandShape(1);
  const NodeId batch = context.indices[static_cast<size_t>(dims.outputBatch)];
  const NodeId feature = context.indices[static_cast<size_t>(dims.outputFeature)];
  const int64_t outputs = sizeAt(rhs, dims.kernelOutput), depth = sizeAt(rhs, dims.kernelInput);
  Taps taps{std::vector<NodeId>(lhs.dimensions.size()), std::vector<NodeId>(rhs.dimensions.size()),
            b.constant(ElementType::Pred, 1)};
  const NodeId within = loop.back();
  const auto put = [](std::vector<NodeId>& at, int64_t d, NodeId node) { at[static_cast<size_t>(d)] = node; };
  NodeId inputFeature = within, inputBatch = batch;
  if (facts.featureGroups > 1)
    inputFeature = b.add(b.multiply(b.divide(feature, b.index(outputs / facts.featureGroups)), b.index(depth)), within);
  if (facts.batchGroups > 1)
    inputBatch = b.add(b.multiply(b.divide(feature, b.index(outputs / facts.batchGroups)),
                                  b.index(sizeAt(context.shape(), dims.outputBatch))),
                       batch);
  put(taps.input, dims.inputBatch, inputBatch);
  put(taps.input, dims.inputFeature, inputFeature);
  put(taps.kernel, dims.kernelInput, within);
  put(taps.kernel, dims.kernelOutput, feature);
  for (size_t i = 0; i < dims.inputSpatial.size(); ++i) {
    WindowDimension straight = facts.window.dimensions[i];
    straight.reversal = false;
    const auto source = windowSource(b, straight, sizeAt(lhs, dims.inputSpatial[i]),
                                     context.indices[static_cast<size_t>(dims.outputSpatial[i])], loop[i]);
    put(taps.input, dims.inputSpatial[i], source.index);
    taps.present = b.logicalAnd(taps.present, source.present);
    const bool reversed = facts.window.dimensions[i].reversal;
    put(taps.kernel, dims.kernelSpatial[i], reversed ? b.subtract(b.index(straight.size - 1), loop[i]) : loop[i]);
  }
  return taps;
}

Status convolutionElement(ElementContext& context) {
  if (context.instruction.operands.size() != 2)
    return failUnsupported("a sparse convolution is shown, but not compiled");
  const ConvolutionFacts facts = factsOf(context.attributes());
  if (!facts.dims) return failUnsupported("a convolution without dim_labels");
  ElementBuilder& builder = context.builder;
  const ElementType resultType = context.shape().type;
  const ElementType type = isFloat(resultType) && info(resultType).bits < 32 ? ElementType::F32 : resultType;
  std::vector<int64_t> ranges = windowSizes(facts.window);
  ranges.push_back(sizeAt(context.operandShape(1), facts.dims->kernelInput));
  const NodeId nothing = builder.zero(context.operandShape(0).type);
  const auto body = [&](std::span<const NodeId> loop, std::span<const NodeId> sums) -> Result<std::vector<NodeId>> {
    const Taps taps = tapsOf(context, facts, loop);
    TESSERA_ASSIGN_OR_RETURN(const NodeId x, context.readIf(taps.present, 0, taps.input, nothing));
    TESSERA_ASSIGN_OR_RETURN(const NodeId k, context.read(1, taps.kernel));
    const NodeId product = builder.multiply(convertTo(builder, type, x), convertTo(builder, type, k));
    return std::vector<NodeId>{builder.select(taps.present, builder.add(sums[0], product), sums[0])};
  };
  TESSERA_ASSIGN_OR_RETURN(const auto sums, builder.loop(ranges, {builder.zero(type)}, body));
  context.results = {convertTo(builder, resultType, sums[0])};
  return {};
}

// x with a x = 1 modulo m, by Euclid; 0 for m = 1.
int64_t inverseModulo(int64_t a, int64_t m) {
  int64_t r = m, next = a % m, x = 0, y = 1;
  while (next != 0) {
    const int64_t q = r / next;
    r = std::exchange(next, r - q * next);
    x = std::exchange(y, x - q * y);
  }
  return m == 1 ? 0 : (x % m + m) % m;
}

// Positions p of which the window's element w meets an input element: those in reach, and of them, where the base is
// dilated, the ones in the one residue class that meets no hole.
int64_t positionsMeeting(const WindowDimension& window, int64_t size, int64_t positions, int64_t w) {
  const int64_t shift = w * window.windowDilation - window.paddingLow, stride = window.stride,
                reach = (size - 1) * window.baseDilation - shift;
  int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const int64_t past = size <= 0 || reach < 0 ? 0 : std::min(reach / stride + 1, positions);
  const int64_t common = std::gcd(stride, window.baseDilation), period = window.baseDilation / common;
  if (past <= first || shift % common != 0) return 0;
  const int64_t wanted = (-(shift / common) % period + period) % period,
                residue = wanted * inverseModulo(stride / common, period) % period;
  first += (residue - first % period + period) % period;
  return past <= first ? 0 : (past - first - 1) / period + 1;
}

// Pairs (output position, window element) that meet an input element: a sum over the window's elements, of very many
// over every so manieth.
double validPositions(const WindowDimension& window, int64_t size, int64_t positions) {
  constexpr int64_t kMaxTerms = int64_t{1} << 20;
  const int64_t each = window.size / kMaxTerms + 1;
  double count = 0;
  for (int64_t w = 0; w < window.size; w += each)
    count += static_cast<double>(std::min(each, window.size - w)) *
             static_cast<double>(positionsMeeting(window, size, positions, w));
  return count;
}

double flopsOf(const CostContext& context) {
  const auto* dims = context.instruction.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  const Shape &lhs = context.operand(0), &rhs = context.operand(1), &out = context.shape();
  if (!dims || out.rank() != lhs.rank() || rhs.rank() != lhs.rank()) return 0;
  const auto at = [](const Shape& shape, int64_t d) {
    return d >= 0 && d < shape.rank() ? shape.dimensions[static_cast<size_t>(d)] : 1;
  };
  double count = static_cast<double>(at(rhs, dims->kernelInput)) * static_cast<double>(at(out, dims->outputFeature)) *
                 static_cast<double>(at(out, dims->outputBatch));
  const Window window = windowOr(*context.instruction.attributes, dims->inputSpatial.size());
  for (size_t i = 0; i < dims->inputSpatial.size() && i < window.dimensions.size(); ++i)
    count *= validPositions(window.dimensions[i], at(lhs, dims->inputSpatial[i]), at(out, dims->outputSpatial[i]));
  return 2 * count;
}

Cost convolutionCost(const CostContext& context) { return usualCost(context, flopsOf(context)); }

DimensionRelations convolutionDimensions(const InferContext& context) {
  const ConvolutionFacts facts = factsOf(*context.attributes);
  const ConvolutionDimensions& dims = *facts.dims;
  const auto at = [](size_t k, int64_t d) { return DimensionRef::operand(k, static_cast<size_t>(d)); };
  const auto result = [](int64_t d) { return DimensionRef::result(static_cast<size_t>(d)); };
  DimensionRelations out;
  if (facts.batchGroups == 1)
    out.same(result(dims.outputBatch), at(0, dims.inputBatch));
  else
    out.rows.push_back({result(dims.outputBatch), DimensionRule::Quotient, at(0, dims.inputBatch), false,
                        "the batch is in groups", facts.batchGroups});
  out.same(result(dims.outputFeature), at(1, dims.kernelOutput));
  if (facts.featureGroups == 1)
    out.same(at(1, dims.kernelInput), at(0, dims.inputFeature));
  else
    out.rows.push_back({at(0, dims.inputFeature), DimensionRule::Multiple, at(1, dims.kernelInput), false,
                        "the features are in groups", facts.featureGroups});
  if (facts.featureGroups != 1 || facts.batchGroups != 1)
    out.fixed(at(1, dims.kernelOutput), "the features are in groups");
  for (size_t s = 0; s < dims.inputSpatial.size(); ++s) {
    out.fixed(at(1, dims.kernelSpatial[s]), "the window says how large the kernel is");
    out.windowed(result(dims.outputSpatial[s]), at(0, dims.inputSpatial[s]), facts.window.dimensions[s]);
  }
  return out;
}

}  // namespace

const OpDef kConvolution = {
    .opcode = Opcode::Convolution,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::LinearAlgebra, kContraction},
    .summary = "Slides a kernel over spatial dimensions",
    .doc =
        "Each output element is the sum, over the kernel's spatial elements and input features, of kernel element "
        "times the input element that it lies on. Along a spatial dimension of $n$ elements there are $\\lfloor (n' + "
        "low + high - k') / stride \\rfloor + 1$ positions, with $n'$ and $k'$ the dilated sizes of input and kernel. "
        "Elements outside the input count as zero.",
    .synonyms = "conv depthwise",
    .title = "convolution{ window}",
    .operands = kConvolutionOperands,
    .attributes = kConvolutionAttributes,
    .constraints = kConvolutionConstraints,
    .inferShape = inferConvolution,
    .cost = convolutionCost,
    .evaluate = evaluateConvolution,
    .element = convolutionElement,
    .dimensions = convolutionDimensions,
};

}  // namespace tessera
