// Sibling fusion: elementwise loop nests over one iteration space that read the same array become one with several
// results, so that the array is read once and one nest is launched. After fusion, before the schedule. Loop bodies are left
// alone: there a result may take the place of the old state, which a tuple's element cannot.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> mergeSiblings(Module& module);

}  // namespace tessera
