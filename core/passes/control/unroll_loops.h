// Short loops of few operations are unrolled: their steps then fuse with each other, and indices become constants.
// After simplify_loops, which finds how often they run; before the algebra that follows it.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> unrollLoops(Module& module);

}  // namespace tessera
