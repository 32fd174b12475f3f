// ConvolutionForm: a convolution's operands by role, and the ways to run it. convolution.cpp tries oneDNN first, then
// our contraction over patches of the input.
#pragma once

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/dnnl/dnnl_step.h"
#include "backends/runtime/movement/strided_dims.h"

namespace tessera::cpu {

struct ConvolutionForm {
  ElementType inputType, kernelType, resultType;
  Dim inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch, outputFeature;
  Dims input, kernel, output;  // spatial
  std::vector<WindowDimension> window;
  int64_t featureGroups = 1, batchGroups = 1;

  double flops() const;  // as if there were no padding
};

// nullopt: the instruction lacks labels or a window that fits them.
std::optional<ConvolutionForm> convolutionFormOf(const Module& module, const Instruction& convolution);

// Hardly a product in it: a signal or an image of few features convolved to one, positions neighbours in memory. The
// element program runs positions over lanes; libraries do it as a matrix with that many columns (correlating 100,000
// elements with 101: 140 ms by oneDNN).
bool isFilter(const ConvolutionForm& form);

// A null step: refused. epilogue: a kernel on each shard's elements; refused, too, where there is only one shard.
Result<StepPtr> planDnnlConvolution(LibraryContext& context, const ConvolutionForm& form,
                                    std::optional<DnnlEpilogue> epilogue = {});

}  // namespace tessera::cpu
