// All-reduces, all-gathers and reduce-scatters that do not wait for each other become one of several arrays: devices
// meet once instead of once an array, as for the gradients of data-parallel training and for parameters that are cut
// among devices. As XLA:GPU's combiners. After the partitioner and the removal of dead code, before fusion.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Only those of the same groups, dimension and reducer, within one computation, and at most kCombinedBytes together,
// since what goes into the first has to stay in memory until the last is computed.
Result<bool> combineCollectives(Module& module);

inline constexpr int64_t kCombinedBytes = int64_t{30} << 20;  // XLA:GPU's default for each of them

}  // namespace tessera
