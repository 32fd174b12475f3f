// Fourier transforms of lines of complex numbers, of any length: mixed radix for small prime factors, Bluestein's chirp for
// the others. Several lines go side by side in the lanes of vectors; a long line alone is cut into a matrix whose columns,
// then rows, do (the four-step method). Made once per length, applied to many lines. Stands below the op file fft.cpp.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/ops/fft_lanes.h"

namespace tessera {

// exp(sign · 2πi · numerator / denominator), exact at multiples of a quarter turn.
std::complex<double> rootOfUnity(size_t numerator, size_t denominator, double sign);

// Lines that lie regularly in memory: element i of line l at first[l * lineStep + i * step].
struct FourierLines {
  std::complex<double>* first;
  size_t count, lineStep, step;
};

class FourierTransform {
 public:
  using Complex = std::complex<double>;
  static constexpr size_t kLanes = kFourierLanes;
  // inverse: exponent +, and every element divided by the length.
  FourierTransform(size_t length, bool inverse);
  ~FourierTransform();
  // In place.
  void apply(const FourierLines& lines);

 private:
  struct Chirp;
  struct Split;
  void applyAlone(const FourierLines& line);
  void applySideBySide(const FourierLines& lines);

  size_t length_;
  double scale_ = 1, sign_;  // divisor of the inverse; of the exponent
  std::vector<size_t> factors_;
  std::vector<Complex> roots_;  // exp(∓2πi k / length)
  std::vector<double> lanes_;   // two buffers, each re, then im, of `length` elements by lane
  std::unique_ptr<Chirp> chirp_;
  std::unique_ptr<Split> split_;
};

}  // namespace tessera
