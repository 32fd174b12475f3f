// What a module costs, counted as XLA's cost analysis counts (rules in README.md of this folder), and how much memory
// it needs at its peak by liveness. Stands after inference; the command line, the studio and fusion read it.
#pragma once

#include <cstdint>

#include "core/hlo/module.h"
#include "core/ops/op.h"

namespace tessera {

// One execution of one instruction; called computations included, a while's body and condition once.
Cost costOf(const Module& module, InstructionId id);
// One execution of the entry computation.
Cost costOf(const Module& module);

// Bytes alive at the worst moment of a run in the module's order: arguments, constants, outputs and temporaries.
// Tuples and bitcasts share their operands' buffers, a while carries its state in place; a fusion has no temporaries.
int64_t peakMemory(const Module& module);

}  // namespace tessera
