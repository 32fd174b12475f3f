// Finding the instructions that a query describes. Used by `tessera grep` and the search bar of the studio.
#pragma once

#include <functional>
#include <vector>

#include "core/hlo/module.h"
#include "core/tools/query/query.h"

namespace tessera {

// Computation by computation in the module's order. cancelled: polled; once it returns true, what was found so
// far is given.
std::vector<InstructionId> search(const Module& module, const Query& query,
                                  const std::function<bool()>& cancelled = nullptr);

}  // namespace tessera
