// Contraction: our own matrix product (runtime/gemm/contraction_step) for what no library takes. Here its register tile
// is chosen. Used by dot.cpp and convolution.cpp.
#pragma once

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/gemm/contraction_step.h"

namespace tessera::cpu {

// A null step when it has no arithmetic for the types.
Result<StepPtr> planContraction(LibraryContext& context, Contraction contraction);

}  // namespace tessera::cpu
