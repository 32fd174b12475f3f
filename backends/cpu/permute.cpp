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

constexpr int64_t kTileBytes = 128;  // of a tile's rows on both sides

class PermuteStep : public Step {
 public:
  PermuteStep(std::vector<Axis> outer, Axis along, Axis across, int64_t width, int from, int to)
      : outer_(std::move(outer)), along_(along), across_(across), width_(width), tile_(std::max<int64_t>(16, kTileBytes / width)), from_(from), to_(to) {}
  Status run(RunState& state) override;

 private:
  template <class T>
  void runAs(RunState& state) const;
  template <class T>
  void turn(const T* from, T* to, int64_t rows, int64_t columns) const;

  std::vector<Axis> outer_;
  Axis along_, across_;  // contiguous in the result; in the operand
  int64_t width_, tile_;
  int from_, to_;
};

// rows × columns of the result from columns × rows of the operand.
template <class T>
void PermuteStep::turn(const T* from, T* to, int64_t rows, int64_t columns) const {
  constexpr int64_t kMost = 128, kPadded = kMost / static_cast<int64_t>(sizeof(T)) + 16;
  T buffer[kMost * kPadded];
  for (int64_t j = 0; j < columns; ++j) std::memcpy(buffer + j * kPadded, from + j * along_.from, static_cast<size_t>(rows) * sizeof(T));
  for (int64_t i = 0; i < rows; ++i) {
    T* out = to + i * across_.to;
    for (int64_t j = 0; j < columns; ++j) out[j] = buffer[j * kPadded + i];
  }
}

template <class T>
void PermuteStep::runAs(RunState& state) const {
  const T* from = reinterpret_cast<const T*>(state.pointers[static_cast<size_t>(from_)]);
  T* to = reinterpret_cast<T*>(state.pointers[static_cast<size_t>(to_)]);
  const int64_t strips = (across_.size + tile_ - 1) / tile_;
  int64_t count = strips;
  for (const Axis& axis : outer_) count *= axis.size;
  state.pool->parallelFor(count, std::max<int64_t>(1, (1 << 16) / (along_.size * kTileBytes)), [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t rest = item / strips, row = item % strips * tile_, in = row, out = row * across_.to;
      for (size_t d = outer_.size(); d-- > 0; rest /= outer_[d].size) {
        in += rest % outer_[d].size * outer_[d].from;
        out += rest % outer_[d].size * outer_[d].to;
      }
      const int64_t rows = std::min(tile_, across_.size - row);
      for (int64_t column = 0; column < along_.size; column += tile_)
        turn(from + in + column * along_.from, to + out + column, rows, std::min(tile_, along_.size - column));
    }
  });
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
