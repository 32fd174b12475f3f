// Flatten control: a loop body, condition or branch that is used at several places gets a copy for each, so that
// every instruction that runs has one place in time and one place in memory.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> flattenControl(Module& module);

}  // namespace tessera
