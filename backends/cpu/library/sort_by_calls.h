// Sort by calls: rows whose comparator is no order of numbers (runtime/sort/sort_by_calls_step). Used by sort.cpp
// for what sort_key refuses.
#pragma once

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/sort/sort_by_calls_step.h"

namespace tessera::cpu {

Result<StepPtr> planSortByCalls(LibraryContext& context, const ElementProgram& comparator, const SortShape& shape,
                                std::vector<int> widths);

}  // namespace tessera::cpu
