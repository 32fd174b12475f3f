// See halo.h.
#include "core/passes/partition/halo.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::partition {
namespace {

// The block of the operand that brings a range's first index to block b of the work is anchors[b] + first, the next
// round brings the block behind it, and so on. Only the ends of what the rounds bring are cut off.
struct Rounds {
  std::vector<int64_t> anchors;
  int64_t first = 0, last = -1;
  int64_t from = 0, to = 0;  // in the first round's block, and in the last one's
  int64_t block = 0, parts = 0;

  bool areNone() const { return last < first; }
  int64_t begin(int64_t round) const { return round == first ? from : 0; }
  int64_t end(int64_t round) const { return round == last ? to : block; }
  int64_t length() const { return areNone() ? 0 : (last - first + 1) * block - from - (block - to); }
  bool isThere(int64_t source) const { return source >= 0 && source < parts; }
  bool isExchange(int64_t round) const {
    for (size_t b = 0; b < anchors.size(); ++b)
      if (isThere(anchors[b] + round) && anchors[b] + round != static_cast<int64_t>(b)) return true;
    return false;
  }
};

// What of a range lies in the dimension.
struct Part {
  int64_t begin, end;
  bool isEmpty() const { return begin >= end; }
};
Part partOf(const BlockRanges& ranges, size_t b, int64_t size) {
  return {std::max<int64_t>(ranges.starts[b], 0), std::min(ranges.starts[b] + ranges.count, size)};
}

Rounds roundsFrom(std::vector<int64_t> anchors, const BlockRanges& ranges, int64_t size, int64_t parts) {
  Rounds out{.anchors = std::move(anchors), .block = blockSize(size, parts), .parts = parts};
  bool any = false;
  for (size_t b = 0; b < ranges.starts.size(); ++b) {
    const Part part = partOf(ranges, b, size);
    if (part.isEmpty()) continue;
    const int64_t first = part.begin / out.block - out.anchors[b], last = (part.end - 1) / out.block - out.anchors[b];
    const int64_t from = part.begin % out.block, to = (part.end - 1) % out.block + 1;
    out.from = !any || first < out.first ? from : first == out.first ? std::min(out.from, from) : out.from;
    out.to = !any || last > out.last ? to : last == out.last ? std::max(out.to, to) : out.to;
    out.first = any ? std::min(out.first, first) : first;
    out.last = any ? std::max(out.last, last) : last;
    any = true;
  }
  return out;
}

int64_t exchanged(const Rounds& rounds) {
  if (rounds.last - rounds.first >= 2 * rounds.parts) return rounds.length();
  int64_t out = 0;
  for (int64_t round = rounds.first; round <= rounds.last; ++round)
    if (rounds.isExchange(round)) out += rounds.end(round) - rounds.begin(round);
  return out;
}

// Counted from the device's own block, as neighbours exchange edges; or from the block where each range begins, if
// these are different ones.
Rounds roundsOf(const BlockRanges& ranges, int64_t size, int64_t parts) {
  const int64_t block = blockSize(size, parts);
  std::vector<int64_t> own, begins, used;
  for (size_t b = 0; b < ranges.starts.size(); ++b) {
    const Part part = partOf(ranges, b, size);
    own.push_back(static_cast<int64_t>(b));
    begins.push_back(part.isEmpty() ? parts : part.begin / block);  // `parts`: nothing is sent to it
    if (!part.isEmpty()) used.push_back(begins.back());
  }
  Rounds out = roundsFrom(std::move(own), ranges, size, parts);
  std::ranges::sort(used);
  if (std::ranges::adjacent_find(used) != used.end()) return out;
  Rounds other = roundsFrom(std::move(begins), ranges, size, parts);
  return exchanged(other) < exchanged(out) ? other : out;
}

// An array that holds, on the device of block b, indices from begins[b] on.
struct Stretch {
  InstructionId array;
  std::vector<int64_t> begins;
};

Stretch exchange(BlockBuilder& build, const ReachedArray& array, const BlockRanges& ranges) {
  const auto d = static_cast<size_t>(array.dimension);
  const CutPtr& cut = array.at.cuts[d];
  const Rounds rounds = roundsOf(ranges, array.size, cut->parts);
  Cuts fixed = array.at.cuts;
  fixed[d] = nullptr;
  const BlockBuilder::Groups groups = groupsAlong(fixed, {&cut, 1});
  std::vector<InstructionId> pieces;
  for (int64_t round = rounds.first; round <= rounds.last; ++round) {
    InstructionId piece = array.block;
    if (rounds.end(round) - rounds.begin(round) < rounds.block)
      piece = build.slice(piece, array.dimension, rounds.begin(round), rounds.end(round));
    BlockBuilder::Groups pairs;
    for (const auto& group : groups)
      for (size_t b = 0; b < group.size(); ++b)
        if (const int64_t source = rounds.anchors[b] + round; rounds.isThere(source))
          pairs.push_back({group[static_cast<size_t>(source)], group[b]});
    pieces.push_back(rounds.isExchange(round) ? build.permute(piece, pairs) : piece);
  }
  Stretch out;
  if (!pieces.empty()) out.array = pieces.size() == 1 ? pieces[0] : build.concatenate(pieces, array.dimension);
  for (int64_t anchor : rounds.anchors) out.begins.push_back((anchor + rounds.first) * rounds.block + rounds.from);
  return out;
}

bool allAre(const std::vector<int64_t>& values, int64_t value) {
  return std::ranges::all_of(values, [&](int64_t each) { return each == value; });
}

// A table by block as one by device.
InstructionId ofBlock(BlockBuilder& build, const Cut& work, const std::vector<int64_t>& byBlock) {
  std::vector<int64_t> byDevice;
  for (int64_t block : work.blockOf) byDevice.push_back(byBlock[static_cast<size_t>(block)]);
  return build.ofDevice(byDevice);
}

// The array where its index is in [low, high), which are given by block; `outside` elsewhere.
InstructionId keepWithin(BlockBuilder& build, InstructionId array, int64_t dimension, const Cut& work,
                         const std::vector<int64_t>& low, const std::vector<int64_t>& high, InstructionId outside) {
  Shape shape = build.shapeOf(array);
  const int64_t size = shape.dimensions[static_cast<size_t>(dimension)];
  const bool fromBegin = allAre(low, 0), toEnd = allAre(high, size);
  if (fromBegin && toEnd) return array;
  AttributeSet along;
  along.set(Attr::iota_dimension, int64_t{0});
  const Shape line = Shape::arrayRowMajor(ElementType::S32, {size});
  const InstructionId index = build.add(Opcode::Iota, line, {}, std::move(along));
  const auto bound = [&](const std::vector<int64_t>& byBlock) {
    return build.broadcastScalar(ofBlock(build, work, byBlock), line);
  };
  InstructionId inside;
  if (!fromBegin) inside = build.compare("GE", index, bound(low));
  if (!toEnd) {
    const InstructionId before = build.compare("LT", index, bound(high));
    inside = inside.valid() ? build.binary(Opcode::And, inside, before) : before;
  }
  if (build.shapeOf(outside).isScalar()) outside = build.broadcastScalar(outside, shape);
  shape.type = ElementType::Pred;
  return build.select(build.broadcast(inside, shape, {dimension}), array, outside);
}

}  // namespace

