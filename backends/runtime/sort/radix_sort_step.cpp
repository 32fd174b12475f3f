// See radix_sort_step.h.
#include "backends/runtime/sort/radix_sort_step.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "backends/runtime/movement/element_words.h"
#include "backends/runtime/sort/radix_sort.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

// Made: what the kernel writes of each element.
template <class Item, class Made>
class RadixSortStep : public Step, private RadixSort {
 public:
  explicit RadixSortStep(RadixSort sort) : RadixSort(std::move(sort)), makeItems_(kernel, kernelSlots) {}
  Status run(RunState& state) override;
  const char* loader() const override { return "tessera_step_radix_sort"; }
  void save(FieldWriter& out) override { out(static_cast<RadixSort&>(*this)); }

 private:
  static constexpr bool kIsWide = sizeof(Item) == 16;
  template <class T>
  T* scratch(RunState& state, int slot) const {
    return reinterpret_cast<T*>(state.pointers[static_cast<size_t>(slot)]);
  }
  void load(const Made* from, Item* to, int64_t begin, int64_t end) const;
  void loadKeys(RunState& state, int64_t row, const Made* from, Item* to) const;
  void write(RunState& state, int64_t row, const Item* sorted, int64_t begin, int64_t end) const;
  void sortLongRow(RunState& state, int64_t row);
  void sortRow(RunState& state, int64_t row, Made* mine, int thread) const;
  void sortGroup(RunState& state, int64_t group, int thread) const;
  Made* makeGroup(RunState& state, int64_t group, int thread) const;

  KernelStep makeItems_;
  ParallelRadixSort together_;
};

// from: the row's first item.
template <class Item, class Made>
void RadixSortStep<Item, Made>::load(const Made* from, Item* to, int64_t begin, int64_t end) const {
  if (items == sorted) return;
  for (int64_t i = begin; i < end; ++i) {
    if constexpr (kIsWide)
      to[i] = {from[i * shape.inner], static_cast<uint64_t>(i)};
    else
      to[i] = from[i * shape.inner];
  }
}

// Keys and values lie `stride` elements apart: one walk over both waits for one line where two would wait twice.
template <class T>
void joinKeysAndValues(const uint32_t* keys, const std::byte* values, int64_t stride, std::span<uint64_t> items) {
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) * stride;
    items[i] = uint64_t{keys[at]} << 32 | reinterpret_cast<const T*>(values)[at];
  }
}

// With their payload.
template <class Item, class Made>
void RadixSortStep<Item, Made>::loadKeys(RunState& state, int64_t row, const Made* from, Item* to) const {
  const auto count = static_cast<size_t>(shape.length);
  if (payload == SortPayload::Index) {
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Item>(from[static_cast<int64_t>(i) * shape.inner]) << 32 | i;
    return;
  }
  const std::byte* values = scratch<std::byte>(state, operands[0]) + shape.firstOf(row) * widths[0];
  switch (widths[0]) {
    case 1: return joinKeysAndValues<uint8_t>(from, values, shape.inner, {to, count});
    case 2: return joinKeysAndValues<uint16_t>(from, values, shape.inner, {to, count});
    default: return joinKeysAndValues<uint32_t>(from, values, shape.inner, {to, count});
  }
}

template <class T>
void writeValues(const uint64_t* sorted, std::byte* out, int64_t stride, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) reinterpret_cast<T*>(out)[i * stride] = static_cast<T>(sorted[i]);
}

template <class T, class Item>
void writeGathered(const Item* sorted, const std::byte* in, std::byte* out, int64_t stride, int64_t begin,
                   int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    uint64_t from;
    if constexpr (sizeof(Item) == 16)
      from = sorted[i].payload;
    else
      from = sorted[i] & 0xffffffffu;
    std::memcpy(out + i * stride * static_cast<int64_t>(sizeof(T)),
                in + static_cast<int64_t>(from) * stride * static_cast<int64_t>(sizeof(T)), sizeof(T));
  }
}

template <class Item, class Made>
void RadixSortStep<Item, Made>::write(RunState& state, int64_t row, const Item* result, int64_t begin,
                                      int64_t end) const {
  for (size_t k = 0; k < operands.size(); ++k) {
    const int64_t first = shape.firstOf(row) * widths[k];
    const std::byte* in = scratch<std::byte>(state, operands[k]) + first;
    std::byte* out = scratch<std::byte>(state, outputs[k]) + first;
    if constexpr (sizeof(Item) == 4) {
      for (int64_t i = begin; i < end; ++i) reinterpret_cast<uint32_t*>(out)[i] = form.valueOf(result[i]);
      continue;
    }
    withWordOf(widths[k], [&](auto word) {
      using T = decltype(word);
      if constexpr (sizeof(Item) == 8 && sizeof(T) <= 4) {
        if (payload == SortPayload::Value) return writeValues<T>(result, out, shape.inner, begin, end);
      }
      writeGathered<T>(result, in, out, shape.inner, begin, end);
    });
  }
}

