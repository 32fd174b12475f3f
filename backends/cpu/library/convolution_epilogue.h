// A convolution and the kernel on its elements (core/passes/fusion/convolution_epilogue.h) as one step: each shard of
// oneDNN's convolution is followed by its part of the kernel, while it is in a core's cache. Used by plan_builder
// for fusions of kind kOutput.
#pragma once

#include "backends/cpu/library/library_steps.h"

namespace tessera::cpu {

// context.instruction: the fusion. A null step: it has another form.
Result<StepPtr> planConvolutionEpilogue(LibraryContext& context);

}  // namespace tessera::cpu
