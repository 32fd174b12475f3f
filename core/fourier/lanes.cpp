// See lanes.h.
#include "core/fourier/lanes.h"

#include <algorithm>
#include <utility>

#include "core/fourier/stockham_passes.h"

namespace tessera {
namespace {

using namespace fourier;

template <class Real>
TESSERA_INLINE void loadOneByOne(const FourierLines<Real>& from, size_t begin, size_t end, Real* lanes) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  for (size_t i = begin; i < end; ++i)
    for (size_t l = 0; l < kLanes; ++l) {
      const std::complex<Real> value =
          l < from.count ? from.first[l * from.lineStep + i * from.step] : std::complex<Real>();
      lanes[i * 2 * kLanes + l] = value.real();
      lanes[i * 2 * kLanes + kLanes + l] = value.imag();
    }
}

template <bool kShuffles, class Real>
TESSERA_INLINE void loadLines(const FourierLines<Real>& from, size_t length, Real* lanes) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  if (from.lineStep == 1 && from.count == kLanes) {
    for (size_t i = 0; i < length; ++i) storePair(lanes, i, loadComplex(from.first + i * from.step));
    return;
  }
  const size_t whole = from.step == 1 && length >= kLanes ? length : 0;
  for (size_t begin = 0; begin < whole; begin += kLanes) {
    const size_t i = std::min(begin, length - kLanes);  // the last block may share elements with the one before
    Block<Real> block;
    for (size_t l = 0; l < from.count; ++l) block.set(l, loadComplex(from.first + l * from.lineStep + i));
    block.template transpose<kShuffles>();
    for (size_t k = 0; k < kLanes; ++k) storePair(lanes, i + k, block.at(k));
  }
  loadOneByOne(from, whole, length, lanes);
}

template <bool kShuffles, class Real>
TESSERA_INLINE void storeLines(const Real* lanes, size_t length, Real scale, const FourierLines<Real>& to) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  if (to.lineStep == 1 && to.count == kLanes) {
    for (size_t i = 0; i < length; ++i) storeComplex(to.first + i * to.step, scaled(loadPair(lanes, i), scale));
    return;
  }
  const size_t whole = to.step == 1 && length >= kLanes ? length : 0;
  for (size_t begin = 0; begin < whole; begin += kLanes) {
    const size_t i = std::min(begin, length - kLanes);
    Block<Real> block;
    for (size_t k = 0; k < kLanes; ++k) block.set(k, scaled(loadPair(lanes, i + k), scale));
    block.template transpose<kShuffles>();
    for (size_t l = 0; l < to.count; ++l) storeComplex(to.first + l * to.lineStep + i, block.at(l));
  }
  for (size_t i = whole; i < length; ++i)
    for (size_t l = 0; l < to.count; ++l)
      to.first[l * to.lineStep + i * to.step] = {lanes[i * 2 * kLanes + l] * scale,
                                                 lanes[i * 2 * kLanes + kLanes + l] * scale};
}

template <Width kWidth, class Real>
TESSERA_INLINE void linesHere(const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                              const FourierLines<Real>& to, Real* lanes) {
  loadLines<hasShuffles(kWidth)>(from, transform.length, lanes);
  storeLines<hasShuffles(kWidth)>(runPasses<kWidth>(transform, lanes, lanes + transform.length * kLaneElement<Real>),
                                  transform.length, transform.scale, to);
}

// The transform back is the forward one of conjugates.
template <Width kWidth, class Real>
TESSERA_INLINE void chirpsHere(const LaneChirp<Real>& chirp, const FourierLines<Real>& from,
                               const FourierLines<Real>& to, Real* lanes) {
  const size_t padded = chirp.padded.length;
  loadLines<hasShuffles(kWidth)>(from, chirp.length, lanes);
  for (size_t k = 0; k < chirp.length; ++k) storePair(lanes, k, product(loadPair<Real>(lanes, k), chirp.chirp[k]));
  for (size_t k = chirp.length; k < padded; ++k) storePair(lanes, k, Pair<Real>{});
  Real *other = lanes + padded * kLaneElement<Real>, *spectra = runPasses<kWidth>(chirp.padded, lanes, other);
  for (size_t k = 0; k < padded; ++k)
    storePair(spectra, k, conjugate(product(loadPair<Real>(spectra, k), chirp.kernel[k])));
  Real* result = runPasses<kWidth>(chirp.padded, spectra, spectra == lanes ? other : lanes);
  for (size_t k = 0; k < chirp.length; ++k)
    storePair(result, k, product(conjugate(loadPair<Real>(result, k)), chirp.chirp[k]));
  storeLines<hasShuffles(kWidth)>(result, chirp.length, chirp.scale, to);
}

