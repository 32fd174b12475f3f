// Rules of operations that take indices at run time: dynamic slices, gather, scatter, and of iota and sizes. All exact:
// an index that is out of bounds is moved inside as the operation would do it.
#include <algorithm>

#include "core/hlo/numbers.h"
#include "core/ops/shared/scalar_function.h"
#include "core/ops/shared/scatter_targets.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;

// Constant starts, moved inside; nullopt when one is computed or all are in one vector.
std::optional<std::vector<int64_t>> constantStarts(const Site& s, size_t first, const Shape& whole,
                                                   const std::vector<int64_t>& sizes) {
  if (s.in.operands.size() != first + whole.dimensions.size()) return std::nullopt;
  std::vector<int64_t> out;
  for (size_t d = 0; d < whole.dimensions.size(); ++d) {
    const Id start = s.operand(first + d);
    const Literal* literal = s.splatLiteral(start);
    if (!s.shapeOf(start).isScalar() || !literal || !isInteger(s.shapeOf(start).type)) return std::nullopt;
    const int64_t value = loadInt(s.shapeOf(start).type, literal->bytes().data());
    if (s.shapeOf(start).type == ElementType::U64 && value < 0) return std::nullopt;
    out.push_back(std::clamp<int64_t>(value, 0, whole.dimensions[d] - sizes[d]));
  }
  return out;
}
bool sameStarts(const Instruction& a, size_t aFirst, const Instruction& b, size_t bFirst) {
  if (a.operands.size() - aFirst != b.operands.size() - bFirst) return false;
  return std::equal(a.operands.begin() + static_cast<int64_t>(aFirst), a.operands.end(),
                    b.operands.begin() + static_cast<int64_t>(bFirst));
}

Id dynamicSliceOfAll(Site& s) { return s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id(); }
Id sliceAtConstant(Site& s) {
  const auto starts = constantStarts(s, 1, s.shapeOf(s.operand(0)), s.in.shape->dimensions);
  if (!starts) return {};
  std::vector<SliceDimension> ranges;
  for (size_t d = 0; d < starts->size(); ++d)
    ranges.push_back({(*starts)[d], (*starts)[d] + s.in.shape->dimensions[d], 1});
  return s.slice(s.operand(0), ranges);
}
Id sliceOfScalar(Site& s) {
  const Id scalar = s.repeatedScalar(s.operand(0));
  return scalar.valid() ? s.broadcast(scalar, *s.in.shape) : Id();
}
// What was just written where it is read again.
Id sliceOfUpdate(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::DynamicUpdateSlice || !sameStarts(s.in, 1, from, 2)) return {};
  return s.shapeOf(from.operands[1]) == *s.in.shape ? from.operands[1] : Id();
}

Id updateOfAll(Site& s) { return s.shapeOf(s.operand(1)) == *s.in.shape ? s.operand(1) : Id(); }
Id updateOfNothing(Site& s) { return s.shapeOf(s.operand(1)).elementCount() == 0 ? s.operand(0) : Id(); }
Id updateWithItself(Site& s) {
  const Instruction& update = s.from(1);
  const bool own =
      update.opcode == Opcode::DynamicSlice && update.operands[0] == s.operand(0) && sameStarts(s.in, 2, update, 1);
  return own ? s.operand(0) : Id();
}
Id updateTwice(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::DynamicUpdateSlice || !sameStarts(s.in, 2, from, 2)) return {};
  if (s.shapeOf(s.operand(1)).dimensions != s.shapeOf(from.operands[1]).dimensions) return {};
  std::vector<Id> operands(s.in.operands.begin(), s.in.operands.end());
  operands[0] = from.operands[0];
  return s.make(Opcode::DynamicUpdateSlice, *s.in.shape, operands, *s.in.attributes, from.id);
}
// Written into copies of one scalar: a pad.
Id updateOfScalar(Site& s) {
  const Id scalar = s.repeatedScalar(s.operand(0));
  const Shape& update = s.shapeOf(s.operand(1));
  const auto starts = scalar.valid() ? constantStarts(s, 2, *s.in.shape, update.dimensions) : std::nullopt;
  if (!starts) return {};
  std::vector<PaddingDimension> padding;
  for (size_t d = 0; d < starts->size(); ++d)
    padding.push_back({(*starts)[d], s.in.shape->dimensions[d] - update.dimensions[d] - (*starts)[d], 0});
  AttributeSet attributes;
  attributes.set(Attr::padding, std::move(padding));
  return s.make(Opcode::Pad, *s.in.shape, {s.operand(1), scalar}, std::move(attributes));
}

