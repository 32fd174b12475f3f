// Sort by calls: rows whose comparator is no order of numbers: a stable merge sort of an index permutation by the compiled
// comparator. Stands behind sort.cpp for what sort_key refuses.
#pragma once

#include "backends/cpu/library_steps.h"

namespace tessera::cpu {

// How the array lies: `rows` rows of `length` elements, `inner` elements apart.
struct SortShape {
  int64_t length = 1, inner = 1, rows = 1;
  int64_t firstOf(int64_t row) const { return row / inner * inner * length + row % inner; }
};

Result<StepPtr> planSortByCalls(LibraryContext& context, const ElementProgram& comparator, const SortShape& shape, std::vector<int> widths);

}  // namespace tessera::cpu
