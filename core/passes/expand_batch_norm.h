// Batch normalisation becomes sums, products and broadcasts, which fuse with what stands around them. Narrow floats are
// computed in f32 and rounded once. Before everything that knows elementwise operations; after the mixed precisions are
// said by converts. With dynamic dimensions it stays as it is.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> expandBatchNorms(Module& module);

}  // namespace tessera
