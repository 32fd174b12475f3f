// Convolution epilogues: a convolution and the one kernel that reads it (bias, activation, residual, scale, conversion)
// become one fusion (kind kOutput), which a backend runs piece by piece, so that a piece is still in the cache when its
// epilogue is computed. Stands after GEMM chains, whose members it does not take.
#pragma once

#include <optional>

#include "core/passes/pipeline.h"

namespace tessera {

struct ConvolutionEpilogue {
  InstructionId convolution, epilogue;
  size_t operand = 0;  // of `epilogue`: the convolution
};

// What a computation of that form does; nullopt: it has another form.
std::optional<ConvolutionEpilogue> convolutionEpilogueOf(const Module& module, ComputationId computation);

Result<bool> fuseConvolutionEpilogues(Module& module);

}  // namespace tessera
