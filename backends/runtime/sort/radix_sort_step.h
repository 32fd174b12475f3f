// RadixSortStep: rows sorted by the digits of a key that a kernel makes of each element. Rows are spread over threads,
// long ones are shared. Made by cpu/library/sort.
#pragma once

#include <algorithm>

#include "backends/runtime/gemm/row_pieces.h"
#include "backends/runtime/sort/sort_by_calls_step.h"

namespace tessera::cpu {

// Rows that a thread processes at once: `elements` consecutive ones of the array. count 0: all rows' items are in
// memory.
struct RowGroups {
  int64_t count = 0, elements = 0, rows = 0;
  codegen::RowLocality locality;
};

enum class SortPayload : uint8_t {
  None,   // the key alone, which determines the single operand's value
  Value,  // the single operand's bits (at most 32)
  Index,  // the element's place in its row
};

// How a 32-bit key was made from the element's bits.
struct KeyForm {
  bool isFloat = false, isSigned = false, isDescending = false;
  uint32_t valueOf(uint32_t key) const {
    constexpr uint32_t kTop = 0x80000000u;
    if (isDescending) key = ~key;
    if (isFloat) return key & kTop ? key ^ kTop : ~key;
    return isSigned ? key ^ kTop : key;
  }
};

struct RadixSort {
  SortShape shape;
  RowGroups groups;
  size_t kernel = 0;  // makes the items, from kernelSlots' operands into its last
  std::vector<int> kernelSlots;
  int items = -1, sorted = -1,
      spare = -1;         // scratch; `items` as the kernel writes them. But for shared rows: a row a thread
  bool isShared = false;  // each row is sorted by all threads
  std::vector<int> operands, outputs, widths;
  bool isWide = false;  // keys of 64 bits, the place beside them; else key · 2³² + payload
  // The kernel makes keys of 32 bits alone, in the memory of a result or in scratch; each row's keys get their payload
  // when the row is sorted.
  bool addsPayload = false;
  SortPayload payload = SortPayload::Index;
  KeyForm form;  // without a payload
  // Plan and run time agree on these: they say how much scratch there is.
  static constexpr int64_t kFew = 64;         // elements of a row that are sorted by comparison
  static constexpr int64_t kOnStack = 512;    // elements of a row whose `spare` is the thread's stack
  static constexpr int64_t kChunk = 1 << 11;  // elements that a thread takes at least
  // Groups, or rows, and how many of them a thread takes at once.
  int64_t parts() const { return groups.count > 0 ? groups.count : shape.rows; }
  int64_t partsAtOnce() const {
    return std::max<int64_t>(1, kChunk / std::max<int64_t>(1, groups.count > 0 ? groups.elements : shape.length));
  }
  // How many threads of so many have memory: those with a chunk, whose numbers are below that (ThreadPool::run).
  int64_t busyThreads(int threads) const {
    return std::min<int64_t>(threads, (parts() + partsAtOnce() - 1) / partsAtOnce());
  }
  template <class Fields>
  void fields(Fields& f) {
    f(shape, groups, kernel, kernelSlots, items, sorted, spare, isShared, operands, outputs, widths, isWide,
      addsPayload, payload, form);
  }
};

StepPtr makeRadixSortStep(RadixSort sort);

}  // namespace tessera::cpu
