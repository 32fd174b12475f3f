// Permute: results that are an operand with its dimensions in another order. Tiles that are whole cache lines on both sides
// are turned in a small buffer, so both arrays are walked at memory speed. Stands behind PlanBuilder; permutations that
// keep the minor dimension are left to kernels, which copy rows.
#pragma once

#include "backends/cpu/plan.h"
#include "core/element/element_program.h"

namespace tessera::cpu {

// Null: the program is something else, or too small to gain.
StepPtr planPermute(const ElementProgram& program, int from, int to);

}  // namespace tessera::cpu
