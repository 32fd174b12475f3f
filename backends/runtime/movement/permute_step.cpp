// See permute_step.h.
#include "backends/runtime/movement/permute_step.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/runtime/movement/transpose_lines.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

// Elements of a tile's rows on both sides: two cache lines, or more of wide elements.
constexpr int64_t tileOf(size_t width) { return std::max<int64_t>(16, 128 / static_cast<int64_t>(width)); }

// A block of a large result: so many elements of the operand's rows, which become columns of so many bytes. Shorter
// runs leave the memory idle between them; of rows a power of two apart the second cache holds no more than that. Plan
// and run time agree on buffers: these are no tuning constants.
constexpr int64_t kRunElements = 512, kResultRunBytes = 256;
constexpr int64_t kDenseBytes = 2048, kShortRowBytes = 256;  // rows up to that, if they are neighbours, are read as one
constexpr int64_t bufferBytes(int64_t width) {
  return kResultRunBytes / width * (kRunElements * width + kLineBytes) + kLineBytes;
}

int64_t resultBytes(const Permute& permute) {
  int64_t bytes = permute.across.size * permute.along.size * permute.width;
  for (const PermutedAxis& axis : permute.outer) bytes *= axis.size;
  return bytes;
}

// Part of the work: rows × columns of the result, elements from the arrays' first.
struct Block {
  int64_t in = 0, out = 0, rows = 0, columns = 0;
};

// How many elements of the operand's rows, and of the result's, are a block.
struct Cut {
  int64_t across = 1, along = 1;
};

class PermuteStep : public Step {
 public:
  explicit PermuteStep(Permute permute) : permute_(std::move(permute)), moves_(lineMovesOf(permute_.width)) {
    chooseCut();
  }
  Status run(RunState& state) override;
  const char* loader() const override { return "tessera_step_permute"; }
  void save(FieldWriter& out) override { out(permute_); }

 private:
  template <class T>
  void runAs(RunState& state) const;
  template <class T>
  void transposeBlock(const T* from, T* to, int64_t rows, int64_t columns) const;
  template <class T>
  void transpose(const T* from, T* to, int64_t rows, int64_t columns) const;
  class BlockReader;
  void transposeLarge(RunState& state) const;
  void transposeBuffer(const char* buffer, char* to, const Block& block, bool streams, BlockReader& next) const;
  void copyRuns(RunState& state) const;
  void chooseCut();
  int64_t blocks(const Cut& cut) const {
    return outerCount_ * blocksOf(permute_.across.size, cut.across) * blocksOf(permute_.along.size, cut.along);
  }
  static int64_t blocksOf(int64_t size, int64_t block) { return (size + block - 1) / block; }
  Block blockAt(const Cut& cut, int64_t item) const;
  bool streamsTo(const void* to) const;

  Permute permute_;
  LineMoves moves_;
  Cut cut_, large_;
  int64_t outerCount_ = 1;
  int64_t pitch_ = 0;     // bytes from row to row of a buffer
  bool isDense_ = false;  // rows of the operand's blocks are neighbours, and short
};

// rows × columns of the result from columns × rows of the operand, through a buffer: rows of an array whose length is a
// power of two would push each other out of the cache.
template <class T>
void PermuteStep::transpose(const T* from, T* to, int64_t rows, int64_t columns) const {
  constexpr int64_t kTile = tileOf(sizeof(T)), kPadded = kTile + 64 / static_cast<int64_t>(sizeof(T));
  alignas(64) T buffer[kTile * kPadded];
  const bool isWhole = rows == kTile && columns == kTile;
  if (isWhole) {
    for (int64_t j = 0; j < kTile; ++j)
      std::memcpy(buffer + j * kPadded, from + j * permute_.along.from, kTile * sizeof(T));
    return transposeTile(buffer, kPadded, to, permute_.across.to, kTile, kTile);
  }
  for (int64_t j = 0; j < columns; ++j)
    std::memcpy(buffer + j * kPadded, from + j * permute_.along.from, static_cast<size_t>(rows) * sizeof(T));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * permute_.across.to + j] = buffer[j * kPadded + i];
}

