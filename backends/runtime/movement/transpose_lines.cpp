// See transpose_lines.h.
#include "backends/runtime/movement/transpose_lines.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <cstring>

#include "backends/runtime/movement/element_words.h"

namespace tessera::cpu {

namespace {

using Words4 = uint32_t __attribute__((vector_size(16)));
using Words2 = uint64_t __attribute__((vector_size(16)));

// --- any processor

template <class T, bool kStreams>
void transposePlain(const char* from, int64_t fromStride, char* to, int64_t toStride, int64_t lines) {
  constexpr auto kLine = kLineBytes / static_cast<int64_t>(sizeof(T));
  alignas(kLineBytes) T out[kLine * kLine];
  transposeTile(reinterpret_cast<const T*>(from), fromStride / static_cast<int64_t>(sizeof(T)), out, kLine, kLine,
                kLine);
  for (int64_t k = 0; k < lines; ++k) {
    if constexpr (kStreams)
      storeNonTemporal(out + k * kLine, to + k * toStride, kLineBytes);
    else
      std::memcpy(to + k * toStride, out + k * kLine, kLineBytes);
  }
}

void copyPlain(const char* from, char* to, int64_t lines, const char* prefetched) {
  for (int64_t at = 0; at < lines * kLineBytes; at += kLineBytes) {
    __builtin_prefetch(prefetched + at, 0, 3);
    std::memcpy(to + at, from + at, kLineBytes);
  }
}

// --- AVX-512

#ifdef __SSE2__
// Of all elements: gcc 12 takes the plain forms for reads of what was never written.
constexpr __mmask64 kAll = ~__mmask64{0};
#define TESSERA_WIDE __attribute__((target("avx512f,avx512bw")))

template <int kWidth>
TESSERA_WIDE inline __m512i lowOf(__m512i a, __m512i b) {
  if constexpr (kWidth == 1)
    return _mm512_maskz_unpacklo_epi8(kAll, a, b);
  else if constexpr (kWidth == 2)
    return _mm512_maskz_unpacklo_epi16(static_cast<__mmask32>(kAll), a, b);
  else if constexpr (kWidth == 4)
    return _mm512_maskz_unpacklo_epi32(static_cast<__mmask16>(kAll), a, b);
  else
    return _mm512_maskz_unpacklo_epi64(static_cast<__mmask8>(kAll), a, b);
}

template <int kWidth>
TESSERA_WIDE inline __m512i highOf(__m512i a, __m512i b) {
  if constexpr (kWidth == 1)
    return _mm512_maskz_unpackhi_epi8(kAll, a, b);
  else if constexpr (kWidth == 2)
    return _mm512_maskz_unpackhi_epi16(static_cast<__mmask32>(kAll), a, b);
  else if constexpr (kWidth == 4)
    return _mm512_maskz_unpackhi_epi32(static_cast<__mmask16>(kAll), a, b);
  else
    return _mm512_maskz_unpackhi_epi64(static_cast<__mmask8>(kAll), a, b);
}

template <int kWhich>
TESSERA_WIDE inline __m512i lanesOf(__m512i a, __m512i b) {
  return _mm512_maskz_shuffle_i32x4(static_cast<__mmask16>(kAll), a, b, kWhich);
}

// Squares in the four lanes of 16 bytes: rows are shuffled together, halves apart, until each is a column.
template <int kWidth>
TESSERA_WIDE inline void transposeLanes(__m512i (&rows)[16 / kWidth]) {
  constexpr int kRows = 16 / kWidth;
#pragma GCC unroll 4
  for (int round = 1; round < kRows; round *= 2) {
    __m512i shuffled[kRows];
#pragma GCC unroll 16
    for (int i = 0; i < kRows / 2; ++i) {
      shuffled[2 * i] = lowOf<kWidth>(rows[i], rows[i + kRows / 2]);
      shuffled[2 * i + 1] = highOf<kWidth>(rows[i], rows[i + kRows / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) rows[i] = shuffled[i];
  }
}

template <bool kStreams>
TESSERA_WIDE inline void storeLine(char* to, int64_t toStride, int64_t line, int64_t lines, __m512i value) {
  if (line >= lines) return;
  if constexpr (kStreams)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + line * toStride), value);
  else
    _mm512_storeu_si512(to + line * toStride, value);
}

// Four groups of rows, each transposed within its lanes; then lane q of all four is a line.
template <int kWidth, bool kStreams>
TESSERA_WIDE void transposeWide(const char* from, int64_t fromStride, char* to, int64_t toStride, int64_t lines) {
  constexpr int kRows = 16 / kWidth;
  __m512i groups[4][kRows];
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
#pragma GCC unroll 16
    for (int k = 0; k < kRows; ++k) groups[g][k] = _mm512_loadu_si512(from + (g * kRows + k) * fromStride);
    transposeLanes<kWidth>(groups[g]);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kRows; ++c) {
    const __m512i low = lanesOf<0x44>(groups[0][c], groups[1][c]), high = lanesOf<0xee>(groups[0][c], groups[1][c]);
    const __m512i low2 = lanesOf<0x44>(groups[2][c], groups[3][c]), high2 = lanesOf<0xee>(groups[2][c], groups[3][c]);
    storeLine<kStreams>(to, toStride, c, lines, lanesOf<0x88>(low, low2));
    storeLine<kStreams>(to, toStride, c + kRows, lines, lanesOf<0xdd>(low, low2));
    storeLine<kStreams>(to, toStride, c + 2 * kRows, lines, lanesOf<0x88>(high, high2));
    storeLine<kStreams>(to, toStride, c + 3 * kRows, lines, lanesOf<0xdd>(high, high2));
  }
}

TESSERA_WIDE void copyWide(const char* from, char* to, int64_t lines, const char* prefetched) {
  for (int64_t at = 0; at < lines * kLineBytes; at += kLineBytes) {
    __builtin_prefetch(prefetched + at, 0, 3);
    _mm512_storeu_si512(to + at, _mm512_loadu_si512(from + at));
  }
}

template <class T>
LineMoves movesOf() {
  constexpr int kWidth = sizeof(T);
  static const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  return wide ? LineMoves{transposeWide<kWidth, false>, transposeWide<kWidth, true>, copyWide}
              : LineMoves{transposePlain<T, false>, transposePlain<T, true>, copyPlain};
}
#undef TESSERA_WIDE
#else
template <class T>
LineMoves movesOf() {
  return {transposePlain<T, false>, transposePlain<T, true>, copyPlain};
}
#endif

}  // namespace

