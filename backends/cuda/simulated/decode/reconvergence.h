// Where the lanes that a branch divides come together again: its immediate post-dominator. Used once a kernel is
// decoded.
#pragma once

#include "backends/cuda/simulated/machine/program.h"

namespace tessera::cuda::simulated {

// Fills Instruction::join and isJoin.
void findJoins(Kernel& kernel);

}  // namespace tessera::cuda::simulated
