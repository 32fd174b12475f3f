// Transposes of squares of elements whose rows are cache lines, in registers, and copies of lines that prefetch others
// meanwhile. With AVX-512 where the processor has it. Used by permute_step.
#pragma once

#include <cstdint>

namespace tessera::cpu {

inline constexpr int64_t kLineBytes = 64;

struct LineMoves {
  // Line k < lines of `to`, every toStride bytes, gets element k of each line of `from`, every fromStride bytes; of
  // those there are as many as a line has elements.
  using Transpose = void (*)(const char* from, int64_t fromStride, char* to, int64_t toStride, int64_t lines);
  Transpose transpose = nullptr;
  Transpose transposeStreaming = nullptr;  // with non-temporal stores; `to` is aligned to lines
  // Copies neighbouring lines and prefetches as many from `prefetched` on.
  void (*copy)(const char* from, char* to, int64_t lines, const char* prefetched) = nullptr;
};

// width: bytes of an element: 1, 2, 4, 8 or 16. Lines of the result are seen by all after endStreams().
LineMoves lineMovesOf(int64_t width);
// `bytes`, a multiple of a line, to an aligned target, with non-temporal stores.
void storeNonTemporal(const void* from, void* to, int64_t bytes);
void endStreams();

// rows × columns of `to` from columns × rows of `from`; strides in elements, multiples of 4 elements of 4 bytes, 2
// of 8.
void transposeTile(const uint32_t* from, int64_t fromStride, uint32_t* to, int64_t toStride, int64_t rows,
                   int64_t columns);
void transposeTile(const uint64_t* from, int64_t fromStride, uint64_t* to, int64_t toStride, int64_t rows,
                   int64_t columns);
template <class T>
void transposeTile(const T* from, int64_t fromStride, T* to, int64_t toStride, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * toStride + j] = from[j * fromStride + i];
}

}  // namespace tessera::cpu
