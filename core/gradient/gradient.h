// Gradients: reverse-mode differentiation of HLO. What is added are ordinary instructions in the computation of what is
// differentiated, and computations that these call. Used by `tessera gradient` and by core/edit.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct GradientRequest {
  InstructionId of;                          // an array of floats; of more than a scalar, the sum of its elements
  std::vector<InstructionId> withRespectTo;  // arrays of floats or complex numbers in the same computation
};

struct Gradient {
  // One for each array of `withRespectTo`, of its shape: named d_NAME, zeros where `of` does not depend on it.
  std::vector<InstructionId> gradients;
  std::vector<InstructionId> added;  // in the computation of `of`, operands first
};

// Adds the gradient to the module. Fails, and names the instruction and why, where something on the way has none; the
// module is then to be thrown away.
Result<Gradient> addGradient(Module& module, const GradientRequest& request);

// The arrays of floats and complex numbers among the parameters that an instruction depends on, in their order.
std::vector<InstructionId> parametersBehind(const Module& module, InstructionId of);

// Why nothing can be differentiated with respect to this, or it cannot be differentiated; empty: it can.
std::string notDifferentiable(const Module& module, InstructionId id);

}  // namespace tessera
