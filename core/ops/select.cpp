// select: result[i] = pred[i] ? on_true[i] : on_false[i]. The predicate is an array of the same dimensions or one
// scalar for all elements.
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

Result<Shape> inferSelect(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 3));
  const Shape &pred = context.operand(0), &onTrue = context.operand(1), &onFalse = context.operand(2);
  if (pred.type != ElementType::Pred) {
    return context.violated("C1", "the predicate of select must be of type pred", "pred",
                            std::string(nameOf(pred.type)));
  }
  if (!sameDimensions(onTrue, onFalse) || !sameButPrecision(onTrue.type, onFalse.type)) {
    return context.violated("C2", "both values of select must have the same shape", toString(onTrue, false),
                            toString(onFalse, false));
  }
  if (!pred.isScalar() && !sameDimensions(pred, onTrue)) {
    return context.violated("C3", "the predicate of select must be a scalar or have the dimensions of the values",
                            toString(onTrue, false), toString(pred, false));
  }
  Shape shape = elementwiseShape(context, onTrue, widerType(onTrue.type, onFalse.type));
  return shape;
}

void selectLayout(const InferContext& context, Shape& result) {
  InferContext values = context;
  values.operands.erase(values.operands.begin());
  followOperandLayout(values, result);
}

Result<Literal> evaluateSelect(const EvaluateContext& context) {
  TESSERA_ASSIGN_OR_RETURN(Literal out, Literal::allocate(context.shape));
  const auto pred = context.operands[0].data<uint8_t>();
  const auto width = static_cast<size_t>(byteWidth(context.shape.type));
  const std::byte* values[] = {context.operands[2].bytes().data(), context.operands[1].bytes().data()};
  const bool scalar = context.operands[0].shape().isScalar();
  std::byte* to = out.mutableBytes().data();
  for (int64_t i = 0; i < out.elementCount(); ++i) {
    copyElement(to, i, values[pred[scalar ? 0 : static_cast<size_t>(i)] != 0], i, width);
  }
  return out;
}

Status selectElement(ElementContext& context) {
  const bool scalar = context.operandShape(0).isScalar();
  TESSERA_ASSIGN_OR_RETURN(const NodeId pred, context.read(0, scalar ? std::span<const NodeId>()
                                                                     : std::span<const NodeId>(context.indices)));
  TESSERA_ASSIGN_OR_RETURN(const NodeId onTrue, context.read(1, context.indices));
  TESSERA_ASSIGN_OR_RETURN(const NodeId onFalse, context.read(2, context.indices));
  context.results = {context.builder.select(pred, onTrue, onFalse)};
  return {};
}

constexpr OperandDoc kSelectOperands[] = {{"pred", "Which value to take: an array, or one scalar for all."},
                                          {"on_true", "The values where pred is true."},
                                          {"on_false", "The values where pred is false."}};
constexpr Constraint kSelectConstraints[] = {
    {"C1", "The predicate has element type pred."},
    {"C2", "on_true and on_false have the same shape (floats may differ in width)."},
    {"C3", "The predicate is a scalar or has the dimensions of the values."},
};

}  // namespace

const OpDef kSelect = {
    .opcode = Opcode::Select,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kElementwise},
    .summary = "Choose between two arrays",
    .doc = "$r_i = a_i$ where $p_i$ is true, else $b_i$. A scalar predicate chooses the whole array.",
    .synonyms = "where ternary",
    .operands = kSelectOperands,
    .attributes = {},
    .constraints = kSelectConstraints,
    .inferShape = inferSelect,
    .inferLayout = selectLayout,
    .cost = flopPerElement,
    .evaluate = evaluateSelect,
    .element = selectElement,
};

}  // namespace tessera
