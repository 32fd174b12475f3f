// See concatenate_step.h.
#include "backends/runtime/movement/concatenate_step.h"

#include <algorithm>
#include <cstring>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

struct Runs {
  std::byte* to;
  const std::byte* from;
  int64_t rows, bytes, rowBytes;
};

// Of a size that the compiler knows: a load and a store each.
template <int64_t kBytes>
void copyShort(const Runs& runs) {
  for (int64_t r = 0; r < runs.rows; ++r) std::memcpy(runs.to + r * runs.rowBytes, runs.from + r * kBytes, kBytes);
}

void copy(const Runs& runs) {
  switch (runs.bytes) {
    case 1: return copyShort<1>(runs);
    case 2: return copyShort<2>(runs);
    case 4: return copyShort<4>(runs);
    case 8: return copyShort<8>(runs);
    case 12: return copyShort<12>(runs);
    case 16: return copyShort<16>(runs);
    case 32: return copyShort<32>(runs);
    case 64: return copyShort<64>(runs);
    default: break;
  }
  const auto bytes = static_cast<size_t>(runs.bytes);
  for (int64_t r = 0; r < runs.rows; ++r) std::memcpy(runs.to + r * runs.rowBytes, runs.from + r * runs.bytes, bytes);
}

}  // namespace

int64_t ConcatenateStep::rowBytes() const {
  int64_t bytes = 0;
  for (const Piece& piece : pieces_) bytes += piece.bytes;
  return bytes;
}

void ConcatenateStep::fill(const RunState& state, int64_t begin, int64_t end) const {
  const int64_t whole = rowBytes();
  std::byte* to = state.pointers[static_cast<size_t>(to_)] + begin * whole;
  for (const Piece& piece : pieces_) {
    copy({to, state.pointers[static_cast<size_t>(piece.from)] + begin * piece.bytes, end - begin, piece.bytes, whole});
    to += piece.bytes;
  }
}

Status ConcatenateStep::run(RunState& state) {
  const int64_t whole = rowBytes(), block = std::max<int64_t>(1, tuning().movement.concatenateBlockBytes / whole),
                blocks = (rows_ + block - 1) / block;
  state.pool->parallelFor(blocks, std::max<int64_t>(1, tuning().movement.concatenateChunkBytes / (block * whole)),
                          [&](int64_t begin, int64_t end, int) {
                            for (int64_t b = begin; b < end; ++b)
                              fill(state, b * block, std::min(rows_, (b + 1) * block));
                          });
  return {};
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_concatenate(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::ConcatenateStep>(in);
}
