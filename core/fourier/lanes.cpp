// See lanes.h.
#include "core/fourier/lanes.h"

#include <algorithm>
#include <utility>

#include "core/fourier/stockham_passes.h"

namespace tessera {
namespace fourier {

Width processorWidth() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Width::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Width::Avx2;
#endif
  return Width::Sse;
}
Width usedWidth = processorWidth();

}  // namespace fourier

void limitFourierVectors(size_t bytes) {
  fourier::usedWidth = std::min(fourier::processorWidth(), static_cast<fourier::Width>(bytes));
}

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

// change(x, k) of all lanes of elements 0 to count - 1, from one buffer to another.
template <Width kWidth, class Real, class Change>
TESSERA_INLINE void changeElements(const Real* from, Real* to, size_t count, const Change& change) {
  for (size_t k = 0; k < count; ++k)
    forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
      storePair<kWidth>(to + lane, k, change(loadPair<kWidth>(from + lane, k), k));
    });
}

template <Width kWidth, class Real>
TESSERA_INLINE void loadLines(const FourierLines<Real>& from, size_t length, Real* lanes) {
  constexpr size_t kSize = kVectorLanes<kWidth, Real>;
  if (from.lineStep == 1 && from.count == kFourierLanes<Real>) {
    for (size_t i = 0; i < length; ++i)
      forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
        storePair<kWidth>(lanes + lane, i, loadComplex<kWidth>(from.first + i * from.step + lane));
      });
    return;
  }
  const size_t whole = from.step == 1 && length >= kSize ? length : 0;
  for (size_t begin = 0; begin < whole; begin += kSize) {
    const size_t i = std::min(begin, length - kSize);  // the last block may share elements with the one before
    forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
      Block<kWidth, Real> block;
      const std::complex<Real>* first = from.first + lane * from.lineStep + i;
      for (size_t l = 0; lane + l < from.count && l < kSize; ++l)
        block.set(l, loadComplex<kWidth>(first + l * from.lineStep));
      block.transpose();
      for (size_t k = 0; k < kSize; ++k) storePair<kWidth>(lanes + lane, i + k, block.at(k));
    });
  }
  loadOneByOne(from, whole, length, lanes);
}

template <Width kWidth, class Real>
TESSERA_INLINE void storeLines(const Real* lanes, size_t length, Real scale, const FourierLines<Real>& to) {
  constexpr size_t kLanes = kFourierLanes<Real>, kSize = kVectorLanes<kWidth, Real>;
  if (to.lineStep == 1 && to.count == kLanes) {
    for (size_t i = 0; i < length; ++i)
      forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
        storeComplex<kWidth>(to.first + i * to.step + lane, scaled(loadPair<kWidth>(lanes + lane, i), scale));
      });
    return;
  }
  const size_t whole = to.step == 1 && length >= kSize ? length : 0;
  for (size_t begin = 0; begin < whole; begin += kSize) {
    const size_t i = std::min(begin, length - kSize);
    forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
      Block<kWidth, Real> block;
      for (size_t k = 0; k < kSize; ++k) block.set(k, scaled(loadPair<kWidth>(lanes + lane, i + k), scale));
      block.transpose();
      std::complex<Real>* first = to.first + lane * to.lineStep + i;
      for (size_t l = 0; lane + l < to.count && l < kSize; ++l)
        storeComplex<kWidth>(first + l * to.lineStep, block.at(l));
    });
  }
  for (size_t i = whole; i < length; ++i)
    for (size_t l = 0; l < to.count; ++l)
      to.first[l * to.lineStep + i * to.step] = {lanes[i * 2 * kLanes + l] * scale,
                                                 lanes[i * 2 * kLanes + kLanes + l] * scale};
}

template <Width kWidth, class Real>
TESSERA_INLINE void linesHere(const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                              const FourierLines<Real>& to, Real* lanes) {
  loadLines<kWidth>(from, transform.length, lanes);
  storeLines<kWidth>(runPasses<kWidth>(transform, lanes, lanes + transform.length * kLaneElement<Real>),
                     transform.length, transform.scale, to);
}

