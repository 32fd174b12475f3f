// See fft_transform.h. Roots of unity are computed one by one from reduced angles, so that errors do not add up.
#include "core/ops/fft_transform.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace tessera {

namespace {

using Complex = std::complex<double>;
constexpr size_t kLargestRadix = 31;  // longer prime factors go through the chirp

// Products without the checks for infinities that operator* makes.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

std::complex<double> rootOfUnity(size_t numerator, size_t denominator, double sign) {
  const auto eighths = static_cast<size_t>(static_cast<unsigned __int128>(numerator) * 8 / denominator);
  const size_t quarter = (eighths + 1) / 2;  // nearest quarter turn
  const double rest = (static_cast<double>(numerator) * 4 - static_cast<double>(quarter) * static_cast<double>(denominator)) /
                      (4 * static_cast<double>(denominator));
  const double c = std::cos(2 * std::numbers::pi * rest), s = std::sin(2 * std::numbers::pi * rest);
  const Complex turned[] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
  const Complex root = turned[quarter % 4];
  return {root.real(), sign * root.imag()};
}

// A transform of length n as a convolution with exp(πi k² / n), done by transforms whose length is a power of two.
struct FourierTransform::Chirp {
  size_t padded;
  std::vector<Complex> chirp, kernel, work;
  FourierTransform forward, backward;

  Chirp(size_t n, double sign)
      : padded(std::bit_ceil(2 * n - 1)), chirp(n), kernel(padded), work(padded), forward(padded, false), backward(padded, true) {
    for (size_t k = 0; k < n; ++k)
      chirp[k] = rootOfUnity(static_cast<size_t>(static_cast<unsigned __int128>(k) * k % (2 * n)), 2 * n, sign);
    for (size_t k = 0; k < n; ++k) kernel[k] = kernel[(padded - k) % padded] = std::conj(chirp[k]);
    forward.apply(kernel.data());
  }

  void apply(Complex* line) {
    for (size_t k = 0; k < chirp.size(); ++k) work[k] = product(line[k], chirp[k]);
    std::fill(work.begin() + static_cast<std::ptrdiff_t>(chirp.size()), work.end(), Complex());
    forward.apply(work.data());
    for (size_t k = 0; k < padded; ++k) work[k] = product(work[k], kernel[k]);
    backward.apply(work.data());
    for (size_t k = 0; k < chirp.size(); ++k) line[k] = product(work[k], chirp[k]);
  }
};

FourierTransform::FourierTransform(size_t length, bool inverse) : length_(length), inverse_(inverse) {
  const double sign = inverse ? 1 : -1;
  size_t rest = length;
  for (size_t radix : {size_t{4}, size_t{2}, size_t{3}, size_t{5}, size_t{7}, size_t{11}, size_t{13}, size_t{17}, size_t{19},
                       size_t{23}, size_t{29}, kLargestRadix})
    for (; rest > 1 && rest % radix == 0; rest /= radix) factors_.push_back(radix);
  if (rest > 1) {
    chirp_ = std::make_unique<Chirp>(length, sign);
    return;
  }
  roots_.resize(length);
  for (size_t k = 0; k < length; ++k) roots_[k] = rootOfUnity(k, length, sign);
  input_.resize(length);
  column_.resize(kLargestRadix + 1);
}

FourierTransform::~FourierTransform() = default;

void FourierTransform::apply(Complex* line) {
  if (length_ > 1) {
    if (chirp_) {
      chirp_->apply(line);
    } else {
      std::copy_n(line, length_, input_.begin());
      transform(input_.data(), 1, line, length_, 0);
    }
  }
  if (inverse_)
    for (size_t k = 0; k < length_; ++k) line[k] /= static_cast<double>(length_);
}

// Decimation in time: the transforms of `radix` interleaved parts, one after the other in `out`, then combined.
void FourierTransform::transform(const Complex* in, size_t step, Complex* out, size_t length, size_t factor) {
  if (length == 1) {
    out[0] = in[0];
    return;
  }
  const size_t radix = factors_[factor], rest = length / radix;
  for (size_t r = 0; r < radix; ++r) transform(in + r * step, step * radix, out + r * rest, rest, factor + 1);
  combine(out, radix, rest, length_ / length);
}

// `turn`: distance in roots_ of one step around a circle of radix * rest steps.
void FourierTransform::combine(Complex* out, size_t radix, size_t rest, size_t turn) {
  const size_t circle = radix * rest;
  for (size_t k = 0; k < rest; ++k) {
    for (size_t r = 0; r < radix; ++r) column_[r] = product(out[r * rest + k], roots_[r * k * turn]);
    if (radix == 2) {
      out[k] = column_[0] + column_[1];
      out[rest + k] = column_[0] - column_[1];
      continue;
    }
    for (size_t q = 0; q < radix; ++q) {
      Complex sum = column_[0];
      for (size_t r = 1; r < radix; ++r) sum += product(column_[r], roots_[(r * q * rest % circle) * turn]);
      out[q * rest + k] = sum;
    }
  }
}

}  // namespace tessera
