// What rows of scalar_functions.inc call beside the C library: constant folding, the interpreter and the kernels' run
// time compute with VALUE, the evaluator with EVALUATED, which takes another way. Integers are 64 bits, sign- or
// zero-extended; the store wraps them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "core/element/approximations/complex_pairs.h"
#include "core/hlo/element_type.h"

namespace tessera::scalar {

// --- real numbers
template <class T>
T sign(T a) {
  return std::isnan(a) || a == 0 ? a : std::copysign(T(1), a);
}

template <class T>
T largest(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// By whichever exponential is small: e^-x would overflow where the result is still a denormal.
inline double logistic(double a) { return a < 0 ? std::exp(a) / (1.0 + std::exp(a)) : 1.0 / (1.0 + std::exp(-a)); }
inline float logistic(float a) { return static_cast<float>(logistic(static_cast<double>(a))); }
// The C library's of double miss by more than 2 ulp: rounded once from a wider type.
inline double tanh(double a) { return static_cast<double>(std::tanh(static_cast<long double>(a))); }
inline float tanh(float a) { return std::tanh(a); }
inline double acosh(double a) { return static_cast<double>(std::acosh(static_cast<long double>(a))); }
inline float acosh(float a) { return std::acosh(a); }
inline double cbrt(double a) { return static_cast<double>(std::cbrt(static_cast<long double>(a))); }
inline float cbrt(float a) { return std::cbrt(a); }

// --- complex numbers
template <class T>
std::complex<T> expm1(std::complex<T> a) {
  return {std::expm1(a.real()) * std::cos(a.imag()) + std::cos(a.imag()) - T(1),
          std::exp(a.real()) * std::sin(a.imag())};
}
template <class T>
bool hasNan(std::complex<T> a) {
  return a.real() != a.real() || a.imag() != a.imag();
}
template <class T>
bool isLess(std::complex<T> a, std::complex<T> b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}
// By the real parts, of equal ones by the imaginary parts; NaN in either part wins.
template <class T>
std::complex<T> largestOf(std::complex<T> a, std::complex<T> b) {
  return !hasNan(a) && (hasNan(b) || isLess(a, b)) ? b : a;
}
template <class T>
std::complex<T> smallestOf(std::complex<T> a, std::complex<T> b) {
  return !hasNan(a) && (hasNan(b) || isLess(b, a)) ? b : a;
}
template <class T>
std::complex<T> angle(std::complex<T> a, std::complex<T> b) {
  return std::complex<T>(angleOf(std::complex<double>(a), std::complex<double>(b)));
}

// --- integers
inline uint64_t unsignedOf(int64_t a) { return static_cast<uint64_t>(a); }
inline int64_t signedOf(uint64_t a) { return static_cast<int64_t>(a); }
inline int widthOf(ElementType type) { return type == ElementType::Pred ? 1 : info(type).bits; }
inline uint64_t maskOf(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

inline int64_t add(int64_t a, int64_t b, ElementType type) {
  return type == ElementType::Pred ? a | b : signedOf(unsignedOf(a) + unsignedOf(b));
}
inline int64_t subtract(int64_t a, int64_t b, ElementType type) {
  return type == ElementType::Pred ? a ^ b : signedOf(unsignedOf(a) - unsignedOf(b));
}
inline int64_t multiply(int64_t a, int64_t b) { return signedOf(unsignedOf(a) * unsignedOf(b)); }
inline int64_t negate(int64_t a) { return signedOf(0 - unsignedOf(a)); }
inline int64_t absolute(int64_t a, ElementType type) { return isSigned(type) && a < 0 ? negate(a) : a; }
inline int64_t sign(int64_t a, ElementType type) { return isSigned(type) ? (a > 0) - (a < 0) : a != 0; }

inline int64_t divide(int64_t a, int64_t b, ElementType type) {
  if (b == 0) return -1;
  if (!isSigned(type)) return signedOf(unsignedOf(a) / unsignedOf(b));
  return b == -1 ? negate(a) : a / b;
}
inline int64_t remainder(int64_t a, int64_t b, ElementType type) {
  if (b == 0) return a;
  if (!isSigned(type)) return signedOf(unsignedOf(a) % unsignedOf(b));
  return b == -1 ? 0 : a % b;
}
inline int64_t larger(int64_t a, int64_t b, ElementType type) {
  return isSigned(type) ? std::max(a, b) : signedOf(std::max(unsignedOf(a), unsignedOf(b)));
}
inline int64_t smaller(int64_t a, int64_t b, ElementType type) {
  return isSigned(type) ? std::min(a, b) : signedOf(std::min(unsignedOf(a), unsignedOf(b)));
}

// A negative exponent gives 0 but for the bases 1 and -1; of others the low six bits count.
inline int64_t powerOfSigned(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, factor = unsignedOf(base);
  for (int64_t left = exponent & 63; left; left >>= 1, factor *= factor)
    if (left & 1) result *= factor;
  return signedOf(result);
}
// Both are read as signed, in whole bytes, whatever the type.
inline int64_t power(int64_t a, int64_t b, ElementType type) {
  const int unused = 64 - std::max(8, widthOf(type));
  const auto asSigned = [&](int64_t v) { return signedOf(unsignedOf(v) << unused) >> unused; };
  return powerOfSigned(asSigned(a), asSigned(b));
}

// A negative amount is a huge unsigned one.
inline bool isBeyond(int64_t amount, ElementType type) { return amount < 0 || amount >= widthOf(type); }
inline int64_t shiftLeft(int64_t a, int64_t b, ElementType type) {
  return isBeyond(b, type) ? 0 : signedOf((unsignedOf(a) & maskOf(widthOf(type))) << b);
}
inline int64_t shiftRightLogical(int64_t a, int64_t b, ElementType type) {
  return isBeyond(b, type) ? 0 : signedOf((unsignedOf(a) & maskOf(widthOf(type))) >> b);
}
inline int64_t shiftRightArithmetic(int64_t a, int64_t b, ElementType type) {
  const int width = widthOf(type);
  return (signedOf(unsignedOf(a) << (64 - width)) >> (64 - width)) >> (isBeyond(b, type) ? width - 1 : b);
}
inline int64_t multiplyHigh(int64_t a, int64_t b, ElementType type) {
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;
  if (isSigned(type)) return static_cast<int64_t>((static_cast<SignedWide>(a) * b) >> widthOf(type));
  return static_cast<int64_t>((static_cast<Wide>(unsignedOf(a)) * unsignedOf(b)) >> widthOf(type));
}
inline int64_t populationCount(int64_t a, ElementType type) {
  return std::popcount(unsignedOf(a) & maskOf(widthOf(type)));
}
inline int64_t countLeadingZeros(int64_t a, ElementType type) {
  return std::countl_zero(unsignedOf(a) & maskOf(widthOf(type))) - (64 - widthOf(type));
}

}  // namespace tessera::scalar
