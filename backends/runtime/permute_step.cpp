// See permute_step.h.
#include "backends/runtime/permute_step.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

namespace tessera::cpu {

namespace {

// Elements of a tile's rows on both sides: two cache lines, or more of wide elements.
constexpr int64_t tileOf(size_t width) { return std::max<int64_t>(16, 128 / static_cast<int64_t>(width)); }

// A streamed block's edge in elements: runs of 512 bytes on both sides; shorter ones leave the memory idle between them.
constexpr int64_t edgeOf(size_t width) { return width == 1 ? 256 : 512 / static_cast<int64_t>(width); }
constexpr int64_t lineOf(size_t width) { return 64 / static_cast<int64_t>(width); }

// Results of as many bytes go past the caches: a core's share of the last cache holds no more, whatever the whole is said to have.
constexpr int64_t kStreamed = int64_t{8} << 20;
constexpr int64_t kInARow = 16;  // blocks that a thread takes at once: the first has not been fetched

#ifdef __SSE2__
// `bytes`, a multiple of 64, to an aligned place, past the caches.
void streamBytes(const void* from, void* to, int64_t bytes) {
  for (int64_t at = 0; at < bytes; at += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(static_cast<char*>(to) + at), _mm_loadu_si128(reinterpret_cast<const __m128i*>(static_cast<const char*>(from) + at)));
}
void endStreams() { _mm_sfence(); }
#else
void streamBytes(const void* from, void* to, int64_t bytes) { std::memcpy(to, from, static_cast<size_t>(bytes)); }
void endStreams() {}
#endif

// Part of the work: rows × columns of the result, elements from the arrays' first.
struct Block {
  int64_t in = 0, out = 0, rows = 0, columns = 0;
};

class PermuteStep : public Step {
 public:
  explicit PermuteStep(Permute permute) : permute_(std::move(permute)) { chooseBlock(); }
  Status run(RunState& state) override;
  const char* loader() const override { return "tessera_step_permute"; }
  void save(FieldWriter& out) override { out(permute_); }

 private:
  template <class T>
  void runAs(RunState& state) const;
  template <class T>
  void turnBlock(const T* from, T* to, int64_t rows, int64_t columns) const;
  template <class T>
  void streamBlock(const T* from, T* to, const Block& block, const Block& next) const;
  template <class T>
  void streamTiles(const T* buffer, T* to, const Block& block, const T* next, const Block& ahead) const;
  void copyRuns(RunState& state) const;
  void chooseBlock();
  int64_t blocks(int64_t size) const { return (size + block_ - 1) / block_; }
  Block blockAt(int64_t item) const;
  template <class T>
  void turn(const T* from, T* to, int64_t rows, int64_t columns) const;
  bool streamsTo(const void* to) const;

  Permute permute_;
  int64_t block_ = 1, outerCount_ = 1;
  bool isLarge_ = false;  // its result goes past the caches
};

using Words4 = uint32_t __attribute__((vector_size(16)));
using Words2 = uint64_t __attribute__((vector_size(16)));

// rows × columns of `to` from columns × rows of `from`, four by four.
void turnInside(const uint32_t* from, int64_t fromStride, uint32_t* to, int64_t toStride, int64_t rows, int64_t columns) {
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

void turnInside(const uint64_t* from, int64_t fromStride, uint64_t* to, int64_t toStride, int64_t rows, int64_t columns) {
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

template <class T>
void turnInside(const T* from, int64_t fromStride, T* to, int64_t toStride, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * toStride + j] = from[j * fromStride + i];
}

// rows × columns of the result from columns × rows of the operand, through a buffer: rows of an array whose length is a
// power of two would push each other out of the cache.
template <class T>
void PermuteStep::turn(const T* from, T* to, int64_t rows, int64_t columns) const {
  constexpr int64_t kTile = tileOf(sizeof(T)), kPadded = kTile + 64 / static_cast<int64_t>(sizeof(T));
  alignas(64) T buffer[kTile * kPadded];
  const bool isWhole = rows == kTile && columns == kTile;
  if (isWhole) {
    for (int64_t j = 0; j < kTile; ++j) std::memcpy(buffer + j * kPadded, from + j * permute_.along.from, kTile * sizeof(T));
    return turnInside(buffer, kPadded, to, permute_.across.to, kTile, kTile);
  }
  for (int64_t j = 0; j < columns; ++j) std::memcpy(buffer + j * kPadded, from + j * permute_.along.from, static_cast<size_t>(rows) * sizeof(T));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * permute_.across.to + j] = buffer[j * kPadded + i];
}

// Lines of the result are whole where all strides are.
bool PermuteStep::streamsTo(const void* to) const {
  auto isLines = [&](int64_t elements) { return elements * permute_.width % 64 == 0; };
  const bool ofLines = permute_.along.from != 1 || isLines(permute_.along.size);
  return isLarge_ && ofLines && reinterpret_cast<uintptr_t>(to) % 64 == 0 && (permute_.across.size == 1 || isLines(permute_.across.to)) &&
         std::ranges::all_of(permute_.outer, [&](const PermutedAxis& axis) { return isLines(axis.to); });
}

// Neighbours along the operand's rows, which are read front to back.
Block PermuteStep::blockAt(int64_t item) const {
  const int64_t down = blocks(permute_.across.size), right = blocks(permute_.along.size);
  const int64_t row = item % down * block_, column = item / down % right * block_;
  Block block{row + column * permute_.along.from, row * permute_.across.to + column, std::min(block_, permute_.across.size - row),
              std::min(block_, permute_.along.size - column)};
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
  const int64_t count = outerCount_ * blocks(permute_.across.size) * blocks(permute_.along.size);
  const bool streams = streamsTo(to);
  state.pool->parallelFor(count, streams ? kInARow : 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      const Block block = blockAt(item);
      if (!streams) turnBlock(from + block.in, to + block.out, block.rows, block.columns);
      else streamBlock(from, to, block, item + 1 < end ? blockAt(item + 1) : Block{});
    }
    if (streams) endStreams();
  });
}

