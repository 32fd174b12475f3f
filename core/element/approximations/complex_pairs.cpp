// See complex_pairs.h. All of doubles in long double: its range holds the squares of all doubles, and its digits what
// large exponents of a power take from the logarithm.
#include "core/element/approximations/complex_pairs.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace tessera {
namespace {

using Long = long double;
using Complex = std::complex<Long>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Long kLongPi = std::numbers::pi_v<Long>;

std::complex<double> rounded(Complex z) { return {static_cast<double>(z.real()), static_cast<double>(z.imag())}; }

// ln(a / b) of positive numbers, with their difference given: no digits are lost where they are close.
Long logOfRatio(Long a, Long b, Long difference) {
  if (a > b) return -logOfRatio(b, a, -difference);
  const Long t = difference / b;
  return t > -0.5L ? std::log1p(t) : std::log(a / b);
}

// (angle of w - angle of v) / 2, up to a multiple of π, where w = x + iy and v = x - iy: half the angle of
// w · conj(v) where they are alike, else the difference itself, which then is not small.
Long halfAngleBetween(Complex w, Complex v, Complex y, Complex x) {
  const Long across = 2 * (x.real() * y.real() + x.imag() * y.imag()), along = std::norm(x) - std::norm(y),
             sum = std::norm(x) + std::norm(y);
  if (std::norm(w) * std::norm(v) >= sum * sum / 4) return std::atan2(across, along) / 2;
  return (std::arg(w) - std::arg(v)) / 2;
}

}  // namespace

std::complex<double> powerOf(std::complex<double> z, std::complex<double> w) {
  if (w == 0.0 || z == 1.0) return 1.0;
  if (z == kInfinity && w.imag() == 0) return std::pow(kInfinity, w.real());
  if (z == 0.0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return w.real() > 0 && w.imag() == 0 ? std::complex<double>(0) : std::complex<double>(nan, nan);
  }
  const Long re = z.real(), im = z.imag();
  const Complex log(std::log(Complex(re, im)).real(), std::atan2(im, re));
  const Long a = w.real() * log.real() - w.imag() * log.imag(), b = w.real() * log.imag() + w.imag() * log.real();
  const Long size = std::exp(a);
  return b == 0 ? rounded({size, b}) : rounded({size * std::cos(b), size * std::sin(b)});
}

// In double while w ln z leaves enough of its digits behind the point: |z|² of floats neither overflows nor vanishes
// there.
std::complex<float> powerOf(std::complex<float> z, std::complex<float> w) {
  constexpr double kMaxTerms = 1 << 22;
  const std::complex<double> wide(z), exponent(w);
  const double re = wide.real(), im = wide.imag(), log = std::log(re * re + im * im) / 2, angle = std::atan2(im, re);
  const double a = exponent.real() * log - exponent.imag() * angle, b = exponent.real() * angle + exponent.imag() * log;
  const double terms = (std::abs(exponent.real()) + std::abs(exponent.imag())) * (std::abs(log) + std::abs(angle));
  if (!(terms > 0 && terms < kMaxTerms))
    return std::complex<float>(powerOf(wide, exponent));  // of 0, of 1, to 0, NaN too
  const double size = std::exp(a);
  return std::complex<float>(b == 0 ? std::complex<double>(size, b)
                                    : std::complex<double>(size * std::cos(b), size * std::sin(b)));
}

std::complex<double> angleOf(std::complex<double> yIn, std::complex<double> xIn) {
  const Complex y(yIn.real(), yIn.imag()), x(xIn.real(), xIn.imag());
  const Complex w(x.real() - y.imag(), x.imag() + y.real()), v(x.real() + y.imag(), x.imag() - y.real());
  const Complex log = std::log(w / std::sqrt(x * x + y * y)), plain(log.imag(), -log.real());
  if (!std::isfinite(plain.real()) || !std::isfinite(plain.imag()) || std::norm(w) == 0 || std::norm(v) == 0)
    return rounded(plain);
  const Long half = halfAngleBetween(w, v, y, x);
  Long angle = half + kLongPi * std::round((plain.real() - half) / kLongPi);
  if (std::abs(angle) > kLongPi) angle -= std::copysign(2 * kLongPi, angle);
  const Long difference = 4 * (x.imag() * y.real() - x.real() * y.imag());  // |w|² - |v|²
  return rounded({angle, -logOfRatio(std::norm(w), std::norm(v), difference) / 4});
}

}  // namespace tessera
