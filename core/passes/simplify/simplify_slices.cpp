// Rules of slice, concatenate and pad: parts put together and taken apart. All exact.
#include <algorithm>

#include "core/base/tuning.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;
using Ranges = std::vector<SliceDimension>;

const Ranges& rangesOf(const Instruction& in) { return *in.attributes->get<Ranges>(Attr::slice); }
const std::vector<PaddingDimension>& paddingOf(const Instruction& in) {
  return *in.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
}
int64_t sizeAt(const Shape& shape, size_t d) { return shape.dimensions[d]; }
size_t joined(const Instruction& concatenate) {
  return static_cast<size_t>(concatenate.attributes->ints(Attr::dimensions)[0]);
}
bool isEmpty(const Shape& shape) { return shape.elementCount() == 0; }
// The last element that a range takes, plus one.
int64_t lastOf(const SliceDimension& r) {
  return r.limit <= r.start ? r.start : r.start + (r.limit - r.start - 1) / r.stride * r.stride + 1;
}

Id sliceOfAll(Site& s) {
  const bool all = std::ranges::all_of(
      rangesOf(s.in), [](const SliceDimension& r) { return r.start == 0 && (r.stride == 1 || r.limit == 1); });
  return all && s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id();
}
Id sliceOfSlice(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Slice || isEmpty(*s.in.shape)) return {};
  Ranges composed;
  for (size_t d = 0; d < rangesOf(s.in).size(); ++d) {
    const SliceDimension &outer = rangesOf(s.in)[d], &inner = rangesOf(from)[d];
    const int64_t start = inner.start + outer.start * inner.stride;
    int64_t stride = 1, last = 0;
    if (__builtin_mul_overflow(outer.stride, inner.stride, &stride)) return {};
    last = inner.start + (lastOf(outer) - 1) * inner.stride + 1;
    composed.push_back({start, last, sizeAt(*s.in.shape, d) == 1 ? 1 : stride});
  }
  return s.slice(from.operands[0], composed);
}
// A part of repeated values is values repeated less often.
Id sliceOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Broadcast) return {};
  const auto& dimensions = from.attributes->ints(Attr::dimensions);
  Ranges inner;
  for (int64_t d : dimensions) inner.push_back(rangesOf(s.in)[static_cast<size_t>(d)]);
  return s.broadcast(s.slice(from.operands[0], inner), *s.in.shape, dimensions);
}
// The pieces that a slice with stride 1 touches; one piece, or several whole and part ones.
Id sliceOfConcatenate(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Concatenate || isEmpty(*s.in.shape)) return {};
  const size_t along = joined(from);
  const SliceDimension& wanted = rangesOf(s.in)[along];
  std::vector<std::pair<Id, Ranges>> parts;
  int64_t begin = 0;
  for (Id piece : from.operands) {
    const int64_t end = begin + sizeAt(s.shapeOf(piece), along);
    const int64_t low = std::max(wanted.start, begin), high = std::min(lastOf(wanted), end);
    if (low < high) {
      if (wanted.stride != 1 && (wanted.start < begin || lastOf(wanted) > end)) return {};
      Ranges ranges = rangesOf(s.in);
      ranges[along] = {low - begin, high - begin, wanted.stride};
      parts.push_back({piece, std::move(ranges)});
    }
    begin = end;
  }
  if (parts.size() == 1) return s.slice(parts[0].first, parts[0].second);
  if (parts.size() == from.operands.size() || !s.usedOnce(from.id)) return {};
  std::vector<Id> pieces;
  for (const auto& [piece, ranges] : parts) pieces.push_back(s.slice(piece, ranges));
  return s.make(Opcode::Concatenate, *s.in.shape, pieces, dimensionsAttribute({static_cast<int64_t>(along)}), from.id);
}
// Within the padded array, or wholly within the padding.
Id sliceOfPad(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Pad || isEmpty(*s.in.shape)) return {};
  Ranges ranges = rangesOf(s.in);
  bool inside = true;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const PaddingDimension& p = paddingOf(from)[d];
    const int64_t size = sizeAt(s.shapeOf(from.operands[0]), d);
    if (p.interior != 0) return {};
    ranges[d].start -= p.low;
    ranges[d].limit = lastOf(rangesOf(s.in)[d]) - p.low;
    if (ranges[d].limit <= 0 || ranges[d].start >= size) return s.broadcast(from.operands[1], *s.in.shape);
    inside = inside && ranges[d].start >= 0 && ranges[d].limit <= size;
  }
  return inside ? s.slice(from.operands[0], ranges) : Id();
}
Id sliceOfReverse(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Reverse || isEmpty(*s.in.shape) || !s.usedOnce(from.id)) return {};
  Ranges ranges = rangesOf(s.in);
  for (int64_t d : from.attributes->ints(Attr::dimensions)) {
    SliceDimension& r = ranges[static_cast<size_t>(d)];
    const int64_t size = sizeAt(*from.shape, static_cast<size_t>(d)), last = lastOf(r);
    r = {size - last, size - r.start, r.stride};
  }
  const Id part = s.slice(from.operands[0], ranges);
  return s.make(Opcode::Reverse, *s.in.shape, {part}, *from.attributes, from.id);
}

