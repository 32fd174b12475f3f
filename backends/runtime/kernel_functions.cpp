// See kernel_functions.h.
#include "backends/runtime/kernel_functions.h"

#include <cmath>
#include <complex>

#include "core/element/approximations/complex_pairs.h"
#include "core/hlo/numbers.h"

namespace {

// By whichever exponential is small: e^-x would overflow where the result is still a denormal.
double logisticF64(double x) { return x < 0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x)); }
// The C library's, rounded once: in double they miss by more than 2 ulp.
double tanhF64(double x) { return static_cast<double>(std::tanh(static_cast<long double>(x))); }
double acoshF64(double x) { return static_cast<double>(std::acosh(static_cast<long double>(x))); }
// The C library's own is up to 3.7 ulp away.
double cbrtF64(double x) { return static_cast<double>(std::cbrt(static_cast<long double>(x))); }

TesseraComplex partsOf(std::complex<double> z) { return {z.real(), z.imag()}; }

// HLO's integer power wraps; a negative exponent gives 0 but for the bases 1 and -1, of others the low six bits count.
int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (int64_t e = exponent & 63; e != 0; e >>= 1, square *= square)
    if (e & 1) result *= square;
  return static_cast<int64_t>(result);
}

}  // namespace

extern "C" {
#define TESSERA_KERNEL_FUNCTION(result, name, parameters, value) \
  result tessera_##name parameters { return value; }
#include "backends/runtime/kernel_functions.inc"
#undef TESSERA_KERNEL_FUNCTION
}
