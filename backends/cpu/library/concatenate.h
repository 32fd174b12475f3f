// Concatenates as runtime/movement/concatenate_step, where the pieces of a row are short: in a kernel each would be a
// guarded read for all elements. Used by PlanBuilder; concatenates of long runs are left to kernels, which walk
// each piece alone.
#pragma once

#include <span>

#include "backends/runtime/step.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

// operands, result: slots. Null: something else, or left to a kernel.
StepPtr planConcatenate(const Module& module, const Instruction& instruction, std::span<const int> operands,
                        int result);

}  // namespace tessera::cpu
