// See static_builder.h.
#include "core/passes/dynamic/static_builder.h"

#include <limits>
#include <numeric>

#include "core/element/scalar_functions.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

Shape withDims(const Shape& like, std::vector<int64_t> dims) {
  return Shape::arrayRowMajor(like.type, std::move(dims));
}

Literal lowestLiteral(ElementType type) {
  Literal out = Literal::allocate(Shape::arrayRowMajor(type, {})).value();
  if (const auto lowest = neutralElement(Opcode::Maximum, type))
    scalarToBytes(type, *lowest, out.mutableBytes().data());
  return out;
}

}  // namespace

StaticBuilder::StaticBuilder(Rewriter& rewriter, InstructionId source)
    : rewriter_(rewriter), source_(source), computation_(rewriter.module().at(source).computation) {}

const Shape& StaticBuilder::shapeOf(InstructionId id) const { return rewriter_.module().shapeOf(id); }

InstructionId StaticBuilder::make(Opcode opcode, const Shape& shape, std::span<const InstructionId> operands,
                                  AttributeSet attributes) {
  const InstructionId from[] = {source_};
  return rewriter_.add(computation_, opcode, shape, operands, std::move(attributes), from);
}

InstructionId StaticBuilder::number(int64_t value) {
  const InstructionId from[] = {source_};
  Literal literal = Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(value));
  const Shape shape = literal.shape();
  return rewriter_.addConstant(computation_, std::move(literal), shape, from);
}

InstructionId StaticBuilder::scalar(Opcode opcode, InstructionId a, InstructionId b) {
  return make(opcode, Shape::arrayRowMajor(ElementType::S32, {}), {a, b});
}

InstructionId StaticBuilder::equal(InstructionId a, InstructionId b) { return compare("EQ", a, b); }

InstructionId StaticBuilder::sizeOr(const DimensionSizes& sizes, size_t dimension, int64_t bound) {
  return dimension < sizes.size() && sizes[dimension].valid() ? sizes[dimension] : number(bound);
}

InstructionId StaticBuilder::zeroOf(ElementType type) {
  const InstructionId from[] = {source_};
  const Shape shape = Shape::arrayRowMajor(type, {});
  return rewriter_.addConstant(computation_, Literal::zeros(shape).value(), shape, from);
}

InstructionId StaticBuilder::lowestOf(ElementType type) {
  const InstructionId from[] = {source_};
  return rewriter_.addConstant(computation_, lowestLiteral(type), Shape::arrayRowMajor(type, {}), from);
}

InstructionId StaticBuilder::broadcast(InstructionId operand, const std::vector<int64_t>& dims,
                                       std::vector<int64_t> to) {
  AttributeSet attributes;
  attributes.set(Attr::dimensions, std::move(to));
  return make(Opcode::Broadcast, withDims(shapeOf(operand), dims), {operand}, std::move(attributes));
}

InstructionId StaticBuilder::iota(const std::vector<int64_t>& dims, size_t along) {
  AttributeSet attributes;
  attributes.set(Attr::iota_dimension, static_cast<int64_t>(along));
  return make(Opcode::Iota, Shape::arrayRowMajor(ElementType::S32, dims), {}, std::move(attributes));
}

InstructionId StaticBuilder::elementwise(Opcode opcode, InstructionId a, InstructionId b) {
  const Shape& like = shapeOf(a);
  return make(opcode, withDims(like, like.dimensions), {a, b});
}

InstructionId StaticBuilder::compare(std::string_view direction, InstructionId a, InstructionId b) {
  AttributeSet attributes;
  attributes.set(Attr::direction, std::string(direction));
  return make(Opcode::Compare, Shape::arrayRowMajor(ElementType::Pred, shapeOf(a).dimensions), {a, b},
              std::move(attributes));
}

InstructionId StaticBuilder::select(InstructionId condition, InstructionId yes, InstructionId no) {
  const Shape& like = shapeOf(yes);
  return make(Opcode::Select, withDims(like, like.dimensions), {condition, yes, no});
}

