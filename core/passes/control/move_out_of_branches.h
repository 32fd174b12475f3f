// Moves code that all branches of a conditional have in common before or behind it. At their beginnings:
// expensive instructions (products, reductions, sorts …) that all branches apply to the same values; they become
// further elements of the branches' operands. At their ends: instructions that make more of less (broadcasts, widening
// converts) or only give it another shape; outside, they fuse with the readers. Cheap work stays inside, where it fuses
// with what is done to it. After common subexpressions, so that equal called computations are one; before the algebra.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> moveOutOfBranches(Module& module);

}  // namespace tessera
