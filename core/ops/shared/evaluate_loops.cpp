// Widening and narrowing of literal elements for the evaluators of core/ops; see evaluate_loops.h.
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

template <class T>
inline constexpr bool kIsComplexType = false;
template <class T>
inline constexpr bool kIsComplexType<std::complex<T>> = true;
template <class T>
inline constexpr bool kIsSmallFloat = false;
template <ElementType kType, class Bits>
inline constexpr bool kIsSmallFloat<SmallFloat<kType, Bits>> = true;
template <class T>
inline constexpr bool kIsSmallInt = false;
template <ElementType kType>
inline constexpr bool kIsSmallInt<SmallInt<kType>> = true;

template <class Wide, class T>
Wide widen(ElementType type, const T& value) {
  if constexpr (kIsComplexType<Wide>) {
    if constexpr (kIsComplexType<T>)
      return Wide(value.real(), value.imag());
    else
      return Wide(widen<double>(type, value), 0.0);
  } else if constexpr (kIsComplexType<T>) {
    return widen<Wide>(type, value.real());
  } else if constexpr (std::is_same_v<Wide, int64_t> && (kIsSmallFloat<T> || std::is_floating_point_v<T>)) {
    return loadInt(type, &value);
  } else if constexpr (kIsSmallFloat<T>) {
    return static_cast<double>(value);
  } else if constexpr (kIsSmallInt<T>) {
    return static_cast<Wide>(static_cast<int64_t>(value));
  } else {
    return static_cast<Wide>(value);
  }
}

template <class T, class Wide>
T narrow(ElementType type, const Wide& value) {
  if constexpr (kIsComplexType<Wide>) {
    if constexpr (kIsComplexType<T>)
      return T(static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag()));
    else
      return narrow<T>(type, value.real());
  } else if constexpr (kIsComplexType<T>) {
    return T(static_cast<typename T::value_type>(value), 0);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (kIsSmallFloat<T>) {
    return T(static_cast<double>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<Wide, double>) {
    T out;
    storeDouble(type, &out, value);
    return out;
  } else {
    return T(value);
  }
}

template <class Wide>
void load(const Literal& from, int64_t first, std::span<Wide> to) {
  const ElementType type = from.shape().type;
  visitNative(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T* data = from.data<T>().data() + first;
    for (size_t i = 0; i < to.size(); ++i) to[i] = widen<Wide>(type, data[i]);
  });
}

template <class Wide>
void store(Literal& to, int64_t first, std::span<const Wide> from) {
  const ElementType type = to.shape().type;
  visitNative(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T* data = to.mutableData<T>().data() + first;
    for (size_t i = 0; i < from.size(); ++i) data[i] = narrow<T>(type, from[i]);
  });
}

}  // namespace

void loadElements(const Literal& from, int64_t first, std::span<double> to) { load(from, first, to); }
void loadElements(const Literal& from, int64_t first, std::span<int64_t> to) { load(from, first, to); }
void loadElements(const Literal& from, int64_t first, std::span<std::complex<double>> to) { load(from, first, to); }
void storeElements(Literal& to, int64_t first, std::span<const double> from) { store(to, first, from); }
void storeElements(Literal& to, int64_t first, std::span<const int64_t> from) { store(to, first, from); }
void storeElements(Literal& to, int64_t first, std::span<const std::complex<double>> from) { store(to, first, from); }

std::vector<int64_t> intsOf(const Literal& literal) {
  std::vector<int64_t> out(static_cast<size_t>(literal.elementCount()));
  loadElements(literal, 0, std::span<int64_t>(out));
  return out;
}

}  // namespace tessera
