// See lanes.h. A pass of radix r over lines of n elements with stride s (r·m = n/s): for p < m, q < s
//   y[q + s(rp + j)] = root(p·j·s) · Σ_k root(j·k·n/r) · x[q + s(p + m·k)].
#include "core/fourier/lanes.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include "core/fourier/vectors.h"

namespace tessera {
namespace {

using namespace fourier;

// The vector extensions that each function is compiled for. Narrower vectors than 64 bytes have no shuffles of all
// lanes.
enum class Width { Sse, Avx2, Avx512 };
constexpr bool hasShuffles(Width width) { return width == Width::Avx512; }

template <class Real>
struct Pass {
  const Real* from;
  Real* to;
  size_t radix, rest, stride, length;  // rest: m
  const std::complex<Real>* roots;
};

template <bool kTurns, class Real>
TESSERA_INLINE void storeTurned(Real* to, size_t at, const Pair<Real>& x, const std::complex<Real>& root) {
  if constexpr (kTurns)
    storePair(to, at, turned(x, root));
  else
    storePair(to, at, x);
}

template <bool kTurns, class Real>
TESSERA_INLINE void stepOf2(const Pass<Real>& pass, size_t p) {
  const std::complex<Real> turn = pass.roots[p * pass.stride];
  for (size_t q = 0; q < pass.stride; ++q) {
    const Pair<Real> a = loadPair(pass.from, q + pass.stride * p),
                     b = loadPair(pass.from, q + pass.stride * (p + pass.rest));
    const size_t out = q + pass.stride * 2 * p;
    storePair(pass.to, out, a + b);
    storeTurned<kTurns>(pass.to, out + pass.stride, a - b, turn);
  }
}

// Four elements' transform in place. `quarter`: the imaginary part of the root of a quarter turn, 1 or -1.
template <class Real>
TESSERA_INLINE void butterfly4(Pair<Real> (&x)[4], Real quarter) {
  const Pair<Real> even = x[0] + x[2], evenLess = x[0] - x[2], odd = x[1] + x[3], less = x[1] - x[3];
  const Pair<Real> oddLess{-less.im * quarter, less.re * quarter};
  x[0] = even + odd;
  x[1] = evenLess + oddLess;
  x[2] = even - odd;
  x[3] = evenLess - oddLess;
}

template <bool kTurns, class Real>
TESSERA_INLINE void stepOf4(const Pass<Real>& pass, size_t p) {
  const Real quarter = pass.roots[pass.length / 4].imag();
  const std::complex<Real> turns[] = {pass.roots[p * pass.stride], pass.roots[2 * p * pass.stride],
                                      pass.roots[3 * p * pass.stride]};
  for (size_t q = 0; q < pass.stride; ++q) {
    Pair<Real> x[4];
    for (size_t k = 0; k < 4; ++k) x[k] = loadPair(pass.from, q + pass.stride * (p + pass.rest * k));
    butterfly4(x, quarter);
    const size_t out = q + pass.stride * 4 * p;
    storePair(pass.to, out, x[0]);
    for (size_t k = 1; k < 4; ++k) storeTurned<kTurns>(pass.to, out + k * pass.stride, x[k], turns[k - 1]);
  }
}

// Eight as twice four, the odd ones turned by eighths between them.
template <bool kTurns, class Real>
TESSERA_INLINE void stepOf8(const Pass<Real>& pass, size_t p) {
  const Real quarter = pass.roots[pass.length / 4].imag(), half = static_cast<Real>(std::numbers::sqrt2 / 2);
  std::complex<Real> turns[7];
  for (size_t k = 1; k < 8; ++k) turns[k - 1] = pass.roots[k * p * pass.stride];
  for (size_t q = 0; q < pass.stride; ++q) {
    Pair<Real> even[4], odd[4];
    for (size_t k = 0; k < 4; ++k) {
      even[k] = loadPair(pass.from, q + pass.stride * (p + pass.rest * 2 * k));
      odd[k] = loadPair(pass.from, q + pass.stride * (p + pass.rest * (2 * k + 1)));
    }
    butterfly4(even, quarter);
    butterfly4(odd, quarter);
    odd[1] = {(odd[1].re - odd[1].im * quarter) * half, (odd[1].im + odd[1].re * quarter) * half};
    odd[2] = {-odd[2].im * quarter, odd[2].re * quarter};
    odd[3] = {(-odd[3].re - odd[3].im * quarter) * half, (odd[3].re * quarter - odd[3].im) * half};
    const size_t out = q + pass.stride * 8 * p;
    storePair(pass.to, out, even[0] + odd[0]);
    for (size_t k = 1; k < 4; ++k) storeTurned<kTurns>(pass.to, out + k * pass.stride, even[k] + odd[k], turns[k - 1]);
    for (size_t k = 0; k < 4; ++k)
      storeTurned<kTurns>(pass.to, out + (4 + k) * pass.stride, even[k] - odd[k], turns[3 + k]);
  }
}

// Odd radices: elements k and r - k are turned by conjugates, so their sum and difference are multiplied by real
// numbers. kRadix: the radix itself, or 0 for any up to kLargestRadix.
template <bool kTurns, size_t kRadix, class Real>
TESSERA_INLINE void stepOfOdd(const Pass<Real>& pass, size_t p) {
  constexpr size_t kMost = (kRadix == 0 ? kLargestRadix : kRadix) / 2;
  const size_t radix = kRadix == 0 ? pass.radix : kRadix, half = kRadix == 0 ? radix / 2 : kMost,
               circle = pass.length / radix;
  std::complex<Real> roots[2 * kMost + 1];
#pragma GCC unroll 8
  for (size_t k = 0; k < radix; ++k) roots[k] = pass.roots[k * circle];
  for (size_t q = 0; q < pass.stride; ++q) {
    Pair<Real> sums[kMost], differences[kMost];
    const Pair<Real> first = loadPair(pass.from, q + pass.stride * p);
    Pair<Real> all = first;
#pragma GCC unroll 4
    for (size_t k = 1; k <= half; ++k) {
      const Pair<Real> a = loadPair(pass.from, q + pass.stride * (p + pass.rest * k)),
                       b = loadPair(pass.from, q + pass.stride * (p + pass.rest * (radix - k)));
      sums[k - 1] = a + b;
      differences[k - 1] = a - b;
      all = all + sums[k - 1];
    }
    const size_t out = q + pass.stride * radix * p;
    storePair(pass.to, out, all);
#pragma GCC unroll 4
    for (size_t j = 1; j <= half; ++j) {
      Pair<Real> even = first, odd{};
      size_t turn = 0;  // j · k modulo the radix
#pragma GCC unroll 4
      for (size_t k = 1; k <= half; ++k) {
        turn = turn + j >= radix ? turn + j - radix : turn + j;
        const std::complex<Real> root = roots[turn];
        even = {even.re + sums[k - 1].re * root.real(), even.im + sums[k - 1].im * root.real()};
        odd = {odd.re - differences[k - 1].im * root.imag(), odd.im + differences[k - 1].re * root.imag()};
      }
      storeTurned<kTurns>(pass.to, out + j * pass.stride, even + odd, pass.roots[p * j * pass.stride]);
      storeTurned<kTurns>(pass.to, out + (radix - j) * pass.stride, even - odd,
                          pass.roots[p * (radix - j) * pass.stride]);
    }
  }
}

template <bool kTurns, class Real>
TESSERA_INLINE void runStep(const Pass<Real>& pass, size_t p) {
  switch (pass.radix) {
    case 2: return stepOf2<kTurns>(pass, p);
    case 3: return stepOfOdd<kTurns, 3>(pass, p);
    case 4: return stepOf4<kTurns>(pass, p);
    case 5: return stepOfOdd<kTurns, 5>(pass, p);
    case 7: return stepOfOdd<kTurns, 7>(pass, p);
    case 8: return stepOf8<kTurns>(pass, p);
    default: return stepOfOdd<kTurns, 0>(pass, p);
  }
}

// From buffer to buffer; gives the one with the result.
template <class Real>
TESSERA_INLINE Real* passesHere(const LaneTransform<Real>& transform, Real* from, Real* to) {
  size_t stride = 1;
  for (size_t radix : transform.factors) {
    const Pass<Real> pass{from,           to, radix, transform.length / stride / radix, stride, transform.length,
                          transform.roots};
    runStep<false>(pass, 0);
    for (size_t p = 1; p < pass.rest; ++p) runStep<true>(pass, p);
    std::swap(from, to);
    stride *= radix;
  }
  return from;
}

// A function of its own for each width, called by the four kinds of transforms: inlined into each, the passes are nine
// tenths of what the compiler has to do for this file.
#if defined(__x86_64__)
template <class Real>
__attribute__((target("avx512f"), noinline)) Real* passesAvx512(const LaneTransform<Real>& transform, Real* from,
                                                                Real* to) {
  return passesHere(transform, from, to);
}
template <class Real>
__attribute__((target("avx2,fma"), noinline)) Real* passesAvx2(const LaneTransform<Real>& transform, Real* from,
                                                               Real* to) {
  return passesHere(transform, from, to);
}
#endif
template <class Real>
__attribute__((noinline)) Real* passesSse(const LaneTransform<Real>& transform, Real* from, Real* to) {
  return passesHere(transform, from, to);
}

template <Width kWidth, class Real>
TESSERA_INLINE Real* runPasses(const LaneTransform<Real>& transform, Real* from, Real* to) {
#if defined(__x86_64__)
  if constexpr (kWidth == Width::Avx512) return passesAvx512(transform, from, to);
  if constexpr (kWidth == Width::Avx2) return passesAvx2(transform, from, to);
#endif
  return passesSse(transform, from, to);
}

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
  for (size_t k = 0; k < chirp.length; ++k) storePair(lanes, k, turned(loadPair<Real>(lanes, k), chirp.chirp[k]));
  for (size_t k = chirp.length; k < padded; ++k) storePair(lanes, k, Pair<Real>{});
  Real *other = lanes + padded * kLaneElement<Real>, *spectra = runPasses<kWidth>(chirp.padded, lanes, other);
  for (size_t k = 0; k < padded; ++k)
    storePair(spectra, k, conjugate(turned(loadPair<Real>(spectra, k), chirp.kernel[k])));
  Real* result = runPasses<kWidth>(chirp.padded, spectra, spectra == lanes ? other : lanes);
  for (size_t k = 0; k < chirp.length; ++k)
    storePair(result, k, turned(conjugate(loadPair<Real>(result, k)), chirp.chirp[k]));
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
    storePair(spectra, k, conjugate(turned(loadPair<Real>(spectra, k), prime.kernel[k])));
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
                                const ColumnTurns<Real>& turns, size_t columns, size_t column, Real* matrix,
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
      block.set(k, product(turned(element, turns.far[u + k]), loadPair(turns.near, u + k)));
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

template <Width kWidth, class Real>
TESSERA_INLINE void multiplyHere(std::complex<Real>* to, const std::complex<Real>* a, const std::complex<Real>* b,
                                 size_t count, Conjugates conjugates, Real scale) {
  const Real factorSign = conjugates.factor ? -1 : 1, resultScale = conjugates.result ? -scale : scale;
  size_t k = 0;
  for (; k + kFourierLanes<Real> <= count; k += kFourierLanes<Real>) {
    const Pair<Real> x = loadComplex(a + k), y = loadComplex(b + k);
    const Pair<Real> z = product(Pair<Real>{x.re, x.im * factorSign}, y);
    storeComplex(to + k, {z.re * scale, z.im * resultScale});
  }
  for (; k < count; ++k) {
    const Real re = a[k].real(), im = a[k].imag() * factorSign;
    to[k] = {(re * b[k].real() - im * b[k].imag()) * scale, (re * b[k].imag() + im * b[k].real()) * resultScale};
  }
}

// With a = element k and b = element half - k of the half transform: E = (a + b̄)/2, O = (a - b̄)/2i; E + root·O, and
// the conjugate of E - root·O.
template <class T>
TESSERA_INLINE void join(Parts<T>& a, Parts<T>& b, const Parts<T>& root) {
  const Parts<T> even = halved(a + conjugate(b)), less = halved(a - conjugate(b));
  const Parts<T> odd = product({less.im, -less.re}, root);
  a = even + odd;
  b = conjugate(even - odd);
}

template <class T>
TESSERA_INLINE void part(Parts<T>& a, Parts<T>& b, const Parts<T>& root) {
  const Parts<T> even = halved(a + conjugate(b)), odd = product(halved(a - conjugate(b)), conjugate(root));
  const Parts<T> turnedOdd{-odd.im, odd.re};
  a = even + turnedOdd;
  b = conjugate(even - turnedOdd);
}

// change(a, b, root) of all elements k and half - k, 0 < k <= half / 2.
template <class Real, class Change>
TESSERA_INLINE void forMirrored(const std::complex<Real>* from, std::complex<Real>* to, size_t half,
                                const std::complex<Real>* roots, const Change& change) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  size_t k = 1;
  for (; 2 * (k + kLanes) <= half; k += kLanes) {
    Pair<Real> a = loadComplex(from + k), b = reversedPair<Real>(loadComplex(from + half - k - (kLanes - 1)));
    change(a, b, loadComplex(roots + k));
    storeComplex(to + k, a);
    storeComplex(to + half - k - (kLanes - 1), reversedPair<Real>(b));
  }
  for (; 2 * k <= half; ++k) {
    Parts<Real> a{from[k].real(), from[k].imag()}, b{from[half - k].real(), from[half - k].imag()};
    change(a, b, Parts<Real>{roots[k].real(), roots[k].imag()});
    to[half - k] = {b.re, b.im};
    to[k] = {a.re, a.im};
  }
}

template <Width kWidth, class Real>
TESSERA_INLINE void joinHere(std::complex<Real>* line, size_t half, const std::complex<Real>* roots) {
  const std::complex<Real> first = line[0];
  line[0] = first.real() + first.imag();
  line[half] = first.real() - first.imag();
  forMirrored(line, line, half, roots,
              [](auto& a, auto& b, const auto& root) TESSERA_INLINE_LAMBDA { join(a, b, root); });
}

template <Width kWidth, class Real>
TESSERA_INLINE void partHere(const std::complex<Real>* from, std::complex<Real>* to, size_t half,
                             const std::complex<Real>* roots) {
  const Real first = from[0].real(), last = from[half].real();
  to[0] = {(first + last) / 2, (first - last) / 2};
  forMirrored(from, to, half, roots,
              [](auto& a, auto& b, const auto& root) TESSERA_INLINE_LAMBDA { part(a, b, root); });
}

template <Width kWidth, class Real>
TESSERA_INLINE bool finiteHere(const Real* elements, size_t count) {
  Lanes<Real> sums{};
  size_t i = 0;
  for (; i + kFourierLanes<Real> <= count; i += kFourierLanes<Real>) {
    const Lanes<Real> x = *reinterpret_cast<const Lanes<Real>*>(elements + i);
    sums += x - x;
  }
  Real sum = 0;
  for (size_t l = 0; l < kFourierLanes<Real>; ++l) sum += sums[l];
  for (; i < count; ++i) sum += elements[i] - elements[i];
  return sum == 0;
}

#if defined(__x86_64__)
const Width kProcessor = __builtin_cpu_supports("avx512f")                                 ? Width::Avx512
                         : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Width::Avx2
                                                                                           : Width::Sse;

// One function for each width of vectors, and the choice.
#define TESSERA_WIDTHS(result, name, parameters, arguments)           \
  template <class Real>                                               \
  __attribute__((target("avx512f"))) result name##Avx512 parameters { \
    return name##Here<Width::Avx512> arguments;                       \
  }                                                                   \
  template <class Real>                                               \
  __attribute__((target("avx2,fma"))) result name##Avx2 parameters {  \
    return name##Here<Width::Avx2> arguments;                         \
  }                                                                   \
  template <class Real>                                               \
  result name parameters {                                            \
    switch (kProcessor) {                                             \
      case Width::Avx512: return name##Avx512<Real> arguments;        \
      case Width::Avx2: return name##Avx2<Real> arguments;            \
      case Width::Sse: break;                                         \
    }                                                                 \
    return name##Here<Width::Sse> arguments;                          \
  }
