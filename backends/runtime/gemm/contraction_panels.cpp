// See contraction_panels.h. Widths are at most kMaxWidth, so that a panel's row offsets fit on the stack.
#include "backends/runtime/gemm/contraction_panels.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <type_traits>

#include "backends/runtime/half_floats.h"
#include "core/hlo/numbers.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kMaxWidth = 64;

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class P, class T>
P converted(const T& value) {
  if constexpr (std::is_same_v<T, SmallFloat<ElementType::BF16, uint16_t>>)
    return static_cast<P>(static_cast<float>(Bf16(value.bits)));
  else if constexpr (std::is_same_v<T, SmallFloat<ElementType::F16, uint16_t>>)
    return static_cast<P>(static_cast<float>(F16(value.bits)));
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<P>(value);
  else if constexpr (std::is_floating_point_v<P>)
    return static_cast<P>(static_cast<double>(value));
  else
    return static_cast<P>(static_cast<int64_t>(value));
}

template <class T, class P, int kParts>
void put(P* to, int64_t width, const T& value) {
  if constexpr (kParts == 1) {
    *to = converted<P>(value);
  } else if constexpr (kIsComplex<T>) {
    to[0] = static_cast<P>(value.real());
    to[width] = static_cast<P>(value.imag());
  }
}

// Calls fn(tag of the element type, tag of the sums' part, parts) for types that converts() allows.
template <class Fn>
void visitPair(ElementType from, ElementType sums, Fn&& fn) {
  visitNative(from, [&](auto element) {
    using T = typename decltype(element)::Type;
    constexpr bool kFloat =
        std::is_floating_point_v<T> || (!std::is_arithmetic_v<T> && std::is_convertible_v<T, double>);
    if constexpr (kIsComplex<T>) {
      if (sums == ElementType::C64) fn(element, TypeTag<float>{}, std::integral_constant<int, 2>{});
      if (sums == ElementType::C128) fn(element, TypeTag<double>{}, std::integral_constant<int, 2>{});
    } else if constexpr (kFloat || std::is_constructible_v<double, T>) {
      if (sums == ElementType::F32) fn(element, TypeTag<float>{}, std::integral_constant<int, 1>{});
      if (sums == ElementType::F64) fn(element, TypeTag<double>{}, std::integral_constant<int, 1>{});
    }
    if constexpr (!kIsComplex<T> && !std::is_floating_point_v<T> && std::is_constructible_v<int64_t, T>) {
      if (sums == ElementType::S32) fn(element, TypeTag<int32_t>{}, std::integral_constant<int, 1>{});
      if (sums == ElementType::S64) fn(element, TypeTag<int64_t>{}, std::integral_constant<int, 1>{});
    }
  });
}

}  // namespace

int64_t PanelSource::innerSize() const {
  if (windows.empty()) return product(inner);
  int64_t size = depth.size;
  for (const WindowOffsets& window : windows) size *= window.window;
  return size;
}

bool PanelPacker::converts(ElementType from, ElementType sumType) {
  if (isComplex(sumType)) return isComplex(from);
  if (isFloat(sumType)) return isFloat(from);
  return isInteger(from) || from == ElementType::Pred;
}

bool PanelPacker::fitsPairs(ElementType from) {
  return from == ElementType::Pred || (isInteger(from) && info(from).bits + !isSigned(from) <= 16);
}

PanelPacker::PanelPacker(PanelSource source, ElementType sumType, int64_t width, bool pairs)
    : source_(std::move(source)),
      sumType_(sumType),
      width_(width),
      inner_(source_.innerSize()),
      batches_(product(source_.batch)),
      outer_(source_.outerSize()),
      panels_((outer_ + width - 1) / width),
      stepBytes_(byteWidth(sumType)),
      together_(pairs ? 2 : 1) {
  if (source_.windows.empty()) innerOffsets_ = allOffsets(source_.inner);
}

void PanelPacker::rowOffsets(int64_t first, int64_t count, int64_t* out) const {
  for (int64_t r = 0; r < count; ++r) out[r] = offsetAt(source_.outer, first + r);
}

