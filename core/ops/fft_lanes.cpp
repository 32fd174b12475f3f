// See fft_lanes.h. A pass of radix r over lines of n elements with stride s (r·m = n/s): for p < m, q < s
//   y[q + s(rp + j)] = root(p·j·s) · Σ_k root(j·k·n/r) · x[q + s(p + m·k)].
// The same code is compiled for the widths of vectors that processors have.
#include "core/ops/fft_lanes.h"

#include <utility>

namespace tessera {
namespace {

using Root = std::complex<double>;
typedef double Lanes __attribute__((vector_size(sizeof(double) * kFourierLanes), aligned(8)));

struct Pair {
  Lanes re, im;
};

#define TESSERA_INLINE __attribute__((always_inline)) inline

TESSERA_INLINE void loadPair(Pair& out, const LaneBuffer& from, size_t at) {
  out.re = *reinterpret_cast<const Lanes*>(from.re + at * kFourierLanes);
  out.im = *reinterpret_cast<const Lanes*>(from.im + at * kFourierLanes);
}

TESSERA_INLINE void storeTurned(const LaneBuffer& to, size_t at, const Pair& x, const Root& root) {
  *reinterpret_cast<Lanes*>(to.re + at * kFourierLanes) = x.re * root.real() - x.im * root.imag();
  *reinterpret_cast<Lanes*>(to.im + at * kFourierLanes) = x.re * root.imag() + x.im * root.real();
}

TESSERA_INLINE void addTurned(Pair& sum, const Pair& x, const Root& root) {
  sum.re += x.re * root.real() - x.im * root.imag();
  sum.im += x.re * root.imag() + x.im * root.real();
}

struct Pass {
  LaneBuffer from, to;
  size_t radix, rest, stride, length;  // rest: m
  const Root* roots;
};

TESSERA_INLINE void passOf2(const Pass& pass) {
  for (size_t p = 0; p < pass.rest; ++p) {
    const Root turn = pass.roots[p * pass.stride];
    for (size_t q = 0; q < pass.stride; ++q) {
      Pair a, b;
      loadPair(a, pass.from, q + pass.stride * p);
      loadPair(b, pass.from, q + pass.stride * (p + pass.rest));
      const size_t out = q + pass.stride * 2 * p;
      const Pair sum{a.re + b.re, a.im + b.im}, difference{a.re - b.re, a.im - b.im};
      storeTurned(pass.to, out, sum, {1, 0});
      storeTurned(pass.to, out + pass.stride, difference, turn);
    }
  }
}

// `quarter`: the imaginary part of the root of a quarter turn, 1 or -1.
TESSERA_INLINE void passOf4(const Pass& pass) {
  const double quarter = pass.roots[pass.length / 4].imag();
  for (size_t p = 0; p < pass.rest; ++p) {
    const Root turns[] = {pass.roots[p * pass.stride], pass.roots[2 * p * pass.stride], pass.roots[3 * p * pass.stride]};
    for (size_t q = 0; q < pass.stride; ++q) {
      Pair x[4];
      for (size_t k = 0; k < 4; ++k) loadPair(x[k], pass.from, q + pass.stride * (p + pass.rest * k));
      const Pair even{x[0].re + x[2].re, x[0].im + x[2].im}, evenLess{x[0].re - x[2].re, x[0].im - x[2].im};
      const Pair odd{x[1].re + x[3].re, x[1].im + x[3].im};
      const Pair turned{(x[3].im - x[1].im) * quarter, (x[1].re - x[3].re) * quarter};
      const size_t out = q + pass.stride * 4 * p;
      storeTurned(pass.to, out, {even.re + odd.re, even.im + odd.im}, {1, 0});
      storeTurned(pass.to, out + pass.stride, {evenLess.re + turned.re, evenLess.im + turned.im}, turns[0]);
      storeTurned(pass.to, out + 2 * pass.stride, {even.re - odd.re, even.im - odd.im}, turns[1]);
      storeTurned(pass.to, out + 3 * pass.stride, {evenLess.re - turned.re, evenLess.im - turned.im}, turns[2]);
    }
  }
}

template <size_t kRadix>
TESSERA_INLINE void passOfAny(const Pass& pass, size_t radix) {
  const size_t circle = pass.length / radix;
  for (size_t p = 0; p < pass.rest; ++p)
    for (size_t q = 0; q < pass.stride; ++q) {
      Pair x[kRadix];
      for (size_t k = 0; k < radix; ++k) loadPair(x[k], pass.from, q + pass.stride * (p + pass.rest * k));
      for (size_t j = 0; j < radix; ++j) {
        Pair sum = x[0];
        for (size_t k = 1; k < radix; ++k) addTurned(sum, x[k], pass.roots[j * k % radix * circle]);
        storeTurned(pass.to, q + pass.stride * (radix * p + j), sum, pass.roots[p * j * pass.stride]);
      }
    }
}

TESSERA_INLINE void runPass(const Pass& pass) {
  switch (pass.radix) {
    case 2: return passOf2(pass);
    case 3: return passOfAny<3>(pass, 3);
    case 4: return passOf4(pass);
    case 5: return passOfAny<5>(pass, 5);
    default: return passOfAny<kLargestRadix>(pass, pass.radix);
  }
}

using RunPass = void (*)(const Pass&);
void passPlain(const Pass& pass) { runPass(pass); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) void passWide(const Pass& pass) { runPass(pass); }
__attribute__((target("avx512f"))) void passWidest(const Pass& pass) { runPass(pass); }

RunPass bestPass() {
  return __builtin_cpu_supports("avx512f") ? passWidest : __builtin_cpu_supports("avx2") ? passWide : passPlain;
}
#else
RunPass bestPass() { return passPlain; }
#endif

}  // namespace

bool transformLanes(LaneBuffer from, LaneBuffer to, size_t length, std::span<const size_t> factors, std::span<const Root> roots) {
  const RunPass run = bestPass();
  bool atFirst = true;
  size_t stride = 1;
  for (size_t radix : factors) {
    run({from, to, radix, length / stride / radix, stride, length, roots.data()});
    std::swap(from, to);
    atFirst = !atFirst;
    stride *= radix;
  }
  return atFirst;
}

}  // namespace tessera
