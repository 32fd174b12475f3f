// Schedule: the order of execution of every control computation, as the order of its instructions. Stands after
// fusion and layout assignment, and before copy insertion.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Takes, per computation, the order with the lowest peak of live bytes among three: as listed, depth-first with heavy
// subtrees first, and a list schedule that frees most at each step.
// The module is marked as scheduled where its layouts agree.
Result<bool> scheduleModule(Module& module);

}  // namespace tessera
