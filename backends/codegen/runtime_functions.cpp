// See runtime_functions.h. Names: tessera_<what>_<type>; f64 and f32 for the C library's functions, narrow floats by
// their HLO name for encoding, integers by width for powers.
#include "backends/codegen/runtime_functions.h"

#include <cmath>
#include <cstdint>

#include "core/element/complex_pairs.h"
#include "core/hlo/numbers.h"

namespace tessera::codegen {

namespace {

// By whichever exponential is small: e^-x would overflow where the result is still a denormal.
double logisticF64(double x) { return x < 0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x)); }
// The C library's, rounded once: in double they miss by more than 2 ulp.
double tanhF64(double x) { return static_cast<double>(std::tanh(static_cast<long double>(x))); }
double acoshF64(double x) { return static_cast<double>(std::acosh(static_cast<long double>(x))); }
// The C library's own is up to 3.7 ulp away.
double cbrtF64(double x) { return static_cast<double>(std::cbrt(static_cast<long double>(x))); }
float logisticF32(float x) { return static_cast<float>(logisticF64(x)); }

// HLO's integer power wraps; a negative exponent gives 0 but for the bases 1 and -1, of others the low six bits count.
int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (int64_t e = exponent & 63; e != 0; e >>= 1, square *= square)
    if (e & 1) result *= square;
  return static_cast<int64_t>(result);
}

double powerRe(double a, double b, double c, double d) { return powerOf({a, b}, {c, d}).real(); }
double powerIm(double a, double b, double c, double d) { return powerOf({a, b}, {c, d}).imag(); }
double angleRe(double a, double b, double c, double d) { return angleOf({a, b}, {c, d}).real(); }
double angleIm(double a, double b, double c, double d) { return angleOf({a, b}, {c, d}).imag(); }

template <ElementType kType>
uint32_t encode(double value) { return doubleToSmallFloat(kType, value); }

template <class Fn>
void* address(Fn* fn) { return reinterpret_cast<void*>(fn); }

}  // namespace

std::vector<std::pair<std::string_view, void*>> runtimeFunctions() {
  using D1 = double(double);
  using F1 = float(float);
  using D2 = double(double, double);
  using F2 = float(float, float);
  return {
#define TESSERA_UNARY(name, cfunction) \
  {"tessera_" name "_f64", address(static_cast<D1*>(cfunction))}, {"tessera_" name "_f32", address(static_cast<F1*>(cfunction))},
      TESSERA_UNARY("exp", std::exp) TESSERA_UNARY("expm1", std::expm1) TESSERA_UNARY("log", std::log)
      TESSERA_UNARY("log1p", std::log1p) TESSERA_UNARY("tan", std::tan)
      TESSERA_UNARY("sin", std::sin) TESSERA_UNARY("cos", std::cos) TESSERA_UNARY("erf", std::erf)
      {"tessera_cbrt_f64", address(cbrtF64)}, {"tessera_cbrt_f32", address(static_cast<F1*>(std::cbrt))},
      TESSERA_UNARY("acos", std::acos)
      TESSERA_UNARY("asin", std::asin) TESSERA_UNARY("asinh", std::asinh) TESSERA_UNARY("atanh", std::atanh)
      TESSERA_UNARY("sinh", std::sinh) TESSERA_UNARY("cosh", std::cosh)
#undef TESSERA_UNARY
      {"tessera_tanh_f64", address(tanhF64)}, {"tessera_tanh_f32", address(static_cast<F1*>(std::tanh))},
      {"tessera_acosh_f64", address(acoshF64)}, {"tessera_acosh_f32", address(static_cast<F1*>(std::acosh))},
      {"tessera_logistic_f64", address(logisticF64)}, {"tessera_logistic_f32", address(logisticF32)},
      {"tessera_pow_f64", address(static_cast<D2*>(std::pow))}, {"tessera_pow_f32", address(static_cast<F2*>(std::pow))},
      {"tessera_atan2_f64", address(static_cast<D2*>(std::atan2))},
      {"tessera_atan2_f32", address(static_cast<F2*>(std::atan2))},
      {"tessera_fmod_f64", address(static_cast<D2*>(std::fmod))},
      {"tessera_fmod_f32", address(static_cast<F2*>(std::fmod))},
      {"fmod", address(static_cast<D2*>(std::fmod))}, {"fmodf", address(static_cast<F2*>(std::fmod))},
      {"fma", address(static_cast<double (*)(double, double, double)>(std::fma))},
      {"fmaf", address(static_cast<float (*)(float, float, float)>(std::fma))},
      {"tessera_ipow_s64", address(integerPower)},
      {"tessera_pow_c128_re", address(powerRe)}, {"tessera_pow_c128_im", address(powerIm)},
      {"tessera_atan2_c128_re", address(angleRe)}, {"tessera_atan2_c128_im", address(angleIm)},
#define TESSERA_ENCODE(type) {"tessera_encode_" #type, address(encode<ElementType::type>)},
      TESSERA_ENCODE(F8E5M2) TESSERA_ENCODE(F8E4M3) TESSERA_ENCODE(F8E4M3FN) TESSERA_ENCODE(F8E4M3B11FNUZ)
      TESSERA_ENCODE(F8E3M4) TESSERA_ENCODE(F8E5M2FNUZ) TESSERA_ENCODE(F8E4M3FNUZ) TESSERA_ENCODE(F8E8M0FNU)
      TESSERA_ENCODE(F6E3M2FN) TESSERA_ENCODE(F6E2M3FN) TESSERA_ENCODE(F4E2M1FN)
#undef TESSERA_ENCODE
  };
}

}  // namespace tessera::codegen
