// The vector code of Fourier transforms: kFourierLanes lines side by side in the lanes of vectors, Stockham's passes,
// one a radix, from one buffer to the other and back; and the ways lines come from memory and go back. Single precision
// for single data. Compiled for the widths of vectors that processors have. Stands below transform.h.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

template <class Real>
inline constexpr size_t kFourierLanes = 64 / sizeof(Real);
inline constexpr size_t kLargestRadix = 31;  // longer prime factors go through the chirp

// Vectors of at most so many bytes (16, 32 or 64) from now on, as on a processor that has no wider ones: for tests.
void limitFourierVectors(size_t bytes);

// Lines at a constant stride: element i of line l is at first[l * lineStep + i * step].
template <class Real>
struct FourierLines {
  std::complex<Real>* first;
  size_t count, lineStep, step;
};

// One transform: `roots[k]` is exp(∓2πi k / length).
template <class Real>
struct LaneTransform {
  size_t length;
  std::span<const size_t> factors;
  const std::complex<Real>* roots;
  Real scale;
};

// Elements of a lane buffer: real parts of all lanes, then imaginary ones. `lanes` has room for two buffers.
template <class Real>
inline constexpr size_t kLaneElement = 2 * kFourierLanes<Real>;

// At most kFourierLanes lines, from one place to another or the same.
template <class Real>
void transformLines(const LaneTransform<Real>& transform, const FourierLines<Real>& from, const FourierLines<Real>& to,
                    Real* lanes);

// The four-step method, one line as a matrix with element (i, j) at i·columns + j. Its first half: some of the
// columns, whose first is `column`, are transformed, their elements (u, j) multiplied by the twiddle factor root(u·j),
// and stored as groups of rows: lane buffers of `columns` elements one after the other. far: of (u, column); near: lane
// buffer of root(u·lane).
template <class Real>
struct ColumnTwiddles {
  const std::complex<Real>* far;
  const Real* near;
};
template <class Real>
void transformColumns(const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                      const ColumnTwiddles<Real>& twiddles, size_t columns, size_t column, Real* matrix, Real* lanes);
// Its second half: a group of rows, which is overwritten. Row u's element v goes to line u of `to`.
template <class Real>
void transformRows(const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to, Real* lanes);

// A convolution with a chirp (Bluestein's method), by transforms of `padded.length` elements there and back: of lines
// of `length` elements times chirp[k], spectra times kernel[k]; the results times chirp[k] and scale.
template <class Real>
struct LaneChirp {
  LaneTransform<Real> padded;
  size_t length;
  const std::complex<Real>*chirp, *kernel;
  Real scale;
};
template <class Real>
void transformChirps(const LaneChirp<Real>& chirp, const FourierLines<Real>& from, const FourierLines<Real>& to,
                     Real* lanes);

// A line of prime length (Rader's method): elements 1 to n - 1 in the order of powers of a primitive root are convolved
// in a circle with the roots in that order, by transforms of n - 1 elements there and back. order[q]: the root to the
// power q; spectra times kernel[k].
template <class Real>
struct LanePrime {
  LaneTransform<Real> circle;
  const uint32_t* order;
  const std::complex<Real>* kernel;
  Real scale;
  size_t length() const { return circle.length + 1; }
};
// `lanes` has room for two buffers of n elements.
template <class Real>
void transformPrimes(const LanePrime<Real>& prime, const FourierLines<Real>& from, const FourierLines<Real>& to,
                     Real* lanes);

// to[k] = a[k] · b[k] · scale, of the conjugate of a, and conjugated, on request.
struct Conjugates {
  bool factor, result;
};
template <class Real>
void multiplyElements(std::complex<Real>* to, const std::complex<Real>* a, const std::complex<Real>* b, size_t count,
                      Conjugates conjugates, Real scale);

// A real line of 2·half elements taken as `half` complex ones. Their spectrum in line[0..half) becomes that of the
// real line, line[0..half]; roots[k] = exp(-πi k / half).
template <class Real>
void joinHalves(std::complex<Real>* line, size_t half, const std::complex<Real>* roots);
// And back: from[0..half], whose first and last imaginary parts are not looked at, to to[0..half); they may be the
// same.
template <class Real>
void partHalves(const std::complex<Real>* from, std::complex<Real>* to, size_t half, const std::complex<Real>* roots);

// Whether all of the elements are finite numbers.
template <class Real>
bool allFinite(const Real* elements, size_t count);

}  // namespace tessera
