// sort: rows along one dimension. A comparator that orders numbers becomes a key for each element, made by a kernel, and
// rows are sorted by the keys' digits; any other comparator is called. Rows are spread over threads, long ones are shared.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/codegen/flatten_axis.h"
#include "backends/codegen/unroll_short.h"
#include "backends/codegen/row_locality.h"
#include "backends/cpu/radix_sort.h"
#include "backends/cpu/sort_by_calls.h"
#include "backends/cpu/sort_key.h"
#include "core/element/compose.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kFew = 64;  // elements of a row that are sorted by comparison of items
constexpr int64_t kFewRows = 8;                // of so many or more, or of short ones, each thread sorts its own …
constexpr int64_t kGroup = 1 << 11, kMostGroup = 1 << 17;  // … in groups of so many elements, whose items alone are in memory

// Rows that a thread takes at once: `elements` consecutive ones of the array. count 0: all rows' items lie in memory.
struct RowGroups {
  int64_t count = 0, elements = 0, rows = 0;
  codegen::RowLocality locality;
};

template <class Item>
class RadixSortStep : public Step {
 public:
  RadixSortStep(size_t kernel, std::vector<int> slots, SortShape shape, RowGroups groups)
      : makeItems_(kernel, slots), kernel_(kernel), kernelSlots_(std::move(slots)), shape_(shape), groups_(groups) {}
  int items = -1, sorted = -1, spare = -1;  // scratch; `items` as the kernel writes them. But for shared rows: a row a thread
  bool isShared = false;                    // each row is sorted by all threads
  std::vector<int> operands, outputs, widths;
  SortPayload payload = SortPayload::Index;
  KeyForm form;  // without a payload

  Status run(RunState& state) override;

 private:
  static constexpr bool kIsWide = sizeof(Item) == 16;
  using Made = std::conditional_t<sizeof(Item) == 4, uint32_t, uint64_t>;  // what the kernel writes
  template <class T>
  T* scratch(RunState& state, int slot) const {
    return reinterpret_cast<T*>(state.pointers[static_cast<size_t>(slot)]);
  }
  void load(const Made* from, Item* to, int64_t begin, int64_t end) const;
  void write(RunState& state, int64_t row, const Item* sorted, int64_t begin, int64_t end) const;
  void sortLongRow(RunState& state, int64_t row);
  void sortRow(RunState& state, int64_t row, Made* mine, int thread) const;
  void sortGroup(RunState& state, int64_t group, int thread) const;
  Made* makeGroup(RunState& state, int64_t group, int thread) const;

  KernelStep makeItems_;
  size_t kernel_;
  std::vector<int> kernelSlots_;
  SortShape shape_;
  RowGroups groups_;
  ParallelRadixSort together_;
};

// from: the row's first item.
template <class Item>
void RadixSortStep<Item>::load(const Made* from, Item* to, int64_t begin, int64_t end) const {
  if (items == sorted) return;
  for (int64_t i = begin; i < end; ++i) {
    if constexpr (kIsWide) to[i] = {from[i * shape_.inner], static_cast<uint64_t>(i)};
    else to[i] = from[i * shape_.inner];
  }
}

template <class T>
void writeValues(const uint64_t* sorted, std::byte* out, int64_t stride, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) reinterpret_cast<T*>(out)[i * stride] = static_cast<T>(sorted[i]);
}

template <class T, class Item>
void writeGathered(const Item* sorted, const std::byte* in, std::byte* out, int64_t stride, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    uint64_t from;
    if constexpr (sizeof(Item) == 16) from = sorted[i].payload;
    else from = sorted[i] & 0xffffffffu;
    std::memcpy(out + i * stride * static_cast<int64_t>(sizeof(T)), in + static_cast<int64_t>(from) * stride * static_cast<int64_t>(sizeof(T)), sizeof(T));
  }
}

struct Bytes16 {
  std::byte bytes[16];
};

template <class Item>
void RadixSortStep<Item>::write(RunState& state, int64_t row, const Item* result, int64_t begin, int64_t end) const {
  for (size_t k = 0; k < operands.size(); ++k) {
    const int64_t first = shape_.firstOf(row) * widths[k];
    const std::byte* in = scratch<std::byte>(state, operands[k]) + first;
    std::byte* out = scratch<std::byte>(state, outputs[k]) + first;
    if constexpr (sizeof(Item) == 4) {
      for (int64_t i = begin; i < end; ++i) reinterpret_cast<uint32_t*>(out)[i] = form.valueOf(result[i]);
      continue;
    }
    auto as = [&](auto tag) {
      using T = decltype(tag);
      if constexpr (sizeof(Item) == 8 && sizeof(T) <= 4) {
        if (payload == SortPayload::Value) return writeValues<T>(result, out, shape_.inner, begin, end);
      }
      writeGathered<T>(result, in, out, shape_.inner, begin, end);
    };
    switch (widths[k]) {
      case 1: as(uint8_t{}); break;
      case 2: as(uint16_t{}); break;
      case 4: as(uint32_t{}); break;
      case 8: as(uint64_t{}); break;
      default: writeGathered<Bytes16>(result, in, out, shape_.inner, begin, end); break;
    }
  }
}

