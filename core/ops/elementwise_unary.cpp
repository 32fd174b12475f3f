// The elementwise ops of one operand: result[i] = f(operand[i]). What f is, which types it takes and how it is
// described are in its row of core/element/scalar_functions.inc; here is what these ops have alike, and the functions
// that the rows' EVALUATED column calls beside the C library.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/element/scalar_functions.h"
#include "core/element/scalar_values.h"
#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/complex_functions.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"
#include "core/ops/shared/missing_function.h"
#include "core/ops/shared/op_cost.h"

namespace tessera {

namespace {

using Complex128 = std::complex<double>;

struct UnaryRow {
  Opcode opcode;
  double (*real)(double);
  Complex128 (*complex)(Complex128);
  int64_t (*integer)(int64_t, ElementType);
};

uint64_t widthMask(ElementType type) {
  const int bits = info(type).bits;
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

int64_t negateInteger(int64_t x) { return static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(x)); }
int64_t absInteger(int64_t x, ElementType type) { return x < 0 && !isUnsigned(type) ? negateInteger(x) : x; }
int64_t signInteger(int64_t x) { return (x > 0) - (x < 0); }
int64_t populationCount(int64_t x, ElementType type) {
  return std::popcount(static_cast<uint64_t>(x) & widthMask(type));
}
int64_t countLeadingZeros(int64_t x, ElementType type) {
  return info(type).bits - static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(x) & widthMask(type)));
}

double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }  // NaN and ±0 stay
// By whichever exponential is small: e^-x would overflow where the result is still a denormal.
double logistic(double x) { return x < 0 ? std::exp(x) / (1.0 + std::exp(x)) : 1.0 / (1.0 + std::exp(-x)); }
// The C library's, rounded once: in double they miss by more than 2 ulp.
double tanhOf(double x) { return static_cast<double>(std::tanh(static_cast<long double>(x))); }
double acoshOf(double x) { return static_cast<double>(std::acosh(static_cast<long double>(x))); }

#define EVALUATED(real, complex, integer)                                         \
  [](double a) -> double { return (static_cast<void>(a), real); },                \
      [](Complex128 a) -> Complex128 { return (static_cast<void>(a), complex); }, \
      [](int64_t a, ElementType type) -> int64_t { return (static_cast<void>(a), static_cast<void>(type), integer); }
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, evaluated, ...) \
  {Opcode::opcode, evaluated},
constexpr UnaryRow kUnaryRows[] = {
#include "core/element/scalar_functions.inc"
};

const UnaryRow& unaryRowOf(Opcode opcode) { return *std::ranges::find(kUnaryRows, opcode, &UnaryRow::opcode); }

ElementType resultType(unsigned takes, ElementType type) {
  if (takes & kGivesPred) return ElementType::Pred;
  if (!(takes & kGivesReal) || !isComplex(type)) return type;
  return type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

Result<Shape> inferElementwiseUnary(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  const unsigned takes = scalarFunctionOf(context.opcode)->takes;
  if (!takesType(takes, operand.type)) {
    return context.violated("C1",
                            fmt::format("{} does not take {} elements", nameOf(context.opcode), nameOf(operand.type)),
                            takenTypesText(takes), std::string(nameOf(operand.type)));
  }
  Shape shape = elementwiseShape(context, operand, resultType(takes, operand.type));
  return shape;
}

Result<Literal> evaluateElementwiseUnary(const EvaluateContext& context) {
  const UnaryRow& row = unaryRowOf(context.instruction.opcode);
  const ElementType type = context.operands[0].shape().type;
  if (isComplex(type)) return mapElements<Complex128, Complex128>(context, row.complex);
  if (isFloat(type)) return mapElements<double, double>(context, row.real);
  return mapElements<int64_t, int64_t>(context, [&](int64_t x) { return row.integer(x, type); });
}

Status elementwiseUnaryElement(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
  const NodeOp node = scalarFunctionOf(context.instruction.opcode)->node;
  const ElementType type = context.operandShape(0).type;
  context.results = {node == NodeOp::Imag && !isComplex(type) ? context.builder.zero(type)
                                                              : context.builder.unary(node, value)};
  return {};
}

constexpr OperandDoc kElementwiseUnaryOperands[] = {{"operand", "The array whose elements are mapped."}};
constexpr Constraint kElementwiseUnaryConstraints[] = {
    {"C1", "The element type of the operand is one that the function takes."}};
constexpr AttributeRow kAccuracy[] = {
    {Attr::result_accuracy, false, "{mode=default}", "How exact the result must be: a mode or a tolerance.", ""}};
constexpr std::span<const AttributeRow> attributesOf(ScalarPrice price) {
  return price.transcendental ? std::span<const AttributeRow>(kAccuracy) : std::span<const AttributeRow>();
}
}  // namespace

#define TESSERA_BOUND                                                                                               \
  " Exact to 2 ulp for f32 and f64, denormals kept; narrower floats are computed in f32 and rounded once; complex " \
  "results to 8 ulp of their norm."
#define TESSERA_UNARY_FUNCTION(node, name, takes, price, how, symbol, value, evaluated, approximation, forms, \
                               reference, words, line, paragraph)                                             \
  const OpDef k##name = {                                                                                     \
      .opcode = Opcode::name,                                                                                 \
      .kind = ExecutionKind::Element,                                                                         \
      .category = {OpCategory::Elementwise, kElementwise},                                                    \
      .summary = line,                                                                                        \
      .doc = paragraph,                                                                                       \
      .synonyms = words,                                                                                      \
      .operands = kElementwiseUnaryOperands,                                                                  \
      .attributes = attributesOf(price),                                                                      \
      .constraints = kElementwiseUnaryConstraints,                                                            \
      .inferShape = inferElementwiseUnary,                                                                    \
      .inferLayout = followOperandLayout,                                                                     \
      .cost = costPerElement(price.transcendental),                                                           \
      .evaluate = evaluateElementwiseUnary,                                                                   \
      .element = elementwiseUnaryElement,                                                                     \
  };
#include "core/element/scalar_functions.inc"

}  // namespace tessera
