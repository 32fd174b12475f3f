// Copy insertion: an HLO `copy` wherever values that must share memory may not (loop carries that live on, arrays
// updated in place that are read later, results that are arguments or constants). Stands after the schedule, which
// it keeps, and before buffer assignment, which then always succeeds.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> insertCopies(Module& module);

}  // namespace tessera
