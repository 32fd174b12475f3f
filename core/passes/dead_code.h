// Dead code: drops what no root and no side effect needs, and computations that nothing calls any more.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Parameters stay: they are the signature.
Result<bool> removeDeadCode(Module& module);

}  // namespace tessera
