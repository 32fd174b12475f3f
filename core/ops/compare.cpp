// compare: result[i] = lhs[i] DIRECTION rhs[i], as pred. The comparison type says how: as floats (NaN compares false
// with everything, unequal to itself), in the total order of floats (-NaN < -inf < … < -0 < 0 < … < inf < NaN), or
// as signed or unsigned integers. Absent, it follows from the element type.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

constexpr std::array<std::string_view, 6> kDirections = {"EQ", "NE", "GE", "GT", "LE", "LT"};  // as CompareDirection

std::optional<CompareDirection> directionOf(const AttributeSet& attributes) {
  const auto found = std::ranges::find(kDirections, attributes.textOr(Attr::direction, ""));
  if (found == kDirections.end()) return std::nullopt;
  return static_cast<CompareDirection>(found - kDirections.begin());
}

bool typeFits(std::string_view text, ElementType type) {
  if (text.empty()) return true;
  if (text == "FLOAT") return isFloat(type) || isComplex(type);
  if (text == "TOTALORDER") return isFloat(type);
  if (text == "SIGNED") return isSigned(type);
  return text == "UNSIGNED" && (isUnsigned(type) || type == ElementType::Pred);
}

Result<Shape> inferCompare(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  if (!sameDimensions(lhs, rhs)) {
    return context.violated("C1", "the operands of compare must have equal dimensions", toString(lhs, false),
                            toString(rhs, false));
  }
  if (!sameButPrecision(lhs.type, rhs.type)) {
    return context.violated("C2", "the operands of compare must have one element type", std::string(nameOf(lhs.type)),
                            std::string(nameOf(rhs.type)));
  }
  const auto direction = directionOf(*context.attributes);
  if (!direction) {
    return context.violated("C3", "compare needs a direction", "EQ, NE, GE, GT, LE or LT",
                            std::string(context.attributes->textOr(Attr::direction, "none")));
  }
  if (isComplex(lhs.type) && *direction != CompareDirection::Eq && *direction != CompareDirection::Ne) {
    return context.violated("C4", "complex numbers have no order", "EQ or NE",
                            std::string(kDirections[static_cast<size_t>(*direction)]));
  }
  const std::string_view type = context.attributes->textOr(Attr::type, "");
  if (!typeFits(type, lhs.type)) {
    return context.violated("C5", fmt::format("the comparison type {} does not suit {}", type, nameOf(lhs.type)), {},
                            std::string(type));
  }
  Shape shape = elementwiseShape(context, lhs, ElementType::Pred);
  return shape;
}

template <class T>
bool holds(CompareDirection direction, const T& a, const T& b) {
  switch (direction) {
    case CompareDirection::Eq: return a == b;
    case CompareDirection::Ne: return !(a == b);
    case CompareDirection::Ge: return a >= b;
    case CompareDirection::Gt: return a > b;
    case CompareDirection::Le: return a <= b;
    case CompareDirection::Lt: return a < b;
  }
  return false;
}

// A 64-bit key whose order is the total order of doubles: negative ones count down.
int64_t totalOrderKey(double x) {
  const auto key = std::bit_cast<int64_t>(x);
  return key < 0 ? key ^ INT64_MAX : key;
}

Result<Literal> evaluateFloats(const EvaluateContext& context, CompareDirection direction) {
  const bool total = context.instruction.attributes->textOr(Attr::type, "") == "TOTALORDER";
  return mapElements<int64_t, double, double>(context, [&](double a, double b) -> int64_t {
    return total ? holds(direction, totalOrderKey(a), totalOrderKey(b)) : holds(direction, a, b);
  });
}

Result<Literal> evaluateCompare(const EvaluateContext& context) {
  using Complex128 = std::complex<double>;
  const CompareDirection direction = directionOf(*context.instruction.attributes).value_or(CompareDirection::Eq);
  const ElementType type = context.operands[0].shape().type;
  if (isFloat(type)) return evaluateFloats(context, direction);
  if (isComplex(type)) {
    const bool equal = direction == CompareDirection::Eq;
    return mapElements<int64_t, Complex128, Complex128>(
        context, [&](Complex128 a, Complex128 b) -> int64_t { return (a == b) == equal; });
  }
  const bool asUnsigned = !isSigned(type);
  return mapElements<int64_t, int64_t, int64_t>(context, [&](int64_t a, int64_t b) -> int64_t {
    return asUnsigned ? holds(direction, static_cast<uint64_t>(a), static_cast<uint64_t>(b)) : holds(direction, a, b);
  });
}

Status compareElement(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId lhs, context.read(0, context.indices));
  TESSERA_ASSIGN_OR_RETURN(const NodeId rhs, context.read(1, context.indices));
  const CompareDirection direction = directionOf(context.attributes()).value_or(CompareDirection::Eq);
  const bool total = context.attributes().textOr(Attr::type, "") == "TOTALORDER";
  context.results = {context.builder.compare(direction, lhs, rhs, total)};
  return {};
}

constexpr OperandDoc kCompareOperands[] = {{"lhs", "The left array."}, {"rhs", "The right array, of the same shape."}};
constexpr AttributeRow kCompareAttributes[] = {
    {Attr::direction, true, "", "Which relation is tested.", "EQ NE GE GT LE LT"},
    {Attr::type, false, "", "How elements compare; follows from the element type when absent.",
     "FLOAT TOTALORDER SIGNED UNSIGNED"}};
constexpr Constraint kCompareConstraints[] = {
    {"C1", "Both operands have the same dimensions."},
    {"C2", "Both operands have the same element type (floats may differ in width)."},
    {"C3", "direction is one of EQ, NE, GE, GT, LE, LT."},
    {"C4", "Complex elements are compared by EQ or NE only."},
    {"C5", "The comparison type suits the element type."},
};

}  // namespace

const OpDef kCompare = {
    .opcode = Opcode::Compare,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kElementwise},
    .summary = "Relation of two arrays",
    .doc =
        "$r_i = (a_i \\mathbin{D} b_i)$. As floats, every relation with NaN is false but NE. TOTALORDER orders all "
        "floats: -NaN, -inf, negative numbers, -0, 0, positive numbers, inf, NaN.",
    .synonyms = "equal less greater ==",
    .title = "compare{ relation}",
    .operands = kCompareOperands,
    .attributes = kCompareAttributes,
    .constraints = kCompareConstraints,
    .inferShape = inferCompare,
    .inferLayout = followOperandLayout,
    .cost = flopPerElement,
    .evaluate = evaluateCompare,
    .element = compareElement,
};

}  // namespace tessera
