// See gemm_tiles.h: f64. Each width brings its vectors; the tiles themselves are one text.
#include "backends/runtime/gemm/gemm_tiles.h"

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <utility>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a real call
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // the compiler's own header, where it means "any value"
#endif

namespace tessera::cpu {

namespace {

namespace avx512 {

#define TESSERA_WIDTH __attribute__((target("avx512f,avx512vl,fma")))
#define TESSERA_VECTORS TESSERA_WIDTH __attribute__((always_inline)) inline

using Real = double;
using Vector = __m512d;
using Mask = __mmask8;
constexpr int kLanes = 8, kRows = 12, kDotRows = 4;  // as for f32

TESSERA_VECTORS Mask maskOf(int64_t count) { return static_cast<Mask>((1u << count) - 1); }
TESSERA_VECTORS Vector zero() { return _mm512_setzero_pd(); }
TESSERA_VECTORS Vector splat(double x) { return _mm512_set1_pd(x); }
TESSERA_VECTORS Vector load(const double* p) { return _mm512_loadu_pd(p); }
TESSERA_VECTORS Vector load(const double* p, Mask mask) { return _mm512_maskz_loadu_pd(mask, p); }
TESSERA_VECTORS void store(double* p, Vector x) { _mm512_storeu_pd(p, x); }
TESSERA_VECTORS void store(double* p, Vector x, Mask mask) { _mm512_mask_storeu_pd(p, mask, x); }
TESSERA_VECTORS Vector add(Vector x, Vector y) { return _mm512_add_pd(x, y); }
TESSERA_VECTORS Vector multiplyAdd(Vector x, Vector y, Vector sum) { return _mm512_fmadd_pd(x, y, sum); }

TESSERA_VECTORS void storeSums(double* to, Vector a, Vector b, Vector c, Vector d) {
  const Vector two = add(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)),
               others = add(_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
  const Vector halves = add(_mm512_shuffle_f64x2(two, others, 0x88), _mm512_shuffle_f64x2(two, others, 0xdd));
  const Vector sums = add(halves, _mm512_shuffle_f64x2(halves, halves, 0xb1));
  _mm_storeu_pd(to, _mm512_castpd512_pd128(sums));
  _mm_storeu_pd(to + 2, _mm256_castpd256_pd128(_mm512_extractf64x4_pd(sums, 1)));
}
TESSERA_VECTORS double sumOf(Vector x) { return _mm512_reduce_add_pd(x); }

// Pairs of rows, then the quarters of vectors.
TESSERA_VECTORS void transposeSquare(Vector (&x)[8]) {
  Vector y[2][4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    y[0][i] = _mm512_unpacklo_pd(x[2 * i], x[2 * i + 1]);
    y[1][i] = _mm512_unpackhi_pd(x[2 * i], x[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    const Vector a = _mm512_shuffle_f64x2(y[odd][0], y[odd][1], 0x88),
                 b = _mm512_shuffle_f64x2(y[odd][0], y[odd][1], 0xdd);
    const Vector c = _mm512_shuffle_f64x2(y[odd][2], y[odd][3], 0x88),
                 d = _mm512_shuffle_f64x2(y[odd][2], y[odd][3], 0xdd);
    x[odd] = _mm512_shuffle_f64x2(a, c, 0x88);
    x[2 + odd] = _mm512_shuffle_f64x2(b, d, 0x88);
    x[4 + odd] = _mm512_shuffle_f64x2(a, c, 0xdd);
    x[6 + odd] = _mm512_shuffle_f64x2(b, d, 0xdd);
  }
}

#include "backends/runtime/gemm/gemm_tiles.inc"

#undef TESSERA_VECTORS
#undef TESSERA_WIDTH

}  // namespace avx512

namespace avx2 {

#define TESSERA_WIDTH __attribute__((target("avx2,fma")))
#define TESSERA_VECTORS TESSERA_WIDTH __attribute__((always_inline)) inline

using Real = double;
using Vector = __m256d;
using Mask = __m256i;
constexpr int kLanes = 4, kRows = 6, kDotRows = 2;

TESSERA_VECTORS Mask maskOf(int64_t count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
TESSERA_VECTORS Vector zero() { return _mm256_setzero_pd(); }
TESSERA_VECTORS Vector splat(double x) { return _mm256_set1_pd(x); }
TESSERA_VECTORS Vector load(const double* p) { return _mm256_loadu_pd(p); }
TESSERA_VECTORS Vector load(const double* p, Mask mask) { return _mm256_maskload_pd(p, mask); }
TESSERA_VECTORS void store(double* p, Vector x) { _mm256_storeu_pd(p, x); }
TESSERA_VECTORS void store(double* p, Vector x, Mask mask) { _mm256_maskstore_pd(p, mask, x); }
TESSERA_VECTORS Vector add(Vector x, Vector y) { return _mm256_add_pd(x, y); }
TESSERA_VECTORS Vector multiplyAdd(Vector x, Vector y, Vector sum) { return _mm256_fmadd_pd(x, y, sum); }

TESSERA_VECTORS Vector sumsOf(Vector a, Vector b, Vector c, Vector d) {
  const Vector two = _mm256_hadd_pd(a, b), others = _mm256_hadd_pd(c, d);
  return add(_mm256_permute2f128_pd(two, others, 0x20), _mm256_permute2f128_pd(two, others, 0x31));
}
TESSERA_VECTORS void storeSums(double* to, Vector a, Vector b, Vector c, Vector d) { store(to, sumsOf(a, b, c, d)); }
TESSERA_VECTORS double sumOf(Vector x) { return _mm256_cvtsd_f64(sumsOf(x, zero(), zero(), zero())); }

TESSERA_VECTORS void transposeSquare(Vector (&x)[4]) {
  const Vector low = _mm256_unpacklo_pd(x[0], x[1]), high = _mm256_unpackhi_pd(x[0], x[1]);
  const Vector lowBelow = _mm256_unpacklo_pd(x[2], x[3]), highBelow = _mm256_unpackhi_pd(x[2], x[3]);
  x[0] = _mm256_permute2f128_pd(low, lowBelow, 0x20);
  x[1] = _mm256_permute2f128_pd(high, highBelow, 0x20);
  x[2] = _mm256_permute2f128_pd(low, lowBelow, 0x31);
  x[3] = _mm256_permute2f128_pd(high, highBelow, 0x31);
}

#include "backends/runtime/gemm/gemm_tiles.inc"

#undef TESSERA_VECTORS
#undef TESSERA_WIDTH

}  // namespace avx2

namespace sse {

#define TESSERA_WIDTH
#define TESSERA_VECTORS __attribute__((always_inline)) inline

using Real = double;
using Vector = __m128d;
struct Mask {
  int64_t count;
};
constexpr int kLanes = 2, kRows = 5, kDotRows = 2;

TESSERA_VECTORS Mask maskOf(int64_t count) { return {count}; }
TESSERA_VECTORS Vector zero() { return _mm_setzero_pd(); }
TESSERA_VECTORS Vector splat(double x) { return _mm_set1_pd(x); }
TESSERA_VECTORS Vector load(const double* p) { return _mm_loadu_pd(p); }
TESSERA_VECTORS Vector load(const double* p, Mask mask) { return mask.count > 1 ? load(p) : _mm_set_sd(*p); }
TESSERA_VECTORS void store(double* p, Vector x) { _mm_storeu_pd(p, x); }
TESSERA_VECTORS void store(double* p, Vector x, Mask mask) {
  for (int64_t i = 0; i < mask.count; ++i) p[i] = x[i];
}
TESSERA_VECTORS Vector add(Vector x, Vector y) { return _mm_add_pd(x, y); }
TESSERA_VECTORS Vector multiplyAdd(Vector x, Vector y, Vector sum) { return _mm_add_pd(sum, _mm_mul_pd(x, y)); }
TESSERA_VECTORS Vector sumsOf(Vector a, Vector b) { return add(_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b)); }
TESSERA_VECTORS void storeSums(double* to, Vector a, Vector b, Vector c, Vector d) {
  store(to, sumsOf(a, b));
  store(to + 2, sumsOf(c, d));
}
TESSERA_VECTORS double sumOf(Vector x) { return _mm_cvtsd_f64(sumsOf(x, x)); }
TESSERA_VECTORS void transposeSquare(Vector (&x)[2]) {
  const Vector low = _mm_unpacklo_pd(x[0], x[1]);
  x[1] = _mm_unpackhi_pd(x[0], x[1]);
  x[0] = low;
}

#include "backends/runtime/gemm/gemm_tiles.inc"

#undef TESSERA_VECTORS
#undef TESSERA_WIDTH

}  // namespace sse

}  // namespace

template <>
const GemmTiles<double>& gemmTiles(GemmVectors vectors) {
  static constexpr GemmTiles<double> kAll[] = {sse::kTiles, avx2::kTiles, avx512::kTiles};
  return kAll[static_cast<size_t>(vectors)];
}

}  // namespace tessera::cpu
