// PermuteBlocks: how a transpose is cut into blocks, and BlockReader, which copies those of a large one into buffers,
// so that reading one block and storing the one before it overlap. Used by permute_step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/runtime/movement/permute_step.h"
#include "backends/runtime/movement/transpose_lines.h"

namespace tessera::cpu {

// Elements of a tile's rows on both sides: two cache lines, or more of wide elements.
constexpr int64_t tileOf(size_t width) { return std::max<int64_t>(16, 128 / static_cast<int64_t>(width)); }
constexpr int64_t blocksOf(int64_t size, int64_t block) { return (size + block - 1) / block; }
// Bytes of one buffer of a large transpose.
int64_t permuteBlockBytes(int64_t width);

// Part of the work: rows × columns of the result, elements from the arrays' first.
struct PermuteBlock {
  int64_t in = 0, out = 0, rows = 0, columns = 0;
};

// How many elements of the operand's rows, and of the result's, are a block.
struct PermuteCut {
  int64_t across = 1, along = 1;
};

struct PermuteBlocks {
  explicit PermuteBlocks(const Permute& permute);
  int64_t count(const PermuteCut& cut) const {
    return outerCount * blocksOf(permute.across.size, cut.across) * blocksOf(permute.along.size, cut.along);
  }
  PermuteBlock at(const PermuteCut& cut, int64_t item) const;

  Permute permute;
  PermuteCut cut, large;  // large: of a transpose through buffers
  int64_t outerCount = 1;
  int64_t pitch = 0;     // bytes from row to row of a buffer
  bool isDense = false;  // rows of the operand's blocks are neighbours, and short
};

// Copies blocks, one after the other, into two buffers alternately; some lines a call, so that reading and storing
// overlap. Rows of an array whose length is a power of two would push each other out of the cache, so they are not
// transposed in place.
class BlockReader {
 public:
  // Blocks [begin, end) of the operand `from`, into `buffers`: two of permuteBlockBytes().
  BlockReader(const PermuteBlocks& blocks, const LineMoves& moves, const char* from, char* buffers, int64_t begin,
              int64_t end);
  // Some lines of the block that is being read; nothing when it is read.
  void read(int64_t lines);
  // Reads the rest of the block and gives its buffer; the next one follows.
  const char* take();

 private:
  // A row of the block; or, of rows that are neighbours, so many bytes.
  struct Row {
    int64_t item = 0, number = 0;
    PermuteBlock block;
  };
  int64_t width() const { return blocks_.permute.width; }
  int64_t bytesOf(const Row& row) const;
  int64_t rowsOf(const PermuteBlock& block) const;
  char* bufferOf(int64_t item) const { return buffers_ + (item & 1) * permuteBlockBytes(width()); }
  const char* placeOf(const Row& row) const;
  void advance(Row& row) const;
  void skip(int64_t bytes) { row_ += bytes, to_ += bytes, prefetchRow_ += bytes; }
  void enterRow();
  void leaveRow();

  const PermuteBlocks& blocks_;
  const LineMoves& moves_;
  const char* from_;
  char* buffers_;
  int64_t end_, filling_;
  Row at_, prefetch_;  // what is read next; what is prefetched meanwhile
  const char *row_ = nullptr, *prefetchRow_ = nullptr;
  char* to_ = nullptr;
  int64_t lines_ = 0, rest_ = 0;  // of the row: lines still to be read, bytes behind the last
};

}  // namespace tessera::cpu
