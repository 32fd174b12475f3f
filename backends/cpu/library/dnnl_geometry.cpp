// See dnnl_geometry.h. With s the base dilation, k the window's size and w its dilation, output position p of HLO sums
// x[o] · kernel[j] over o·s = p + j·w - low. The gradient of a source sums over p = o·s + (k-1-j)·w - pad with
// pad = (k-1)·w - low: the same with the kernel reversed.
#include "backends/cpu/library/dnnl_geometry.h"

#include <algorithm>

namespace tessera::cpu {

namespace {

using Kind = dnnl::memory::data_type;

std::optional<Kind> kindOf(const ConvolutionForm& form) {
  using E = ElementType;
  if (form.inputType == E::F32 && form.kernelType == E::F32 && form.resultType == E::F32) return Kind::f32;
  bool bf16 = form.inputType == E::BF16 && form.kernelType == E::BF16 &&
              (form.resultType == E::BF16 || form.resultType == E::F32);
  if (bf16 && dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core_bf16) return Kind::bf16;
  return std::nullopt;
}

bool isF32(const ConvolutionForm& form) { return kindOf(form) == Kind::f32; }

// High padding with which a convolution from `from` elements gives `to`; what a stride leaves over needs none.
std::optional<int64_t> highPadding(int64_t from, int64_t to, int64_t kernel, int64_t stride, int64_t dilation,
                                   int64_t low) {
  int64_t high = (to - 1) * stride + (kernel - 1) * dilation + 1 - from - low;
  if (high >= 0) return high;
  return high > -stride ? std::optional<int64_t>(0) : std::nullopt;
}

}  // namespace

std::optional<Geometry> forwardGeometry(const ConvolutionForm& form) {
  auto kind = kindOf(form);
  auto plain = [](const WindowDimension& d) { return d.baseDilation == 1 && d.paddingLow >= 0 && d.paddingHigh >= 0; };
  bool reversed = std::ranges::any_of(form.window, &WindowDimension::reversal);
  if (!kind || form.batchGroups != 1 || !std::ranges::all_of(form.window, plain) || (reversed && *kind != Kind::f32))
    return std::nullopt;
  Geometry g;
  g.source.kind = g.weights.kind = *kind;
  g.result.kind = form.resultType == ElementType::F32 ? Kind::f32 : *kind;
  g.groups = form.featureGroups;
  int64_t perGroup = form.kernelOutput.size / g.groups;
  if (g.groups > 1) g.weights.add({g.groups, perGroup * form.kernelOutput.stride});
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

std::optional<Geometry> sourceGradientGeometry(const ConvolutionForm& form) {
  auto stepsByOne = [](const WindowDimension& d) { return d.stride == 1; };
  if (!isF32(form) || form.batchGroups != 1 || !std::ranges::all_of(form.window, stepsByOne)) return std::nullopt;
  Geometry g;
  g.groups = form.featureGroups;
  int64_t perGroup = form.kernelOutput.size / g.groups;
  if (g.groups > 1) g.weights.add({g.groups, perGroup * form.kernelOutput.stride});
  g.weights.add(form.kernelInput);
  g.weights.add({perGroup, form.kernelOutput.stride});
  g.source.add(form.outputBatch);
  g.source.add(form.outputFeature);
  g.result.add(form.inputBatch);
  g.result.add(form.inputFeature);
  for (size_t d = 0; d < form.window.size(); ++d) {
    const WindowDimension& window = form.window[d];
    int64_t low = (window.size - 1) * window.windowDilation - window.paddingLow;
    auto high = highPadding(form.output[d].size, form.input[d].size, window.size, window.baseDilation,
                            window.windowDilation, low);
    if (low < 0 || !high) return std::nullopt;
    g.source.add(form.output[d]);
    g.weights.add(form.kernel[d]);
    g.result.add(form.input[d]);
    g.strides.push_back(window.baseDilation);
    g.dilations.push_back(window.windowDilation - 1);
    g.low.push_back(low);
    g.high.push_back(*high);
  }
  return g;
}

std::optional<Geometry> weightsGradientGeometry(const ConvolutionForm& form) {
  auto plain = [](const WindowDimension& d) { return d.baseDilation == 1 && !d.reversal && d.paddingLow >= 0; };
  if (!isF32(form) || form.batchGroups != 1 || form.featureGroups != 1 || !std::ranges::all_of(form.window, plain))
    return std::nullopt;
  Geometry g;
  g.source.add(form.inputFeature);
  g.source.add(form.inputBatch);
  g.result.add(form.kernelInput);
  g.result.add(form.kernelOutput);
  g.weights.add(form.outputFeature);
  g.weights.add(form.outputBatch);
  for (size_t d = 0; d < form.window.size(); ++d) {
    const WindowDimension& window = form.window[d];
    auto high = highPadding(form.input[d].size, window.size, form.output[d].size, window.windowDilation, window.stride,
                            window.paddingLow);
    if (!high) return std::nullopt;
    g.source.add(form.input[d]);
    g.result.add(form.kernel[d]);
    g.weights.add(form.output[d]);
    g.strides.push_back(window.windowDilation);
    g.dilations.push_back(window.stride - 1);
    g.low.push_back(window.paddingLow);
    g.high.push_back(*high);
  }
  return g;
}

}  // namespace tessera::cpu
