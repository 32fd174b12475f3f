// reverse: reverses the order of the elements along the given dimensions.
#include <algorithm>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

Result<Shape> inferReverse(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t>* dims, requireInts(context, Attr::dimensions));
  const Shape& operand = context.operand(0);
  for (int64_t d : *dims) {
    if (d < 0 || d >= operand.rank()) {
      return context.violated("C1", "reverse names a dimension that the operand lacks",
                              fmt::format("0 to {}", operand.rank() - 1), fmt::format("{}", d));
    }
    if (std::ranges::count(*dims, d) > 1) {
      return context.violated("C2", "reverse names a dimension twice", "distinct dimensions", listOf(*dims));
    }
  }
  Shape shape = elementwiseShape(context, operand, operand.type);
  return shape;
}

Result<Literal> evaluateReverse(const EvaluateContext& context) {
  const auto& dims = context.instruction.attributes->ints(Attr::dimensions);
  const Literal& operand = context.operands[0];
  std::vector<int64_t> strides = rowMajorStrides(operand.shape().dimensions);
  int64_t origin = 0;
  for (int64_t d : dims) {
    const auto slot = static_cast<size_t>(d);
    origin += (context.shape.dimensions[slot] - 1) * strides[slot];
    strides[slot] = -strides[slot];
  }
  return moveElements(context, operand,
                      [&](std::span<const int64_t> index) { return origin + linearIndexOf(index, strides); });
}

Status reverseElement(ElementContext& context) {
  ElementBuilder& b = context.builder;
  std::vector<NodeId> at = context.indices;
  for (int64_t d : context.attributes().ints(Attr::dimensions)) {
    const auto slot = static_cast<size_t>(d);
    at[slot] = b.subtract(b.index(context.shape().dimensions[slot] - 1), at[slot]);
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, at));
  context.results = {value};
  return {};
}

constexpr OperandDoc kReverseOperands[] = {{"operand", "The array to reverse."}};
constexpr AttributeRow kReverseAttributes[] = {
    {Attr::dimensions, true, "", "The dimensions whose order is reversed.", ""}};
constexpr Constraint kReverseConstraints[] = {
    {"C1", "Every entry of dimensions is a dimension of the operand."},
    {"C2", "The entries of dimensions are distinct."},
};

DimensionRelations reverseDimensions(const InferContext& context) {
  DimensionRelations out = relationsOfOperand(context);
  for (int64_t d : context.attributes->ints(Attr::dimensions)) out.rows[static_cast<size_t>(d)].aligned = false;
  return out;
}

}  // namespace

const OpDef kReverse = {
    .opcode = Opcode::Reverse,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DataMovement, kMovesData},
    .summary = "Reverse the order along dimensions",
    .doc = "$r_i = x_{n - 1 - i}$ in each of the given dimensions of size $n$; the others stay.",
    .synonyms = "flip",
    .title = "reverse{over dimensions}",
    .operands = kReverseOperands,
    .attributes = kReverseAttributes,
    .constraints = kReverseConstraints,
    .inferShape = inferReverse,
    .inferLayout = followOperandLayout,
    .evaluate = evaluateReverse,
    .element = reverseElement,
    .dimensions = reverseDimensions,
};

}  // namespace tessera
