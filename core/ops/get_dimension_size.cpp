// get-dimension-size: the size of one dimension as a number; of a dynamic dimension the one it has at run time. Before
// code generation core/passes/dynamic/dynamic_padding has put the number in its place.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"

namespace tessera {

namespace {

Result<Shape> inferGetDimensionSize(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  const auto& dims = context.attributes->ints(Attr::dimensions);
  if (dims.empty() || dims[0] < 0 || dims[0] >= operand.rank())
    return context.violated("C1", "get-dimension-size asks for one dimension of its operand",
                            fmt::format("one number from 0 to {}", operand.rank() - 1), listOf(dims));
  return Shape::array(ElementType::S32, {});
}

// A literal has the size that its shape says; the sizes of dynamic values are kept by core/evaluate/dynamic_values.
Result<Literal> evaluateGetDimensionSize(const EvaluateContext& context) {
  const auto d = static_cast<size_t>(context.instruction.attributes->ints(Attr::dimensions)[0]);
  return Literal::scalar<int32_t>(ElementType::S32, static_cast<int32_t>(context.operands[0].shape().dimensions[d]));
}

Status getDimensionSizeElement(ElementContext& context) {
  const auto d = static_cast<size_t>(context.attributes().ints(Attr::dimensions)[0]);
  context.results = {
      context.builder.constant(ElementType::S32, static_cast<double>(context.operandShape(0).dimensions[d]))};
  return {};
}

constexpr OperandDoc kGetDimensionSizeOperands[] = {{"operand", "The array that is asked."}};
constexpr AttributeRow kGetDimensionSizeAttributes[] = {
    {Attr::dimensions, true, "", "The one dimension whose size is wanted."}};
constexpr Constraint kGetDimensionSizeConstraints[] = {
    {"C1", "`dimensions` names one dimension of the operand."},
};

}  // namespace

const OpDef kGetDimensionSize = {
    .opcode = Opcode::GetDimensionSize,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::DynamicShapes},
    .summary = "The size of a dimension, as a number",
    .doc =
        "For a static dimension that is a constant. A dynamic dimension, written `<=8`, has a bound in its type and a "
        "size at run time; the size is given.",
    .operands = kGetDimensionSizeOperands,
    .attributes = kGetDimensionSizeAttributes,
    .constraints = kGetDimensionSizeConstraints,
    .inferShape = inferGetDimensionSize,
    .evaluate = evaluateGetDimensionSize,
    .element = getDimensionSizeElement,
    .dimensions = noRelations,
};

}  // namespace tessera