// The transform back is the forward one of conjugates.
template <Width kWidth, class Real>
TESSERA_INLINE void chirpsHere(const LaneChirp<Real>& chirp, const FourierLines<Real>& from,
                               const FourierLines<Real>& to, Real* lanes) {
  const size_t padded = chirp.padded.length;
  loadLines<kWidth>(from, chirp.length, lanes);
  changeElements<kWidth>(lanes, lanes, chirp.length,
                         [&](const auto& x, size_t k) TESSERA_INLINE_LAMBDA { return product(x, chirp.chirp[k]); });
  std::fill(lanes + chirp.length * kLaneElement<Real>, lanes + padded * kLaneElement<Real>, Real(0));
  Real *other = lanes + padded * kLaneElement<Real>, *spectra = runPasses<kWidth>(chirp.padded, lanes, other);
  changeElements<kWidth>(spectra, spectra, padded, [&](const auto& x, size_t k) TESSERA_INLINE_LAMBDA {
    return conjugate(product(x, chirp.kernel[k]));
  });
  Real* result = runPasses<kWidth>(chirp.padded, spectra, spectra == lanes ? other : lanes);
  changeElements<kWidth>(result, result, chirp.length, [&](const auto& x, size_t k) TESSERA_INLINE_LAMBDA {
    return product(conjugate(x), chirp.chirp[k]);
  });
  storeLines<kWidth>(result, chirp.length, chirp.scale, to);
}

// Element 0 is in every sum, and the sum of the others is the circle's spectrum at 0.
template <Width kWidth, class Real>
TESSERA_INLINE void primesHere(const LanePrime<Real>& prime, const FourierLines<Real>& from,
                               const FourierLines<Real>& to, Real* lanes) {
  const size_t n = prime.length(), circle = n - 1;
  Real* other = lanes + n * kLaneElement<Real>;
  loadLines<kWidth>(from, n, lanes);
  Real firsts[kLaneElement<Real>];
  std::copy_n(lanes, kLaneElement<Real>, firsts);
  for (size_t q = 0; q < circle; ++q)
    std::copy_n(lanes + prime.order[q] * kLaneElement<Real>, kLaneElement<Real>, other + q * kLaneElement<Real>);
  Real* spectra = runPasses<kWidth>(prime.circle, other, lanes);
  Real all[kLaneElement<Real>];
  forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
    storePair<kWidth>(all + lane, 0, loadPair<kWidth>(firsts + lane, 0) + loadPair<kWidth>(spectra + lane, 0));
  });
  changeElements<kWidth>(spectra, spectra, circle, [&](const auto& x, size_t k) TESSERA_INLINE_LAMBDA {
    return conjugate(product(x, prime.kernel[k]));
  });
  const Real* sums = runPasses<kWidth>(prime.circle, spectra, spectra == lanes ? other : lanes);
  Real* result = sums == lanes ? other : lanes;
  std::copy_n(all, kLaneElement<Real>, result);
  for (size_t q = 0; q < circle; ++q)
    forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
      storePair<kWidth>(result + lane, prime.order[q == 0 ? 0 : circle - q],
                        loadPair<kWidth>(firsts + lane, 0) + conjugate(loadPair<kWidth>(sums + lane, q)));
    });
  storeLines<kWidth>(result, n, prime.scale, to);
}

// Elements `first` to first + count - 1 of the columns in a vector of lanes, times scale and twiddle factors: a column
// a vector, 0 beyond `count`.
template <Width kWidth, class Real>
TESSERA_INLINE Block<kWidth, Real> twiddledBlock(const Real* columns, const ColumnTwiddles<Real>& twiddles, Real scale,
                                                 size_t first, size_t count, size_t lane) {
  Block<kWidth, Real> block;
  for (size_t k = 0; k < count; ++k) {
    const auto element = scaled(loadPair<kWidth>(columns + lane, first + k), scale),
               near = loadPair<kWidth>(twiddles.near + lane, first + k);
    block.set(k, product(product(element, twiddles.far[first + k]), near));
  }
  block.transpose();
  return block;
}

template <Width kWidth, class Real>
TESSERA_INLINE void columnsHere(const LaneTransform<Real>& transform, const FourierLines<Real>& from,
                                const ColumnTwiddles<Real>& twiddles, size_t columns, size_t column, Real* matrix,
                                Real* lanes) {
  constexpr size_t kLanes = kFourierLanes<Real>, kSize = kVectorLanes<kWidth, Real>;
  const size_t rows = transform.length;
  loadLines<kWidth>(from, rows, lanes);
  const Real* result = runPasses<kWidth>(transform, lanes, lanes + rows * kLaneElement<Real>);
  for (size_t u = 0; u < rows; u += kLanes, matrix += columns * kLaneElement<Real>)
    forVectors<kWidth, Real>([&](size_t row) TESSERA_INLINE_LAMBDA {
      const size_t count = std::min(kSize, rows > u + row ? rows - u - row : 0);
      forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA {
        const auto block = twiddledBlock<kWidth>(result, twiddles, transform.scale, u + row, count, lane);
        for (size_t l = 0; lane + l < from.count && l < kSize; ++l)
          storePair<kWidth>(matrix + row, column + lane + l, block.at(l));
      });
    });
}

template <Width kWidth, class Real>
TESSERA_INLINE void rowsHere(const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to,
                             Real* lanes) {
  storeLines<kWidth>(runPasses<kWidth>(transform, group, lanes), transform.length, transform.scale, to);
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
