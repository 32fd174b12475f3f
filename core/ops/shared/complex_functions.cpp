// See complex_functions.h.
#include "core/ops/shared/complex_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace tessera {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Complex128 kUndefined{kNaN, kNaN};

bool isFinite(Complex128 z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }
bool hasNaN(Complex128 z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

}  // namespace

double complexSize(Complex128 z) { return hasNaN(z) ? kNaN : std::abs(z); }

Complex128 complexExp(Complex128 z) { return std::isfinite(z.imag()) ? std::exp(z) : kUndefined; }

// exp(x + iy) - 1 = (expm1(x) cos y - 2 sin²(y/2)) + i exp(x) sin y: no cancellation near zero.
Complex128 complexExpm1(Complex128 z) {
  if (z.imag() == 0) return {std::expm1(z.real()), z.imag()};
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}

Complex128 complexLog(Complex128 z) { return hasNaN(z) ? kUndefined : std::log(z); }

// log|1 + z| = log1p(x² + 2x + y²) / 2, which keeps the digits of small z.
Complex128 complexLog1p(Complex128 z) {
  if (hasNaN(z)) return kUndefined;
  const double x = z.real(), y = z.imag(), square = x * (x + 2) + y * y;
  const double size = std::fabs(square) < 0.5 ? std::log1p(square) / 2 : std::log(std::hypot(1 + x, y));
  return {size, std::atan2(y, 1 + x)};
}

// 1 / (1 + e^-z), by whichever exponential is small; beside the poles at (2n + 1) pi i as (1 + tanh(z / 2)) / 2.
Complex128 complexLogistic(Complex128 z) {
  if (!std::isfinite(z.imag())) return kUndefined;
  z = {z.real(), z.imag() + 0.0};
  if (std::fabs(z.real()) < 1) return 0.5 + std::tanh(z / 2.0) / 2.0;
  if (z.real() > 0) return 1.0 / (1.0 + std::exp(-z));
  const Complex128 e = std::exp(z);
  return e / (1.0 + e);
}

Complex128 complexSqrt(Complex128 z) {
  return hasNaN(z) ? kUndefined : std::sqrt(Complex128(z.real(), z.imag() + 0.0));
}

// The reciprocal by C99's Annex G: zeros with the signs of the conjugate.
Complex128 complexRsqrt(Complex128 z) {
  const Complex128 root = std::sqrt(z);
  if (std::isinf(root.real()) || std::isinf(root.imag()))
    return {std::copysign(0.0, root.real()), -std::copysign(0.0, root.imag())};
  if (root.imag() == 0 && root.real() != 0) return {1 / root.real(), -root.imag()};
  return 1.0 / root;
}

Complex128 complexSine(Complex128 z) {
  if (isFinite(z)) return std::sin(z);
  return {std::sin(z.real()) * std::cosh(z.imag()), std::cos(z.real()) * std::sinh(z.imag())};
}

Complex128 complexCosine(Complex128 z) {
  if (isFinite(z)) return std::cos(z);
  return {std::cos(z.real()) * std::cosh(z.imag()), -(std::sin(z.real()) * std::sinh(z.imag()))};
}

Complex128 complexTanh(Complex128 z) {
  if (!std::isinf(z.real()) && !std::isfinite(z.imag())) return kUndefined;
  return std::tanh(z);
}

// tan z = -i tanh(iz).
Complex128 complexTan(Complex128 z) {
  if (isFinite(z)) return std::tan(z);
  const Complex128 rotated = complexTanh({-z.imag(), z.real()});
  return {rotated.imag(), -rotated.real()};
}

Complex128 complexSign(Complex128 z) {
  const double size = std::abs(z);
  return size == 0 ? z : z / size;
}

// By polar coordinates in long double: an exponent of hundreds takes eight or nine bits from the logarithm.
Complex128 complexPower(Complex128 base, Complex128 exponent) {
  if (exponent == 0.0 || base == 1.0) return 1;
  if (base.imag() == 0 && base.real() == std::numeric_limits<double>::infinity() && exponent.imag() == 0)
    return std::pow(base.real(), exponent.real());
  if (base == 0.0) {
    if (exponent.real() > 0 && exponent.imag() == 0) return 0;
    return kUndefined;
  }
  using Long = long double;
  const std::complex<Long> log = std::log(std::complex<Long>(base.real(), base.imag()));
  const Long c = exponent.real(), d = exponent.imag();
  const Long size = std::exp(c * log.real() - d * log.imag()), angle = c * log.imag() + d * log.real();
  if (angle == 0) return {static_cast<double>(size), static_cast<double>(angle)};
  return {static_cast<double>(size * std::cos(angle)), static_cast<double>(size * std::sin(angle))};
}

// -i/2 · log(1 + q) with q = 2iy / (x - iy), which is small where y is; the plain formula says on which sheet.
Complex128 complexAtan2(Complex128 y, Complex128 x) {
  __extension__ using Quad = __float128;
  using Long = long double;
  const std::complex<Long> a(x.real(), x.imag()), b(y.real(), y.imag()), i(0, 1);
  const std::complex<Long> log = std::log((a + i * b) / std::sqrt(a * a + b * b)), plain(log.imag(), -log.real());
  const Quad re = Quad(x.real()) + y.imag(), im = Quad(x.imag()) - y.real();  // x - iy
  const Quad size = re * re + im * im;
  const Quad qr = 2 * (y.real() * im - y.imag() * re) / size, qi = 2 * (y.real() * re + y.imag() * im) / size;
  const auto half = std::atan2(static_cast<Long>(qi), static_cast<Long>(1 + qr)) / 2;
  const auto growth = static_cast<Long>(2 * qr + qr * qr + qi * qi);
  const Long logSize =
      std::abs(growth) < 0.5L ? std::log1p(growth) : std::log(static_cast<Long>((1 + qr) * (1 + qr) + qi * qi));
  if (!std::isfinite(plain.real() + plain.imag() + half + logSize))
    return {static_cast<double>(plain.real()), static_cast<double>(plain.imag())};
  constexpr Long kPi = std::numbers::pi_v<Long>;
  Long angle = half + kPi * std::round((plain.real() - half) / kPi);
  if (std::abs(angle) > kPi) angle -= std::copysign(2 * kPi, angle);
  return {static_cast<double>(angle), static_cast<double>(-logSize / 4)};
}

namespace {

bool hasNan(Complex128 a) { return std::isnan(a.real()) || std::isnan(a.imag()); }
bool isLess(Complex128 a, Complex128 b) { return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag()); }

}  // namespace

Complex128 complexMaximum(Complex128 a, Complex128 b) { return !hasNan(a) && (hasNan(b) || isLess(a, b)) ? b : a; }
Complex128 complexMinimum(Complex128 a, Complex128 b) { return !hasNan(a) && (hasNan(b) || isLess(b, a)) ? b : a; }

}  // namespace tessera
