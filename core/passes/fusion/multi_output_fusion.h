// Sibling fusion: loop nests over one iteration space become one with several results, so that what they read is read
// once and one nest is launched: elementwise nests and kernels that walk rows, when they read the same array;
// reductions of one space over the same dimensions, likewise. A nest also joins the one whose result it reads at its
// own index: what was worth storing is stored, and not read again. After fusion, before the schedule. Loop bodies are
// left alone: there a result may take the place of the old state, which a tuple's element cannot.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> fuseMultiOutput(Module& module);

}  // namespace tessera
