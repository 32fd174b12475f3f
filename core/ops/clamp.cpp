// clamp: result[i] = min(max(operand[i], min), max); NaN in any of the three gives NaN, and max wins when the bounds
// cross. Each bound is an array of the operand's dimensions or one scalar for all.
#include <cmath>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

Result<Shape> inferClamp(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 3));
  const Shape& operand = context.operand(1);
  for (size_t i : {size_t{0}, size_t{2}}) {
    const Shape& bound = context.operand(i);
    const char* name = i == 0 ? "lower" : "upper";
    if (!sameButPrecision(bound.type, operand.type)) {
      return context.violated("C1", fmt::format("the {} bound of clamp must have the operand's element type", name),
                              std::string(nameOf(operand.type)), std::string(nameOf(bound.type)));
    }
    if (!bound.isScalar() && !sameDimensions(bound, operand)) {
      return context.violated(
          "C2", fmt::format("the {} bound of clamp must be a scalar or have the operand's dimensions", name),
          toString(operand, false), toString(bound, false));
    }
  }
  if (isComplex(operand.type)) {
    return context.violated("C3", "complex numbers have no order to clamp by", "pred, integer or float",
                            std::string(nameOf(operand.type)));
  }
  Shape shape = elementwiseShape(context, operand, operand.type);
  return shape;
}

void clampLayout(const InferContext& context, Shape& result) {
  InferContext values = context;
  values.operands = {context.operands[1]};
  followOperandLayout(values, result);
}

double clampDouble(double low, double x, double high) {
  if (std::isnan(low) || std::isnan(x) || std::isnan(high)) return std::nan("");
  const double raised = x == low && std::signbit(x) ? low : std::max(x, low);  // -0 is below 0
  return raised == high && std::signbit(high) ? high : std::min(raised, high);
}

Result<Literal> evaluateClamp(const EvaluateContext& context) {
  const ElementType type = context.shape.type;
  if (isFloat(type)) return mapElements<double, double, double, double>(context, clampDouble);
  return mapElements<int64_t, int64_t, int64_t, int64_t>(context, [&](int64_t low, int64_t x, int64_t high) {
    if (isSigned(type)) return std::min(std::max(x, low), high);
    const auto bits = [](int64_t v) { return static_cast<uint64_t>(v); };
    return static_cast<int64_t>(std::min(std::max(bits(x), bits(low)), bits(high)));
  });
}

Status clampElement(ElementContext& context) {
  const bool pred = context.shape().type == ElementType::Pred;
  std::vector<NodeId> values;
  for (size_t i = 0; i < 3; ++i) {
    const bool scalar = context.operandShape(i).isScalar();
    TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(i, scalar ? std::span<const NodeId>()
                                                                        : std::span<const NodeId>(context.indices)));
    values.push_back(value);
  }
  const NodeId raised = context.builder.binary(pred ? NodeOp::Or : NodeOp::Maximum, values[1], values[0]);
  context.results = {context.builder.binary(pred ? NodeOp::And : NodeOp::Minimum, raised, values[2])};
  return {};
}

constexpr OperandDoc kClampOperands[] = {{"min", "The lower bound: an array or one scalar."},
                                         {"operand", "The array to limit."},
                                         {"max", "The upper bound: an array or one scalar."}};
constexpr Constraint kClampConstraints[] = {
    {"C1", "Both bounds have the element type of the operand (floats may differ in width)."},
    {"C2", "Each bound is a scalar or has the dimensions of the operand."},
    {"C3", "The element type is not complex."},
};

}  // namespace

const OpDef kClamp = {
    .opcode = Opcode::Clamp,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kElementwise},
    .summary = "Limit to a range",
    .doc =
        "$r_i = \\min(\\max(x_i, a_i), b_i)$. NaN in any of the three gives NaN; when the bounds cross, the upper one "
        "wins.",
    .synonyms = "clip",
    .operands = kClampOperands,
    .attributes = {},
    .constraints = kClampConstraints,
    .inferShape = inferClamp,
    .inferLayout = clampLayout,
    .cost = flopPerElement,
    .evaluate = evaluateClamp,
    .element = clampElement,
};

}  // namespace tessera
