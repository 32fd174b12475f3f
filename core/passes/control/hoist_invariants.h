// Loop-invariant code motion: what a loop's body computes from values that no round changes is computed before the loop
// when it costs much, reads more than it gives, or is the operand of a product, which each round would store. The
// result is handed through the state. Iotas and broadcasts stay inside: they fuse, and outside they would cost memory;
// expensive values that are computed from iotas move within a limit of bytes. Used by the pipeline.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> hoistInvariants(Module& module);

}  // namespace tessera
