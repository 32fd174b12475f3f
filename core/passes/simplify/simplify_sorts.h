// A sort carries along only what is read: operands whose sorted form nobody reads and that its comparator does not look
// at are dropped. Before fusion; after dead code, which says what is read.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> simplifySorts(Module& module);

}  // namespace tessera
