// Complex numbers in lanes: real parts in one vector, imaginary ones in another; arithmetic on them, and how they come
// from interleaved memory. Everything is inlined into functions for a width of vectors. Part of the sources of this
// folder that compute in lanes.
#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "core/fourier/lanes.h"

// Vectors never cross a real call, and a pair of them is in registers, where alignment does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wignored-attributes"
#define TESSERA_INLINE __attribute__((always_inline)) inline
#define TESSERA_INLINE_LAMBDA __attribute__((always_inline))

namespace tessera::fourier {

template <class Real>
struct LanesOf {
  typedef Real Type __attribute__((vector_size(64), aligned(alignof(Real)), may_alias));
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;

// T: a number, or lanes of them.
template <class T>
struct Parts {
  T re, im;
};
template <class Real>
using Pair = Parts<Lanes<Real>>;

template <class T>
TESSERA_INLINE Parts<T> operator+(const Parts<T>& a, const Parts<T>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
TESSERA_INLINE Parts<T> operator-(const Parts<T>& a, const Parts<T>& b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
TESSERA_INLINE Parts<T> conjugate(const Parts<T>& x) {
  return {x.re, -x.im};
}
template <class T>
TESSERA_INLINE Parts<T> product(const Parts<T>& a, const Parts<T>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T, class Real>
TESSERA_INLINE Parts<T> scaled(const Parts<T>& x, Real factor) {
  return {x.re * factor, x.im * factor};
}
template <class T>
TESSERA_INLINE Parts<T> halved(const Parts<T>& x) {
  return {x.re / 2, x.im / 2};
}
template <class T, class Real>
TESSERA_INLINE Parts<T> product(const Parts<T>& x, const std::complex<Real>& root) {
  return {x.re * root.real() - x.im * root.imag(), x.re * root.imag() + x.im * root.real()};
}

// Element `at` of a lane buffer.
template <class Real>
TESSERA_INLINE Pair<Real> loadPair(const Real* from, size_t at) {
  const auto* vectors = reinterpret_cast<const Lanes<Real>*>(from + at * kLaneElement<Real>);
  return {vectors[0], vectors[1]};
}
template <class Real>
TESSERA_INLINE void storePair(Real* to, size_t at, const Pair<Real>& x) {
  auto* vectors = reinterpret_cast<Lanes<Real>*>(to + at * kLaneElement<Real>);
  vectors[0] = x.re;
  vectors[1] = x.im;
}

template <class V, int... kAt>
TESSERA_INLINE V shuffled(const V& a, const V& b, std::integer_sequence<int, kAt...>) {
  return __builtin_shufflevector(a, b, kAt...);
}

// The places that a function of the lane and the number of lanes names.
template <class Real, auto kPlace, int... kLane>
constexpr auto placesOf(std::integer_sequence<int, kLane...>) {
  return std::integer_sequence<int, kPlace(kLane, static_cast<int>(kFourierLanes<Real>))...>{};
}
template <class Real, auto kPlace>
TESSERA_INLINE Lanes<Real> picked(const Lanes<Real>& a, const Lanes<Real>& b) {
  return shuffled(a, b,
                  placesOf<Real, kPlace>(std::make_integer_sequence<int, static_cast<int>(kFourierLanes<Real>)>{}));
}
constexpr int evenPlace(int lane, int) { return 2 * lane; }
constexpr int oddPlace(int lane, int) { return 2 * lane + 1; }
constexpr int lowPlace(int lane, int lanes) { return lane / 2 + lane % 2 * lanes; }
constexpr int highPlace(int lane, int lanes) { return lanes / 2 + lane / 2 + lane % 2 * lanes; }
constexpr int mirrorPlace(int lane, int lanes) { return lanes - 1 - lane; }

template <class Real>
TESSERA_INLINE Pair<Real> loadComplex(const std::complex<Real>* from) {
  const auto* vectors = reinterpret_cast<const Lanes<Real>*>(from);
  const Lanes<Real> a = vectors[0], b = vectors[1];
  return {picked<Real, evenPlace>(a, b), picked<Real, oddPlace>(a, b)};
}
template <class Real>
TESSERA_INLINE void storeComplex(std::complex<Real>* to, const Pair<Real>& x) {
  auto* vectors = reinterpret_cast<Lanes<Real>*>(to);
  vectors[0] = picked<Real, lowPlace>(x.re, x.im);
  vectors[1] = picked<Real, highPlace>(x.re, x.im);
}
template <class Real>
TESSERA_INLINE Pair<Real> reversedPair(const Parts<Lanes<Real>>& x) {
  return {picked<Real, mirrorPlace>(x.re, x.re), picked<Real, mirrorPlace>(x.im, x.im)};
}

// Lane l of vector k becomes lane k of vector l: rows k and k + half are interleaved, as often as halving leaves a row.
template <class Real>
TESSERA_INLINE void transposeLanes(Lanes<Real> (&x)[kFourierLanes<Real>]) {
  constexpr size_t kLanes = kFourierLanes<Real>;
  for (size_t done = 1; done < kLanes; done *= 2) {
    Lanes<Real> y[kLanes];
#pragma GCC unroll 8
    for (size_t k = 0; k < kLanes / 2; ++k) {
      y[2 * k] = picked<Real, lowPlace>(x[k], x[k + kLanes / 2]);
      y[2 * k + 1] = picked<Real, highPlace>(x[k], x[k + kLanes / 2]);
    }
#pragma GCC unroll 16
    for (size_t k = 0; k < kLanes; ++k) x[k] = y[k];
  }
}

template <class Real>
TESSERA_INLINE void transposeOneByOne(Lanes<Real> (&x)[kFourierLanes<Real>]) {
  for (size_t k = 0; k < kFourierLanes<Real>; ++k)
    for (size_t l = 0; l < k; ++l) {
      const Real other = x[k][l];
      x[k][l] = x[l][k];
      x[l][k] = other;
    }
}

// As many elements as there are lanes: from lines in lanes to a line a vector, and back.
template <class Real>
struct Block {
  Lanes<Real> re[kFourierLanes<Real>] = {}, im[kFourierLanes<Real>] = {};

  TESSERA_INLINE void set(size_t k, const Pair<Real>& x) {
    re[k] = x.re;
    im[k] = x.im;
  }
  TESSERA_INLINE Pair<Real> at(size_t k) const { return {re[k], im[k]}; }
  template <bool kShuffles>
  TESSERA_INLINE void transpose() {
    if constexpr (kShuffles) {
      transposeLanes<Real>(re);
      transposeLanes<Real>(im);
    } else {
      transposeOneByOne<Real>(re);
      transposeOneByOne<Real>(im);
    }
  }
};

}  // namespace tessera::fourier
