// Drops the operands of a sort whose sorted form has no reader and that its comparator does not read. Runs before
// fusion and after dead code elimination.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> simplifySorts(Module& module);

}  // namespace tessera
