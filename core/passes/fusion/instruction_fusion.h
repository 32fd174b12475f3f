// Instruction fusion: what is described element by element becomes part of the loop nest of its consumer. The result is
// HLO again: `fusion` instructions with called computations. Stands after the algebra and before the schedule.
//
// A fusion has one root and contains only ancestors of it that disappear as instructions: a producer goes into all of
// its consumers' fusions or into none, so no cycle can arise. Whether it goes is a question of cost: recomputation
// (evaluations beyond one for each element, times the price of one) against the memory traffic and the launch saved.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> fuseInstructions(Module& module);

}  // namespace tessera