// Lines of the result are whole where all strides are.
bool PermuteStep::streamsTo(const void* to) const {
  auto isLines = [&](int64_t elements) { return elements * permute_.width % 64 == 0; };
  return resultBytes(permute_) >= tuning().movement.streamedBytes && isLines(permute_.along.size) &&
         reinterpret_cast<uintptr_t>(to) % 64 == 0 && (permute_.across.size == 1 || isLines(permute_.across.to)) &&
         std::ranges::all_of(permute_.outer, [&](const PermutedAxis& axis) { return isLines(axis.to); });
}

// Neighbours along the operand's rows, which are read front to back.
Block PermuteStep::blockAt(const Cut& cut, int64_t item) const {
  const int64_t down = blocksOf(permute_.across.size, cut.across), right = blocksOf(permute_.along.size, cut.along);
  const int64_t row = item % down * cut.across, column = item / down % right * cut.along;
  Block block{row + column * permute_.along.from, row * permute_.across.to + column,
              std::min(cut.across, permute_.across.size - row), std::min(cut.along, permute_.along.size - column)};
  int64_t rest = item / (down * right);
  for (size_t d = permute_.outer.size(); d-- > 0; rest /= permute_.outer[d].size) {
    block.in += rest % permute_.outer[d].size * permute_.outer[d].from;
    block.out += rest % permute_.outer[d].size * permute_.outer[d].to;
  }
  return block;
}

// Block by block, so that the pages of both arrays that are walked at once stay known to the processor.
template <class T>
void PermuteStep::runAs(RunState& state) const {
  const T* from = reinterpret_cast<const T*>(state.pointers[static_cast<size_t>(permute_.from)]);
  T* to = reinterpret_cast<T*>(state.pointers[static_cast<size_t>(permute_.to)]);
  state.pool->parallelFor(blocks(cut_), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      const Block block = blockAt(cut_, item);
      transposeBlock(from + block.in, to + block.out, block.rows, block.columns);
    }
  });
}

// Copies blocks, one after the other, into two buffers alternately; some lines a call, so that reading and storing
// overlap. Rows of an array whose length is a power of two would push each other out of the cache, so they are not
// transposed where they lie.
class PermuteStep::BlockReader {
 public:
  BlockReader(const PermuteStep& step, const char* from, char* buffers, int64_t begin, int64_t end)
      : step_(step),
        from_(from),
        buffers_(buffers),
        end_(end),
        filling_(begin),
        at_{begin, 0, step.blockAt(step.large_, begin)},
        prefetch_(at_) {
    for (int64_t lines = 0; lines < tuning().movement.prefetchLines; lines += blocksOf(bytesOf(at_), kLineBytes))
      advance(prefetch_);
    enterRow();
  }

  // Some lines of the block that is being read; nothing when it is read.
  void read(int64_t lines) {
    while (lines > 0 && at_.item == filling_ && filling_ < end_) {
      const int64_t count = std::min(lines, lines_);
      step_.moves_.copy(row_, to_, count, prefetchRow_);
      skip(count * kLineBytes);
      lines -= count;
      if ((lines_ -= count) > 0) return;
      leaveRow();
      --lines;
    }
  }
  // Reads the rest of the block and gives its buffer; the next one follows.
  const char* take() {
    read(INT64_MAX);
    return bufferOf(filling_++);
  }