// Element 0 is in every sum, and the sum of the others is the circle's spectrum at 0.
template <Width kWidth, class Real>
TESSERA_INLINE void primesHere(const LanePrime<Real>& prime, const FourierLines<Real>& from,
                               const FourierLines<Real>& to, Real* lanes) {
  const size_t n = prime.length(), circle = n - 1;
  Real* other = lanes + n * kLaneElement<Real>;
  loadLines<hasShuffles(kWidth)>(from, n, lanes);
  const Pair<Real> first = loadPair<Real>(lanes, 0);
  for (size_t q = 0; q < circle; ++q) storePair(other, q, loadPair<Real>(lanes, prime.order[q]));
  Real* spectra = runPasses<kWidth>(prime.circle, other, lanes);
  const Pair<Real> all = first + loadPair<Real>(spectra, 0);
  for (size_t k = 0; k < circle; ++k)
    storePair(spectra, k, conjugate(product(loadPair<Real>(spectra, k), prime.kernel[k])));
  const Real* sums = runPasses<kWidth>(prime.circle, spectra, spectra == lanes ? other : lanes);
  Real* result = sums == lanes ? other : lanes;
  storePair(result, 0, all);
  storePair(result, prime.order[0], first + conjugate(loadPair<Real>(sums, 0)));
  for (size_t q = 1; q < circle; ++q)
    storePair(result, prime.order[circle - q], first + conjugate(loadPair<Real>(sums, q)));
  storeLines<hasShuffles(kWidth)>(result, n, prime.scale, to);
}

template <Width kWidth, class Real>
TESSERA_INLINE void columnsHere(const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                                const ColumnTwiddles<Real>& twiddles, size_t columns, size_t column, Real* matrix,
                                Real* lanes) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  const size_t rows = transform.length;
  loadLines<hasShuffles(kWidth)>(from, rows, lanes);
  const Real* result = runPasses<kWidth>(transform, lanes, lanes + rows * kLaneElement<Real>);
  for (size_t u = 0; u < rows; u += kLanes, matrix += columns * kLaneElement<Real>) {
    Block<Real> block;
    const size_t count = std::min(kLanes, rows - u);
    for (size_t k = 0; k < count; ++k) {
      const Pair<Real> element = scaled(loadPair<Real>(result, u + k), transform.scale);
      block.set(k, product(product(element, twiddles.far[u + k]), loadPair(twiddles.near, u + k)));
    }
    block.template transpose<hasShuffles(kWidth)>();
    for (size_t l = 0; l < from.count; ++l) storePair(matrix, column + l, block.at(l));
  }
}

template <Width kWidth, class Real>
TESSERA_INLINE void rowsHere(const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to,
                             Real* lanes) {
  storeLines<hasShuffles(kWidth)>(runPasses<kWidth>(transform, group, lanes), transform.length, transform.scale, to);
}

TESSERA_WIDTHS(void, lines,
               (const LaneTransform<Real>& transform, const FourierLines<Real>& from, const FourierLines<Real>& to,
                Real* lanes),
               (transform, from, to, lanes))
TESSERA_WIDTHS(void, chirps,
               (const LaneChirp<Real>& chirp, const FourierLines<Real>& from, const FourierLines<Real>& to,
                Real* lanes),
               (chirp, from, to, lanes))
TESSERA_WIDTHS(void, primes,
               (const LanePrime<Real>& prime, const FourierLines<Real>& from, const FourierLines<Real>& to,
                Real* lanes),
               (prime, from, to, lanes))
TESSERA_WIDTHS(void, columns,
               (const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                const ColumnTwiddles<Real>& twiddles, size_t count, size_t column, Real* matrix, Real* lanes),
               (transform, from, twiddles, count, column, matrix, lanes))
TESSERA_WIDTHS(void, rows,
               (const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to, Real* lanes),
               (transform, group, to, lanes))

}  // namespace

template <class Real>
void transformLines(const LaneTransform<Real>& transform, const FourierLines<Real>& from, const FourierLines<Real>& to,
                    Real* lanes) {
  lines<Real>(transform, from, to, lanes);
}
template <class Real>
void transformChirps(const LaneChirp<Real>& chirp, const FourierLines<Real>& from, const FourierLines<Real>& to,
                     Real* lanes) {
  chirps<Real>(chirp, from, to, lanes);
}
template <class Real>
void transformPrimes(const LanePrime<Real>& prime, const FourierLines<Real>& from, const FourierLines<Real>& to,
                     Real* lanes) {
  primes<Real>(prime, from, to, lanes);
}
template <class Real>
void transformColumns(const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                      const ColumnTwiddles<Real>& twiddles, size_t columnCount, size_t column, Real* matrix,
                      Real* lanes) {
  columns<Real>(transform, from, twiddles, columnCount, column, matrix, lanes);
}
template <class Real>
void transformRows(const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to, Real* lanes) {
  rows<Real>(transform, group, to, lanes);
}

#define TESSERA_FOURIER(Real)                                                                                         \
  template void transformLines(const LaneTransform<Real>&, const FourierLines<Real>&, const FourierLines<Real>&,      \
                               Real*);                                                                                \
  template void transformChirps(const LaneChirp<Real>&, const FourierLines<Real>&, const FourierLines<Real>&, Real*); \
  template void transformPrimes(const LanePrime<Real>&, const FourierLines<Real>&, const FourierLines<Real>&, Real*); \
  template void transformColumns(const LaneTransform<Real>&, const FourierLines<Real>&, const ColumnTwiddles<Real>&,  \
                                 size_t, size_t, Real*, Real*);                                                       \
  template void transformRows(const LaneTransform<Real>&, Real*, const FourierLines<Real>&, Real*);
TESSERA_FOURIER(float)
TESSERA_FOURIER(double)
#undef TESSERA_FOURIER

}  // namespace tessera
