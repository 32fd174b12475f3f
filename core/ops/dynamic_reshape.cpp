// dynamic-reshape: a reshape whose result sizes are numbers of the run. The elements that count keep their row-major
// order. core/passes/dynamic/dynamic_padding turns it into a gather before code generation.
#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"

namespace tessera {

namespace {

Status checkSizeOperands(const InferContext& context, const Shape& result) {
  const auto sizes = static_cast<int64_t>(context.operands.size()) - 1;
  if (sizes != result.rank())
    return context.violated("C1", "dynamic-reshape takes one size for each dimension of the result",
                            fmt::format("{} sizes", result.rank()), fmt::format("{}", sizes));
  for (size_t i = 1; i < context.operands.size(); ++i) {
    const Shape& size = context.operand(i);
    if (!size.isScalar() || size.type != ElementType::S32)
      return context.violated("C2", fmt::format("the size of dimension {} is not an s32 scalar", i - 1), "s32[]",
                              toString(size, false));
  }
  return {};
}

Result<Shape> inferDynamicReshape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, -1));
  TESSERA_ASSIGN_OR_RETURN(const Shape* written, requireWrittenArray(context));
  TESSERA_TRY(checkSizeOperands(context, *written));
  const Shape& operand = context.operand(0);
  const auto from = operand.elementCount(), to = written->elementCount();
  if (from && to && *from != *to)
    return context.violated("C3", "dynamic-reshape must keep the number of elements within the bounds",
                            fmt::format("{} elements, as {}", *from, toString(operand, false)),
                            fmt::format("{} elements in {}", *to, toString(*written, false)));
  return arrayOf(operand.type, written->dimensions, written->dynamic);
}

Result<Literal> evaluateDynamicReshape(const EvaluateContext& context) {
  return Literal::fromBytes(context.shape, context.operands[0].bytes());
}

constexpr OperandDoc kDynamicReshapeOperands[] = {
    {"operand", "The array to give other dimensions."},
    {"dim_sizes", "One s32 scalar for each dimension of the result: its size."}};
constexpr Constraint kDynamicReshapeConstraints[] = {
    {"C1", "There is one size for each dimension of the result."},
    {"C2", "Each size is a scalar s32."},
    {"C3", "Operand and result have the same number of elements, counted by their bounds."},
};

}  // namespace

const OpDef kDynamicReshape = {
    .opcode = Opcode::DynamicReshape,
    .kind = ExecutionKind::Library,
    .category = {OpCategory::DynamicShapes, kWrittenShape},
    .summary = "Same elements, dimensions of the run",
    .doc =
        "The elements of the operand that count, in row-major order, fill the result's dimensions, whose sizes are the "
        "scalars. The product of the sizes should be the number of elements.",
    .operands = kDynamicReshapeOperands,
    .attributes = {},
    .constraints = kDynamicReshapeConstraints,
    .inferShape = inferDynamicReshape,
    .evaluate = evaluateDynamicReshape,
};

}  // namespace tessera
