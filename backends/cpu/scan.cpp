// Running totals (cumulative sums, products, maxima …) in one or two passes over memory. Along a major dimension whole rows
// are combined; along the minor one a row is cut into blocks: their totals are combined first, then each block is walked
// by several independent chains. How a row is cut depends on its length only, so results do not depend on the threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "backends/cpu/library_steps.h"
#include "core/element/compose.h"
#include "core/passes/patterns.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kChains = 8, kLink = 256, kBlock = kChains * kLink;  // elements of the minor dimension
constexpr int64_t kColumns = 64;                                       // of a major one's rows, together

struct Add {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else return a + b;
  }
  template <class T>
  static constexpr T neutral() { return T(0); }
};

struct Multiply {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
    else return a * b;
  }
  template <class T>
  static constexpr T neutral() { return T(1); }
};

// NaN wins; of two zeros the one with the right sign.
template <bool kLargest>
struct Extreme {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return a;
      if (b != b) return b;
      if (a == b) return std::signbit(a) == kLargest ? b : a;
    }
    return kLargest == (a > b) ? a : b;
  }
  template <class T>
  static constexpr T neutral() {
    if constexpr (std::is_floating_point_v<T>) return kLargest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    else return kLargest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
};

// The array as [outer, length, inner].
struct ScanShape {
  int64_t outer = 1, length = 1, inner = 1;
  bool reversed = false;
  int64_t blocks() const { return (length + kBlock - 1) / kBlock; }
};

template <class T, class Op>
class ScanStep : public Step {
 public:
  ScanStep(const ScanShape& shape, int from, int initial, int to, int totals)
      : shape_(shape), from_(from), initial_(initial), to_(to), totals_(totals) {}
  Status run(RunState& state) override;

 private:
  T* at(RunState& state, int slot) const { return reinterpret_cast<T*>(state.pointers[static_cast<size_t>(slot)]); }
  // Element i of a row in the direction of the scan.
  int64_t place(int64_t i) const { return shape_.reversed ? shape_.length - 1 - i : i; }
  void scanColumns(RunState& state, int64_t outer, int64_t column) const;
  T total(const T* row, int64_t begin, int64_t end) const;
  void scanBlock(const T* from, T* to, int64_t begin, int64_t end, T carry) const;
  void scanRow(RunState& state, int64_t row) const;

  ScanShape shape_;
  int from_, initial_, to_, totals_;
};

template <class T, class Op>
void ScanStep<T, Op>::scanColumns(RunState& state, int64_t outer, int64_t column) const {
  const int64_t count = std::min(kColumns, shape_.inner - column), first = outer * shape_.length * shape_.inner + column;
  const T *from = at(state, from_) + first, start = *at(state, initial_);
  T* to = at(state, to_) + first;
  T sums[kColumns];
  std::fill_n(sums, kColumns, start);
  for (int64_t i = 0; i < shape_.length; ++i) {
    const T* in = from + place(i) * shape_.inner;
    T* out = to + place(i) * shape_.inner;
    if (count == kColumns)
      for (int64_t k = 0; k < kColumns; ++k) out[k] = sums[k] = Op::of(sums[k], in[k]);
    else
      for (int64_t k = 0; k < count; ++k) out[k] = sums[k] = Op::of(sums[k], in[k]);
  }
}

template <class T, class Op>
T ScanStep<T, Op>::total(const T* row, int64_t begin, int64_t end) const {
  constexpr int kSums = 16;
  T sums[kSums];
  std::fill_n(sums, kSums, Op::template neutral<T>());
  int64_t i = begin;
  const T* memory = shape_.reversed ? row + (shape_.length - end) : row + begin;  // the same elements, in memory order
  const int64_t count = end - begin;
  for (i = 0; i + kSums <= count; i += kSums)
    for (int k = 0; k < kSums; ++k) sums[k] = Op::of(sums[k], memory[i + k]);
  for (; i < count; ++i) sums[i % kSums] = Op::of(sums[i % kSums], memory[i]);
  T all = sums[0];
  for (int k = 1; k < kSums; ++k) all = Op::of(all, sums[k]);
  return all;
}

// Eight links of the block are walked at once, each from the total of what stands before it.
template <class T, class Op>
void ScanStep<T, Op>::scanBlock(const T* from, T* to, int64_t begin, int64_t end, T carry) const {
  if (end - begin < kBlock) {
    for (int64_t i = begin; i < end; ++i) to[place(i)] = carry = Op::of(carry, from[place(i)]);
    return;
  }
  T sums[kChains];
  for (int64_t c = 0; c < kChains; ++c) {
    sums[c] = carry;
    if (c + 1 < kChains) carry = Op::of(carry, total(from, begin + c * kLink, begin + (c + 1) * kLink));
  }
  const int64_t step = shape_.reversed ? -1 : 1;
  const T* in = from + place(begin);
  T* out = to + place(begin);
  for (int64_t i = 0; i < kLink; ++i, in += step, out += step)
    for (int64_t c = 0; c < kChains; ++c) out[c * kLink * step] = sums[c] = Op::of(sums[c], in[c * kLink * step]);
}

