// See prefix_sum_step.h.
#include "backends/runtime/prefix_sum_step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "backends/runtime/half_floats.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kChains = 8, kLink = 256, kBlock = kChains * kLink;  // elements of the minor dimension
constexpr int64_t kColumns = 64;                                       // of a major one's rows, together

int64_t blocksOf(const Scan& scan) { return (scan.length + kBlock - 1) / kBlock; }

struct Add {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
  template <class T>
  static constexpr T neutral() {
    return T(0);
  }
};

struct Multiply {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(uint64_t{1} * static_cast<std::make_unsigned_t<T>>(a) *
                            static_cast<std::make_unsigned_t<T>>(b));
    else
      return a * b;
  }
  template <class T>
  static constexpr T neutral() {
    return T(1);
  }
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
    if constexpr (std::is_floating_point_v<T>)
      return kLargest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    else
      return kLargest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
};

// Sums of type T, of elements of type S in memory.
template <class T, class Op, class S = T>
class PrefixSumStep : public Step {
 public:
  explicit PrefixSumStep(const Scan& scan) : shape_(scan) {}
  Status run(RunState& state) override;
  const char* loader() const override { return "tessera_step_scan"; }
  void save(FieldWriter& out) override { out(shape_); }

 private:
  S* at(RunState& state, int slot) const { return reinterpret_cast<S*>(state.pointers[static_cast<size_t>(slot)]); }
  // Element i of a row in the direction of the scan.
  int64_t place(int64_t i) const { return shape_.reversed ? shape_.length - 1 - i : i; }
  void scanColumns(RunState& state, int64_t outer, int64_t column) const;
  T total(const S* row, int64_t begin, int64_t end) const;
  void scanBlock(const S* from, S* to, int64_t begin, int64_t end, T carry) const;
  void scanRow(RunState& state, int64_t row) const;
  void scanAllColumns(RunState& state) const;
  void scanAllRows(RunState& state) const;
  void scanAllBlocks(RunState& state) const;

  Scan shape_;
};

template <class T, class Op, class S>
void PrefixSumStep<T, Op, S>::scanColumns(RunState& state, int64_t outer, int64_t column) const {
  const int64_t count = std::min(kColumns, shape_.inner - column),
                first = outer * shape_.length * shape_.inner + column;
  const S* from = at(state, shape_.from) + first;
  S* to = at(state, shape_.to) + first;
  const T start = T(*at(state, shape_.initial));
  T sums[kColumns];
  std::fill_n(sums, kColumns, start);
  for (int64_t i = 0; i < shape_.length; ++i) {
    const S* in = from + place(i) * shape_.inner;
    S* out = to + place(i) * shape_.inner;
    if (count == kColumns)
      for (int64_t k = 0; k < kColumns; ++k) out[k] = S(sums[k] = Op::of(sums[k], T(in[k])));
    else
      for (int64_t k = 0; k < count; ++k) out[k] = S(sums[k] = Op::of(sums[k], T(in[k])));
  }
}

template <class T, class Op, class S>
T PrefixSumStep<T, Op, S>::total(const S* row, int64_t begin, int64_t end) const {
  constexpr int kSums = 16;
  T sums[kSums];
  std::fill_n(sums, kSums, Op::template neutral<T>());
  int64_t i = begin;
  const S* memory = shape_.reversed ? row + (shape_.length - end) : row + begin;  // the same elements, in memory order
  const int64_t count = end - begin;
  for (i = 0; i + kSums <= count; i += kSums)
    for (int k = 0; k < kSums; ++k) sums[k] = Op::of(sums[k], T(memory[i + k]));
  for (; i < count; ++i) sums[i % kSums] = Op::of(sums[i % kSums], T(memory[i]));
  T all = sums[0];
  for (int k = 1; k < kSums; ++k) all = Op::of(all, sums[k]);
  return all;
}

// Eight links of the block are walked at once, each from the total of what precedes it.
template <class T, class Op, class S>
void PrefixSumStep<T, Op, S>::scanBlock(const S* from, S* to, int64_t begin, int64_t end, T carry) const {
  if (end - begin < kBlock) {
    for (int64_t i = begin; i < end; ++i) to[place(i)] = S(carry = Op::of(carry, T(from[place(i)])));
    return;
  }
  T sums[kChains];
  for (int64_t c = 0; c < kChains; ++c) {
    sums[c] = carry;
    if (c + 1 < kChains) carry = Op::of(carry, total(from, begin + c * kLink, begin + (c + 1) * kLink));
  }
  const int64_t step = shape_.reversed ? -1 : 1;
  const S* in = from + place(begin);
  S* out = to + place(begin);
  for (int64_t i = 0; i < kLink; ++i, in += step, out += step)
    for (int64_t c = 0; c < kChains; ++c) out[c * kLink * step] = S(sums[c] = Op::of(sums[c], T(in[c * kLink * step])));
}

template <class T, class Op, class S>
void PrefixSumStep<T, Op, S>::scanRow(RunState& state, int64_t row) const {
  const S* from = at(state, shape_.from) + row * shape_.length;
  S* to = at(state, shape_.to) + row * shape_.length;
  T carry = T(*at(state, shape_.initial));
  for (int64_t b = 0; b < blocksOf(shape_); ++b) {
    const int64_t begin = b * kBlock, end = std::min(shape_.length, begin + kBlock);
    const T next = b + 1 < blocksOf(shape_) ? Op::of(carry, total(from, begin, end)) : carry;
    scanBlock(from, to, begin, end, carry);
    carry = next;
  }
}

