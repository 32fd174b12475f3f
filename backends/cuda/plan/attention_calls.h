// Attention in cuDNN's terms.
#pragma once

#include <optional>

#include "backends/cuda/plan/library_plans.h"

namespace tessera::cuda {

// A fusion as core/passes/fusion/attention.h makes it, whose scores are products times a number: no mask, no bias.
// Nothing where it is another, or its arrays are not cuDNN's: bf16 or f16, elements of a query, key or value side by
// side, a multiple of 8 of them.
std::optional<LibraryPlan> attentionPlanOf(const Module& module, const Instruction& fusion);

}  // namespace tessera::cuda