template <class T, class Op>
void ScanStep<T, Op>::scanRow(RunState& state, int64_t row) const {
  const T* from = at(state, from_) + row * shape_.length;
  T *to = at(state, to_) + row * shape_.length, carry = *at(state, initial_);
  for (int64_t b = 0; b < shape_.blocks(); ++b) {
    const int64_t begin = b * kBlock, end = std::min(shape_.length, begin + kBlock);
    const T next = b + 1 < shape_.blocks() ? Op::of(carry, total(from, begin, end)) : carry;
    scanBlock(from, to, begin, end, carry);
    carry = next;
  }
}

template <class T, class Op>
Status ScanStep<T, Op>::run(RunState& state) {
  if (shape_.outer * shape_.length * shape_.inner == 0) return {};
  const int64_t blocks = shape_.blocks();
  if (shape_.inner > 1) {
    const int64_t pieces = (shape_.inner + kColumns - 1) / kColumns;
    state.pool->parallelFor(shape_.outer * pieces, std::max<int64_t>(1, 256 / shape_.length), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) scanColumns(state, i / pieces, i % pieces * kColumns);
    });
    return {};
  }
  if (shape_.outer >= 8 || blocks < 8) {
    state.pool->parallelFor(shape_.outer, std::max<int64_t>(1, 4 * kBlock / shape_.length), [&](int64_t begin, int64_t end, int) {
      for (int64_t row = begin; row < end; ++row) scanRow(state, row);
    });
    return {};
  }
  T* totals = at(state, totals_);
  auto forBlocks = [&](auto&& work) {
    state.pool->parallelFor(shape_.outer * blocks, 4, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / blocks, first = i % blocks * kBlock;
        work(i, row * shape_.length, first, std::min(shape_.length, first + kBlock));
      }
    });
  };
  forBlocks([&](int64_t i, int64_t row, int64_t begin, int64_t end) { totals[i] = total(at(state, from_) + row, begin, end); });
  for (int64_t row = 0; row < shape_.outer; ++row) {
    T carry = *at(state, initial_);
    for (int64_t b = 0; b < blocks; ++b) {
      T& each = totals[row * blocks + b];
      const T next = Op::of(carry, each);
      each = carry;
      carry = next;
    }
  }
  forBlocks([&](int64_t i, int64_t row, int64_t begin, int64_t end) {
    scanBlock(at(state, from_) + row, at(state, to_) + row, begin, end, totals[i]);
  });
  return {};
}

template <class T, class Op>
Result<StepPtr> makeScan(LibraryContext& context, const ScanShape& shape) {
  auto bytes = shape.inner > 1 ? 0 : shape.outer * shape.blocks() * static_cast<int64_t>(sizeof(T));
  TESSERA_ASSIGN_OR_RETURN(const int totals, context.scratch(bytes));
  context.what = "running totals";
  return std::make_unique<ScanStep<T, Op>>(shape, context.operands[0], context.operands[1], context.outputs[0], totals);
}

template <class T>
Result<StepPtr> scanOf(NodeOp op, LibraryContext& context, const ScanShape& shape) {
  switch (op) {
    case NodeOp::Add: return makeScan<T, Add>(context, shape);
    case NodeOp::Multiply: return makeScan<T, Multiply>(context, shape);
    case NodeOp::Maximum: return makeScan<T, Extreme<true>>(context, shape);
    case NodeOp::Minimum: return makeScan<T, Extreme<false>>(context, shape);
    default: return StepPtr{};
  }
}

// The one operation on both parameters that the combiner is; Constant: another one.
NodeOp operationOf(const ElementProgram& combiner) {
  const Node& root = combiner.at(combiner.results[0]);
  if (root.inputCount != 2) return NodeOp::Constant;
  const auto inputs = combiner.inputsOf(combiner.results[0]);
  const Node &a = combiner.at(inputs[0]), &b = combiner.at(inputs[1]);
  return a.op == NodeOp::Read && b.op == NodeOp::Read && a.bits0 != b.bits0 ? root.op : NodeOp::Constant;
}

}  // namespace

Result<StepPtr> planScan(LibraryContext& context) {
  const auto form = runningTotal(context.module, context.instruction);
  const std::vector<ComputationId> callees = context.module.callees(context.instruction);
  if (!form || callees.size() != 1) return StepPtr{};
  auto combiner = composeScalar(context.module, callees[0]);
  const Shape& input = context.module.shapeOf(context.instruction.operands[0]);
  if (!combiner || context.module.shapeOf(context.instruction.operands[1]).type != input.type) return StepPtr{};
  ScanShape shape;
  shape.reversed = form->reversed;
  for (size_t d = 0; d < input.dimensions.size(); ++d)
    (d < form->dimension ? shape.outer : d == form->dimension ? shape.length : shape.inner) *= input.dimensions[d];
  const NodeOp op = operationOf(*combiner);
  switch (input.type) {
    case ElementType::F32: return scanOf<float>(op, context, shape);
    case ElementType::F64: return scanOf<double>(op, context, shape);
    case ElementType::S32: return scanOf<int32_t>(op, context, shape);
    case ElementType::U32: return scanOf<uint32_t>(op, context, shape);
    case ElementType::S64: return scanOf<int64_t>(op, context, shape);
    case ElementType::U64: return scanOf<uint64_t>(op, context, shape);
    default: return StepPtr{};
  }
}

}  // namespace tessera::cpu