 private:
  // A row of the block; or, of rows that are neighbours, so many bytes.
  struct Row {
    int64_t item = 0, number = 0;
    Block block;
  };
  int64_t width() const { return step_.permute_.width; }
  int64_t bytesOf(const Row& row) const {
    const int64_t ofRow = row.block.rows * width();
    return step_.isDense_ ? std::min(kDenseBytes, ofRow * row.block.columns - row.number * kDenseBytes) : ofRow;
  }
  int64_t rowsOf(const Block& block) const {
    return step_.isDense_ ? blocksOf(block.rows * block.columns * width(), kDenseBytes) : block.columns;
  }
  char* bufferOf(int64_t item) const { return buffers_ + (item & 1) * bufferBytes(width()); }
  const char* placeOf(const Row& row) const {
    return from_ + row.block.in * width() +
           row.number * (step_.isDense_ ? kDenseBytes : step_.permute_.along.from * width());
  }
  void advance(Row& row) const {
    if (row.item == end_ || ++row.number < rowsOf(row.block)) return;
    row.number = 0;
    if (++row.item < end_) row.block = step_.blockAt(step_.large_, row.item);
  }
  void skip(int64_t bytes) { row_ += bytes, to_ += bytes, prefetchRow_ += bytes; }
  void enterRow() {
    const int64_t bytes = bytesOf(at_);
    row_ = placeOf(at_);
    to_ = bufferOf(at_.item) + at_.number * (step_.isDense_ ? kDenseBytes : step_.pitch_);
    prefetchRow_ = prefetch_.item < end_ ? placeOf(prefetch_) : row_;
    lines_ = bytes / kLineBytes;
    rest_ = bytes % kLineBytes;
  }
  // What is no whole line, and on.
  void leaveRow() {
    if (rest_ > 0) {
      __builtin_prefetch(prefetchRow_, 0, 3);
      std::memcpy(to_, row_, static_cast<size_t>(rest_));
    }
    advance(at_);
    advance(prefetch_);
    if (at_.item < end_) enterRow();
  }

  const PermuteStep& step_;
  const char* from_;
  char* buffers_;
  int64_t end_, filling_;
  Row at_, prefetch_;  // what is read next; what is prefetched meanwhile
  const char *row_ = nullptr, *prefetchRow_ = nullptr;
  char* to_ = nullptr;
  int64_t lines_ = 0, rest_ = 0;  // of the row: lines still to be read, bytes behind the last
};

void PermuteStep::transposeLarge(RunState& state) const {
  const auto* from = reinterpret_cast<const char*>(state.pointers[static_cast<size_t>(permute_.from)]);
  auto* to = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.to)]);
  auto* buffers = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.buffers)]);
  const bool streams = streamsTo(to);
  const int64_t count = blocks(large_),
                inARow = std::clamp<int64_t>(count / (4 * state.pool->threads()), 1, tuning().movement.maxBlocksInARow);
  state.pool->parallelFor(count, inARow, [&](int64_t begin, int64_t end, int thread) {
    BlockReader reader(*this, from, buffers + 2 * thread * bufferBytes(permute_.width), begin, end);
    for (int64_t item = begin; item < end; ++item) {
      const Block block = blockAt(large_, item);
      transposeBuffer(reader.take(), to + block.out * permute_.width, block, streams, reader);
    }
    if (streams) endStreams();
  });
}

// Line by line; meanwhile the next block is read. Where rows of the result begin anywhere, they go through the caches.
void PermuteStep::transposeBuffer(const char* buffer, char* to, const Block& block, bool streams,
                                  BlockReader& next) const {
  alignas(kLineBytes) char transposed[kLineBytes * kLineBytes];
  const int64_t width = permute_.width, line = kLineBytes / width, toStride = permute_.across.to * width;
  const LineMoves::Transpose transpose = streams ? moves_.transposeStreaming : moves_.transpose;
  for (int64_t i = 0; i < block.rows; i += line)
    for (int64_t j = 0; j < block.columns; j += line) {
      next.read(line);
      const char* tile = buffer + j * pitch_ + i * width;
      char* target = to + i * toStride + j * width;
      const int64_t lines = std::min(line, block.rows - i), rest = block.columns - j;
      if (rest >= line) {
        transpose(tile, pitch_, target, toStride, lines);
        continue;
      }
      moves_.transpose(tile, pitch_, transposed, kLineBytes, lines);
      for (int64_t k = 0; k < lines; ++k)
        std::memcpy(target + k * toStride, transposed + k * kLineBytes, static_cast<size_t>(rest * width));
    }
}

template <class T>
void PermuteStep::transposeBlock(const T* from, T* to, int64_t rows, int64_t columns) const {
  constexpr int64_t kTile = tileOf(sizeof(T));
  for (int64_t row = 0; row < rows; row += kTile)
    for (int64_t column = 0; column < columns; column += kTile)
      transpose(from + row + column * permute_.along.from, to + row * permute_.across.to + column,
                std::min(kTile, rows - row), std::min(kTile, columns - column));
}

