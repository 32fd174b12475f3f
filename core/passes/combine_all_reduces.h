// All-reduces that do not wait for each other become one of several arrays: devices meet once instead of once an array,
// as the gradients of data-parallel training do. As XLA:GPU's all-reduce combiner. After the partitioner and the
// removal of dead code, before fusion.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Only those of the same groups and reducer, within one computation, and at most kCombinedBytes together, since the
// first has to stay in memory until the last is computed.
Result<bool> combineAllReduces(Module& module);

inline constexpr int64_t kCombinedBytes = int64_t{30} << 20;  // XLA:GPU's default

}  // namespace tessera
