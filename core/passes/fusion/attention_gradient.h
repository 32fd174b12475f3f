// The gradient of attention: a softmax of products whose weights are read several times, by the product with the values
// and by those of the gradient. Each of these products, and each sum or maximum of a row, becomes a fusion (kind
// kOutput) that computes the scores again from queries, keys and what was found for each row, so that nothing as large
// as the scores is in memory. For devices, behind fuse-attention, which takes attention without a gradient.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Left alone: scores that anything else reads, and those that the device has no kernel for in any of the products.
Result<bool> fuseAttentionGradient(Module& module, DeviceFusions& device);

}  // namespace tessera