void transposeTile(const uint32_t* from, int64_t fromStride, uint32_t* to, int64_t toStride, int64_t rows,
                   int64_t columns) {
  auto load = [&](int64_t j, int64_t i) {
    Words4 v;
    std::memcpy(&v, from + j * fromStride + i, sizeof v);
    return v;
  };
  for (int64_t i = 0; i < rows; i += 4)
    for (int64_t j = 0; j < columns; j += 4) {
      const Words4 a = load(j, i), b = load(j + 1, i), c = load(j + 2, i), d = load(j + 3, i);
      const Words4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const Words4 ba = __builtin_shufflevector(a, b, 2, 6, 3, 7), dc = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      const Words4 out[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                             __builtin_shufflevector(ba, dc, 0, 1, 4, 5), __builtin_shufflevector(ba, dc, 2, 3, 6, 7)};
      for (int64_t k = 0; k < 4; ++k) std::memcpy(to + (i + k) * toStride + j, &out[k], sizeof out[k]);
    }
}

void transposeTile(const uint64_t* from, int64_t fromStride, uint64_t* to, int64_t toStride, int64_t rows,
                   int64_t columns) {
  for (int64_t i = 0; i < rows; i += 2)
    for (int64_t j = 0; j < columns; j += 2) {
      Words2 a, b;
      std::memcpy(&a, from + j * fromStride + i, sizeof a);
      std::memcpy(&b, from + (j + 1) * fromStride + i, sizeof b);
      const Words2 low = __builtin_shufflevector(a, b, 0, 2), high = __builtin_shufflevector(a, b, 1, 3);
      std::memcpy(to + i * toStride + j, &low, sizeof low);
      std::memcpy(to + (i + 1) * toStride + j, &high, sizeof high);
    }
}

#ifdef __SSE2__
void storeNonTemporal(const void* from, void* to, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(static_cast<char*>(to) + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(static_cast<const char*>(from) + at)));
}
void endStreams() { _mm_sfence(); }
#else
void storeNonTemporal(const void* from, void* to, int64_t bytes) { std::memcpy(to, from, static_cast<size_t>(bytes)); }
void endStreams() {}
#endif

LineMoves lineMovesOf(int64_t width) {
  return withWordOf(width, [](auto word) { return movesOf<decltype(word)>(); });
}

}  // namespace tessera::cpu
