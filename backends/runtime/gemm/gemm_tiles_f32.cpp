// See gemm_tiles.h: f32. Each width brings its vectors; the tiles themselves are one text.
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

using Real = float;
using Vector = __m512;
using Mask = __mmask16;
constexpr int
    kLanes = 16,
    kRows = 12,
    kDotRows = 4;  // 14 rows fit, but lines of more than 12 at a distance of pages do not fit a set of the first cache

TESSERA_VECTORS Mask maskOf(int64_t count) { return static_cast<Mask>((1u << count) - 1); }
TESSERA_VECTORS Vector zero() { return _mm512_setzero_ps(); }
TESSERA_VECTORS Vector splat(float x) { return _mm512_set1_ps(x); }
TESSERA_VECTORS Vector load(const float* p) { return _mm512_loadu_ps(p); }
TESSERA_VECTORS Vector load(const float* p, Mask mask) { return _mm512_maskz_loadu_ps(mask, p); }
TESSERA_VECTORS void store(float* p, Vector x) { _mm512_storeu_ps(p, x); }
TESSERA_VECTORS void store(float* p, Vector x, Mask mask) { _mm512_mask_storeu_ps(p, mask, x); }
TESSERA_VECTORS Vector add(Vector x, Vector y) { return _mm512_add_ps(x, y); }
TESSERA_VECTORS Vector multiplyAdd(Vector x, Vector y, Vector sum) { return _mm512_fmadd_ps(x, y, sum); }
TESSERA_VECTORS Vector lowPairs(Vector x, Vector y) {
  return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(x), _mm512_castps_pd(y)));
}
TESSERA_VECTORS Vector highPairs(Vector x, Vector y) {
  return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(x), _mm512_castps_pd(y)));
}

// The sums of four vectors' lanes.
TESSERA_VECTORS __m128 sumsOf(Vector a, Vector b, Vector c, Vector d) {
  const Vector two = add(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)),
               others = add(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
  const Vector quarters = add(lowPairs(two, others), highPairs(two, others));
  const Vector halves = add(quarters, _mm512_shuffle_f32x4(quarters, quarters, 0x4e));
  return _mm512_castps512_ps128(add(halves, _mm512_shuffle_f32x4(halves, halves, 0xb1)));
}

