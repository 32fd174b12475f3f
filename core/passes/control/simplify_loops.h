// Loops that run never or once disappear; elements of the state that a loop passes on unchanged are read where they
// come from, constants inside too; unused elements are dropped. Runs after the simplifier, which makes
// bounds constant.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> simplifyLoops(Module& module);

}  // namespace tessera
