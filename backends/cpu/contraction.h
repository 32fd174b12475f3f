// Contraction: our own matrix product (runtime/contraction_step) for what no library takes. Here its register tile is
// chosen. Stands behind dot.cpp and convolution.cpp.
#pragma once

#include "backends/cpu/library_steps.h"
#include "backends/runtime/contraction_step.h"

namespace tessera::cpu {

// A null step when it has no arithmetic for the types.
Result<StepPtr> planContraction(LibraryContext& context, Contraction contraction);

}  // namespace tessera::cpu
