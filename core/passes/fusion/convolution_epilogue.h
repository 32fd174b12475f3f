// Convolution ends: a convolution and the one kernel that reads it (bias, activation, residual, scale, conversion)
// become one fusion (kind kOutput), which a backend runs piece by piece, so that a piece is still in the cache when its
// end is computed. Stands after row chains, whose members it does not take.
#pragma once

#include <optional>

#include "core/passes/pipeline.h"

namespace tessera {

struct ConvolutionEpilogue {
  InstructionId convolution, end;
  size_t operand = 0;  // of `end`: the convolution
};

// What a computation of that form does; nullopt: it has another form.
std::optional<ConvolutionEpilogue> convolutionEndOf(const Module& module, ComputationId computation);

Result<bool> fuseConvolutionEnds(Module& module);

}  // namespace tessera
