// convolution: who runs it. oneDNN where it has a form; else the contraction, as a product of patches of the input with
// the kernel: any type, dilation, reversal, cropping, groups of features or of the batch.
#include <algorithm>

#include "backends/cpu/library/contraction.h"
#include "backends/cpu/library/convolution_form.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

Dim at(const Dims& dims, int64_t d) { return dims[static_cast<size_t>(d)]; }

// Where the input element lies that output position p and window element w meet: see WindowOffsets.
WindowOffsets windowOffsets(const WindowDimension& window, Dim input, int64_t positions) {
  WindowOffsets out{positions, window.size, {}};
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t w = 0; w < window.size; ++w) {
      int64_t dilated = p * window.stride + w * window.windowDilation - window.paddingLow,
              source = dilated / window.baseDilation;
      bool present = dilated >= 0 && dilated % window.baseDilation == 0 && source < input.size;
      out.at.push_back(present ? source * input.stride : -1);
    }
  return out;
}

// Rows are (batch, output positions), columns the output features of a group, the sum runs over window and features.
Contraction contractionOf(const ConvolutionForm& form, const LibraryContext& context) {
  int64_t groups = form.featureGroups * form.batchGroups, features = form.kernelOutput.size / groups;
  int64_t depth = form.inputFeature.size / form.featureGroups, batch = form.inputBatch.size / form.batchGroups;
  Contraction c;
  c.lhs.type = form.inputType;
  c.rhs.type = form.kernelType;
  c.lhs.batch = {{groups, form.batchGroups > 1 ? batch * form.inputBatch.stride : depth * form.inputFeature.stride}};
  c.rhs.batch = {{groups, features * form.kernelOutput.stride}};
  c.lhs.outer = {{batch, form.inputBatch.stride}};
  c.rhs.outer = {{features, form.kernelOutput.stride}};
  c.lhs.depth = {depth, form.inputFeature.stride};
  if (form.window.empty()) c.lhs.inner = {c.lhs.depth};
  c.outRows = {{batch, form.outputBatch.stride}};
  for (size_t d = 0; d < form.window.size(); ++d) {
    const WindowDimension& window = form.window[d];
    c.lhs.outer.push_back({form.output[d].size, 0});
    c.lhs.windows.push_back(windowOffsets(window, form.input[d], form.output[d].size));
    int64_t stride = form.kernel[d].stride;
    if (window.reversal) c.rhs.start += (window.size - 1) * stride;
    c.rhs.inner.push_back({window.size, window.reversal ? -stride : stride});
    c.outRows.push_back(form.output[d]);
  }
  c.rhs.inner.push_back({depth, form.kernelInput.stride});
  c.outBatch = {{groups, features * form.outputFeature.stride}};
  c.outColumns = {{features, form.outputFeature.stride}};
  c.lhsSlot = context.operands[0];
  c.rhsSlot = context.operands[1];
  c.outSlot = context.outputs[0];
  c.resultType = form.resultType;
  return c;
}

}  // namespace

double ConvolutionForm::flops() const {
  double out = 2.0 * static_cast<double>(outputBatch.size) * static_cast<double>(outputFeature.size) *
               static_cast<double>(kernelInput.size);
  for (const Dim& d : output) out *= static_cast<double>(d.size);
  for (const Dim& d : kernel) out *= static_cast<double>(d.size);
  return out;
}

bool isFilter(const ConvolutionForm& form) {
  if (form.window.empty() || form.featureGroups != 1 || form.batchGroups != 1) return false;
  const bool isWide = form.resultType == ElementType::F32 || form.resultType == ElementType::F64;  // sums in the type
  if (!isWide || form.inputType != form.resultType || form.kernelType != form.resultType) return false;
  const auto isPlain = [](const WindowDimension& d) { return d.stride == 1 && d.baseDilation == 1; };
  const auto isMinor = [](const Dims& dims) { return dims.back().stride == 1 && dims.back().size > 1; };
  return form.kernelOutput.size == 1 && form.kernelInput.size <= tuning().products.maxFilterFeatures &&
         std::ranges::all_of(form.window, isPlain) && isMinor(form.input) && isMinor(form.output);
}

std::optional<ConvolutionForm> convolutionFormOf(const Module& module, const Instruction& convolution) {
  const auto* labels = convolution.attributes->get<ConvolutionDimensions>(Attr::dim_labels);
  const auto* window = convolution.attributes->get<Window>(Attr::window);
  if (!labels || convolution.operands.size() != 2) return std::nullopt;
  const Shape &lhs = module.shapeOf(convolution.operands[0]), &rhs = module.shapeOf(convolution.operands[1]);
  Dims in = denseDims(lhs), kernel = denseDims(rhs), out = denseDims(*convolution.shape);
  ConvolutionForm form{lhs.type,
                       rhs.type,
                       convolution.shape->type,
                       at(in, labels->inputBatch),
                       at(in, labels->inputFeature),
                       at(kernel, labels->kernelInput),
                       at(kernel, labels->kernelOutput),
                       at(out, labels->outputBatch),
                       at(out, labels->outputFeature),
                       pick(in, labels->inputSpatial),
                       pick(kernel, labels->kernelSpatial),
                       pick(out, labels->outputSpatial),
                       {}};
  if (window) form.window = window->dimensions;
  if (form.window.size() != form.input.size()) return std::nullopt;
  form.featureGroups = convolution.attributes->intOr(Attr::feature_group_count, 1);
  form.batchGroups = convolution.attributes->intOr(Attr::batch_group_count, 1);
  return form;
}

Result<StepPtr> planConvolution(LibraryContext& context) {
  auto form = convolutionFormOf(context.module, context.instruction);
  if (!form || isFilter(*form)) return StepPtr{};
  auto step = planDnnlConvolution(context, *form);
  if (!step || *step) return step;
  context.what = "convolution (contraction)";
  return planContraction(context, contractionOf(*form, context));
}

}  // namespace tessera::cpu