Id concatenateOfOne(Site& s) { return s.in.operands.size() == 1 ? s.operand(0) : Id(); }
// Empty pieces go, pieces that are concatenates of their own are taken apart.
Id concatenateFlat(Site& s) {
  const size_t along = joined(s.in);
  std::vector<Id> pieces;
  bool changed = false;
  for (Id piece : s.in.operands) {
    const Instruction& from = s.module.at(piece);
    if (isEmpty(*from.shape))
      changed = true;
    else if (from.opcode == Opcode::Concatenate && joined(from) == along && s.usedOnce(piece)) {
      pieces.insert(pieces.end(), from.operands.begin(), from.operands.end());
      changed = true;
    } else
      pieces.push_back(piece);
  }
  if (!changed || pieces.empty() || pieces.size() > tuning().simplify.maxSlicedPieces) return {};
  if (pieces.size() == 1) return pieces[0];
  return s.make(Opcode::Concatenate, *s.in.shape, pieces, *s.in.attributes);
}
// Neighbouring slices of one array are one slice of it.
Id concatenateOfSlices(Site& s) {
  const size_t along = joined(s.in);
  const Instruction& first = s.from(0);
  if (first.opcode != Opcode::Slice) return {};
  Ranges whole = rangesOf(first);
  for (size_t i = 0; i < s.in.operands.size(); ++i) {
    const Instruction& part = s.from(i);
    if (part.opcode != Opcode::Slice || part.operands[0] != first.operands[0]) return {};
    Ranges ranges = rangesOf(part);
    if (ranges[along].stride != 1 || (i > 0 && ranges[along].start != whole[along].limit)) return {};
    whole[along].limit = ranges[along].limit;
    ranges[along] = whole[along];
    if (ranges != whole) return {};
  }
  return s.slice(first.operands[0], whole);
}
// Copies of one scalar beside each other; at the edge they are padding.
Id concatenateOfBroadcasts(Site& s) {
  const size_t along = joined(s.in);
  const auto same = [&](Id a, Id b) {
    if (a == b) return true;
    const Literal *x = s.splatLiteral(a), *y = s.splatLiteral(b);
    return x && y && s.is(a, Opcode::Constant) && s.is(b, Opcode::Constant) && x->identical(*y);
  };
  const size_t count = s.in.operands.size();
  if (count < 2) return {};
  const Id first = s.repeatedScalar(s.operand(0)), last = s.repeatedScalar(s.operand(count - 1));
  const Id value = first.valid() ? first : last;
  if (!value.valid()) return {};
  size_t begin = 0, end = count;
  const auto repeats = [&](size_t i) {
    const Id scalar = s.repeatedScalar(s.operand(i));
    return scalar.valid() && same(scalar, value);
  };
  while (begin < end && repeats(begin)) ++begin;
  if (begin == count) return s.broadcast(value, *s.in.shape);
  while (repeats(end - 1)) --end;
  if (end - begin != 1) return {};
  std::vector<PaddingDimension> padding(s.in.shape->dimensions.size());
  for (size_t i = 0; i < count; ++i)
    if (i != begin) (i < begin ? padding[along].low : padding[along].high) += sizeAt(s.shapeOf(s.operand(i)), along);
  AttributeSet attributes;
  attributes.set(Attr::padding, std::move(padding));
  return s.make(Opcode::Pad, *s.in.shape, {s.operand(begin), value}, std::move(attributes));
}

