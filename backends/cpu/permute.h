// Permute: results that are an operand with its dimensions in another order, as runtime/permute_step. Stands behind
// PlanBuilder; permutations that keep the minor dimension are left to kernels, which copy rows.
#pragma once

#include "backends/runtime/step.h"
#include "core/element/element_program.h"

namespace tessera::cpu {

// Null: the program is something else, or too small to gain.
StepPtr planPermute(const ElementProgram& program, int from, int to);

}  // namespace tessera::cpu
