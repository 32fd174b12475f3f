// Common subexpressions: equal instructions over equal operands become one; so do equal computations (the reducers
// that a front end writes out once for every use).
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> mergeCommonSubexpressions(Module& module);

}  // namespace tessera