template <class T, class Op, class S>
void PrefixSumStep<T, Op, S>::scanAllColumns(RunState& state) const {
  const int64_t groups = (shape_.inner + kColumns - 1) / kColumns;
  const int64_t atOnce = std::max<int64_t>(1, tuning().threads.scannedElements / (kColumns * shape_.length));
  state.pool->parallelFor(shape_.outer * groups, atOnce, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) scanColumns(state, i / groups, i % groups * kColumns);
  });
}

template <class T, class Op, class S>
void PrefixSumStep<T, Op, S>::scanAllRows(RunState& state) const {
  const int64_t atOnce = std::max<int64_t>(1, tuning().threads.scannedElements / shape_.length);
  state.pool->parallelFor(shape_.outer, atOnce, [&](int64_t begin, int64_t end, int) {
    for (int64_t row = begin; row < end; ++row) scanRow(state, row);
  });
}

// Few long rows: the total of each block, what goes into each block, then the blocks.
template <class T, class Op, class S>
void PrefixSumStep<T, Op, S>::scanAllBlocks(RunState& state) const {
  const int64_t blocks = blocksOf(shape_), atOnce = std::max<int64_t>(1, tuning().threads.scannedElements / kBlock);
  T* totals = reinterpret_cast<T*>(state.pointers[static_cast<size_t>(shape_.totals)]);
  auto forBlocks = [&](auto&& work) {
    state.pool->parallelFor(shape_.outer * blocks, atOnce, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / blocks, first = i % blocks * kBlock;
        work(i, row * shape_.length, first, std::min(shape_.length, first + kBlock));
      }
    });
  };
  forBlocks([&](int64_t i, int64_t row, int64_t begin, int64_t end) {
    totals[i] = total(at(state, shape_.from) + row, begin, end);
  });
  for (int64_t row = 0; row < shape_.outer; ++row) {
    T carry = T(*at(state, shape_.initial));
    for (int64_t b = 0; b < blocks; ++b) {
      T& each = totals[row * blocks + b];
      const T next = Op::of(carry, each);
      each = carry;
      carry = next;
    }
  }
  forBlocks([&](int64_t i, int64_t row, int64_t begin, int64_t end) {
    scanBlock(at(state, shape_.from) + row, at(state, shape_.to) + row, begin, end, totals[i]);
  });
}

template <class T, class Op, class S>
Status PrefixSumStep<T, Op, S>::run(RunState& state) {
  const int64_t fewRows = tuning().threads.scannedRows;
  if (shape_.outer * shape_.length * shape_.inner == 0) return {};
  if (shape_.inner > 1)
    scanAllColumns(state);
  else if (shape_.outer >= fewRows || blocksOf(shape_) < fewRows)
    scanAllRows(state);
  else
    scanAllBlocks(state);
  return {};
}

template <class T, class S = T>
StepPtr scanOf(const Scan& scan) {
  switch (scan.op) {
    case ScanOp::Add: return std::make_unique<PrefixSumStep<T, Add, S>>(scan);
    case ScanOp::Multiply: return std::make_unique<PrefixSumStep<T, Multiply, S>>(scan);
    case ScanOp::Maximum: return std::make_unique<PrefixSumStep<T, Extreme<true>, S>>(scan);
    case ScanOp::Minimum: return std::make_unique<PrefixSumStep<T, Extreme<false>, S>>(scan);
  }
  return nullptr;
}

// Complex numbers have no order.
template <class T>
StepPtr complexScanOf(const Scan& scan) {
  switch (scan.op) {
    case ScanOp::Add: return std::make_unique<PrefixSumStep<T, Add>>(scan);
    case ScanOp::Multiply: return std::make_unique<PrefixSumStep<T, Multiply>>(scan);
    default: return nullptr;
  }
}

}  // namespace

int64_t scanScratchBytes(const Scan& scan) {
  return scan.inner > 1 ? 0 : scan.outer * blocksOf(scan) * std::max(4, byteWidth(scan.type));
}

StepPtr makeScanStep(const Scan& scan) {
  switch (scan.type) {
    case ElementType::F32: return scanOf<float>(scan);
    case ElementType::F64: return scanOf<double>(scan);
    case ElementType::BF16: return scanOf<float, Bf16>(scan);
    case ElementType::F16: return scanOf<float, F16>(scan);
    case ElementType::C64: return complexScanOf<std::complex<float>>(scan);
    case ElementType::C128: return complexScanOf<std::complex<double>>(scan);
    case ElementType::S8: return scanOf<int8_t>(scan);
    case ElementType::U8: return scanOf<uint8_t>(scan);
    case ElementType::S16: return scanOf<int16_t>(scan);
    case ElementType::U16: return scanOf<uint16_t>(scan);
    case ElementType::S32: return scanOf<int32_t>(scan);
    case ElementType::U32: return scanOf<uint32_t>(scan);
    case ElementType::S64: return scanOf<int64_t>(scan);
    case ElementType::U64: return scanOf<uint64_t>(scan);
    default: return nullptr;
  }
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_scan(tessera::cpu::FieldReader& in) {
  tessera::cpu::Scan scan;
  in(scan);
  return in.good() ? tessera::cpu::makeScanStep(scan).release() : nullptr;
}