// Into a buffer first: rows of an array whose length is a power of two would push each other out of the cache.
template <class T>
void PermuteStep::streamBlock(const T* from, T* to, const Block& block, const Block& next) const {
  constexpr int64_t kEdge = edgeOf(sizeof(T)), kPadded = kEdge + lineOf(sizeof(T));
  alignas(64) T buffer[kEdge * kPadded];
  for (int64_t j = 0; j < block.columns; ++j)
    std::memcpy(buffer + j * kPadded, from + block.in + j * permute_.along.from, static_cast<size_t>(block.rows) * sizeof(T));
  streamTiles(buffer, to + block.out, block, from + next.in, next);
}

// Line by line of the result, whose lines are not read to be overwritten; meanwhile the next block comes closer.
template <class T>
void PermuteStep::streamTiles(const T* buffer, T* to, const Block& block, const T* next, const Block& ahead) const {
  constexpr int64_t kLine = lineOf(sizeof(T)), kPadded = edgeOf(sizeof(T)) + kLine;
  alignas(64) T turned[kLine * kLine];
  int64_t row = 0, column = 0;  // of `ahead`
  auto fetchLines = [&] {
    for (int64_t k = 0; k < kLine && column < ahead.columns; ++k) {
      __builtin_prefetch(next + row + column * permute_.along.from, 0, 2);
      if ((row += kLine) >= ahead.rows) row = 0, ++column;
    }
  };
  for (int64_t i = 0; i < block.rows; i += kLine)
    for (int64_t j = 0; j < block.columns; j += kLine) {
      fetchLines();
      const int64_t height = std::min(kLine, block.rows - i), width = std::min(kLine, block.columns - j);
      const T* tile = buffer + j * kPadded + i;
      T* place = to + i * permute_.across.to + j;
      if (height == kLine && width == kLine) {
        turnInside(tile, kPadded, turned, kLine, kLine, kLine);
        for (int64_t k = 0; k < kLine; ++k) streamBytes(turned + k * kLine, place + k * permute_.across.to, 64);
        continue;
      }
      for (int64_t k = 0; k < height; ++k)
        for (int64_t l = 0; l < width; ++l) place[k * permute_.across.to + l] = tile[l * kPadded + k];
    }
}

template <class T>
void PermuteStep::turnBlock(const T* from, T* to, int64_t rows, int64_t columns) const {
  constexpr int64_t kTile = tileOf(sizeof(T));
  for (int64_t row = 0; row < rows; row += kTile)
    for (int64_t column = 0; column < columns; column += kTile)
      turn(from + row + column * permute_.along.from, to + row * permute_.across.to + column, std::min(kTile, rows - row), std::min(kTile, columns - column));
}

// As large as pages like, smaller while there are few blocks; what is streamed, as large as its buffer.
void PermuteStep::chooseBlock() {
  constexpr int64_t kMost = 512, kWanted = 16;
  outerCount_ = 1;
  for (const PermutedAxis& axis : permute_.outer) outerCount_ *= axis.size;
  const auto width = static_cast<size_t>(permute_.width);
  isLarge_ = outerCount_ * permute_.across.size * permute_.along.size * permute_.width >= kStreamed;
  block_ = isLarge_ ? edgeOf(width) : kMost;
  if (isLarge_) return;
  auto count = [&] { return outerCount_ * blocks(permute_.across.size) * blocks(permute_.along.size); };
  while (block_ > 2 * tileOf(width) && count() < kWanted) block_ /= 2;
}

// Rows that stay rows, in the operand's order: it is read front to back, whole runs of lines go past the caches.
void PermuteStep::copyRuns(RunState& state) const {
  const auto* from = reinterpret_cast<const char*>(state.pointers[static_cast<size_t>(permute_.from)]);
  auto* to = reinterpret_cast<char*>(state.pointers[static_cast<size_t>(permute_.to)]);
  const int64_t bytes = permute_.along.size * permute_.width;
  const PermutedAxis& last = permute_.outer.back();
  const bool streams = streamsTo(to);
  state.pool->parallelFor(outerCount_ / last.size, std::max<int64_t>(1, (1 << 18) / (bytes * last.size)), [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t in = 0, out = 0, rest = item;
      for (size_t d = permute_.outer.size() - 1; d-- > 0; rest /= permute_.outer[d].size) {
        in += rest % permute_.outer[d].size * permute_.outer[d].from;
        out += rest % permute_.outer[d].size * permute_.outer[d].to;
      }
      for (int64_t i = 0; i < last.size; ++i) {
        const char* run = from + (in + i * last.from) * permute_.width;
        char* place = to + (out + i * last.to) * permute_.width;
        if (streams) streamBytes(run, place, bytes);
        else std::memcpy(place, run, static_cast<size_t>(bytes));
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

StepPtr makePermuteStep(Permute permute) { return std::make_unique<PermuteStep>(std::move(permute)); }

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_permute(tessera::cpu::FieldReader& in) {
  tessera::cpu::Permute permute;
  in(permute);
  return in.good() ? tessera::cpu::makePermuteStep(std::move(permute)).release() : nullptr;
}
