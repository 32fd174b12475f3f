// Reshapes that move no byte (row-major to row-major) become bitcasts, which cost nothing. Stands after fusion.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> bitcastReshapes(Module& module);

}  // namespace tessera
