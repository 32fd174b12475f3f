// reduce-precision: rounds each float to one with fewer exponent and mantissa bits, ties to even, and keeps its type.
// What is too large becomes infinity, what is below the smallest normal number becomes zero with its sign.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/dimension_relations.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

Result<Shape> inferReducePrecision(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  if (!isFloat(operand.type)) {
    return context.violated("C1", "reduce-precision takes floats only", "a float type",
                            std::string(nameOf(operand.type)));
  }
  const int64_t exponent = context.attributes->intOr(Attr::exponent_bits, 0);
  const int64_t mantissa = context.attributes->intOr(Attr::mantissa_bits, -1);
  if (exponent < 1 || exponent > 64) {
    return context.violated("C2", "exponent_bits must be 1 to 64", "1 to 64", fmt::format("{}", exponent));
  }
  if (mantissa < 0 || mantissa > 64) {
    return context.violated("C3", "mantissa_bits must be 0 to 64", "0 to 64", fmt::format("{}", mantissa));
  }
  Shape shape = elementwiseShape(context, operand, operand.type);
  return shape;
}

// Exponent bits of a float type; its smallest normal number is 2^(2 - 2^(bits - 1)).
int exponentBitsOf(ElementType type) {
  switch (type) {
    case ElementType::F64: return 11;
    case ElementType::F32:
    case ElementType::BF16: return 8;
    case ElementType::F16:
    case ElementType::F8E5M2: return 5;
    default: return 8;  // the narrow types compute as f32
  }
}

// To the nearest integer, ties to the even bit pattern. Where no mantissa bit remains, the last bit that is kept is the
// exponent's: 1.5 · 2^scale goes up when the biased exponent (bias odd) is odd.
double roundTies(double x, int digits, int scale) {
  if (digits == 0 && std::fabs(x) == 1.5) return std::copysign(scale % 2 == 0 ? 2.0 : 1.0, x);
  return std::nearbyint(x);
}

// Rounds to `mantissa` stored bits (denormals share the exponent of the smallest normal number), then applies the
// range of an IEEE-like format when it has fewer exponent bits than the source.
double reducePrecision(double x, int exponent, int mantissa, int sourceExponent) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int scale = std::max(std::ilogb(x), 2 - (1 << (sourceExponent - 1)));
  const int digits = std::min(mantissa, 52);
  const double rounded = std::ldexp(roundTies(std::ldexp(x, digits - scale), digits, scale), scale - digits);
  if (exponent >= sourceExponent || rounded == 0) return rounded;
  const int bias = (1 << (exponent - 1)) - 1, e = std::ilogb(rounded);
  if (e > bias) return std::copysign(INFINITY, x);
  if (e < 1 - bias) return std::copysign(0.0, x);
  return rounded;
}

Result<Literal> evaluateReducePrecision(const EvaluateContext& context) {
  const AttributeSet& attributes = *context.instruction.attributes;
  const int exponent = static_cast<int>(attributes.intOr(Attr::exponent_bits, 11));
  const int mantissa = static_cast<int>(attributes.intOr(Attr::mantissa_bits, 52));
  const int source = exponentBitsOf(context.shape.type);
  return mapElements<double, double>(context, [&](double x) { return reducePrecision(x, exponent, mantissa, source); });
}

Status reducePrecisionElement(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
  const int exponent = static_cast<int>(context.attributes().intOr(Attr::exponent_bits, 11));
  const int mantissa = static_cast<int>(context.attributes().intOr(Attr::mantissa_bits, 52));
  context.results = {context.builder.reducePrecision(value, exponent, mantissa)};
  return {};
}

constexpr OperandDoc kReducePrecisionOperands[] = {{"operand", "The floats to round."}};
constexpr AttributeRow kReducePrecisionAttributes[] = {
    {Attr::exponent_bits, true, "", "Bits of the exponent that remain.", ""},
    {Attr::mantissa_bits, true, "", "Bits of the mantissa that remain, without the leading one.", ""}};
constexpr Constraint kReducePrecisionConstraints[] = {
    {"C1", "The operand is of a float type."},
    {"C2", "exponent_bits is 1 to 64."},
    {"C3", "mantissa_bits is 0 to 64."},
};

}  // namespace

const OpDef kReducePrecision = {
    .opcode = Opcode::ReducePrecision,
    .kind = ExecutionKind::Element,
    .category = {OpCategory::Elementwise, kElementwise},
    .summary = "Round to fewer bits, keep the type",
    .doc =
        "Rounds to the given mantissa bits, ties to even; what exceeds the given exponent range becomes infinity, what "
        "is below its smallest normal number becomes zero with its sign. NaN stays NaN.",
    .operands = kReducePrecisionOperands,
    .attributes = kReducePrecisionAttributes,
    .constraints = kReducePrecisionConstraints,
    .inferShape = inferReducePrecision,
    .inferLayout = followOperandLayout,
    .cost = flopPerElement,
    .evaluate = evaluateReducePrecision,
    .element = reducePrecisionElement,
    .dimensions = relationsOfElementwise,
};

}  // namespace tessera
