// pad: puts a value around an array (low, high) and between its elements (interior). Negative low and high cut
// elements away, after the interior padding was put in.
#include <fmt/format.h>

#include "core/base/checked_math.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

using Padding = std::vector<PaddingDimension>;

// n elements with `interior` between neighbours; nullopt on overflow.
std::optional<int64_t> dilatedSize(int64_t n, int64_t interior) {
  if (n == 0) return 0;
  const auto gaps = checkedMul(n - 1, interior);
  return gaps ? checkedAdd(n, *gaps) : std::nullopt;
}

Result<int64_t> paddedSize(const InferContext& context, size_t d, const PaddingDimension& pad) {
  if (pad.interior < 0) {
    return context.violated("C3", fmt::format("interior padding of dimension {} must not be negative", d), "0 or more",
                            fmt::format("{}", pad.interior));
  }
  const auto dilated = dilatedSize(context.operand(0).dimensions[d], pad.interior);
  const auto low = dilated ? checkedAdd(*dilated, pad.low) : std::nullopt;
  const auto size = low ? checkedAdd(*low, pad.high) : std::nullopt;
  if (!size || *size < 0) {
    return context.violated("C4", fmt::format("padding gives dimension {} no valid size", d), "0 or more",
                            size ? fmt::format("{}", *size) : "more than 64 bits");
  }
  return *size;
}

Result<Shape> inferPad(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &operand = context.operand(0), &value = context.operand(1);
  if (!value.isScalar() || !sameButPrecision(value.type, operand.type)) {
    return context.violated("C1", "the padding value must be a scalar of the operand's element type",
                            fmt::format("{}[]", nameOf(operand.type)), toString(value, false));
  }
  const auto* padding = context.attributes->get<Padding>(Attr::padding);
  const size_t entries = padding ? padding->size() : 0;
  if (static_cast<int64_t>(entries) != operand.rank()) {
    return context.violated("C2", "pad needs one entry of padding for each dimension of the operand",
                            fmt::format("{} entries", operand.rank()), fmt::format("{}", entries));
  }
  Shape out = arrayOf(widerType(operand.type, value.type), operand.dimensions, operand.dynamic);
  for (size_t d = 0; d < entries; ++d) {
    const PaddingDimension& pad = (*padding)[d];
    if (operand.dimensions[d] == Shape::kUnbounded) continue;
    TESSERA_ASSIGN_OR_RETURN(out.dimensions[d], paddedSize(context, d, pad));
  }
  return out;
}

Result<Literal> evaluatePad(const EvaluateContext& context) {
  const Padding& padding = *context.instruction.attributes->get<Padding>(Attr::padding);
  const Literal &operand = context.operands[0], &value = context.operands[1];
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const auto width = static_cast<size_t>(byteWidth(context.shape.type));
  std::byte* to = out.mutableBytes().data();
  for (int64_t i = 0; i < out.elementCount(); ++i) {
    copyElement(to, i, value.bytes().data(), 0, width);
    if ((i & 0xfffff) == 0xfffff && isCancelled(context)) return failCancelled();
  }
  const auto& dims = context.shape.dimensions;
  const std::vector<int64_t> strides = rowMajorStrides(dims);
  forEachIndex(operand.shape().dimensions, [&](std::span<const int64_t> index, int64_t linear) {
    int64_t target = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t place = padding[d].low + index[d] * (padding[d].interior + 1);
      if (place < 0 || place >= dims[d]) return true;
      target += place * strides[d];
    }
    copyElement(to, target, operand.bytes().data(), linear, width);
    return true;
  });
  return out;
}

Status padElement(ElementContext& context) {
  const Padding& padding = *context.attributes().get<Padding>(Attr::padding);
  const auto& dims = context.operandShape(0).dimensions;
  ElementBuilder& b = context.builder;
  NodeId inside = b.constant(ElementType::Pred, 1);
  std::vector<NodeId> at;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t step = padding[d].interior + 1;
    const NodeId place = b.subtract(context.indices[d], b.index(padding[d].low));
    inside = b.logicalAnd(inside, b.inRange(place, 0, dilatedSize(dims[d], padding[d].interior).value_or(0)));
    if (step != 1) {
      const NodeId rest = b.remainder(place, b.index(step));
      inside = b.logicalAnd(inside, b.compare(CompareDirection::Eq, rest, b.index(0)));
    }
    at.push_back(step == 1 ? place : b.divide(place, b.index(step)));
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId otherwise, context.read(1, {}));
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.readIf(inside, 0, at, otherwise));
  context.results = {value};
  return {};
}

constexpr OperandDoc kPadOperands[] = {{"operand", "The array to pad."}, {"padding_value", "The scalar put in."}};
constexpr AttributeRow kPadAttributes[] = {
    {Attr::padding, true, "", "low_high or low_high_interior for each dimension, joined by x.", ""}};
constexpr Constraint kPadConstraints[] = {
    {"C1", "The padding value is a scalar of the operand's element type (floats may differ in width)."},
    {"C2", "padding has one entry for each dimension of the operand."},
    {"C3", "Interior padding is not negative."},
    {"C4", "Every dimension of the result has a size of at least 0 that fits 64 bits."},
};

DimensionRelations padDimensions(const InferContext& context) {
  DimensionRelations out;
  const auto* padding = context.attributes->get<std::vector<PaddingDimension>>(Attr::padding);
  for (size_t d = 0; padding && d < padding->size(); ++d) {
    out.rows.push_back({DimensionRef::result(d),
                        DimensionRule::Padded,
                        DimensionRef::operand(0, d),
                        (*padding)[d] == PaddingDimension(),
                        {},
                        (*padding)[d]});
  }
  return out;
}

}  // namespace

const OpDef kPad = {
    .opcode = Opcode::Pad,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Surround and space out with a value",
    .doc =
        "Element $x_i$ goes to place $low + i (interior + 1)$; all other places hold the padding value. A dimension of "
        "size $n$ becomes $low + n + (n - 1) \\cdot interior + high$. Negative low and high cut.",
    .operands = kPadOperands,
    .attributes = kPadAttributes,
    .constraints = kPadConstraints,
    .inferShape = inferPad,
    .inferLayout = followOperandLayout,
    .evaluate = evaluatePad,
    .element = padElement,
    .dimensions = padDimensions,
};

}  // namespace tessera
