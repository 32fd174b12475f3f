// See permute.h.
#include "backends/cpu/permute.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tessera::cpu {

namespace {

struct Axis {
  int64_t size = 1, from = 0, to = 0;  // strides in elements
};

// Elements of a tile's rows on both sides: two cache lines, or more of wide elements.
constexpr int64_t tileOf(size_t width) { return std::max<int64_t>(16, 128 / static_cast<int64_t>(width)); }

class PermuteStep : public Step {
 public:
  PermuteStep(std::vector<Axis> outer, Axis along, Axis across, int64_t width, int from, int to)
      : outer_(std::move(outer)), along_(along), across_(across), width_(width), from_(from), to_(to) {
    chooseBlock();
  }
  Status run(RunState& state) override;

 private:
  template <class T>
  void runAs(RunState& state) const;
  template <class T>
  void turnBlock(const T* from, T* to, int64_t rows, int64_t columns) const;
  void chooseBlock();
  template <class T>
  void turn(const T* from, T* to, int64_t rows, int64_t columns) const;

  std::vector<Axis> outer_;
  Axis along_, across_;  // contiguous in the result; in the operand
  int64_t width_, block_ = 1, outerCount_ = 1;
  int from_, to_;
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
    for (int64_t j = 0; j < kTile; ++j) std::memcpy(buffer + j * kPadded, from + j * along_.from, kTile * sizeof(T));
    return turnInside(buffer, kPadded, to, across_.to, kTile, kTile);
  }
  for (int64_t j = 0; j < columns; ++j) std::memcpy(buffer + j * kPadded, from + j * along_.from, static_cast<size_t>(rows) * sizeof(T));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * across_.to + j] = buffer[j * kPadded + i];
}

// Block by block, so that the pages of both arrays that are walked at once stay known to the processor.
template <class T>
void PermuteStep::runAs(RunState& state) const {
  const T* from = reinterpret_cast<const T*>(state.pointers[static_cast<size_t>(from_)]);
  T* to = reinterpret_cast<T*>(state.pointers[static_cast<size_t>(to_)]);
  const int64_t down = (across_.size + block_ - 1) / block_, right = (along_.size + block_ - 1) / block_;
  state.pool->parallelFor(outerCount_ * down * right, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t rest = item / (down * right);
      const int64_t row = item / right % down * block_, column = item % right * block_;
      int64_t in = row + column * along_.from, out = row * across_.to + column;
      for (size_t d = outer_.size(); d-- > 0; rest /= outer_[d].size) {
        in += rest % outer_[d].size * outer_[d].from;
        out += rest % outer_[d].size * outer_[d].to;
      }
      turnBlock(from + in, to + out, std::min(block_, across_.size - row), std::min(block_, along_.size - column));
    }
  });
}

template <class T>
void PermuteStep::turnBlock(const T* from, T* to, int64_t rows, int64_t columns) const {
  constexpr int64_t kTile = tileOf(sizeof(T));
  for (int64_t row = 0; row < rows; row += kTile)
    for (int64_t column = 0; column < columns; column += kTile)
      turn(from + row + column * along_.from, to + row * across_.to + column, std::min(kTile, rows - row), std::min(kTile, columns - column));
}

// As large as pages like, smaller while there are few blocks.
void PermuteStep::chooseBlock() {
  constexpr int64_t kMost = 512, kWanted = 16;
  outerCount_ = 1;
  for (const Axis& axis : outer_) outerCount_ *= axis.size;
  const int64_t tile = tileOf(static_cast<size_t>(width_));
  auto count = [&] { return outerCount_ * ((across_.size + block_ - 1) / block_) * ((along_.size + block_ - 1) / block_); };
  for (block_ = kMost; block_ > 2 * tile && count() < kWanted;) block_ /= 2;
}

struct Bytes16 {
  uint64_t parts[2];
};

Status PermuteStep::run(RunState& state) {
  switch (width_) {
    case 1: runAs<uint8_t>(state); break;
    case 2: runAs<uint16_t>(state); break;
    case 4: runAs<uint32_t>(state); break;
    case 8: runAs<uint64_t>(state); break;
    default: runAs<Bytes16>(state); break;
  }
  return {};
}

// By dimension of the result, sizes of 1 left out; nullopt: not a permutation of all of the operand.
std::optional<std::vector<Axis>> axesOf(const ElementProgram& program) {
  if (program.results.size() != 1 || !program.loops.empty()) return std::nullopt;
  const Node& read = program.at(program.results[0]);
  if (read.op != NodeOp::Read) return std::nullopt;
  const std::vector<int64_t>& sizes = program.operands[read.bits0].dimensions;
  const auto indices = program.inputsOf(program.results[0]);
  std::vector<Axis> axes(program.outputDims.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) {
    const Node& index = program.at(indices[d]);
    if (sizes[d] == 1) continue;
    if (index.op != NodeOp::OutputIndex || axes[index.bits0].from != 0 || program.outputDims[index.bits0] != sizes[d]) return std::nullopt;
    axes[index.bits0].from = stride;
  }
  stride = 1;
  for (size_t d = axes.size(); d-- > 0; stride *= program.outputDims[d]) {
    axes[d].size = program.outputDims[d];
    axes[d].to = stride;
    if (axes[d].size != 1 && axes[d].from == 0) return std::nullopt;  // broadcast
  }
  std::erase_if(axes, [](const Axis& axis) { return axis.size == 1; });
  return axes;
}

// Neighbours that both sides walk as one.
std::vector<Axis> merged(const std::vector<Axis>& axes) {
  std::vector<Axis> out;
  for (const Axis& axis : axes) {
    if (!out.empty() && out.back().from == axis.from * axis.size) out.back() = {out.back().size * axis.size, axis.from, axis.to};
    else out.push_back(axis);
  }
  return out;
}

}  // namespace

StepPtr planPermute(const ElementProgram& program, int from, int to) {
  constexpr int64_t kShort = 8, kSmall = 4096;
  const auto found = axesOf(program);
  if (!found) return nullptr;
  std::vector<Axis> axes = merged(*found);
  const auto across = std::ranges::find(axes, int64_t{1}, &Axis::from);
  if (axes.size() < 2 || across == axes.end() || across + 1 == axes.end()) return nullptr;
  const Axis along = axes.back(), acrossAxis = *across;
  int64_t elements = 1;
  for (const Axis& axis : axes) elements *= axis.size;
  if (along.size < kShort || acrossAxis.size < kShort || elements < kSmall) return nullptr;
  axes.erase(across);
  axes.pop_back();
  const int64_t width = byteWidth(program.operands[program.at(program.results[0]).bits0].type);
  return std::make_unique<PermuteStep>(std::move(axes), along, acrossAxis, width, from, to);
}

}  // namespace tessera::cpu
