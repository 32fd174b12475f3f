// See permute_step.h.
#include "backends/runtime/movement/permute_step.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/runtime/movement/element_words.h"
#include "backends/runtime/movement/permute_blocks.h"
#include "backends/runtime/movement/transpose_lines.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

int64_t resultBytes(const Permute& permute) {
  int64_t bytes = permute.across.size * permute.along.size * permute.width;
  for (const PermutedAxis& axis : permute.outer) bytes *= axis.size;
  return bytes;
}

class PermuteStep : public Step {
 public:
  explicit PermuteStep(Permute permute)
      : permute_(std::move(permute)), blocks_(permute_), moves_(lineMovesOf(permute_.width)) {}
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
  void transposeLarge(RunState& state) const;
  void transposeBuffer(const char* buffer, char* to, const PermuteBlock& block, bool streams, BlockReader& next) const;
  void copyRuns(RunState& state) const;
  bool streamsTo(const void* to) const;

  Permute permute_;
  PermuteBlocks blocks_;
  LineMoves moves_;
};

// rows × columns of the result from columns × rows of the operand, through a buffer: rows of an array whose length is
// a power of two would push each other out of the cache.
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

// Block by block, so that the pages of both arrays that are walked at once stay known to the processor.
template <class T>
void PermuteStep::runAs(RunState& state) const {
  const T* from = reinterpret_cast<const T*>(state.pointers[static_cast<size_t>(permute_.from)]);
  T* to = reinterpret_cast<T*>(state.pointers[static_cast<size_t>(permute_.to)]);
  state.pool->parallelFor(blocks_.count(blocks_.cut), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      const PermuteBlock block = blocks_.at(blocks_.cut, item);
      transposeBlock(from + block.in, to + block.out, block.rows, block.columns);
    }
  });
}

void PermuteStep::transposeLarge(RunState& state) const {
  const auto* from = reinterpret_cast<const char*>(state.pointers[static_cast<size_t>(permute_.from)]);
  auto* to = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.to)]);
  auto* buffers = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.buffers)]);
  const bool streams = streamsTo(to);
  const int64_t count = blocks_.count(blocks_.large),
                inARow = std::clamp<int64_t>(count / (4 * state.pool->threads()), 1, tuning().movement.maxBlocksInARow);
  state.pool->parallelFor(count, inARow, [&](int64_t begin, int64_t end, int thread) {
    BlockReader reader(blocks_, moves_, from, buffers + 2 * thread * permuteBlockBytes(permute_.width), begin, end);
    for (int64_t item = begin; item < end; ++item) {
      const PermuteBlock block = blocks_.at(blocks_.large, item);
      transposeBuffer(reader.take(), to + block.out * permute_.width, block, streams, reader);
    }
    if (streams) endStreams();
  });
}

// Line by line; meanwhile the next block is read. Where rows of the result begin anywhere, they go through the caches.
void PermuteStep::transposeBuffer(const char* buffer, char* to, const PermuteBlock& block, bool streams,
                                  BlockReader& next) const {
  alignas(kLineBytes) char transposed[kLineBytes * kLineBytes];
  const int64_t width = permute_.width, line = kLineBytes / width, toStride = permute_.across.to * width;
  const LineMoves::Transpose transpose = streams ? moves_.transposeStreaming : moves_.transpose;
  for (int64_t i = 0; i < block.rows; i += line)
    for (int64_t j = 0; j < block.columns; j += line) {
      next.read(line);
      const char* tile = buffer + j * blocks_.pitch + i * width;
      char* target = to + i * toStride + j * width;
      const int64_t lines = std::min(line, block.rows - i), rest = block.columns - j;
      if (rest >= line) {
        transpose(tile, blocks_.pitch, target, toStride, lines);
        continue;
      }
      moves_.transpose(tile, blocks_.pitch, transposed, kLineBytes, lines);
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

// Rows that stay rows, in the operand's order: it is read front to back, whole runs of lines are written with
// non-temporal stores.
void PermuteStep::copyRuns(RunState& state) const {
  const auto* from = reinterpret_cast<const char*>(state.pointers[static_cast<size_t>(permute_.from)]);
  auto* to = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.to)]);
  const int64_t bytes = permute_.along.size * permute_.width;
  const PermutedAxis& last = permute_.outer.back();
  const bool streams = streamsTo(to);
  state.pool->parallelFor(blocks_.outerCount / last.size,
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

Status PermuteStep::run(RunState& state) {
  if (permute_.along.from == 1) return copyRuns(state), Status{};
  if (permute_.buffers >= 0) return transposeLarge(state), Status{};
  withWordOf(permute_.width, [&](auto word) { runAs<decltype(word)>(state); });
  return {};
}

}  // namespace

int64_t permuteBufferBytes(const Permute& permute, int threads) {
  const bool isTransposed = permute.along.from != 1 && resultBytes(permute) >= tuning().movement.streamedBytes;
  return isTransposed ? 2 * threads * permuteBlockBytes(permute.width) : 0;
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
