// set-dimension-size: the operand with another run-time size along one dimension; its elements stay where they are.
// The size travels beside the buffer: the evaluator keeps it (core/evaluate/dynamic_values), and for code generation
// core/passes/dynamic/dynamic_padding makes it a value of the program; what is left here is the identity on the buffer.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"

namespace tessera {

namespace {

// Dynamic along the dimension, unless the shape is written as static (the size is then known to be the bound).
Shape resultShape(const InferContext& context, int64_t dimension) {
  const Shape& operand = context.operand(0);
  std::vector<bool> dynamic(operand.dimensions.size(), false);
  for (int64_t d = 0; d < operand.rank(); ++d) dynamic[static_cast<size_t>(d)] = operand.isDynamicDimension(d);
  const bool written = context.written && context.written->isArray() && context.written->rank() == operand.rank();
  dynamic[static_cast<size_t>(dimension)] = !written || context.written->isDynamicDimension(dimension);
  return arrayOf(operand.type, operand.dimensions, std::move(dynamic));
}

Result<Shape> inferSetDimensionSize(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &operand = context.operand(0), &size = context.operand(1);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  if (dims.empty() || dims[0] < 0 || dims[0] >= operand.rank())
    return context.violated("C1", "set-dimension-size sets one dimension of its operand",
                            fmt::format("one number from 0 to {}", operand.rank() - 1), listOf(dims));
  if (!size.isScalar() || size.type != ElementType::S32)
    return context.violated("C2", "the size is not an s32 scalar", "s32[]", toString(size, false));
  return resultShape(context, dims[0]);
}

Result<Literal> evaluateSetDimensionSize(const EvaluateContext& context) {
  return Literal::fromBytes(context.shape, context.operands[0].bytes());
}

Status setDimensionSizeElement(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
  context.results = {value};
  return {};
}

constexpr OperandDoc kSetDimensionSizeOperands[] = {{"operand", "The array."},
                                                    {"size", "s32 scalar: the size at run time, 0 to the bound."}};
constexpr AttributeRow kSetDimensionSizeAttributes[] = {
    {Attr::dimensions, true, "", "The one dimension that gets the size."}};
constexpr Constraint kSetDimensionSizeConstraints[] = {
    {"C1", "`dimensions` names one dimension of the operand."},
    {"C2", "The size is a scalar s32."},
};

}  // namespace

const OpDef kSetDimensionSize = {
    .opcode = Opcode::SetDimensionSize,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DynamicShapes},
    .summary = "Gives a dimension a size at run time",
    .doc =
        "The result holds the operand's elements; along the dimension only the first `size` of them count from here "
        "on: reductions, products and all other operations ignore the rest. The static size becomes the bound of the "
        "dynamic dimension, written `<=8`. A later set-dimension-size may bring elements back.",
    .operands = kSetDimensionSizeOperands,
    .attributes = kSetDimensionSizeAttributes,
    .constraints = kSetDimensionSizeConstraints,
    .inferShape = inferSetDimensionSize,
    .inferLayout = followOperandLayout,
    .evaluate = evaluateSetDimensionSize,
    .element = setDimensionSizeElement,
    .dimensions = relationsOfOperand<0>,
};

}  // namespace tessera
