// A GEMM chain (core/passes/fusion/gemm_chain.h) as one step: tile after tile of rows goes through the dots in front
// (our gemm), the kernel and the dot behind it, while it is in a core's cache. Tiles follow from the shapes
// alone. Used by plan_builder for fusions of kind kOutput.
#pragma once

#include "backends/cpu/library/library_steps.h"

namespace tessera::cpu {

// context.instruction: the fusion. A null step: it is no GEMM chain.
Result<StepPtr> planGemmChain(LibraryContext& context);

}  // namespace tessera::cpu
