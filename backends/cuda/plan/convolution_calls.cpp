// See convolution_calls.h. In the formulas y[i] = sum of x[i · step + r · dilation - pad] · w[r].
#include "backends/cuda/plan/convolution_calls.h"

#include <algorithm>
#include <numeric>

#include "core/ops/shared/window_math.h"

namespace tessera::cuda {

namespace {

using Ints = std::vector<int64_t>;

// Dimensions of a stored array in the library's order: two, then the window's.
struct Places {
  int64_t first, second;
  const Ints* spatial;

  Ints all() const {
    Ints out{first, second};
    out.insert(out.end(), spatial->begin(), spatial->end());
    return out;
  }
};

struct Site {
  const Shape &lhs, &rhs, &out;
  const ConvolutionDimensions& dims;
  const Window& window;
  int64_t groups;
  bool isReversed;
};

Ints pick(const Ints& from, const Ints& places) {
  Ints out;
  for (const int64_t place : places) out.push_back(from[static_cast<size_t>(place)]);
  return out;
}

Ints stridesOf(const Shape& shape) {
  Ints out(shape.dimensions.size(), 1);
  for (size_t d = out.size(); d-- > 1;) out[d - 1] = out[d] * shape.dimensions[d];
  return out;
}

// Whether the window is reversed; nothing where it is in some dimensions only.
std::optional<bool> reversalOf(const Window& window) {
  std::optional<bool> out;
  for (const WindowDimension& w : window.dimensions) {
    if (w.size == 1) continue;
    if (out && *out != w.reversal) return std::nullopt;
    out = w.reversal;
  }
  return out.value_or(false);
}

void place(ConvolutionCall& call, const Shape& x, const Places& xPlaces, const Shape& y, const Places& yPlaces) {
  call.xSizes = pick(x.dimensions, xPlaces.all()), call.xStrides = pick(stridesOf(x), xPlaces.all());
  call.ySizes = pick(y.dimensions, yPlaces.all()), call.yStrides = pick(stridesOf(y), yPlaces.all());
}

// Where it is stored in neither order of the library's, it is moved into the second.
void placeFilter(LibraryPlan& plan, const Shape& w, const Places& places) {
  ConvolutionCall& call = plan.call.convolution;
  call.wSizes = pick(w.dimensions, places.all());
  Ints last = *places.spatial;
  last.insert(last.begin(), places.first);
  last.push_back(places.second);
  Ints stored(last.size());
  std::iota(stored.begin(), stored.end(), 0);
  call.hasFeaturesLast = places.all() != stored;
  if (call.hasFeaturesLast && last != stored) plan.filterOrder = last;
}

// The library has exactly the y that fits, and no x that is cut.
bool fits(const ConvolutionCall& call) {
  for (size_t d = 0; d < call.pads.size(); ++d) {
    const int64_t room = call.xSizes[d + 2] + 2 * call.pads[d] - ((call.wSizes[d + 2] - 1) * call.dilations[d] + 1);
    if (call.pads[d] < 0 || room < 0 || room / call.steps[d] + 1 != call.ySizes[d + 2]) return false;
  }
  return true;
}

// It has none over one dimension.
void widen(ConvolutionCall& call) {
  if (call.pads.size() > 1) return;
  call.xStrides.insert(call.xStrides.begin() + 2, call.xStrides[2] * call.xSizes[2]);
  call.yStrides.insert(call.yStrides.begin() + 2, call.yStrides[2] * call.ySizes[2]);
  for (Ints* sizes : {&call.xSizes, &call.ySizes, &call.wSizes}) sizes->insert(sizes->begin() + 2, 1);
  call.pads.insert(call.pads.begin(), 0);
  call.steps.insert(call.steps.begin(), 1);
  call.dilations.insert(call.dilations.begin(), 1);
}

LibraryPlan forward(const Site& s) {
  LibraryPlan plan;
  plan.call.operation = LibraryOperation::Convolution;
  ConvolutionCall& call = plan.call.convolution;
  place(call, s.lhs, {s.dims.inputBatch, s.dims.inputFeature, &s.dims.inputSpatial}, s.out,
        {s.dims.outputBatch, s.dims.outputFeature, &s.dims.outputSpatial});
  placeFilter(plan, s.rhs, {s.dims.kernelOutput, s.dims.kernelInput, &s.dims.kernelSpatial});
  call.groups = s.groups;
  call.isReversed = s.isReversed;
  for (const WindowDimension& w : s.window.dimensions) {
    call.pads.push_back(w.paddingLow);
    call.steps.push_back(w.stride);
    call.dilations.push_back(w.windowDilation);
  }
  return plan;
}

// x[o] = sum of y[i] · v[k] with o + k · dilation - low = i · step: the cotangent under w[r] = v[size - 1 - r].
LibraryPlan toInput(const Site& s) {
  LibraryPlan plan;
  plan.call.operation = LibraryOperation::ConvolutionInput;
  ConvolutionCall& call = plan.call.convolution;
  place(call, s.out, {s.dims.outputBatch, s.dims.outputFeature, &s.dims.outputSpatial}, s.lhs,
        {s.dims.inputBatch, s.dims.inputFeature, &s.dims.inputSpatial});
  placeFilter(plan, s.rhs, {s.dims.kernelInput, s.dims.kernelOutput, &s.dims.kernelSpatial});
  call.isReversed = !s.isReversed;
  for (const WindowDimension& w : s.window.dimensions) {
    call.pads.push_back((w.size - 1) * w.windowDilation - w.paddingLow);
    call.steps.push_back(w.baseDilation);
    call.dilations.push_back(w.windowDilation);
  }
  return plan;
}

// w[o] = sum of x[o · stride + k · dilation - low] · y[k]: steps and dilations are swapped, and so are batch and
// features.
LibraryPlan toFilter(const Site& s) {
  LibraryPlan plan;
  plan.call.operation = LibraryOperation::ConvolutionFilter;
  ConvolutionCall& call = plan.call.convolution;
  place(call, s.lhs, {s.dims.inputFeature, s.dims.inputBatch, &s.dims.inputSpatial}, s.rhs,
        {s.dims.kernelInput, s.dims.kernelOutput, &s.dims.kernelSpatial});
  placeFilter(plan, s.out, {s.dims.outputFeature, s.dims.outputBatch, &s.dims.outputSpatial});
  for (const WindowDimension& w : s.window.dimensions) {
    call.pads.push_back(w.paddingLow);
    call.steps.push_back(w.windowDilation);
    call.dilations.push_back(w.stride);
  }
  return plan;
}

int64_t volume(const Shape& shape, const Ints& spatial) {
  int64_t out = 1;
  for (const int64_t d : spatial) out *= shape.dimensions[static_cast<size_t>(d)];
  return out;
}

std::optional<LibraryPlan> planOf(const Site& s) {
  const bool hasBase = std::ranges::any_of(s.window.dimensions, [](const auto& w) { return w.baseDilation > 1; });
  const bool hasStride = std::ranges::any_of(s.window.dimensions, [](const auto& w) { return w.stride > 1; });
  const bool isWide = volume(s.rhs, s.dims.kernelSpatial) > volume(s.out, s.dims.outputSpatial);
  if (hasBase) return hasStride || s.groups > 1 ? std::nullopt : std::optional(toInput(s));
  if (isWide && s.groups == 1 && !s.isReversed) {
    const LibraryPlan filter = toFilter(s);
    if (fits(filter.call.convolution)) return filter;
  }
  const LibraryPlan plan = forward(s);
  if (fits(plan.call.convolution) || hasStride || s.groups > 1) return plan;
  return toInput(s);
}

}  // namespace

std::optional<LibraryPlan> convolutionPlanOf(const Module& module, const Instruction& instruction) {
  const Shape &lhs = module.shapeOf(instruction.operands[0]), &rhs = module.shapeOf(instruction.operands[1]);
  const AttributeSet& attributes = *instruction.attributes;
  const auto* dims = attributes.get<ConvolutionDimensions>(Attr::dim_labels);
  const bool isFloat = lhs.type == ElementType::F32 || lhs.type == ElementType::F64 || lhs.type == ElementType::F16 ||
                       lhs.type == ElementType::BF16;
  if (!dims || !isFloat || rhs.type != lhs.type || instruction.shape->type != lhs.type) return std::nullopt;
  const Window window = windowOr(attributes, dims->inputSpatial.size());
  const size_t rank = window.dimensions.size();
  const auto reversal = reversalOf(window);
  if (rank < 1 || rank > 3 || attributes.intOr(Attr::batch_group_count, 1) != 1 || !reversal) return std::nullopt;
  for (const Shape* shape : {&lhs, &rhs, &*instruction.shape})
    if (shape->elementCount().value_or(0) == 0) return std::nullopt;
  auto plan =
      planOf({lhs, rhs, *instruction.shape, *dims, window, attributes.intOr(Attr::feature_group_count, 1), *reversal});
  if (!plan || !fits(plan->call.convolution)) return std::nullopt;
  widen(plan->call.convolution);
  plan->call.in = plan->call.out = lhs.type;
  return plan;
}

}  // namespace tessera::cuda
