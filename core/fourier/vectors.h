// Complex numbers in vectors of a width that the processor has: real parts in one, imaginary ones in another;
// arithmetic on them, and how they come from interleaved memory and from lane buffers, whose elements are as many
// vectors as kFourierLanes takes. Everything is inlined into functions for a width. Part of the sources of this folder
// that compute in lanes.
#pragma once

#include <complex>
#include <cstddef>
#include <utility>

#include "core/fourier/lanes.h"
#include "core/fourier/widths.h"

// Vectors never cross a real call, and a pair of them is in registers, where alignment does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wignored-attributes"
#define TESSERA_INLINE __attribute__((always_inline)) inline
#define TESSERA_INLINE_LAMBDA __attribute__((always_inline))

namespace tessera::fourier {

template <Width kWidth, class Real>
struct VectorOf {
  typedef Real Type __attribute__((vector_size(static_cast<size_t>(kWidth)), aligned(alignof(Real)), may_alias));
};
template <Width kWidth, class Real>
using Vector = typename VectorOf<kWidth, Real>::Type;
template <Width kWidth, class Real>
inline constexpr size_t kVectorLanes = static_cast<size_t>(kWidth) / sizeof(Real);

// T: a number, or a vector of them.
template <class T>
struct Parts {
  T re, im;
};
template <Width kWidth, class Real>
using Pair = Parts<Vector<kWidth, Real>>;

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

// fn(lane) of the first lane of each vector of an element of a lane buffer.
template <Width kWidth, class Real, class Fn>
TESSERA_INLINE void forVectors(const Fn& fn) {
#pragma GCC unroll 4
  for (size_t lane = 0; lane < kFourierLanes<Real>; lane += kVectorLanes<kWidth, Real>) fn(lane);
}

// A vector of element `at` of a lane buffer that begins at its first lane.
template <Width kWidth, class Real>
TESSERA_INLINE Pair<kWidth, Real> loadPair(const Real* from, size_t at) {
  from += at * kLaneElement<Real>;
  return {*reinterpret_cast<const Vector<kWidth, Real>*>(from),
          *reinterpret_cast<const Vector<kWidth, Real>*>(from + kFourierLanes<Real>)};
}
template <Width kWidth, class Real>
TESSERA_INLINE void storePair(Real* to, size_t at, const Pair<kWidth, Real>& x) {
  to += at * kLaneElement<Real>;
  *reinterpret_cast<Vector<kWidth, Real>*>(to) = x.re;
  *reinterpret_cast<Vector<kWidth, Real>*>(to + kFourierLanes<Real>) = x.im;
}

template <class V, int... kAt>
TESSERA_INLINE V shuffled(const V& a, const V& b, std::integer_sequence<int, kAt...>) {
  return __builtin_shufflevector(a, b, kAt...);
}

// The places that a function of the lane and the number of lanes names.
template <auto kPlace, int... kLane>
constexpr auto placesOf(std::integer_sequence<int, kLane...>) {
  return std::integer_sequence<int, kPlace(kLane, static_cast<int>(sizeof...(kLane)))...>{};
}
template <auto kPlace, class V>
TESSERA_INLINE V picked(const V& a, const V& b) {
  return shuffled(a, b,
                  placesOf<kPlace>(std::make_integer_sequence<int, static_cast<int>(sizeof(V) / sizeof(a[0]))>{}));
}
constexpr int evenPlace(int lane, int) { return 2 * lane; }
constexpr int oddPlace(int lane, int) { return 2 * lane + 1; }
constexpr int lowPlace(int lane, int lanes) { return lane / 2 + lane % 2 * lanes; }
constexpr int highPlace(int lane, int lanes) { return lanes / 2 + lane / 2 + lane % 2 * lanes; }
constexpr int mirrorPlace(int lane, int lanes) { return lanes - 1 - lane; }

template <Width kWidth, class Real>
TESSERA_INLINE Pair<kWidth, Real> loadComplex(const std::complex<Real>* from) {
  const auto* vectors = reinterpret_cast<const Vector<kWidth, Real>*>(from);
  const Vector<kWidth, Real> a = vectors[0], b = vectors[1];
  return {picked<evenPlace>(a, b), picked<oddPlace>(a, b)};
}
template <Width kWidth, class Real>
TESSERA_INLINE void storeComplex(std::complex<Real>* to, const Pair<kWidth, Real>& x) {
  auto* vectors = reinterpret_cast<Vector<kWidth, Real>*>(to);
  vectors[0] = picked<lowPlace>(x.re, x.im);
  vectors[1] = picked<highPlace>(x.re, x.im);
}
template <class T>
TESSERA_INLINE Parts<T> reversed(const Parts<T>& x) {
  return {picked<mirrorPlace>(x.re, x.re), picked<mirrorPlace>(x.im, x.im)};
}

// As many elements as a vector has lanes: from lines in lanes to a line a vector, and back.
template <Width kWidth, class Real>
struct Block {
  static constexpr size_t kSize = kVectorLanes<kWidth, Real>;
  Vector<kWidth, Real> re[kSize] = {}, im[kSize] = {};

  TESSERA_INLINE void set(size_t k, const Pair<kWidth, Real>& x) {
    re[k] = x.re;
    im[k] = x.im;
  }
  TESSERA_INLINE Pair<kWidth, Real> at(size_t k) const { return {re[k], im[k]}; }
  TESSERA_INLINE void transpose() {
    transpose(re);
    transpose(im);
  }

 private:
  // Lane l of vector k becomes lane k of vector l: rows k and k + half are interleaved, as often as halving leaves a
  // row.
  TESSERA_INLINE static void transpose(Vector<kWidth, Real> (&x)[kSize]) {
    for (size_t done = 1; done < kSize; done *= 2) {
      Vector<kWidth, Real> y[kSize];
#pragma GCC unroll 8
      for (size_t k = 0; k < kSize / 2; ++k) {
        y[2 * k] = picked<lowPlace>(x[k], x[k + kSize / 2]);
        y[2 * k + 1] = picked<highPlace>(x[k], x[k + kSize / 2]);
      }
#pragma GCC unroll 16
      for (size_t k = 0; k < kSize; ++k) x[k] = y[k];
    }
  }
};

}  // namespace tessera::fourier
