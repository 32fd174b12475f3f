// Contraction: our own matrix product for what no library takes: any types, any dimension order, batches, and
// convolutions as products of patches and kernels. Both sides are packed into panels, then a register tile made by
// codegen walks them, cache block by cache block; all threads share both phases. The order of each sum depends on the
// shape alone. Stands behind dot.cpp and convolution.cpp.
#pragma once

#include "backends/cpu/contraction_panels.h"
#include "backends/cpu/library_steps.h"

namespace tessera::cpu {

// out[b, i, j] = Σ_k lhs[b, i, k] · rhs[b, j, k]. The panels' batch dimensions fit those of the result; the contracted
// dimensions of both sides have the same order.
struct Contraction {
  PanelSource lhs, rhs;
  int lhsSlot = -1, rhsSlot = -1, outSlot = -1;
  ElementType resultType = ElementType::F32;
  int64_t outStart = 0;
  Dims outBatch, outRows, outColumns;
};

// A null step when it has no arithmetic for the types.
Result<StepPtr> planContraction(LibraryContext& context, Contraction contraction);

}  // namespace tessera::cpu
