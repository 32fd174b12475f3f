// SortByCalls: a stable merge sort of an index permutation by the compiled comparator, row by row. Runs of a few
// elements are sorted by insertion, then merged pairwise; every level of a long row is cut into chunks by rank, which
// all threads merge. Made by cpu/library/sort_by_calls.
#pragma once

#include "backends/runtime/step.h"

namespace tessera::cpu {

// The layout of the array: `rows` rows of `length` elements, `inner` elements apart.
struct SortShape {
  int64_t length = 1, inner = 1, rows = 1;
  int64_t firstOf(int64_t row) const { return row / inner * inner * length + row % inner; }
};

class SortByCalls : public SerializableStep<SortByCalls> {
 public:
  static constexpr const char* kLoader = "tessera_step_sort_by_calls";
  static constexpr size_t kMaxOperands = 64;
  std::vector<int> operands, outputs, widths;
  SortShape shape;
  size_t comparator = 0;
  using Index = uint32_t;
  int orders = -1, others = -1;  // two permutations of each row: scratch, or results of 4-byte elements

  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(operands, outputs, widths, shape, comparator, orders, others);
  }

 private:
  struct Row;
  void sortAlone(Row& row) const;
  void sortShared(RunState& state, Row& row) const;
  void write(const Row& row, int64_t begin, int64_t end) const;
  void writeResult(const Row& row, size_t operand, int64_t begin, int64_t end) const;
};

}  // namespace tessera::cpu
