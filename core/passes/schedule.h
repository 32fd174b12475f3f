// Schedule: the order of execution of every control computation, as the order of its instructions. Stands after
// fusion and before copy insertion.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Takes, per computation, the order with the lower peak of live bytes among the given one and two depth-first ones.
Result<bool> scheduleModule(Module& module);

}  // namespace tessera