// Pairs of rows, fours of rows, then the quarters of vectors.
TESSERA_VECTORS void transposeSquare(Vector (&x)[16]) {
  Vector y[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    y[2 * i] = _mm512_unpacklo_ps(x[2 * i], x[2 * i + 1]);
    y[2 * i + 1] = _mm512_unpackhi_ps(x[2 * i], x[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    x[4 * i] = lowPairs(y[4 * i], y[4 * i + 2]);
    x[4 * i + 1] = highPairs(y[4 * i], y[4 * i + 2]);
    x[4 * i + 2] = lowPairs(y[4 * i + 1], y[4 * i + 3]);
    x[4 * i + 3] = highPairs(y[4 * i + 1], y[4 * i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Vector a = _mm512_shuffle_f32x4(x[i], x[4 + i], 0x88), b = _mm512_shuffle_f32x4(x[i], x[4 + i], 0xdd);
    const Vector c = _mm512_shuffle_f32x4(x[8 + i], x[12 + i], 0x88),
                 d = _mm512_shuffle_f32x4(x[8 + i], x[12 + i], 0xdd);
    x[i] = _mm512_shuffle_f32x4(a, c, 0x88);
    x[4 + i] = _mm512_shuffle_f32x4(b, d, 0x88);
    x[8 + i] = _mm512_shuffle_f32x4(a, c, 0xdd);
    x[12 + i] = _mm512_shuffle_f32x4(b, d, 0xdd);
  }
}

TESSERA_VECTORS void storeSums(float* to, Vector a, Vector b, Vector c, Vector d) {
  _mm_storeu_ps(to, sumsOf(a, b, c, d));
}
TESSERA_VECTORS float sumOf(Vector x) { return _mm_cvtss_f32(sumsOf(x, zero(), zero(), zero())); }

#include "backends/runtime/gemm/gemm_tiles.inc"

#undef TESSERA_VECTORS
#undef TESSERA_WIDTH

}  // namespace avx512

namespace avx2 {

#define TESSERA_WIDTH __attribute__((target("avx2,fma")))
#define TESSERA_VECTORS TESSERA_WIDTH __attribute__((always_inline)) inline

using Real = float;
using Vector = __m256;
using Mask = __m256i;
constexpr int kLanes = 8, kRows = 6, kDotRows = 2;

TESSERA_VECTORS Mask maskOf(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
TESSERA_VECTORS Vector zero() { return _mm256_setzero_ps(); }
TESSERA_VECTORS Vector splat(float x) { return _mm256_set1_ps(x); }
TESSERA_VECTORS Vector load(const float* p) { return _mm256_loadu_ps(p); }
TESSERA_VECTORS Vector load(const float* p, Mask mask) { return _mm256_maskload_ps(p, mask); }
TESSERA_VECTORS void store(float* p, Vector x) { _mm256_storeu_ps(p, x); }
TESSERA_VECTORS void store(float* p, Vector x, Mask mask) { _mm256_maskstore_ps(p, mask, x); }
TESSERA_VECTORS Vector add(Vector x, Vector y) { return _mm256_add_ps(x, y); }
TESSERA_VECTORS Vector multiplyAdd(Vector x, Vector y, Vector sum) { return _mm256_fmadd_ps(x, y, sum); }

TESSERA_VECTORS __m128 sumsOf(Vector a, Vector b, Vector c, Vector d) {
  const Vector quarters = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(quarters), _mm256_extractf128_ps(quarters, 1));
}

TESSERA_VECTORS void transposeSquare(Vector (&x)[8]) {
  Vector y[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    y[2 * i] = _mm256_unpacklo_ps(x[2 * i], x[2 * i + 1]);
    y[2 * i + 1] = _mm256_unpackhi_ps(x[2 * i], x[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    x[4 * i] = _mm256_shuffle_ps(y[4 * i], y[4 * i + 2], 0x44);
    x[4 * i + 1] = _mm256_shuffle_ps(y[4 * i], y[4 * i + 2], 0xee);
    x[4 * i + 2] = _mm256_shuffle_ps(y[4 * i + 1], y[4 * i + 3], 0x44);
    x[4 * i + 3] = _mm256_shuffle_ps(y[4 * i + 1], y[4 * i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Vector low = _mm256_permute2f128_ps(x[i], x[4 + i], 0x20),
                 high = _mm256_permute2f128_ps(x[i], x[4 + i], 0x31);
    x[i] = low;
    x[4 + i] = high;
  }
}

TESSERA_VECTORS void storeSums(float* to, Vector a, Vector b, Vector c, Vector d) {
  _mm_storeu_ps(to, sumsOf(a, b, c, d));
}
TESSERA_VECTORS float sumOf(Vector x) { return _mm_cvtss_f32(sumsOf(x, zero(), zero(), zero())); }

#include "backends/runtime/gemm/gemm_tiles.inc"

#undef TESSERA_VECTORS
#undef TESSERA_WIDTH

}  // namespace avx2

namespace sse {

#define TESSERA_WIDTH
#define TESSERA_VECTORS __attribute__((always_inline)) inline

using Real = float;
using Vector = __m128;
struct Mask {
  int64_t count;
};
constexpr int kLanes = 4, kRows = 5, kDotRows = 2;

TESSERA_VECTORS Mask maskOf(int64_t count) { return {count}; }
TESSERA_VECTORS Vector zero() { return _mm_setzero_ps(); }
TESSERA_VECTORS Vector splat(float x) { return _mm_set1_ps(x); }
TESSERA_VECTORS Vector load(const float* p) { return _mm_loadu_ps(p); }
TESSERA_VECTORS Vector load(const float* p, Mask mask) {
  return _mm_setr_ps(p[0], mask.count > 1 ? p[1] : 0, mask.count > 2 ? p[2] : 0, mask.count > 3 ? p[3] : 0);
}
TESSERA_VECTORS void store(float* p, Vector x) { _mm_storeu_ps(p, x); }
TESSERA_VECTORS void store(float* p, Vector x, Mask mask) {
  for (int64_t i = 0; i < mask.count; ++i) p[i] = x[i];
}
TESSERA_VECTORS Vector add(Vector x, Vector y) { return _mm_add_ps(x, y); }
TESSERA_VECTORS Vector multiplyAdd(Vector x, Vector y, Vector sum) { return _mm_add_ps(sum, _mm_mul_ps(x, y)); }
TESSERA_VECTORS __m128 sumsOf(Vector a, Vector b, Vector c, Vector d) {
  _MM_TRANSPOSE4_PS(a, b, c, d);
  return add(add(a, b), add(c, d));
}
TESSERA_VECTORS void transposeSquare(Vector (&x)[4]) { _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]); }

TESSERA_VECTORS void storeSums(float* to, Vector a, Vector b, Vector c, Vector d) {
  _mm_storeu_ps(to, sumsOf(a, b, c, d));
}
TESSERA_VECTORS float sumOf(Vector x) { return _mm_cvtss_f32(sumsOf(x, zero(), zero(), zero())); }

#include "backends/runtime/gemm/gemm_tiles.inc"

#undef TESSERA_VECTORS
#undef TESSERA_WIDTH

}  // namespace sse

}  // namespace

template <>
const GemmTiles<float>& gemmTiles(GemmVectors vectors) {
  static constexpr GemmTiles<float> kAll[] = {sse::kTiles, avx2::kTiles, avx512::kTiles};
  return kAll[static_cast<size_t>(vectors)];
}

}  // namespace tessera::cpu
