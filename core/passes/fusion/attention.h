// Attention: softmax(f(q · k)) · v, where f is made element by element of the score and of anything else (a scale, a
// bias, a mask). It becomes one fusion (kind kOutput) for devices that run blocks of threads, which compute it by tiles
// with a running maximum and sum, so that the scores never are in memory as a whole. Stands before other fusions, while
// each step is an instruction of its own.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Left alone: what is used elsewhere in part, and what the device has no kernel for.
Result<bool> fuseAttention(Module& module, DeviceFusions& device);

}  // namespace tessera
