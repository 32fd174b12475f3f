// See permute_blocks.h.
#include "backends/runtime/movement/permute_blocks.h"

#include <cstring>

#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

// A block of a large result: so many elements of the operand's rows, which become columns of so many bytes. Shorter
// runs leave the memory idle between them; of rows a power of two apart the second cache holds no more than that. Plan
// and run time agree on buffers: these are no tuning constants.
constexpr int64_t kRunElements = 512, kResultRunBytes = 256;
constexpr int64_t kDenseBytes = 2048, kShortRowBytes = 256;  // rows up to that, if they are neighbours, are read as one

}  // namespace

int64_t permuteBlockBytes(int64_t width) {
  return kResultRunBytes / width * (kRunElements * width + kLineBytes) + kLineBytes;
}

// As large as pages like, smaller while there are few blocks; of large results, as large as a buffer.
PermuteBlocks::PermuteBlocks(const Permute& which) : permute(which) {
  const auto& limits = tuning().movement;
  for (const PermutedAxis& axis : permute.outer) outerCount *= axis.size;
  int64_t edge = limits.blockEdge;
  while (edge > 2 * tileOf(static_cast<size_t>(permute.width)) && count({edge, edge}) < limits.wantedBlocks) edge /= 2;
  cut = {edge, edge};
  const int64_t line = kLineBytes / permute.width;
  large.across = std::min(kRunElements, permute.across.size);
  const int64_t rowBytes = large.across * permute.width;
  isDense = rowBytes <= kShortRowBytes && permute.along.from == large.across;
  pitch = isDense ? rowBytes : blocksOf(rowBytes, kLineBytes) * kLineBytes + kLineBytes;
  large.along = (permuteBlockBytes(permute.width) - kLineBytes) / pitch / line * line;
}

// Neighbours along the operand's rows, which are read front to back.
PermuteBlock PermuteBlocks::at(const PermuteCut& by, int64_t item) const {
  const int64_t down = blocksOf(permute.across.size, by.across), right = blocksOf(permute.along.size, by.along);
  const int64_t row = item % down * by.across, column = item / down % right * by.along;
  PermuteBlock block{row + column * permute.along.from, row * permute.across.to + column,
                     std::min(by.across, permute.across.size - row), std::min(by.along, permute.along.size - column)};
  int64_t rest = item / (down * right);
  for (size_t d = permute.outer.size(); d-- > 0; rest /= permute.outer[d].size) {
    block.in += rest % permute.outer[d].size * permute.outer[d].from;
    block.out += rest % permute.outer[d].size * permute.outer[d].to;
  }
  return block;
}

BlockReader::BlockReader(const PermuteBlocks& blocks, const LineMoves& moves, const char* from, char* buffers,
                         int64_t begin, int64_t end)
    : blocks_(blocks),
      moves_(moves),
      from_(from),
      buffers_(buffers),
      end_(end),
      filling_(begin),
      at_{begin, 0, blocks.at(blocks.large, begin)},
      prefetch_(at_) {
  for (int64_t lines = 0; lines < tuning().movement.prefetchLines; lines += blocksOf(bytesOf(at_), kLineBytes))
    advance(prefetch_);
  enterRow();
}

void BlockReader::read(int64_t lines) {
  while (lines > 0 && at_.item == filling_ && filling_ < end_) {
    const int64_t count = std::min(lines, lines_);
    moves_.copy(row_, to_, count, prefetchRow_);
    skip(count * kLineBytes);
    lines -= count;
    if ((lines_ -= count) > 0) return;
    leaveRow();
    --lines;
  }
}

const char* BlockReader::take() {
  read(INT64_MAX);
  return bufferOf(filling_++);
}

int64_t BlockReader::bytesOf(const Row& row) const {
  const int64_t ofRow = row.block.rows * width();
  return blocks_.isDense ? std::min(kDenseBytes, ofRow * row.block.columns - row.number * kDenseBytes) : ofRow;
}

int64_t BlockReader::rowsOf(const PermuteBlock& block) const {
  return blocks_.isDense ? blocksOf(block.rows * block.columns * width(), kDenseBytes) : block.columns;
}

const char* BlockReader::placeOf(const Row& row) const {
  return from_ + row.block.in * width() +
         row.number * (blocks_.isDense ? kDenseBytes : blocks_.permute.along.from * width());
}

void BlockReader::advance(Row& row) const {
  if (row.item == end_ || ++row.number < rowsOf(row.block)) return;
  row.number = 0;
  if (++row.item < end_) row.block = blocks_.at(blocks_.large, row.item);
}

void BlockReader::enterRow() {
  const int64_t bytes = bytesOf(at_);
  row_ = placeOf(at_);
  to_ = bufferOf(at_.item) + at_.number * (blocks_.isDense ? kDenseBytes : blocks_.pitch);
  prefetchRow_ = prefetch_.item < end_ ? placeOf(prefetch_) : row_;
  lines_ = bytes / kLineBytes;
  rest_ = bytes % kLineBytes;
}

// What is no whole line, and on.
void BlockReader::leaveRow() {
  if (rest_ > 0) {
    __builtin_prefetch(prefetchRow_, 0, 3);
    std::memcpy(to_, row_, static_cast<size_t>(rest_));
  }
  advance(at_);
  advance(prefetch_);
  if (at_.item < end_) enterRow();
}

}  // namespace tessera::cpu
