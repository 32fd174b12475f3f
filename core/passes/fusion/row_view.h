// RowView: how a value inside a fusion relates to the rows (the last dimension) of the fusion's root. What depends on
// the row alone, such as the sum of a softmax, is computed once a row by a generator that hoists it out of the loop
// over the row's elements; the elements themselves are still in the cache when they are read for the second time. Asked
// by the fusion pass; rests on what codegen's KernelNest does with rows.
#pragma once

#include "core/hlo/module.h"

namespace tessera {

enum class RowView : uint8_t {
  Other,      // nothing is known
  Aligned,    // element [row, j] for the root's element [row, j]
  Statistic,  // one value a row
  InRow,      // elements of the row, by a reduction that makes a statistic
};

// The root's own view.
RowView rowViewOfRoot(const Instruction& root);
// The view of operand `operand` of `user`, which itself is seen as `view`.
RowView rowViewOfOperand(const Module& module, const Instruction& user, size_t operand, RowView view);
inline bool readsRow(RowView view) { return view == RowView::Aligned || view == RowView::InRow; }

}  // namespace tessera