template <class Item>
void RadixSortStep<Item>::sortLongRow(RunState& state, int64_t row) {
  constexpr int64_t kChunk = 1 << 14;
  Item* from = scratch<Item>(state, sorted) + row * shape_.length;
  Item* other = scratch<Item>(state, spare) + row * shape_.length;
  state.pool->parallelFor(shape_.length, kChunk, [&](int64_t begin, int64_t end, int) {
    load(scratch<Made>(state, items) + shape_.firstOf(row), from, begin, end);
  });
  const Item* result = together_.sort(*state.pool, from, other, shape_.length);
  state.pool->parallelFor(shape_.length, kChunk, [&](int64_t begin, int64_t end, int) { write(state, row, result, begin, end); });
}

template <class Item>
Item* sortItems(Item* from, Item* other, int64_t n) {
  if (n > kFew) return radixSort(from, other, n);
  // Places differ, so the order is that of a stable sort.
  if constexpr (sizeof(Item) == 16)
    std::sort(from, from + n, [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.payload < b.payload; });
  else std::sort(from, from + n);
  return from;
}

// mine: the row's first item.
template <class Item>
void RadixSortStep<Item>::sortRow(RunState& state, int64_t row, Made* mine, int thread) const {
  Item *from = scratch<Item>(state, sorted) + thread * shape_.length, *other = scratch<Item>(state, spare) + thread * shape_.length;
  if constexpr (!kIsWide)
    if (items == sorted) from = mine;
  load(mine, from, 0, shape_.length);
  write(state, row, sortItems(from, other, shape_.length), 0, shape_.length);
}

// The kernel indexes a whole array of items: the thread's few stand where they would lie in one. Gives that array.
template <class Item>
typename RadixSortStep<Item>::Made* RadixSortStep<Item>::makeGroup(RunState& state, int64_t group, int thread) const {
  constexpr size_t kMostOperands = 64;
  const int64_t first = group * groups_.elements, all = shape_.rows * shape_.length, last = std::min(first + groups_.elements, all);
  const auto own = reinterpret_cast<uintptr_t>(scratch<Made>(state, items) + thread * groups_.elements);
  auto* whole = reinterpret_cast<Made*>(own - static_cast<uintptr_t>(first) * sizeof(Made));
  void* buffers[kMostOperands];
  for (size_t i = 0; i + 1 < kernelSlots_.size(); ++i) buffers[i] = state.pointers[static_cast<size_t>(kernelSlots_[i])];
  buffers[kernelSlots_.size() - 1] = whole;
  const CompiledKernel& kernel = state.kernels->at(kernel_);
  auto itemOf = [&](int64_t element) { return element == all ? kernel.parallelCount : element / groups_.locality.elements * groups_.locality.items; };
  kernel.function(buffers, itemOf(first), itemOf(last));
  return whole;
}

template <class Item>
void RadixSortStep<Item>::sortGroup(RunState& state, int64_t group, int thread) const {
  Made* whole = makeGroup(state, group, thread);
  for (int64_t row = group * groups_.rows; row < std::min(shape_.rows, (group + 1) * groups_.rows); ++row)
    sortRow(state, row, whole + shape_.firstOf(row), thread);
}

template <class Item>
Status RadixSortStep<Item>::run(RunState& state) {
  if (shape_.length == 0 || shape_.rows == 0) return {};
  if (groups_.count > 0) {
    state.pool->parallelFor(groups_.count, std::max<int64_t>(1, kGroup / groups_.elements), [&](int64_t begin, int64_t end, int thread) {
      for (int64_t group = begin; group < end; ++group) sortGroup(state, group, thread);
    });
    return {};
  }
  TESSERA_TRY(makeItems_.run(state));
  if (isShared) {
    for (int64_t row = 0; row < shape_.rows; ++row) sortLongRow(state, row);
    return {};
  }
  state.pool->parallelFor(shape_.rows, std::max<int64_t>(1, 2048 / shape_.length), [&](int64_t begin, int64_t end, int thread) {
    for (int64_t row = begin; row < end; ++row) sortRow(state, row, scratch<Made>(state, items) + shape_.firstOf(row), thread);
  });
  return {};
}

// Few long rows are sorted one after the other by all threads; a kernel that cannot run in parts makes all items at once.
RowGroups groupsOf(const LoopProgram& program, const SortShape& shape, const codegen::Target& target) {
  const int64_t all = shape.rows * shape.length, unit = shape.length * shape.inner;
  if (all == 0 || (shape.rows < kFewRows && shape.length >= ParallelRadixSort::kWorthSharing) || program.body.operands.size() > 32) return {};
  auto analysis = codegen::ProgramAnalysis::of(program);
  if (!analysis) return {};
  const auto nest = codegen::KernelNest::of(program, *analysis, target);
  const auto locality = codegen::rowLocalityOf(program, *analysis, nest, std::vector<bool>(program.body.operands.size(), false));
  if (!locality) return {};
  const int64_t step = locality->elements / std::gcd(locality->elements, unit), wanted = (std::clamp<int64_t>(all / 8, 1, kGroup) + unit - 1) / unit;
  const int64_t units = (wanted + step - 1) / step * step, elements = units * unit;
  if (elements > kMostGroup || elements > all / 2) return {};
  return {(all + elements - 1) / elements, elements, units * shape.inner, *locality};
}

