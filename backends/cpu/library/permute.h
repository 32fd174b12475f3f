// Permute: results that are an operand with its dimensions in another order, as runtime/movement/permute_step. Stands
// behind PlanBuilder; permutations that keep the minor dimension are left to kernels, which copy rows.
#pragma once

#include <functional>

#include "backends/runtime/step.h"
#include "core/base/result.h"
#include "core/element/element_program.h"

namespace tessera::cpu {

// Null: the program is something else, or too small to gain.
// scratch: a slot of so many bytes.
Result<StepPtr> planPermute(const ElementProgram& program, int from, int to, int threads,
                            const std::function<Result<int>(int64_t bytes)>& scratch);

}  // namespace tessera::cpu
