// A sort of numbers of which only the first few of each line are read becomes topk, which needs one pass and no room
// for the rest. Before fusion; after simplify-sorts and simplify, which leave slices of its results.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> makeTopKOfSorts(Module& module);

}  // namespace tessera
