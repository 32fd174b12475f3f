// See block_builder.h.
#include "core/passes/partition/block_builder.h"

#include <algorithm>
#include <complex>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/element/scalar_functions.h"
#include "core/element/scalar_math.h"
#include "core/hlo/index_math.h"
#include "core/passes/partition/partition.h"
#include "core/passes/pipeline.h"

namespace tessera::partition {
namespace {

Shape scalarOf(ElementType type) { return Shape::arrayRowMajor(type, {}); }

ReplicaGroups replicaGroups(std::vector<std::vector<int64_t>> groups) {
  std::vector<std::string> texts;
  for (const auto& group : groups) texts.push_back(fmt::format("{{{}}}", fmt::join(group, ",")));
  return {fmt::format("{{{}}}", fmt::join(texts, ",")), std::move(groups)};
}

}  // namespace

InstructionId BlockBuilder::add(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                                AttributeSet attributes) {
  return rewriter_.add(computation_, opcode, shape, operands, std::move(attributes), {&source_, 1});
}

InstructionId BlockBuilder::copy(const Instruction& source, const Shape& shape, std::span<const InstructionId> operands,
                                 AttributeSet attributes) {
  Instruction made = source;  // with its name, literal, number and metadata
  made.operands = operands;
  made.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  made.provenance = mergeProvenance(module(), {&source_, 1}, kPartitionPass);
  rewriter_.touch(computation_);
  return module().add(computation_, std::move(made), shape);
}

InstructionId BlockBuilder::constant(Literal literal) {
  Shape shape = literal.shape();
  fillDefaultLayouts(shape);
  return rewriter_.addConstant(computation_, std::move(literal), shape, {&source_, 1});
}

InstructionId BlockBuilder::number(ElementType type, int64_t value) {
  Literal scalar = Literal::zeros(scalarOf(type)).value();
  scalarToBytes(type, static_cast<ScalarBits>(value), scalar.mutableBytes().data());
  return constant(std::move(scalar));
}

InstructionId BlockBuilder::zero(ElementType type) { return constant(Literal::zeros(scalarOf(type)).value()); }

InstructionId BlockBuilder::broadcast(InstructionId array, const Shape& shape, std::vector<int64_t> dimensions) {
  AttributeSet attributes;
  attributes.set(Attr::dimensions, std::move(dimensions));
  return add(Opcode::Broadcast, shape, {&array, 1}, std::move(attributes));
}

InstructionId BlockBuilder::broadcastScalar(InstructionId scalar, const Shape& shape) {
  return shape.isScalar() ? scalar : broadcast(scalar, shape, {});
}

InstructionId BlockBuilder::compare(std::string_view direction, InstructionId a, InstructionId b) {
  Shape shape = shapeOf(a);
  shape.type = ElementType::Pred;
  AttributeSet attributes;
  attributes.set(Attr::direction, std::string(direction));
  return add(Opcode::Compare, shape, {{a, b}}, std::move(attributes));
}

InstructionId BlockBuilder::select(InstructionId condition, InstructionId yes, InstructionId no) {
  return add(Opcode::Select, shapeOf(yes), {{condition, yes, no}});
}

InstructionId BlockBuilder::slice(InstructionId array, int64_t dimension, int64_t start, int64_t limit) {
  Shape shape = shapeOf(array);
  std::vector<SliceDimension> ranges;
  for (int64_t size : shape.dimensions) ranges.push_back({0, size, 1});
  ranges[static_cast<size_t>(dimension)] = {start, limit, 1};
  shape.dimensions[static_cast<size_t>(dimension)] = limit - start;
  AttributeSet attributes;
  attributes.set(Attr::slice, std::move(ranges));
  return add(Opcode::Slice, shape, {&array, 1}, std::move(attributes));
}

InstructionId BlockBuilder::concatenate(std::span<const InstructionId> arrays, int64_t dimension) {
  Shape shape = shapeOf(arrays[0]);
  int64_t& size = shape.dimensions[static_cast<size_t>(dimension)] = 0;
  for (InstructionId array : arrays) size += shapeOf(array).dimensions[static_cast<size_t>(dimension)];
  AttributeSet attributes;
  attributes.set(Attr::dimensions, std::vector<int64_t>{dimension});
  return add(Opcode::Concatenate, shape, arrays, std::move(attributes));
}

InstructionId BlockBuilder::pad(InstructionId array, int64_t dimension, int64_t low, int64_t high, InstructionId with) {
  if (low == 0 && high == 0) return array;
  Shape shape = shapeOf(array);
  std::vector<PaddingDimension> padding(shape.dimensions.size());
  padding[static_cast<size_t>(dimension)] = {low, high, 0};
  shape.dimensions[static_cast<size_t>(dimension)] += low + high;
  AttributeSet attributes;
  attributes.set(Attr::padding, std::move(padding));
  if (!with.valid()) with = zero(shape.type);
  return add(Opcode::Pad, shape, {{array, with}}, std::move(attributes));
}

// Blocks of equal size, `parts` of them.
InstructionId BlockBuilder::padded(InstructionId array, int64_t dimension, int64_t parts) {
  const int64_t size = shapeOf(array).dimensions[static_cast<size_t>(dimension)];
  return pad(array, dimension, 0, blockSize(size, parts) * parts - size);
}

InstructionId BlockBuilder::neutral(Opcode reducer, const Shape& shape) {
  Literal scalar = Literal::zeros(scalarOf(shape.type)).value();
  if (const auto bits = neutralElement(reducer, shape.type))
    scalarToBytes(shape.type, *bits, scalar.mutableBytes().data());
  else if (reducer == Opcode::Multiply && shape.type == ElementType::C64)
    scalar.mutableData<std::complex<float>>()[0] = 1;
  else if (reducer == Opcode::Multiply && shape.type == ElementType::C128)
    scalar.mutableData<std::complex<double>>()[0] = 1;
  return broadcastScalar(constant(std::move(scalar)), shape);
}

InstructionId BlockBuilder::element(InstructionId tuple, int64_t index) {
  AttributeSet attributes;
  attributes.set(Attr::index, index);
  const Shape shape = shapeOf(tuple).elements[static_cast<size_t>(index)];
  return add(Opcode::GetTupleElement, shape, {&tuple, 1}, std::move(attributes));
}

std::vector<InstructionId> BlockBuilder::unpack(InstructionId value) {
  if (!shapeOf(value).isTuple()) return {value};
  std::vector<InstructionId> out;
  for (size_t i = 0; i < shapeOf(value).elements.size(); ++i)
    for (InstructionId leaf : unpack(element(value, static_cast<int64_t>(i)))) out.push_back(leaf);
  return out;
}

InstructionId BlockBuilder::pack(const Shape& shape, std::span<const InstructionId> leaves) {
  if (!shape.isTuple()) return leaves[0];
  std::vector<InstructionId> elements;
  std::vector<Shape> shapes;
  size_t at = 0;
  for (const Shape& element : shape.elements) {
    const size_t count = leavesOf(element).size();
    elements.push_back(pack(element, leaves.subspan(at, count)));
    shapes.push_back(shapeOf(elements.back()));
    at += count;
  }
  return add(Opcode::Tuple, Shape::tuple(std::move(shapes)), elements);
}

InstructionId BlockBuilder::ofDevice(const std::vector<int64_t>& table) {
  if (const auto known = tables_.find(table); known != tables_.end()) return known->second;
  if (!partition_.valid()) {
    const InstructionId id = add(Opcode::PartitionId, scalarOf(ElementType::U32), {});
    partition_ = add(Opcode::Convert, scalarOf(ElementType::S32), {&id, 1});
  }
  Literal values =
      Literal::allocate(Shape::arrayRowMajor(ElementType::S32, {static_cast<int64_t>(table.size())})).value();
  std::ranges::transform(table, values.mutableData<int32_t>().begin(),
                         [](int64_t value) { return static_cast<int32_t>(value); });
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, std::vector<int64_t>{1});
  const InstructionId entry = add(Opcode::DynamicSlice, Shape::arrayRowMajor(ElementType::S32, {1}),
                                  {{constant(std::move(values)), partition_}}, std::move(attributes));
  return tables_[table] = reshape(entry, {});
}

