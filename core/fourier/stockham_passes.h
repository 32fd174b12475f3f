// Stockham's passes over lines that are side by side in lanes. A pass of radix r over lines of n elements with stride
// s (r·m = n/s): for p < m, q < s
//   y[q + s(rp + j)] = root(p·j·s) · Σ_k root(j·k·n/r) · x[q + s(p + m·k)].
// Used by lanes.cpp alone.
#pragma once

#include <numbers>
#include <utility>

#include "core/fourier/lanes.h"
#include "core/fourier/vectors.h"
#include "core/fourier/widths.h"

namespace tessera::fourier {

template <class Real>
struct Pass {
  const Real* from;
  Real* to;
  size_t radix, rest, stride, length;  // rest: m
  const std::complex<Real>* roots;
};

// fn(from, to) of each vector of each q: element p's k-th input stands at s(p + m·k) of `from`, its j-th output at
// s(rp + j) of `to`.
template <Width kWidth, class Real, class Fn>
TESSERA_INLINE void forVectorsOf(const Pass<Real>& pass, const Fn& fn) {
  const Real* from = pass.from;
  Real* to = pass.to;
  for (size_t q = 0; q < pass.stride; ++q, from += kLaneElement<Real>, to += kLaneElement<Real>)
    forVectors<kWidth, Real>([&](size_t lane) TESSERA_INLINE_LAMBDA { fn(from + lane, to + lane); });
}

template <bool kTwiddles, Width kWidth, class Real>
TESSERA_INLINE void storeTwiddled(Real* to, size_t at, const Pair<kWidth, Real>& x, const std::complex<Real>& root) {
  if constexpr (kTwiddles)
    storePair<kWidth>(to, at, product(x, root));
  else
    storePair<kWidth>(to, at, x);
}

template <bool kTwiddles, Width kWidth, class Real>
TESSERA_INLINE void stepOf2(const Pass<Real>& pass, size_t p) {
  const std::complex<Real> twiddle = pass.roots[p * pass.stride];
  forVectorsOf<kWidth>(pass, [&](const Real* from, Real* to) TESSERA_INLINE_LAMBDA {
    const auto a = loadPair<kWidth>(from, pass.stride * p), b = loadPair<kWidth>(from, pass.stride * (p + pass.rest));
    const size_t out = pass.stride * 2 * p;
    storePair<kWidth>(to, out, a + b);
    storeTwiddled<kTwiddles, kWidth>(to, out + pass.stride, a - b, twiddle);
  });
}

// Four elements' transform in place. `quarter`: the imaginary part of the root of a quarter turn, 1 or -1.
template <class V, class Real>
TESSERA_INLINE void butterfly4(Parts<V> (&x)[4], Real quarter) {
  const Parts<V> even = x[0] + x[2], evenLess = x[0] - x[2], odd = x[1] + x[3], less = x[1] - x[3];
  const Parts<V> oddLess{-less.im * quarter, less.re * quarter};
  x[0] = even + odd;
  x[1] = evenLess + oddLess;
  x[2] = even - odd;
  x[3] = evenLess - oddLess;
}

template <bool kTwiddles, Width kWidth, class Real>
TESSERA_INLINE void stepOf4(const Pass<Real>& pass, size_t p) {
  const Real quarter = pass.roots[pass.length / 4].imag();
  const std::complex<Real> twiddles[] = {pass.roots[p * pass.stride], pass.roots[2 * p * pass.stride],
                                         pass.roots[3 * p * pass.stride]};
  forVectorsOf<kWidth>(pass, [&](const Real* from, Real* to) TESSERA_INLINE_LAMBDA {
    Pair<kWidth, Real> x[4];
    for (size_t k = 0; k < 4; ++k) x[k] = loadPair<kWidth>(from, pass.stride * (p + pass.rest * k));
    butterfly4(x, quarter);
    const size_t out = pass.stride * 4 * p;
    storePair<kWidth>(to, out, x[0]);
    for (size_t k = 1; k < 4; ++k) storeTwiddled<kTwiddles, kWidth>(to, out + k * pass.stride, x[k], twiddles[k - 1]);
  });
}

// Eight as twice four, the odd ones multiplied by eighth roots of one between them.
template <bool kTwiddles, Width kWidth, class Real>
TESSERA_INLINE void stepOf8(const Pass<Real>& pass, size_t p) {
  const Real quarter = pass.roots[pass.length / 4].imag(), half = static_cast<Real>(std::numbers::sqrt2 / 2);
  std::complex<Real> twiddles[7];
  for (size_t k = 1; k < 8; ++k) twiddles[k - 1] = pass.roots[k * p * pass.stride];
  forVectorsOf<kWidth>(pass, [&](const Real* from, Real* to) TESSERA_INLINE_LAMBDA {
    Pair<kWidth, Real> even[4], odd[4];
    for (size_t k = 0; k < 4; ++k) {
      even[k] = loadPair<kWidth>(from, pass.stride * (p + pass.rest * 2 * k));
      odd[k] = loadPair<kWidth>(from, pass.stride * (p + pass.rest * (2 * k + 1)));
    }
    butterfly4(even, quarter);
    butterfly4(odd, quarter);
    odd[1] = {(odd[1].re - odd[1].im * quarter) * half, (odd[1].im + odd[1].re * quarter) * half};
    odd[2] = {-odd[2].im * quarter, odd[2].re * quarter};
    odd[3] = {(-odd[3].re - odd[3].im * quarter) * half, (odd[3].re * quarter - odd[3].im) * half};
    const size_t out = pass.stride * 8 * p;
    storePair<kWidth>(to, out, even[0] + odd[0]);
    for (size_t k = 1; k < 4; ++k)
      storeTwiddled<kTwiddles, kWidth>(to, out + k * pass.stride, even[k] + odd[k], twiddles[k - 1]);
    for (size_t k = 0; k < 4; ++k)
      storeTwiddled<kTwiddles, kWidth>(to, out + (4 + k) * pass.stride, even[k] - odd[k], twiddles[3 + k]);
  });
}

// Odd radices: the twiddle factors of elements k and r - k are conjugates, so their sum and difference are multiplied
// by real numbers. kRadix: the radix itself, or 0 for any up to kLargestRadix.
template <bool kTwiddles, size_t kRadix, Width kWidth, class Real>
TESSERA_INLINE void stepOfOdd(const Pass<Real>& pass, size_t p) {
  constexpr size_t kMost = (kRadix == 0 ? kLargestRadix : kRadix) / 2;
  const size_t radix = kRadix == 0 ? pass.radix : kRadix, half = kRadix == 0 ? radix / 2 : kMost,
               circle = pass.length / radix;
  std::complex<Real> roots[2 * kMost + 1];
#pragma GCC unroll 8
  for (size_t k = 0; k < radix; ++k) roots[k] = pass.roots[k * circle];
  forVectorsOf<kWidth>(pass, [&](const Real* from, Real* to) TESSERA_INLINE_LAMBDA {
    Pair<kWidth, Real> sums[kMost], differences[kMost];
    const Pair<kWidth, Real> first = loadPair<kWidth>(from, pass.stride * p);
    Pair<kWidth, Real> all = first;
#pragma GCC unroll 4
    for (size_t k = 1; k <= half; ++k) {
      const auto a = loadPair<kWidth>(from, pass.stride * (p + pass.rest * k)),
                 b = loadPair<kWidth>(from, pass.stride * (p + pass.rest * (radix - k)));
      sums[k - 1] = a + b;
      differences[k - 1] = a - b;
      all = all + sums[k - 1];
    }
    const size_t out = pass.stride * radix * p;
    storePair<kWidth>(to, out, all);
#pragma GCC unroll 4
    for (size_t j = 1; j <= half; ++j) {
      Pair<kWidth, Real> even = first, odd{};
      size_t power = 0;  // j · k modulo the radix
#pragma GCC unroll 4
      for (size_t k = 1; k <= half; ++k) {
        power = power + j >= radix ? power + j - radix : power + j;
        const std::complex<Real> root = roots[power];
        even = {even.re + sums[k - 1].re * root.real(), even.im + sums[k - 1].im * root.real()};
        odd = {odd.re - differences[k - 1].im * root.imag(), odd.im + differences[k - 1].re * root.imag()};
      }
      storeTwiddled<kTwiddles, kWidth>(to, out + j * pass.stride, even + odd, pass.roots[p * j * pass.stride]);
      storeTwiddled<kTwiddles, kWidth>(to, out + (radix - j) * pass.stride, even - odd,
                                       pass.roots[p * (radix - j) * pass.stride]);
    }
  });
}

template <bool kTwiddles, Width kWidth, class Real>
TESSERA_INLINE void runStep(const Pass<Real>& pass, size_t p) {
  switch (pass.radix) {
    case 2: return stepOf2<kTwiddles, kWidth>(pass, p);
    case 3: return stepOfOdd<kTwiddles, 3, kWidth>(pass, p);
    case 4: return stepOf4<kTwiddles, kWidth>(pass, p);
    case 5: return stepOfOdd<kTwiddles, 5, kWidth>(pass, p);
    case 7: return stepOfOdd<kTwiddles, 7, kWidth>(pass, p);
    case 8: return stepOf8<kTwiddles, kWidth>(pass, p);
    default: return stepOfOdd<kTwiddles, 0, kWidth>(pass, p);
  }
}

// From buffer to buffer; gives the one with the result.
template <Width kWidth, class Real>
TESSERA_INLINE Real* passesHere(const LaneTransform<Real>& transform, Real* from, Real* to) {
  size_t stride = 1;
  for (size_t radix : transform.factors) {
    const Pass<Real> pass{from,           to, radix, transform.length / stride / radix, stride, transform.length,
                          transform.roots};
    runStep<false, kWidth>(pass, 0);
    for (size_t p = 1; p < pass.rest; ++p) runStep<true, kWidth>(pass, p);
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
  return passesHere<Width::Avx512>(transform, from, to);
}
template <class Real>
__attribute__((target("avx2,fma"), noinline)) Real* passesAvx2(const LaneTransform<Real>& transform, Real* from,
                                                               Real* to) {
  return passesHere<Width::Avx2>(transform, from, to);
}
#endif
template <class Real>
__attribute__((noinline)) Real* passesSse(const LaneTransform<Real>& transform, Real* from, Real* to) {
  return passesHere<Width::Sse>(transform, from, to);
}

template <Width kWidth, class Real>
TESSERA_INLINE Real* runPasses(const LaneTransform<Real>& transform, Real* from, Real* to) {
#if defined(__x86_64__)
  if constexpr (kWidth == Width::Avx512) return passesAvx512(transform, from, to);
  if constexpr (kWidth == Width::Avx2) return passesAvx2(transform, from, to);
#endif
  return passesSse(transform, from, to);
}

}  // namespace tessera::fourier
