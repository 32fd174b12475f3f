// GuardLanes: programs whose iterations run in order and store only where a guard holds (a scatter's index in range).
// Where each iteration stores one element, the guards of some consecutive iterations are computed at once, in lanes,
// and only those that store are then walked. Where it stores vectors that share a guard, it branches once and masks
// none of them. Either way nothing is done for what falls outside, and no index is clamped that is known to be in
// range. Reads KernelNest. Used by KernelEmitter.
#pragma once

#include <vector>

#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::codegen {

struct GuardLanes {
  int32_t counter = -1;         // the innermost one, over lanes for the guard; -1: each iteration computes its own
  NodeId guard;                 // of all stores; invalid: they have none in common, or one by lane
  std::vector<uint32_t> nodes;  // that it is made of
  std::vector<NodeId> settled;  // by node: what a clamp is where the guard holds; invalid: nothing new

  static GuardLanes of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest);
};

}  // namespace tessera::codegen