InstructionId BlockBuilder::takeBlock(InstructionId array, const Cuts& cuts) {
  if (std::ranges::none_of(cuts, [](const CutPtr& cut) { return cut != nullptr; })) return array;
  const Shape block = localShape(shapeOf(array), {.cuts = cuts});
  for (size_t d = 0; d < cuts.size(); ++d)
    if (cuts[d]) array = padded(array, static_cast<int64_t>(d), cuts[d]->parts);
  std::vector<InstructionId> operands{array};
  for (size_t d = 0; d < cuts.size(); ++d) {
    std::vector<int64_t> starts(static_cast<size_t>(grid_.partitions), 0);
    for (size_t device = 0; cuts[d] && device < starts.size(); ++device)
      starts[device] = cuts[d]->blockOf[device] * block.dimensions[d];
    operands.push_back(cuts[d] ? ofDevice(starts) : zero(ElementType::S32));
  }
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, block.dimensions);
  return add(Opcode::DynamicSlice, block, operands, std::move(attributes));
}

AttributeSet BlockBuilder::exchange(const Groups& groups, bool globalIds) {
  AttributeSet out;
  out.set(Attr::channel_id, grid_.nextChannel++);
  Groups all;
  for (int64_t replica = 0; replica < (globalIds ? grid_.replicas : 1); ++replica)
    for (std::vector<int64_t> group : groups) {
      for (int64_t& device : group) device += replica * grid_.partitions;
      all.push_back(std::move(group));
    }
  out.set(Attr::replica_groups, replicaGroups(std::move(all)));
  if (globalIds) out.set(Attr::use_global_device_ids, true);
  return out;
}