const std::vector<int64_t>& ints(const Site& s, Attr attr) { return s.in.attributes->ints(attr); }
Id gatherOfScalar(Site& s) {
  if (std::ranges::count(ints(s, Attr::slice_sizes), 0) > 0) return {};  // collapsed ones: it reads nothing
  const Id scalar = s.repeatedScalar(s.operand(0));
  return scalar.valid() ? s.broadcast(scalar, *s.in.shape) : Id();
}
// One index: a dynamic-slice.
Id gatherOne(Site& s) {
  const Shape &from = s.shapeOf(s.operand(0)), &indices = s.shapeOf(s.operand(1));
  const auto& map = ints(s, Attr::start_index_map);
  if (indices.elementCount() != static_cast<int64_t>(map.size()) || map.empty() ||
      !ints(s, Attr::operand_batching_dims).empty())
    return {};
  if (!isInteger(indices.type) || s.in.shape->elementCount().value_or(0) == 0) return {};
  if (withDimensions(from, ints(s, Attr::slice_sizes)).elementCount() != s.in.shape->elementCount())
    return {};  // collapsed sizes may be 0
  const Id vector = s.reshape(s.operand(1), withDimensions(indices, {static_cast<int64_t>(map.size())}));
  const Shape scalar = withDimensions(indices, {});
  std::vector<Id> operands(from.dimensions.size() + 1, s.integer(indices.type, 0));
  operands[0] = s.operand(0);
  for (size_t i = 0; i < map.size(); ++i) {
    const SliceDimension at{static_cast<int64_t>(i), static_cast<int64_t>(i) + 1, 1};
    operands[static_cast<size_t>(map[i]) + 1] = s.reshape(s.slice(vector, {&at, 1}), scalar);
  }
  const std::vector<int64_t> sizes = ints(s, Attr::slice_sizes);
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, sizes);
  return s.reshape(s.make(Opcode::DynamicSlice, withDimensions(from, sizes), operands, std::move(attributes)),
                   *s.in.shape);
}

// start, start + 1, … as an iota or a constant, below reshapes that only add ones.
std::optional<int64_t> firstOfRun(const Site& s, Id id) {
  const Instruction* at = &s.module.at(id);
  while (at->opcode == Opcode::Reshape) at = &s.module.at(at->operands[0]);
  if (!isInteger(at->shape->type) || significantDimensions(*at->shape).size() != 1) return std::nullopt;
  if (at->opcode == Opcode::Iota) {
    const int64_t count = at->shape->dimensions[static_cast<size_t>(at->attributes->intOr(Attr::iota_dimension, 0))];
    const bool counts = count == at->shape->elementCount() && (info(at->shape->type).bits >= 32 || count <= 127);
    return counts ? std::optional<int64_t>(0) : std::nullopt;
  }
  if (at->opcode != Opcode::Constant || !at->literal || at->literal->elided()) return std::nullopt;
  const ElementType type = at->shape->type;
  const auto width = static_cast<size_t>(byteWidth(type));
  const std::byte* data = at->literal->bytes().data();
  const int64_t first = loadInt(type, data);
  for (int64_t i = 1; i < at->literal->elementCount(); ++i)
    if (loadInt(type, data + static_cast<size_t>(i) * width) != first + i) return std::nullopt;
  return first;
}
// Neighbouring rows: a slice.
Id gatherRun(Site& s) {
  const Shape &from = s.shapeOf(s.operand(0)), &indices = s.shapeOf(s.operand(1));
  const auto& sizes = ints(s, Attr::slice_sizes);
  if (ints(s, Attr::start_index_map) != std::vector<int64_t>{0} ||
      ints(s, Attr::collapsed_slice_dims) != std::vector<int64_t>{0})
    return {};
  if (!ints(s, Attr::operand_batching_dims).empty() || sizes[0] != 1) return {};
  const int64_t batchDims = s.in.shape->rank() - static_cast<int64_t>(ints(s, Attr::offset_dims).size());
  for (size_t i = 0; i < ints(s, Attr::offset_dims).size(); ++i)
    if (ints(s, Attr::offset_dims)[i] != batchDims + static_cast<int64_t>(i)) return {};
  std::vector<SliceDimension> ranges;
  for (size_t d = 0; d < from.dimensions.size(); ++d) ranges.push_back({0, from.dimensions[d], 1});
  for (size_t d = 1; d < sizes.size(); ++d)
    if (sizes[d] != from.dimensions[d]) return {};
  const auto first = firstOfRun(s, s.operand(1));
  const int64_t count = indices.elementCount().value_or(0);
  if (!first || *first < 0 || *first > from.dimensions[0] - count) return {};
  ranges[0] = {*first, *first + count, 1};
  return s.reshape(s.slice(s.operand(0), ranges), *s.in.shape);
}

