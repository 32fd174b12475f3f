// Invariant code motion: what a loop's body computes from values that no step changes is computed before the loop, when
// it costs much or reads more than it gives. The result is handed through the state. Values that are only spread out
// (broadcasts) stay inside, for they would cost memory.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> hoistInvariants(Module& module);

}  // namespace tessera
