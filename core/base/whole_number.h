// A double as a whole number of 64 bits: the plain conversion is undefined out of range.
#pragma once

#include <cstdint>
#include <optional>

namespace tessera {

// Without its decimals; NaN has no whole number.
inline std::optional<int64_t> checkedWhole(double value) {
  constexpr double kLimit = 0x1p63;
  if (!(value >= -kLimit && value < kLimit)) return std::nullopt;
  return static_cast<int64_t>(value);
}
// The nearest that there is; 0 for NaN.
inline int64_t saturatingWhole(double value) {
  if (value != value) return 0;
  return checkedWhole(value).value_or(value < 0 ? INT64_MIN : INT64_MAX);
}

}  // namespace tessera