ComputationId BlockBuilder::reducer(Opcode opcode, ElementType type) {
  const auto key = std::pair(opcode, type);
  if (const auto known = grid_.reducers.find(key); known != grid_.reducers.end()) return known->second;
  const ComputationId made =
      module().addComputation(fmt::format("{}.t{}", nameOf(opcode), module().instructionSlots()));
  BlockBuilder inside(rewriter_, grid_, made);
  inside.worksFor(source_);
  InstructionId operands[2];
  for (int32_t i = 0; i < 2; ++i) {
    Instruction parameter;
    const std::string name = fmt::format("part_{}.t{}", i, module().instructionSlots());
    parameter.name = name;
    parameter.opcode = Opcode::Parameter;
    parameter.parameterNumber = i;
    parameter.provenance = module().at(source_).provenance;
    operands[i] = module().add(made, std::move(parameter), scalarOf(type));
  }
  module().setRoot(made, inside.add(opcode, scalarOf(type), operands));
  return grid_.reducers[key] = made;
}

InstructionId BlockBuilder::reshape(InstructionId array, std::vector<int64_t> dimensions) {
  const Shape shape = Shape::arrayRowMajor(shapeOf(array).type, std::move(dimensions));
  return add(Opcode::Reshape, shape, {&array, 1});
}

InstructionId BlockBuilder::allGather(InstructionId array, int64_t dimension, const Groups& groups) {
  Shape shape = shapeOf(array);
  shape.dimensions[static_cast<size_t>(dimension)] *= static_cast<int64_t>(groups[0].size());
  AttributeSet attributes = exchange(groups, true);
  attributes.set(Attr::dimensions, std::vector<int64_t>{dimension});
  return add(Opcode::AllGather, shape, {&array, 1}, std::move(attributes));
}

InstructionId BlockBuilder::allReduce(InstructionId array, Opcode reducerOpcode, const Groups& groups) {
  AttributeSet attributes = exchange(groups, true);
  const Shape shape = shapeOf(array);
  attributes.set(Attr::to_apply, reducer(reducerOpcode, shape.type));
  return add(Opcode::AllReduce, shape, {&array, 1}, std::move(attributes));
}

InstructionId BlockBuilder::reduceScatter(InstructionId array, Opcode reducerOpcode, int64_t dimension,
                                          const Groups& groups) {
  array = padded(array, dimension, static_cast<int64_t>(groups[0].size()));
  Shape shape = shapeOf(array);
  shape.dimensions[static_cast<size_t>(dimension)] /= static_cast<int64_t>(groups[0].size());
  AttributeSet attributes = exchange(groups, true);
  attributes.set(Attr::dimensions, std::vector<int64_t>{dimension});
  attributes.set(Attr::to_apply, reducer(reducerOpcode, shape.type));
  return add(Opcode::ReduceScatter, shape, {&array, 1}, std::move(attributes));
}

// HLO's all-to-all splits and joins one dimension: [parts of `split`], in the order of the devices that sent them. The
// number of the part is then moved before `join`.
InstructionId BlockBuilder::allToAll(InstructionId array, int64_t split, int64_t join, const Groups& groups) {
  const auto parts = static_cast<int64_t>(groups[0].size());
  array = padded(array, split, parts);
  Shape shape = shapeOf(array);
  AttributeSet attributes = exchange(groups, false);
  attributes.set(Attr::dimensions, std::vector<int64_t>{split});
  const InstructionId exchanged = add(Opcode::AllToAll, shape, {&array, 1}, std::move(attributes));
  std::vector<int64_t> apart = shape.dimensions;
  apart[static_cast<size_t>(split)] /= parts;
  apart.insert(apart.begin() + split, parts);
  std::vector<int64_t> order;
  for (int64_t d = 0; d < static_cast<int64_t>(apart.size()); ++d) {
    if (d == join + (join > split ? 1 : 0)) order.push_back(split);
    if (d != split) order.push_back(d);
  }
  AttributeSet transposed;
  transposed.set(Attr::dimensions, order);
  const InstructionId numbered = reshape(exchanged, apart);
  const InstructionId moved = add(Opcode::Transpose, Shape::arrayRowMajor(shape.type, pickDims(apart, order)),
                                  {&numbered, 1}, std::move(transposed));
  shape.dimensions[static_cast<size_t>(split)] /= parts;
  shape.dimensions[static_cast<size_t>(join)] *= parts;
  return reshape(moved, shape.dimensions);
}

InstructionId BlockBuilder::permute(InstructionId array, const Groups& sourceTargetPairs) {
  AttributeSet attributes;
  attributes.set(Attr::channel_id, grid_.nextChannel++);
  attributes.set(Attr::source_target_pairs, sourceTargetPairs);
  return add(Opcode::CollectivePermute, shapeOf(array), {&array, 1}, std::move(attributes));
}

}  // namespace tessera::partition