std::optional<BlockRanges> rangesOf(const Reach& reach, int64_t size, int64_t parts) {
  const int64_t block = blockSize(size, parts), spread = reach.dilation;
  if (size == 0 || block * reach.stride % spread != 0) return std::nullopt;
  const int64_t steps = (block - 1) * reach.stride, length = std::abs(steps) + reach.extent;
  BlockRanges out;
  for (int64_t b = 0; b < parts; ++b) {
    const int64_t begin = b * block * reach.stride + std::min<int64_t>(steps, 0) + reach.offset;
    out.starts.push_back(-floorDivide(-begin, spread));
    out.paddingLow = out.starts.back() * spread - begin;
    out.count = floorDivide(begin + length - 1, spread) - out.starts.back() + 1;
  }
  if (out.count < 1) return std::nullopt;
  out.paddingHigh = length - out.paddingLow - (out.count - 1) * spread - 1;
  return out;
}

std::optional<int64_t> exchangedIndices(const BlockRanges& ranges, int64_t size, int64_t parts) {
  const int64_t out = exchanged(roundsOf(ranges, size, parts));
  return out < (parts - 1) * blockSize(size, parts) ? std::optional(out) : std::nullopt;
}

InstructionId takeRange(BlockBuilder& build, const ReachedArray& array, const BlockRanges& ranges, const Cut& work,
                        InstructionId outside) {
  const auto d = static_cast<size_t>(array.dimension);
  const size_t blocks = ranges.starts.size();
  Stretch there = array.at.cuts[d] ? exchange(build, array, ranges)
                                   : Stretch{array.block, std::vector<int64_t>(blocks, int64_t{0})};
  Shape shape = build.shapeOf(array.block);
  shape.dimensions[d] = ranges.count;
  std::vector<int64_t> low, high, offsets;
  for (size_t b = 0; b < blocks; ++b) {
    low.push_back(std::clamp<int64_t>(-ranges.starts[b], 0, ranges.count));
    high.push_back(std::clamp<int64_t>(array.size - ranges.starts[b], 0, ranges.count));
  }
  if (!there.array.valid()) there.array = build.slice(array.block, array.dimension, 0, 1);  // all ranges lie outside
  const int64_t length = build.shapeOf(there.array).dimensions[d];
  int64_t before = 0, behind = 0;
  for (size_t b = 0; b < blocks; ++b) {
    const bool isEmpty = partOf(ranges, b, array.size).isEmpty();
    offsets.push_back(isEmpty ? 0 : ranges.starts[b] - there.begins[b]);
    before = std::max(before, -offsets.back());
    behind = std::max(behind, offsets.back() + ranges.count - length);
  }
  InstructionId out = build.pad(there.array, array.dimension, before, behind);
  for (int64_t& offset : offsets) offset += before;
  if (allAre(offsets, offsets[0])) {
    if (length + before + behind != ranges.count)
      out = build.slice(out, array.dimension, offsets[0], offsets[0] + ranges.count);
  } else {
    std::vector<InstructionId> operands{out};
    for (size_t i = 0; i < shape.dimensions.size(); ++i)
      operands.push_back(i == d ? ofBlock(build, work, offsets) : build.zero(ElementType::S32));
    AttributeSet attributes;
    attributes.set(Attr::dynamic_slice_sizes, shape.dimensions);
    out = build.add(Opcode::DynamicSlice, shape, operands, std::move(attributes));
  }
  return outside.valid() ? keepWithin(build, out, array.dimension, work, low, high, outside) : out;
}

InstructionId withoutPadding(BlockBuilder& build, const ReachedArray& array, InstructionId outside) {
  const Cut& cut = *array.at.cuts[static_cast<size_t>(array.dimension)];
  const int64_t block = blockSize(array.size, cut.parts);
  std::vector<int64_t> low(static_cast<size_t>(cut.parts), 0), high;
  for (int64_t b = 0; b < cut.parts; ++b) high.push_back(std::clamp<int64_t>(array.size - b * block, 0, block));
  return keepWithin(build, array.block, array.dimension, cut, low, high, outside);
}

}  // namespace tessera::partition
