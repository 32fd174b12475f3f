// The order of a module's computations: callees before their callers.
// Before: module.h; after: readers of formats without an order, passes that add or drop computations.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// All that `starts` reach, each once, in the order of starts where calls allow it. Fails when a computation calls itself,
// directly or through others, or calls one that does not exist.
Result<std::vector<ComputationId>> calleesFirst(const Module& module, std::span<const ComputationId> starts);

}  // namespace tessera