#else
#define TESSERA_WIDTHS(result, name, parameters, arguments) \
  template <class Real>                                     \
  result name parameters {                                  \
    return name##Here<Width::Avx512> arguments;             \
  }
#endif

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
               (const LaneTransform<Real>& transform, const FourierLines<Real>& from, const ColumnTurns<Real>& turns,
                size_t count, size_t column, Real* matrix, Real* lanes),
               (transform, from, turns, count, column, matrix, lanes))
TESSERA_WIDTHS(void, rows,
               (const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to, Real* lanes),
               (transform, group, to, lanes))
TESSERA_WIDTHS(void, multiply,
               (std::complex<Real> * to, const std::complex<Real>* a, const std::complex<Real>* b, size_t count,
                Conjugates conjugates, Real scale),
               (to, a, b, count, conjugates, scale))
TESSERA_WIDTHS(void, join, (std::complex<Real> * line, size_t half, const std::complex<Real>* roots),
               (line, half, roots))
TESSERA_WIDTHS(void, part,
               (const std::complex<Real>* from, std::complex<Real>* to, size_t half, const std::complex<Real>* roots),
               (from, to, half, roots))
TESSERA_WIDTHS(bool, finite, (const Real* elements, size_t count), (elements, count))

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
                      const ColumnTurns<Real>& turns, size_t columnCount, size_t column, Real* matrix, Real* lanes) {
  columns<Real>(transform, from, turns, columnCount, column, matrix, lanes);
}
template <class Real>
void transformRows(const LaneTransform<Real>& transform, Real* group, const FourierLines<Real>& to, Real* lanes) {
  rows<Real>(transform, group, to, lanes);
}
template <class Real>
void multiplyElements(std::complex<Real>* to, const std::complex<Real>* a, const std::complex<Real>* b, size_t count,
                      Conjugates conjugates, Real scale) {
  multiply<Real>(to, a, b, count, conjugates, scale);
}
template <class Real>
void joinHalves(std::complex<Real>* line, size_t half, const std::complex<Real>* roots) {
  join<Real>(line, half, roots);
}
template <class Real>
void partHalves(const std::complex<Real>* from, std::complex<Real>* to, size_t half, const std::complex<Real>* roots) {
  part<Real>(from, to, half, roots);
}
template <class Real>
bool allFinite(const Real* elements, size_t count) {
  return finite<Real>(elements, count);
}

