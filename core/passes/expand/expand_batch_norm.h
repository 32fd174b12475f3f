// Expands batch-norm-training, -inference and -grad as XLA does: sums over
// all dimensions but the feature's, and elementwise formulas. They fuse and run on all cores then, and dynamic
// dimensions need no rule of their own. Stands before the padding of dynamic dimensions.
#pragma once

#include "core/hlo/module.h"

namespace tessera {

Result<bool> expandBatchNorms(Module& module);

}  // namespace tessera