Id scatterOfNothing(Site& s) {
  if (s.in.operands.size() != 3 || s.shapeOf(s.operand(2)).elementCount() != 0) return {};
  return s.operand(0);
}
// The components of one constant start index; nullopt when one is computed.
std::optional<std::vector<int64_t>> constantIndex(const Site& s, Id id) {
  const Instruction* at = &s.module.at(id);
  const ElementType type = at->shape->type;
  const auto count = static_cast<size_t>(at->shape->elementCount().value_or(0));
  if (const Literal* splat = s.splatLiteral(id))
    return std::vector<int64_t>(count, loadInt(type, splat->bytes().data()));
  while (at->opcode == Opcode::Reshape) at = &s.module.at(at->operands[0]);
  if (at->opcode != Opcode::Constant || !at->literal || at->literal->elided()) return std::nullopt;
  std::vector<int64_t> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(loadInt(type, at->literal->bytes().data() + i * static_cast<size_t>(byteWidth(type))));
  return out;
}
// The update combined with what is in the window, in the dimensions of the operand; invalid when the computation
// is no single operation.
Id combinedWindow(Site& s, const std::vector<SliceDimension>& ranges, const Shape& shape) {
  const ComputationId callee = s.module.callees(s.in)[0];
  const Id update = s.reshape(s.operand(2), shape);
  const Computation& combine = s.module.at(callee);
  if (combine.parameters.size() == 2 && combine.root == combine.parameters[1]) return update;
  const auto reducer = reducerOf(s.module, callee);
  return reducer ? s.make(*reducer, shape, {s.slice(s.operand(0), ranges), update}) : Id();
}
// One window at a constant index: a dynamic-update-slice. One that is not inside is skipped.
Id scatterOfOneWindow(Site& s) {
  if (s.in.operands.size() != 3) return {};
  const Shape &whole = s.shapeOf(s.operand(0)), &updates = s.shapeOf(s.operand(2));
  const ElementType indexType = s.shapeOf(s.operand(1)).type;
  if (whole != *s.in.shape || whole.type != updates.type || updates.elementCount() == 0) return {};
  const ScatterFacts facts = scatterFactsOf(*s.in.attributes, whole.rank(), updates.rank());
  const bool oneWindow = facts.operandBatch.empty() && std::ranges::all_of(facts.scatterInUpdates, [&](int64_t d) {
                           return updates.dimensions[static_cast<size_t>(d)] == 1;
                         });
  const auto index = oneWindow ? constantIndex(s, s.operand(1)) : std::nullopt;
  if (!index || index->size() != facts.startDims.size()) return {};
  const IndexVector window = scatterWindow(facts, whole, updates);
  std::vector<SliceDimension> ranges;
  for (int64_t size : window) ranges.push_back({0, size, 1});
  for (size_t i = 0; i < index->size(); ++i) {
    const auto d = static_cast<size_t>(facts.startDims[i]);
    const int64_t start = (*index)[i];
    if (start < 0 || start > whole.dimensions[d] - window[d]) return s.operand(0);
    ranges[d] = {start, start + window[d], 1};
  }
  const Id update = combinedWindow(s, ranges, withDimensions(whole, {window.begin(), window.end()}));
  if (!update.valid()) return {};
  std::vector<Id> operands{s.operand(0), update};
  for (const SliceDimension& range : ranges) operands.push_back(s.integer(indexType, range.start));
  return s.make(Opcode::DynamicUpdateSlice, *s.in.shape, operands);
}
Id sortOfOnes(Site& s) {
  const Shape& first = s.shapeOf(s.operand(0));
  const auto& dimensions = ints(s, Attr::dimensions);
  if (dimensions.empty() || first.dimensions.empty() || first.dimensions[static_cast<size_t>(dimensions[0])] > 1)
    return {};
  return s.in.shape->isTuple() ? s.make(Opcode::Tuple, *s.in.shape, s.in.operands) : s.operand(0);
}
Id sortTwice(Site& s) {
  const Instruction& from = s.from(0);
  if (s.in.operands.size() != 1 || from.opcode != Opcode::Sort || from.operands.size() != 1) return {};
  const bool same = ints(s, Attr::dimensions) == from.attributes->ints(Attr::dimensions) &&
                    s.module.callees(s.in) == s.module.callees(from);
  return same ? from.id : Id();
}
Id iotaOfOne(Site& s) {
  const int64_t d = s.in.attributes->intOr(Attr::iota_dimension, 0);
  const bool one = d < s.in.shape->rank() && s.in.shape->dimensions[static_cast<size_t>(d)] == 1;
  return one && !isComplex(s.type()) && s.type() != ElementType::Pred ? s.filled(0) : Id();
}
Id sizeOfStatic(Site& s) {
  const Shape& from = s.shapeOf(s.operand(0));
  const auto& dimensions = ints(s, Attr::dimensions);
  if (dimensions.size() != 1 || from.hasDynamicDimensions()) return {};
  return s.filledInteger(from.dimensions[static_cast<size_t>(dimensions[0])]);
}

