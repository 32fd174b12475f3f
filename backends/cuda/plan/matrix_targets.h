// Custom calls of LAPACK and of JAX for CUDA as routines of cuSOLVER and cuBLAS: what their targets, configurations and
// shapes mean. Used by matrix_routines.
#pragma once

#include <optional>

#include "backends/cuda/plan/matrix_routines.h"

namespace tessera::cuda {

// Whether the libraries have matrices of this type and rank.
bool areMatrices(const Shape& shape);

// Nothing where the target is another one or the shapes are not its. customCalls: see matrixPlanOf.
std::optional<MatrixPlan> matrixTargetOf(const Module& module, const Instruction& instruction,
                                         const CustomCallLibrary* customCalls);

}  // namespace tessera::cuda
