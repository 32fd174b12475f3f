// Elementwise work on spectra in lanes: products, joining and parting the halves of a real line's transform, and the
// search for infinities and NaNs. See lanes.h.
#include "core/fourier/lanes.h"
#include "core/fourier/vectors.h"
#include "core/fourier/widths.h"

namespace tessera {
namespace {

using namespace fourier;

template <Width kWidth, class Real>
TESSERA_INLINE void multiplyHere(std::complex<Real>* to, const std::complex<Real>* a, const std::complex<Real>* b,
                                 size_t count, Conjugates conjugates, Real scale) {
  const Real factorSign = conjugates.factor ? -1 : 1, resultScale = conjugates.result ? -scale : scale;
  size_t k = 0;
  for (; k + kVectorLanes<kWidth, Real> <= count; k += kVectorLanes<kWidth, Real>) {
    const Pair<kWidth, Real> x = loadComplex<kWidth>(a + k), y = loadComplex<kWidth>(b + k);
    const Pair<kWidth, Real> z = product(Pair<kWidth, Real>{x.re, x.im * factorSign}, y);
    storeComplex<kWidth>(to + k, {z.re * scale, z.im * resultScale});
  }
  for (; k < count; ++k) {
    const Real re = a[k].real(), im = a[k].imag() * factorSign;
    to[k] = {(re * b[k].real() - im * b[k].imag()) * scale, (re * b[k].imag() + im * b[k].real()) * resultScale};
  }
}

// With a = element k and b = element half - k of the half transform: E = (a + b̄)/2, O = (a - b̄)/2i; E + root·O,
// and the conjugate of E - root·O.
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
  const Parts<T> rotatedOdd{-odd.im, odd.re};
  a = even + rotatedOdd;
  b = conjugate(even - rotatedOdd);
}

// change(a, b, root) of all elements k and half - k, 0 < k <= half / 2.
template <Width kWidth, class Real, class Change>
TESSERA_INLINE void forMirrored(const std::complex<Real>* from, std::complex<Real>* to, size_t half,
                                const std::complex<Real>* roots, const Change& change) {
  constexpr size_t kLanes = kVectorLanes<kWidth, Real>;
  size_t k = 1;
  for (; 2 * (k + kLanes) <= half; k += kLanes) {
    auto a = loadComplex<kWidth>(from + k), b = reversed(loadComplex<kWidth>(from + half - k - (kLanes - 1)));
    change(a, b, loadComplex<kWidth>(roots + k));
    storeComplex<kWidth>(to + k, a);
    storeComplex<kWidth>(to + half - k - (kLanes - 1), reversed(b));
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
  forMirrored<kWidth>(line, line, half, roots,
                      [](auto& a, auto& b, const auto& root) TESSERA_INLINE_LAMBDA { join(a, b, root); });
}

template <Width kWidth, class Real>
TESSERA_INLINE void partHere(const std::complex<Real>* from, std::complex<Real>* to, size_t half,
                             const std::complex<Real>* roots) {
  const Real first = from[0].real(), last = from[half].real();
  to[0] = {(first + last) / 2, (first - last) / 2};
  forMirrored<kWidth>(from, to, half, roots,
                      [](auto& a, auto& b, const auto& root) TESSERA_INLINE_LAMBDA { part(a, b, root); });
}

template <Width kWidth, class Real>
TESSERA_INLINE bool finiteHere(const Real* elements, size_t count) {
  Vector<kWidth, Real> sums{};
  size_t i = 0;
  for (; i + kVectorLanes<kWidth, Real> <= count; i += kVectorLanes<kWidth, Real>) {
    const auto x = *reinterpret_cast<const Vector<kWidth, Real>*>(elements + i);
    sums += x - x;
  }
  Real sum = 0;
  for (size_t l = 0; l < kVectorLanes<kWidth, Real>; ++l) sum += sums[l];
  for (; i < count; ++i) sum += elements[i] - elements[i];
  return sum == 0;
}

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

#define TESSERA_SPECTRA(Real)                                                                                       \
  template void multiplyElements(std::complex<Real>*, const std::complex<Real>*, const std::complex<Real>*, size_t, \
                                 Conjugates, Real);                                                                 \
  template void joinHalves(std::complex<Real>*, size_t, const std::complex<Real>*);                                 \
  template void partHalves(const std::complex<Real>*, std::complex<Real>*, size_t, const std::complex<Real>*);      \
  template bool allFinite(const Real*, size_t);
TESSERA_SPECTRA(float)
TESSERA_SPECTRA(double)
#undef TESSERA_SPECTRA

}  // namespace tessera