// As large as pages like, smaller while there are few blocks; of large results, as large as a buffer.
void PermuteStep::chooseCut() {
  const auto& limits = tuning().movement;
  outerCount_ = 1;
  for (const PermutedAxis& axis : permute_.outer) outerCount_ *= axis.size;
  int64_t edge = limits.blockEdge;
  while (edge > 2 * tileOf(static_cast<size_t>(permute_.width)) && blocks({edge, edge}) < limits.wantedBlocks)
    edge /= 2;
  cut_ = {edge, edge};
  const int64_t line = kLineBytes / permute_.width;
  large_.across = std::min(kRunElements, permute_.across.size);
  const int64_t rowBytes = large_.across * permute_.width;
  isDense_ = rowBytes <= kShortRowBytes && permute_.along.from == large_.across;
  pitch_ = isDense_ ? rowBytes : blocksOf(rowBytes, kLineBytes) * kLineBytes + kLineBytes;
  large_.along = (bufferBytes(permute_.width) - kLineBytes) / pitch_ / line * line;
}

// Rows that stay rows, in the operand's order: it is read front to back, whole runs of lines are written with
// non-temporal stores.
void PermuteStep::copyRuns(RunState& state) const {
  const auto* from = reinterpret_cast<const char*>(state.pointers[static_cast<size_t>(permute_.from)]);
  auto* to = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.to)]);
  const int64_t bytes = permute_.along.size * permute_.width;
  const PermutedAxis& last = permute_.outer.back();
  const bool streams = streamsTo(to);
  state.pool->parallelFor(outerCount_ / last.size,
                          std::max<int64_t>(1, tuning().movement.runChunkBytes / (bytes * last.size)),
                          [&](int64_t begin, int64_t end, int) {
                            for (int64_t item = begin; item < end; ++item) {
                              int64_t in = 0, out = 0, rest = item;
                              for (size_t d = permute_.outer.size() - 1; d-- > 0; rest /= permute_.outer[d].size) {
                                in += rest % permute_.outer[d].size * permute_.outer[d].from;
                                out += rest % permute_.outer[d].size * permute_.outer[d].to;
                              }
                              for (int64_t i = 0; i < last.size; ++i) {
                                const char* run = from + (in + i * last.from) * permute_.width;
                                char* target = to + (out + i * last.to) * permute_.width;
                                if (streams)
                                  storeNonTemporal(run, target, bytes);
                                else
                                  std::memcpy(target, run, static_cast<size_t>(bytes));
                              }
                            }
                            if (streams) endStreams();
                          });
}

struct Bytes16 {
  uint64_t parts[2];
};

Status PermuteStep::run(RunState& state) {
  if (permute_.along.from == 1) return copyRuns(state), Status{};
  if (permute_.buffers >= 0) return transposeLarge(state), Status{};
  switch (permute_.width) {
    case 1: runAs<uint8_t>(state); break;
    case 2: runAs<uint16_t>(state); break;
    case 4: runAs<uint32_t>(state); break;
    case 8: runAs<uint64_t>(state); break;
    default: runAs<Bytes16>(state); break;
  }
  return {};
}

}  // namespace

int64_t permuteBufferBytes(const Permute& permute, int threads) {
  const bool isTransposed = permute.along.from != 1 && resultBytes(permute) >= tuning().movement.streamedBytes;
  return isTransposed ? 2 * threads * bufferBytes(permute.width) : 0;
}

StepPtr makePermuteStep(Permute permute) { return std::make_unique<PermuteStep>(std::move(permute)); }

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_permute(tessera::cpu::FieldReader& in) {
  tessera::cpu::Permute permute;
  in(permute);
  const bool isKnown =
      permute.width > 0 && permute.width <= 16 && std::has_single_bit(static_cast<uint64_t>(permute.width));
  return in.good() && isKnown ? tessera::cpu::makePermuteStep(std::move(permute)).release() : nullptr;
}