template <class Item>
Result<StepPtr> planRadix(LibraryContext& context, const SortKey& key, const SortShape& shape, std::vector<int> widths, SortPayload payload, KeyForm form = {}) {
  LoopProgram program = codegen::flattenShortAxis(codegen::unrollShort(codegen::asLoopProgram(expandApproximations(key.items))), context.kernels.target().vectorBytes / 4);
  const RowGroups groups = groupsOf(program, shape, context.kernels.target());
  constexpr auto kMade = static_cast<int64_t>(sizeof(Item) == 4 ? 4 : 8);
  const bool isShared = groups.count == 0 && shape.length >= ParallelRadixSort::kWorthSharing && shape.rows < 2 * context.threads;
  const int64_t all = shape.rows * shape.length, elements = isShared ? all : context.threads * shape.length;  // of rows that are sorted
  int items = context.outputs[0];  // keys without payload lie where their values will
  if (sizeof(Item) != 4 || groups.count > 0) {
    TESSERA_ASSIGN_OR_RETURN(items, context.scratch(kMade * (groups.count > 0 ? context.threads * groups.elements : all)));
  }
  TESSERA_ASSIGN_OR_RETURN(const size_t kernel, context.kernels.add(std::move(program), std::string(context.instruction.name)));
  std::vector<int> slots = context.operands;
  slots.push_back(items);
  auto step = std::make_unique<RadixSortStep<Item>>(kernel, std::move(slots), shape, groups);
  step->items = items;
  step->isShared = isShared;
  const bool reuses = sizeof(Item) <= 8 && shape.inner == 1;  // the kernel's items are the rows already
  step->sorted = items;
  if (!reuses) {
    TESSERA_ASSIGN_OR_RETURN(step->sorted, context.scratch(static_cast<int64_t>(sizeof(Item)) * elements));
  }
  TESSERA_ASSIGN_OR_RETURN(step->spare, context.scratch(static_cast<int64_t>(sizeof(Item)) * elements));
  step->operands = context.operands;
  step->outputs = context.outputs;
  step->widths = std::move(widths);
  step->payload = payload;
  step->form = form;
  context.what = "sort (radix)";
  return step;
}

}  // namespace

Result<StepPtr> planSort(LibraryContext& context) {
  const Instruction& sort = context.instruction;
  std::vector<ComputationId> callees = context.module.callees(sort);
  const Shape& first = context.module.shapeOf(sort.operands[0]);
  const std::vector<int64_t>& dimensions = sort.attributes->ints(Attr::dimensions);
  if (callees.size() != 1 || first.rank() == 0) return fail(std::string(sort.name) + ": sort without a comparator or a dimension");
  const auto dimension = static_cast<size_t>(dimensions.empty() ? first.rank() - 1 : dimensions[0]);
  auto comparator = composeScalar(context.module, callees[0]);
  if (!comparator) return fail(std::move(comparator).error());
  SortShape shape;
  shape.length = first.dimensions[dimension];
  for (size_t d = 0; d < first.dimensions.size(); ++d) {
    if (d != dimension) shape.rows *= first.dimensions[d];
    if (d > dimension) shape.inner *= first.dimensions[d];
  }
  std::vector<Shape> operands;
  std::vector<int> widths;
  for (InstructionId operand : sort.operands) {
    operands.push_back(context.module.shapeOf(operand));
    widths.push_back(byteWidth(operands.back().type));
  }
  const bool isWhole = operands[0].type == ElementType::Pred || info(operands[0].type).bits == 8 * widths[0];
  const bool byValue = operands.size() == 1 && widths[0] <= 4 && isWhole && shape.length > kFew;
  const auto form = byValue && shape.inner == 1 && context.outputs[0] != context.operands[0] ? sortsByKeyAlone(*comparator, operands) : std::nullopt;
  const SortPayload payload = form ? SortPayload::None : byValue ? SortPayload::Value : SortPayload::Index;
  const bool fits = shape.length <= INT32_MAX && shape.rows <= (int64_t{1} << 55) / std::max<int64_t>(shape.length, 1);
  auto key = fits ? sortKeyOf(*comparator, operands, static_cast<int64_t>(dimension), payload) : std::nullopt;
  if (!key) return planSortByCalls(context, *comparator, shape, std::move(widths));
  if (form) return planRadix<uint32_t>(context, *key, shape, std::move(widths), payload, *form);
  return key->isWide ? planRadix<WideItem>(context, *key, shape, std::move(widths), payload)
                     : planRadix<uint64_t>(context, *key, shape, std::move(widths), payload);
}

}  // namespace tessera::cpu