InstructionId StaticBuilder::reshape(InstructionId operand, const std::vector<int64_t>& dims) {
  return make(Opcode::Reshape, withDims(shapeOf(operand), dims), {operand});
}

InstructionId StaticBuilder::pad(InstructionId operand, InstructionId value, size_t dimension, int64_t low,
                                 int64_t high) {
  std::vector<int64_t> dims = shapeOf(operand).dimensions;
  std::vector<PaddingDimension> padding(dims.size());
  padding[dimension] = {low, high, 0};
  dims[dimension] += low + high;
  AttributeSet attributes;
  attributes.set(Attr::padding, std::move(padding));
  const InstructionId out =
      make(Opcode::Pad, withDims(shapeOf(operand), std::move(dims)), {operand, value}, std::move(attributes));
  rewriter_.noteInsertion(out, {source_, "arrays with dynamic dimensions have a static size inside"});
  return out;
}

InstructionId StaticBuilder::slice(InstructionId operand, size_t dimension, int64_t start, int64_t limit) {
  std::vector<int64_t> dims = shapeOf(operand).dimensions;
  std::vector<SliceDimension> ranges;
  for (int64_t size : dims) ranges.push_back({0, size, 1});
  ranges[dimension] = {start, limit, 1};
  dims[dimension] = limit - start;
  AttributeSet attributes;
  attributes.set(Attr::slice, std::move(ranges));
  return make(Opcode::Slice, withDims(shapeOf(operand), std::move(dims)), {operand}, std::move(attributes));
}

std::vector<InstructionId> StaticBuilder::starts(InstructionId array, size_t dimension, InstructionId start) {
  std::vector<InstructionId> out(shapeOf(array).dimensions.size(), number(0));
  out[dimension] = start;
  return out;
}

InstructionId StaticBuilder::sliceFrom(InstructionId operand, size_t dimension, InstructionId start, int64_t size) {
  std::vector<int64_t> dims = shapeOf(operand).dimensions;
  dims[dimension] = size;
  std::vector<InstructionId> operands{operand};
  for (InstructionId each : starts(operand, dimension, start)) operands.push_back(each);
  AttributeSet attributes;
  attributes.set(Attr::dynamic_slice_sizes, dims);
  return make(Opcode::DynamicSlice, withDims(shapeOf(operand), dims), operands, std::move(attributes));
}

InstructionId StaticBuilder::updateFrom(InstructionId operand, InstructionId update, size_t dimension,
                                        InstructionId start) {
  std::vector<InstructionId> operands{operand, update};
  for (InstructionId each : starts(operand, dimension, start)) operands.push_back(each);
  const Shape& like = shapeOf(operand);
  return make(Opcode::DynamicUpdateSlice, withDims(like, like.dimensions), operands);
}

InstructionId StaticBuilder::mask(const std::vector<int64_t>& dims, const DimensionSizes& sizes,
                                  std::span<const int64_t> dimensions) {
  InstructionId out;
  for (int64_t d : dimensions) {
    const auto at = static_cast<size_t>(d);
    if (at >= sizes.size() || !sizes[at].valid()) continue;
    const InstructionId inside = compare("LT", iota(dims, at), broadcast(sizes[at], dims));
    out = out.valid() ? elementwise(Opcode::And, out, inside) : inside;
  }
  return out;
}

InstructionId StaticBuilder::filled(InstructionId array, const DimensionSizes& sizes,
                                    std::span<const int64_t> dimensions, InstructionId value) {
  const std::vector<int64_t> dims = shapeOf(array).dimensions;
  const InstructionId inside = mask(dims, sizes, dimensions);
  if (!inside.valid()) return array;
  if (shapeOf(value).type != shapeOf(array).type)
    value = make(Opcode::Convert, Shape::arrayRowMajor(shapeOf(array).type, {}), {value});
  return select(inside, array, broadcast(value, dims));
}

std::vector<int64_t> StaticBuilder::everyDimension(InstructionId array) const {
  std::vector<int64_t> out(shapeOf(array).dimensions.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace tessera
