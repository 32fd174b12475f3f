// Fourier transforms of lines of complex numbers, of any length, in the precision of their type: mixed radix for small
// prime factors (Stockham), Rader's algorithm for primes next to such lengths, Bluestein's for the others. Several
// lines go side by side in the lanes of vectors; a long line is cut into a matrix whose columns, then rows, do (the
// four-step method). Made once per length, applied to many lines by callers that bring working memory and a way to run
// loops. Stands below the op file fft.cpp and below backends/runtime/fourier_step.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/fourier/lanes.h"

namespace tessera {

// exp(sign · 2πi · numerator / denominator), exact where the angle is a multiple of π/2.
std::complex<double> rootOfUnity(size_t numerator, size_t denominator, double sign);
// Those of 0 to length - 1.
template <class Real>
std::vector<std::complex<Real>> rootsOfUnity(size_t length, double sign);

// Runs work(context, begin, end, thread) over [0, count) in chunks, as a thread pool does; without `run`, here and now.
struct FourierLoop {
  using Work = void (*)(void* context, int64_t begin, int64_t end, int thread);
  void (*run)(void* self, int64_t count, int64_t chunk, Work work, void* context) = nullptr;
  void* self = nullptr;

  template <class Fn>
  void over(size_t count, Fn&& fn) const {
    const Work work = [](void* f, int64_t begin, int64_t end, int thread) {
      for (int64_t i = begin; i < end; ++i)
        (*static_cast<std::remove_reference_t<Fn>*>(f))(static_cast<size_t>(i), static_cast<size_t>(thread));
    };
    if (run)
      run(self, static_cast<int64_t>(count), 1, work, &fn);
    else
      work(&fn, 0, static_cast<int64_t>(count), 0);
  }
};

template <class Real>
class FourierTransform {
 public:
  using Complex = std::complex<Real>;
  using Lines = FourierLines<Real>;
  static constexpr size_t kLanes = kFourierLanes<Real>;
  // Memory to work in: lineSize() numbers, and lanesSize() for each thread of the loop.
  struct Work {
    Real *line, *lanes;
    FourierLoop loop;
  };

  // inverse: exponent +, and every element divided by the length. interleaved: element i of all lines are adjacent.
  FourierTransform(size_t length, bool inverse, bool interleaved);
  FourierTransform(FourierTransform&&) noexcept;
  ~FourierTransform();

  size_t length() const { return length_; }
  size_t lineSize() const;
  size_t lanesSize() const;
  // How many lines are best given at once.
  size_t together() const;
  // As many lines, to another place or the same.
  void apply(const Lines& from, const Lines& to, const Work& work) const;

 private:
  struct Prime;
  struct Chirp;
  struct Split;
  LaneTransform<Real> lanes() const { return {length_, factors_, roots_.data(), scale_}; }

  size_t length_;
  Real scale_ = 1;
  std::vector<size_t> factors_;
  std::vector<Complex> roots_;  // exp(∓2πi k / length)
  std::unique_ptr<Prime> prime_;
  std::unique_ptr<Chirp> chirp_;
  std::unique_ptr<Split> split_;
};

// Infinities and NaNs of a real line, which a fast transform would spread over all its spectrum: they are taken out
// before it, and come in again where they count, times the roots' parts that are not 0. So the imaginary parts that a
// real line's spectrum cannot have stay 0. `step`: between the line's elements.
template <class Real>
bool canTakeOutUnbounded(const Real* line, size_t step, size_t length);
template <class Real>
void addUnbounded(const Real* line, size_t step, size_t length, std::complex<Real>* spectrum);

}  // namespace tessera
