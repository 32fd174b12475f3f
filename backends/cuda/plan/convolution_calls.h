// Convolutions in cuDNN's terms: as a convolution, as the cotangent of a convolution's input (a dilated base) or of its
// filter (a large window), with the arrays where they lie.
#pragma once

#include <optional>

#include "backends/cuda/plan/library_plans.h"

namespace tessera::cuda {

// Nothing where it is none of the three, or one that cuDNN cannot have: padding that crops, another rank.
std::optional<LibraryPlan> convolutionPlanOf(const Module& module, const Instruction& instruction);

}  // namespace tessera::cuda