constexpr Rule kIndexedRules[] = {
    {Opcode::DynamicSlice, "dynamic-slice of all", dynamicSliceOfAll},
    {Opcode::DynamicSlice, "dynamic-slice at constants = slice", sliceAtConstant},
    {Opcode::DynamicSlice, "dynamic-slice(broadcast x) = broadcast x", sliceOfScalar},
    {Opcode::DynamicSlice, "dynamic-slice of what was written there", sliceOfUpdate},
    {Opcode::DynamicUpdateSlice, "dynamic-update-slice of all", updateOfAll},
    {Opcode::DynamicUpdateSlice, "dynamic-update-slice of nothing", updateOfNothing},
    {Opcode::DynamicUpdateSlice, "dynamic-update-slice with what stands there", updateWithItself},
    {Opcode::DynamicUpdateSlice, "dynamic-update-slice twice at one place", updateTwice},
    {Opcode::DynamicUpdateSlice, "dynamic-update-slice(broadcast x) at constants = pad", updateOfScalar},
    {Opcode::Gather, "gather(broadcast x) = broadcast x", gatherOfScalar},
    {Opcode::Gather, "gather of neighbours = slice", gatherRun},
    {Opcode::Gather, "gather with one index = dynamic-slice", gatherOne},
    {Opcode::Scatter, "scatter of nothing", scatterOfNothing},
    {Opcode::Scatter, "scatter of one window at a constant = dynamic-update-slice", scatterOfOneWindow},
    {Opcode::Sort, "sort of size 1", sortOfOnes},
    {Opcode::Sort, "sort of what is sorted", sortTwice},
    {Opcode::Iota, "iota of size 1 = 0", iotaOfOne},
    {Opcode::GetDimensionSize, "get-dimension-size of a static dimension", sizeOfStatic},
};

}  // namespace

std::span<const Rule> indexedRules() { return kIndexedRules; }

}  // namespace tessera
