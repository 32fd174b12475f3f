// Special functions of chlo that HLO has no instruction for, as expressions over its elementwise operations. Arguments
// are f32 or f64. Used by lower_chlo.cpp.
#pragma once

#include <limits>

#include "core/formats/stablehlo/lowering_value.h"

namespace tessera::mlir {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value erfInverse(Value x);
Value erfComplement(Value x);
// log |gamma(x)|
Value logGamma(Value x);
Value digamma(Value x);
// exp(-|x|) I1(x), the modified Bessel function of the first kind.
Value besselI1e(Value x);
// Hurwitz: the sum over k >= 0 of (q + k)^-x.
Value zeta(Value x, Value q);
// The n-th derivative of digamma at x; NaN unless n is a whole number >= 0.
Value polygamma(Value n, Value x);

}  // namespace tessera::mlir
