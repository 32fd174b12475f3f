// Numbers of PTX that C++ has no type for: f16 and bf16, pairs of them, and rounding of a double to narrow floats in
// any direction. Used by the handlers of float instructions and conversions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "backends/cuda/simulated/decode/decoder.h"
#include "core/hlo/numbers.h"

namespace tessera::cuda::simulated {

// A literal's bits as a value of the type.
uint64_t literalBits(const Operand& operand, Type type);

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
template <class T>
struct Pair {
  T low, high;
};
using Half2 = Pair<Half>;
using BFloat2 = Pair<BFloat>;

inline double toDouble(Half value) { return static_cast<double>(std::bit_cast<_Float16>(value.bits)); }
inline double toDouble(BFloat value) { return std::bit_cast<float>(uint32_t{value.bits} << 16); }

// Rounds a double to a narrow float of `type` (its bits), in any direction.
uint32_t roundTo(ElementType type, double value, Rounding rounding);

template <class T>
T narrow(double value);
template <>
inline Half narrow<Half>(double value) {
  return {std::bit_cast<uint16_t>(static_cast<_Float16>(value))};
}
template <>
inline BFloat narrow<BFloat>(double value) {
  return {static_cast<uint16_t>(roundTo(ElementType::BF16, value, Rounding::Nearest))};
}

// What approximate instructions of f64 give: the upper half of the bits.
template <auto kOp>
constexpr auto kUpperHalf = [](double a) {
  const double value = kOp(a);
  return std::isnan(value) ? value : std::bit_cast<double>(std::bit_cast<uint64_t>(value) >> 32 << 32);
};

// Calls op on the values, those of narrow floats as doubles, pairs element by element.
template <auto kOp, class T, class... Rest>
T applyFloat(T first, Rest... rest) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return static_cast<T>(kOp(first, rest...));
  else if constexpr (requires { first.low; })
    return {applyFloat<kOp>(first.low, rest.low...), applyFloat<kOp>(first.high, rest.high...)};
  else
    return narrow<T>(kOp(toDouble(first), toDouble(rest)...));
}

}  // namespace tessera::cuda::simulated