template <class Item, class Made>
void RadixSortStep<Item, Made>::sortLongRow(RunState& state, int64_t row) {
  Item* from = scratch<Item>(state, sorted) + row * shape.length;
  Item* other = scratch<Item>(state, spare) + row * shape.length;
  state.pool->parallelFor(shape.length, tuning().sort.copiedItems, [&](int64_t begin, int64_t end, int) {
    load(scratch<Made>(state, items) + shape.firstOf(row), from, begin, end);
  });
  const Item* result = together_.sort(*state.pool, from, other, shape.length);
  state.pool->parallelFor(shape.length, tuning().sort.copiedItems,
                          [&](int64_t begin, int64_t end, int) { write(state, row, result, begin, end); });
}

template <class Item>
Item* sortItems(Item* from, Item* other, int64_t n) {
  if (n > RadixSort::kFew) return radixSort(from, other, n);
  // Places differ, so the order is that of a stable sort.
  if constexpr (sizeof(Item) == 16)
    std::sort(from, from + n,
              [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.payload < b.payload; });
  else
    std::sort(from, from + n);
  return from;
}

// mine: the row's first item.
template <class Item, class Made>
void RadixSortStep<Item, Made>::sortRow(RunState& state, int64_t row, Made* mine, int thread) const {
  alignas(Item) std::byte onStack[RadixSort::kOnStack * sizeof(Item)];
  Item *from = scratch<Item>(state, sorted) + thread * shape.length,
       *other = shape.length <= RadixSort::kOnStack ? reinterpret_cast<Item*>(onStack)
                                                    : scratch<Item>(state, spare) + thread * shape.length;
  if constexpr (std::is_same_v<Item, Made>)
    if (items == sorted) from = mine;
  if constexpr (sizeof(Item) == 8 && sizeof(Made) == 4)
    loadKeys(state, row, mine, from);
  else
    load(mine, from, 0, shape.length);
  write(state, row, sortItems(from, other, shape.length), 0, shape.length);
}

// The kernel indexes a whole array of items: the thread's few are where they would be in one. Gives that array.
template <class Item, class Made>
Made* RadixSortStep<Item, Made>::makeGroup(RunState& state, int64_t group, int thread) const {
  constexpr size_t kMaxOperands = 64;
  const int64_t first = group * groups.elements, all = shape.rows * shape.length,
                last = std::min(first + groups.elements, all);
  const auto own = reinterpret_cast<uintptr_t>(scratch<Made>(state, items) + thread * groups.elements);
  auto* whole = reinterpret_cast<Made*>(own - static_cast<uintptr_t>(first) * sizeof(Made));
  void* buffers[kMaxOperands];
  for (size_t i = 0; i + 1 < kernelSlots.size(); ++i) buffers[i] = state.pointers[static_cast<size_t>(kernelSlots[i])];
  buffers[kernelSlots.size() - 1] = whole;
  const CompiledKernel& makes = state.kernels[kernel];
  auto itemOf = [&](int64_t element) {
    return element == all ? makes.parallelCount : element / groups.locality.elements * groups.locality.items;
  };
  makes.function(buffers, itemOf(first), itemOf(last));
  return whole;
}

template <class Item, class Made>
void RadixSortStep<Item, Made>::sortGroup(RunState& state, int64_t group, int thread) const {
  Made* whole = makeGroup(state, group, thread);
  for (int64_t row = group * groups.rows; row < std::min(shape.rows, (group + 1) * groups.rows); ++row)
    sortRow(state, row, whole + shape.firstOf(row), thread);
}

template <class Item, class Made>
Status RadixSortStep<Item, Made>::run(RunState& state) {
  if (shape.length == 0 || shape.rows == 0) return {};
  if (groups.count > 0) {
    state.pool->parallelFor(parts(), partsAtOnce(), [&](int64_t begin, int64_t end, int thread) {
      for (int64_t group = begin; group < end; ++group) sortGroup(state, group, thread);
    });
    return {};
  }
  TESSERA_TRY(makeItems_.run(state));
  if (isShared) {
    for (int64_t row = 0; row < shape.rows; ++row) sortLongRow(state, row);
    return {};
  }
  state.pool->parallelFor(parts(), partsAtOnce(), [&](int64_t begin, int64_t end, int thread) {
    for (int64_t row = begin; row < end; ++row)
      sortRow(state, row, scratch<Made>(state, items) + shape.firstOf(row), thread);
  });
  return {};
}

}  // namespace

StepPtr makeRadixSortStep(RadixSort sort) {
  if (sort.payload == SortPayload::None) return std::make_unique<RadixSortStep<uint32_t, uint32_t>>(std::move(sort));
  if (sort.isWide) return std::make_unique<RadixSortStep<WideItem, uint64_t>>(std::move(sort));
  if (sort.addsPayload) return std::make_unique<RadixSortStep<uint64_t, uint32_t>>(std::move(sort));
  return std::make_unique<RadixSortStep<uint64_t, uint64_t>>(std::move(sort));
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_radix_sort(tessera::cpu::FieldReader& in) {
  tessera::cpu::RadixSort sort;
  in(sort);
  return in.good() ? tessera::cpu::makeRadixSortStep(std::move(sort)).release() : nullptr;
}
