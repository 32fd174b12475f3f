// fuseLoopsHorizontally: loops over equal ranges that do not need each other's results become one loop with more
// accumulators, so that what they read is read once: the sum and the sum of squares of a batch, all sums of a merged
// reduction. Each accumulator still takes its values in the same order. Stands after compose and approximations, before
// code generation.
#pragma once

#include "core/element/element_program.h"

namespace tessera {

ElementProgram fuseLoopsHorizontally(ElementProgram program);

}  // namespace tessera