#define TESSERA_FOURIER(Real)                                                                                         \
  template void transformLines(const LaneTransform<Real>&, const FourierLines<Real>&, const FourierLines<Real>&,      \
                               Real*);                                                                                \
  template void transformChirps(const LaneChirp<Real>&, const FourierLines<Real>&, const FourierLines<Real>&, Real*); \
  template void transformPrimes(const LanePrime<Real>&, const FourierLines<Real>&, const FourierLines<Real>&, Real*); \
  template void transformColumns(const LaneTransform<Real>&, const FourierLines<Real>&, const ColumnTurns<Real>&,     \
                                 size_t, size_t, Real*, Real*);                                                       \
  template void transformRows(const LaneTransform<Real>&, Real*, const FourierLines<Real>&, Real*);                   \
  template void multiplyElements(std::complex<Real>*, const std::complex<Real>*, const std::complex<Real>*, size_t,   \
                                 Conjugates, Real);                                                                   \
  template void joinHalves(std::complex<Real>*, size_t, const std::complex<Real>*);                                   \
  template void partHalves(const std::complex<Real>*, std::complex<Real>*, size_t, const std::complex<Real>*);        \
  template bool allFinite(const Real*, size_t);
TESSERA_FOURIER(float)
TESSERA_FOURIER(double)
#undef TESSERA_FOURIER

}  // namespace tessera
