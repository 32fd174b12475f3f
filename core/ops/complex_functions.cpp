// See complex_functions.h.
#include "core/ops/complex_functions.h"

#include <cmath>
#include <limits>

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

Complex128 complexSqrt(Complex128 z) { return hasNaN(z) ? kUndefined : std::sqrt(Complex128(z.real(), z.imag() + 0.0)); }

// The reciprocal by C99's Annex G: zeros with the signs of the conjugate.
Complex128 complexRsqrt(Complex128 z) {
  const Complex128 root = std::sqrt(z);
  if (std::isinf(root.real()) || std::isinf(root.imag())) return {std::copysign(0.0, root.real()), -std::copysign(0.0, root.imag())};
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
  const Complex128 turned = complexTanh({-z.imag(), z.real()});
  return {turned.imag(), -turned.real()};
}

Complex128 complexSign(Complex128 z) {
  const double size = std::abs(z);
  return size == 0 ? z : z / size;
}

}  // namespace tessera