Id padOfNothing(Site& s) {
  const bool none =
      std::ranges::all_of(paddingOf(s.in), [](const PaddingDimension& p) { return p == PaddingDimension{}; });
  return none ? s.operand(0) : Id();
}
// Only takes away: a slice.
Id padAsSlice(Site& s) {
  Ranges ranges;
  for (size_t d = 0; d < paddingOf(s.in).size(); ++d) {
    const PaddingDimension& p = paddingOf(s.in)[d];
    const int64_t size = sizeAt(s.shapeOf(s.operand(0)), d);
    if (p.low > 0 || p.high > 0 || p.interior != 0 || -p.low > size || -p.low > size + p.high) return {};
    ranges.push_back({-p.low, size + p.high, 1});
  }
  return s.slice(s.operand(0), ranges);
}
Id padOfPad(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Pad || !isPlainPadding(paddingOf(s.in)) || !isPlainPadding(paddingOf(from))) return {};
  const Literal *outer = s.splatLiteral(s.operand(1)), *inner = s.splatLiteral(from.operands[1]);
  if (s.operand(1) != from.operands[1] && !(outer && inner && outer->identical(*inner))) return {};
  std::vector<PaddingDimension> padding = paddingOf(from);
  for (size_t d = 0; d < padding.size(); ++d)
    padding[d].low += paddingOf(s.in)[d].low, padding[d].high += paddingOf(s.in)[d].high;
  AttributeSet attributes;
  attributes.set(Attr::padding, std::move(padding));
  return s.make(Opcode::Pad, *s.in.shape, {from.operands[0], s.operand(1)}, std::move(attributes), from.id);
}
// Nothing, or the padding value itself, with padding around it.
Id padOfItsValue(Site& s) {
  const Id scalar = s.repeatedScalar(s.operand(0));
  const Literal *value = s.splatLiteral(s.operand(1)), *inside = scalar.valid() ? s.splatLiteral(scalar) : nullptr;
  const bool equal = scalar == s.operand(1) || (value && inside && value->identical(*inside));
  return isEmpty(s.shapeOf(s.operand(0))) || equal ? s.broadcast(s.operand(1), *s.in.shape) : Id();
}

constexpr Rule kSliceRules[] = {
    {Opcode::Slice, "slice of all", sliceOfAll},
    {Opcode::Slice, "slice(slice x) = slice x", sliceOfSlice},
    {Opcode::Slice, "slice(broadcast x) = broadcast(slice x)", sliceOfBroadcast},
    {Opcode::Slice, "slice(concatenate) = its pieces", sliceOfConcatenate},
    {Opcode::Slice, "slice(pad x) = slice x", sliceOfPad},
    {Opcode::Slice, "slice(reverse x) = reverse(slice x)", sliceOfReverse},
    {Opcode::Concatenate, "concatenate of one", concatenateOfOne},
    {Opcode::Concatenate, "concatenate of concatenates, without empty pieces", concatenateFlat},
    {Opcode::Concatenate, "concatenate of neighbouring slices = a slice", concatenateOfSlices},
    {Opcode::Concatenate, "concatenate with repeated scalars = pad", concatenateOfBroadcasts},
    {Opcode::Pad, "pad of nothing", padOfNothing},
    {Opcode::Pad, "a pad that takes away is a slice", padAsSlice},
    {Opcode::Pad, "pad(pad x) = pad x", padOfPad},
    {Opcode::Pad, "pad of its own value", padOfItsValue},
};

}  // namespace

std::span<const Rule> sliceRules() { return kSliceRules; }

}  // namespace tessera