template <class T, class P, int kParts, int kTogether>
void PanelPacker::packRows(const T* from, const int64_t* rows, int64_t count, P* to) const {
  bool adjacent = true;
  for (int64_t r = 1; r < count; ++r) adjacent = adjacent && rows[r] == rows[0] + r;
  for (int64_t k = 0; k < inner_; k += kTogether, to += kTogether * kParts * width_) {
    const T* at[kTogether];
    for (int e = 0; e < kTogether; ++e) at[e] = from + innerOffsets_[static_cast<size_t>(std::min(k + e, inner_ - 1))];
    if constexpr (std::is_same_v<T, P> && kTogether == 1) {
      if (adjacent) {
        std::memcpy(to, at[0] + rows[0], static_cast<size_t>(count) * sizeof(T));
        std::fill(to + count, to + width_, P{});
        continue;
      }
    }
    const auto putRows = [&](auto&& place) {
      for (int64_t r = 0; r < count; ++r)
        for (int e = 0; e < kTogether; ++e) put<T, P, kParts>(to + r * kTogether + e, width_, at[e][place(r)]);
    };
    if (adjacent)
      putRows([first = rows[0]](int64_t r) { return first + r; });
    else
      putRows([rows](int64_t r) { return rows[r]; });
    for (int64_t r = count * kTogether; r < width_ * kTogether; ++r)
      for (int p = 0; p < kParts; ++p) to[r + p * width_] = P{};
    for (int64_t r = 0; r < count && k + kTogether > inner_; ++r) to[r * kTogether + kTogether - 1] = P{};
  }
}

template <class T, class P, int kParts, int kTogether>
void PanelPacker::packWindows(const T* from, int64_t first, int64_t count, P* to) const {
  const size_t spatial = source_.windows.size();
  int64_t rows[kMaxWidth], positions[kMaxWidth][kMaxSpatial], element[kMaxSpatial] = {};
  rowOffsets(first, count, rows);
  for (int64_t r = 0; r < count; ++r)
    for (int64_t rest = first + r, d = static_cast<int64_t>(spatial) - 1; d >= 0; --d) {
      positions[r][d] = rest % source_.windows[static_cast<size_t>(d)].positions;
      rest /= source_.windows[static_cast<size_t>(d)].positions;
    }
  int64_t k = 0;
  for (int64_t taps = inner_ / source_.depth.size; taps-- > 0;) {
    int64_t at[kMaxWidth];
    for (int64_t r = 0; r < count; ++r) {
      at[r] = rows[r];
      for (size_t d = 0; d < spatial && at[r] >= 0; ++d) {
        const WindowOffsets& window = source_.windows[d];
        int64_t offset = window.at[static_cast<size_t>(positions[r][d] * window.window + element[d])];
        at[r] = offset < 0 ? -1 : at[r] + offset;
      }
    }
    for (int64_t f = 0; f < source_.depth.size; ++f, ++k) {
      P* step = to + k / kTogether * kTogether * kParts * width_;
      if (k % kTogether == 0) std::fill(step, step + kTogether * kParts * width_, P{});
      for (int64_t r = 0; r < count; ++r)
        if (at[r] >= 0)
          put<T, P, kParts>(step + r * kTogether + k % kTogether, width_, from[at[r] + f * source_.depth.stride]);
    }
    for (size_t d = spatial; d-- > 0 && ++element[d] == source_.windows[d].window;) element[d] = 0;
  }
}

template <class T, class P, int kParts, int kTogether>
void PanelPacker::packAs(const T* from, int64_t first, int64_t count, P* to) const {
  if (!source_.windows.empty()) return packWindows<T, P, kParts, kTogether>(from, first, count, to);
  int64_t rows[kMaxWidth];
  rowOffsets(first, count, rows);
  packRows<T, P, kParts, kTogether>(from, rows, count, to);
}

void PanelPacker::pack(const std::byte* from, int64_t batch, int64_t panel, std::byte* to) const {
  int64_t first = panel * width_, count = std::min(width_, outer_ - first);
  int64_t start = source_.start + offsetAt(source_.batch, batch);
  visitPair(source_.type, sumType_, [&](auto element, auto part, auto parts) {
    using T = typename decltype(element)::Type;
    using P = typename decltype(part)::Type;
    constexpr int kParts = decltype(parts)::value;
    const T* array = reinterpret_cast<const T*>(from) + start;
    if constexpr (std::is_same_v<P, int32_t>) {
      if (together_ == 2) return packAs<T, int16_t, 1, 2>(array, first, count, reinterpret_cast<int16_t*>(to));
    }
    packAs<T, P, kParts, 1>(array, first, count, reinterpret_cast<P*>(to));
  });
}

}  // namespace tessera::cpu
