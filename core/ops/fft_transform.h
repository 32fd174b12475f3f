// Fourier transforms of one line of complex numbers, of any length: mixed radix for small prime factors, Bluestein's
// chirp for the others. Made once per length, applied to many lines. Stands below the op file fft.cpp.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace tessera {

// exp(sign · 2πi · numerator / denominator), exact at multiples of a quarter turn.
std::complex<double> rootOfUnity(size_t numerator, size_t denominator, double sign);

class FourierTransform {
 public:
  using Complex = std::complex<double>;
  // inverse: exponent +, and every element divided by the length.
  FourierTransform(size_t length, bool inverse);
  ~FourierTransform();
  // In place.
  void apply(Complex* line);

 private:
  struct Chirp;
  void transform(const Complex* in, size_t step, Complex* out, size_t length, size_t factor);
  void combine(Complex* out, size_t radix, size_t rest, size_t turn);

  size_t length_;
  bool inverse_;
  std::vector<size_t> factors_;
  std::vector<Complex> roots_;  // exp(∓2πi k / length)
  std::vector<Complex> input_, column_;
  std::unique_ptr<Chirp> chirp_;
};

}  // namespace tessera
