// The elementwise ops of one operand, as a table: result[i] = f(operand[i]). A row says which element types f takes,
// the scalar function in double, complex and 64-bit integers (the evaluator's), and the node that code generation
// uses. What differs from row to row in the result type: abs, real and imag of a complex number give a real number,
// is-finite gives pred.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/complex_functions.h"
#include "core/ops/shared/element_context.h"
#include "core/ops/shared/evaluate_loops.h"

namespace tessera {

namespace {

using Complex128 = std::complex<double>;

enum Accepts : unsigned { kPred = 1, kSigned = 2, kUnsigned = 4, kFloat = 8, kComplex = 16 };
constexpr unsigned kIntegral = kPred | kSigned | kUnsigned;
constexpr unsigned kFloatOrComplex = kFloat | kComplex;

struct UnaryRow {
  Opcode opcode;
  NodeOp node;
  unsigned accepts;
  double (*real)(double) = nullptr;
  Complex128 (*complex)(Complex128) = nullptr;
  int64_t (*integer)(int64_t, ElementType) = nullptr;
};

uint64_t widthMask(ElementType type) {
  const int bits = info(type).bits;
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

int64_t negateInteger(int64_t x, ElementType) { return static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(x)); }
int64_t absInteger(int64_t x, ElementType type) { return x < 0 && !isUnsigned(type) ? negateInteger(x, type) : x; }
int64_t signInteger(int64_t x, ElementType) { return (x > 0) - (x < 0); }
int64_t notInteger(int64_t x, ElementType type) { return type == ElementType::Pred ? !x : ~x; }
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

constexpr UnaryRow kRows[] = {
    {Opcode::Abs, NodeOp::Abs, kSigned | kFloatOrComplex, [](double x) { return std::fabs(x); },
     [](Complex128 z) { return Complex128(complexSize(z)); }, absInteger},
    {Opcode::Acos, NodeOp::Acos, kFloatOrComplex, [](double x) { return std::acos(x); },
     [](Complex128 z) { return std::acos(z); }},
    {Opcode::Acosh, NodeOp::Acosh, kFloatOrComplex, acoshOf, [](Complex128 z) { return std::acosh(z); }},
    {Opcode::Asin, NodeOp::Asin, kFloatOrComplex, [](double x) { return std::asin(x); },
     [](Complex128 z) { return std::asin(z); }},
    {Opcode::Asinh, NodeOp::Asinh, kFloatOrComplex, [](double x) { return std::asinh(x); },
     [](Complex128 z) { return std::asinh(z); }},
    {Opcode::Atanh, NodeOp::Atanh, kFloatOrComplex, [](double x) { return std::atanh(x); },
     [](Complex128 z) { return std::atanh(z); }},
    {Opcode::Cbrt, NodeOp::Cbrt, kFloat,
     [](double x) { return static_cast<double>(std::cbrt(static_cast<long double>(x))); }},
    {Opcode::Ceil, NodeOp::Ceil, kFloat, [](double x) { return std::ceil(x); }},
    {Opcode::CountLeadingZeros, NodeOp::CountLeadingZeros, kSigned | kUnsigned, nullptr, nullptr, countLeadingZeros},
    {Opcode::Cosine, NodeOp::Cos, kFloatOrComplex, [](double x) { return std::cos(x); },
     [](Complex128 z) { return complexCosine(z); }},
    {Opcode::Cosh, NodeOp::Cosh, kFloatOrComplex, [](double x) { return std::cosh(x); },
     [](Complex128 z) { return std::cosh(z); }},
    {Opcode::Erf, NodeOp::Erf, kFloat, [](double x) { return std::erf(x); }},
    {Opcode::Exponential, NodeOp::Exp, kFloatOrComplex, [](double x) { return std::exp(x); },
     [](Complex128 z) { return complexExp(z); }},
    {Opcode::ExponentialMinusOne, NodeOp::Expm1, kFloatOrComplex, [](double x) { return std::expm1(x); }, complexExpm1},
    {Opcode::Floor, NodeOp::Floor, kFloat, [](double x) { return std::floor(x); }},
    {Opcode::Imag, NodeOp::Imag, kFloatOrComplex, [](double) { return 0.0; },
     [](Complex128 z) { return Complex128(z.imag()); }},
    {Opcode::IsFinite, NodeOp::IsFinite, kFloat, [](double x) { return std::isfinite(x) ? 1.0 : 0.0; }},
    {Opcode::Log, NodeOp::Log, kFloatOrComplex, [](double x) { return std::log(x); },
     [](Complex128 z) { return complexLog(z); }},
    {Opcode::LogPlusOne, NodeOp::Log1p, kFloatOrComplex, [](double x) { return std::log1p(x); }, complexLog1p},
    {Opcode::Logistic, NodeOp::Logistic, kFloatOrComplex, logistic, complexLogistic},
    {Opcode::Negate, NodeOp::Negate, kSigned | kUnsigned | kFloatOrComplex, [](double x) { return -x; },
     [](Complex128 z) { return -z; }, negateInteger},
    {Opcode::Not, NodeOp::Not, kIntegral, nullptr, nullptr, notInteger},
    {Opcode::Popcnt, NodeOp::PopulationCount, kSigned | kUnsigned, nullptr, nullptr, populationCount},
    {Opcode::Real, NodeOp::Real, kFloatOrComplex, [](double x) { return x; },
     [](Complex128 z) { return Complex128(z.real()); }},
    {Opcode::RoundNearestAfz, NodeOp::RoundNearestAfz, kFloat, [](double x) { return std::round(x); }},
    {Opcode::RoundNearestEven, NodeOp::RoundNearestEven, kFloat, [](double x) { return std::nearbyint(x); }},
    {Opcode::Rsqrt, NodeOp::Rsqrt, kFloatOrComplex, [](double x) { return 1.0 / std::sqrt(x); },
     [](Complex128 z) { return complexRsqrt(z); }},
    {Opcode::Sign, NodeOp::Sign, kSigned | kFloatOrComplex, sign, complexSign, signInteger},
    {Opcode::Sine, NodeOp::Sin, kFloatOrComplex, [](double x) { return std::sin(x); },
     [](Complex128 z) { return complexSine(z); }},
    {Opcode::Sinh, NodeOp::Sinh, kFloatOrComplex, [](double x) { return std::sinh(x); },
     [](Complex128 z) { return std::sinh(z); }},
    {Opcode::Sqrt, NodeOp::Sqrt, kFloatOrComplex, [](double x) { return std::sqrt(x); },
     [](Complex128 z) { return complexSqrt(z); }},
    {Opcode::Tan, NodeOp::Tan, kFloatOrComplex, [](double x) { return std::tan(x); },
     [](Complex128 z) { return complexTan(z); }},
    {Opcode::Tanh, NodeOp::Tanh, kFloatOrComplex, tanhOf, [](Complex128 z) { return complexTanh(z); }},
};

const UnaryRow& rowOf(Opcode opcode) { return *std::ranges::find(kRows, opcode, &UnaryRow::opcode); }

unsigned classBit(ElementType type) {
  switch (info(type).klass) {
    case ElementClass::Pred: return kPred;
    case ElementClass::Signed: return kSigned;
    case ElementClass::Unsigned: return kUnsigned;
    case ElementClass::Float: return kFloat;
    case ElementClass::Complex: return kComplex;
    default: return 0;
  }
}

std::string acceptedText(unsigned accepts) {
  static constexpr std::pair<unsigned, std::string_view> kNames[] = {{kPred, "pred"},
                                                                     {kSigned, "signed integer"},
                                                                     {kUnsigned, "unsigned integer"},
                                                                     {kFloat, "float"},
                                                                     {kComplex, "complex"}};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if (accepts & bit) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

ElementType resultType(Opcode opcode, ElementType type) {
  if (opcode == Opcode::IsFinite) return ElementType::Pred;
  const bool toReal = opcode == Opcode::Abs || opcode == Opcode::Real || opcode == Opcode::Imag;
  if (!toReal || !isComplex(type)) return type;
  return type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

Result<Inferred> inferShape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 1));
  const Shape& operand = context.operand(0);
  const UnaryRow& row = rowOf(context.opcode);
  if (!(row.accepts & classBit(operand.type))) {
    return context.violated("C1",
                            fmt::format("{} does not take {} elements", nameOf(context.opcode), nameOf(operand.type)),
                            acceptedText(row.accepts), std::string(nameOf(operand.type)));
  }
  Shape shape = elementwiseShape(context, operand, resultType(context.opcode, operand.type));
  return Inferred{shape, reasonsAsOperand(shape, 0)};
}

Result<Literal> evaluate(const EvaluateContext& context) {
  const UnaryRow& row = rowOf(context.instruction.opcode);
  const ElementType type = context.operands[0].shape().type;
  if (isComplex(type)) return mapElements<Complex128, Complex128>(context, row.complex);
  if (isFloat(type)) return mapElements<double, double>(context, row.real);
  return mapElements<int64_t, int64_t>(context, [&](int64_t x) { return row.integer(x, type); });
}

Status element(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId value, context.read(0, context.indices));
  const Opcode opcode = context.instruction.opcode;
  const ElementType type = context.operandShape(0).type;
  if (opcode == Opcode::Real && !isComplex(type))
    context.results = {value};
  else if (opcode == Opcode::Imag && !isComplex(type))
    context.results = {context.builder.zero(type)};
  else
    context.results = {context.builder.unary(rowOf(opcode).node, value)};
  return {};
}

constexpr OperandDoc kOperands[] = {{"operand", "The array whose elements are mapped."}};
constexpr Constraint kConstraints[] = {{"C1", "The element type of the operand is one that the function takes."}};
constexpr AttributeRow kAccuracy[] = {
    {Attr::result_accuracy, false, "{mode=default}", "How exact the result must be: a mode or a tolerance.", ""}};
constexpr std::span<const AttributeRow> kNone{};

}  // namespace

#define TESSERA_UNARY(name, rows, summary, doc)                                                             \
  const OpDef k##name = {                                                                                   \
      Opcode::name, ExecutionKind::Element, "Elementwise", summary,  doc,    kOperands, rows, kConstraints, \
      inferShape,   followOperandLayout,    nullptr,       evaluate, element};

#define TESSERA_BOUND                                                                                               \
  " Exact to 2 ulp for f32 and f64, denormals kept; narrower floats are computed in f32 and rounded once; complex " \
  "results "                                                                                                        \
  "to 8 ulp of their norm."
#define TESSERA_TRANSCENDENTAL(name, summary, doc) TESSERA_UNARY(name, kAccuracy, summary, doc TESSERA_BOUND)

TESSERA_UNARY(Abs, kNone, "Absolute value",
              "$r_i = |x_i|$. Of a complex number it is the real modulus; the most negative integer stays itself.")
TESSERA_TRANSCENDENTAL(Acos, "Arc cosine", "$r_i = \\arccos x_i$ in radians; NaN outside [-1, 1] for real numbers.")
TESSERA_TRANSCENDENTAL(Acosh, "Inverse hyperbolic cosine",
                       "$r_i = \\operatorname{arcosh} x_i$; NaN below 1 for real numbers.")
TESSERA_TRANSCENDENTAL(Asin, "Arc sine", "$r_i = \\arcsin x_i$ in radians; NaN outside [-1, 1] for real numbers.")
TESSERA_TRANSCENDENTAL(Asinh, "Inverse hyperbolic sine", "$r_i = \\operatorname{arsinh} x_i$.")
TESSERA_TRANSCENDENTAL(Atanh, "Inverse hyperbolic tangent",
                       "$r_i = \\operatorname{artanh} x_i$; NaN outside [-1, 1] for real numbers.")
TESSERA_TRANSCENDENTAL(Cbrt, "Cube root", "$r_i = \\sqrt[3]{x_i}$, negative for negative real numbers.")
TESSERA_UNARY(Ceil, kNone, "Round up", "$r_i = \\lceil x_i \\rceil$, the smallest integer that is not less.")
TESSERA_UNARY(CountLeadingZeros, kNone, "Leading zero bits",
              "The number of zero bits above the highest one bit; the width of the type for zero.")
TESSERA_TRANSCENDENTAL(Cosine, "Cosine", "$r_i = \\cos x_i$ with $x_i$ in radians.")
TESSERA_TRANSCENDENTAL(Cosh, "Hyperbolic cosine",
                       "$r_i = \\cosh x_i = (e^{x_i} + e^{-x_i}) / 2$; even, and at least 1 for real numbers.")
TESSERA_TRANSCENDENTAL(Erf, "Error function", "$r_i = \\frac{2}{\\sqrt\\pi} \\int_0^{x_i} e^{-t^2} dt$.")
TESSERA_TRANSCENDENTAL(Exponential, "Natural exponential",
                       "$r_i = e^{x_i}$; infinity where the result is too large, 0 at minus infinity.")
TESSERA_TRANSCENDENTAL(ExponentialMinusOne, "Exponential minus one", "$r_i = e^{x_i} - 1$, exact also near zero.")
TESSERA_UNARY(Floor, kNone, "Round down", "$r_i = \\lfloor x_i \\rfloor$, the largest integer that is not greater.")
TESSERA_UNARY(Imag, kNone, "Imaginary part", "The imaginary part of a complex number; zero for a real one.")
TESSERA_UNARY(IsFinite, kNone, "Neither infinite nor NaN", "Pred: true where the element is a finite number.")
TESSERA_TRANSCENDENTAL(Log, "Natural logarithm",
                       "$r_i = \\ln x_i$; minus infinity at zero, NaN for negative real numbers.")
TESSERA_TRANSCENDENTAL(LogPlusOne, "Logarithm of one plus", "$r_i = \\ln (1 + x_i)$, exact also near zero.")
TESSERA_TRANSCENDENTAL(Logistic, "Logistic sigmoid", "$r_i = 1 / (1 + e^{-x_i})$.")
TESSERA_UNARY(Negate, kNone, "Negation", "$r_i = -x_i$; integers wrap around.")
TESSERA_UNARY(Not, kNone, "Complement", "Logical not of pred, bitwise complement of integers.")
TESSERA_UNARY(Popcnt, kNone, "Number of one bits", "The number of bits of the element that are one.")
TESSERA_UNARY(Real, kNone, "Real part", "The real part of a complex number; a real number stays itself.")
TESSERA_UNARY(RoundNearestAfz, kNone, "Round, ties away from zero", "The nearest integer; halves go away from zero.")
TESSERA_UNARY(RoundNearestEven, kNone, "Round, ties to even", "The nearest integer; halves go to the even one.")
TESSERA_TRANSCENDENTAL(Rsqrt, "Reciprocal square root", "$r_i = 1 / \\sqrt{x_i}$.")
TESSERA_UNARY(Sign, kNone, "Sign",
              "-1, 0 or 1; -0, 0 and NaN stay themselves. Of a complex number $z / |z|$, and 0 at 0.")
TESSERA_TRANSCENDENTAL(Sine, "Sine", "$r_i = \\sin x_i$ with $x_i$ in radians.")
TESSERA_TRANSCENDENTAL(Sinh, "Hyperbolic sine",
                       "$r_i = \\sinh x_i = (e^{x_i} - e^{-x_i}) / 2$; odd, so that -0 stays -0.")
TESSERA_TRANSCENDENTAL(Sqrt, "Square root", "$r_i = \\sqrt{x_i}$; NaN for negative real numbers.")
TESSERA_TRANSCENDENTAL(Tan, "Tangent", "$r_i = \\tan x_i$ with $x_i$ in radians.")
TESSERA_TRANSCENDENTAL(Tanh, "Hyperbolic tangent",
                       "$r_i = \\tanh x_i$, in [-1, 1] for real numbers; odd, so that -0 stays -0.")

#undef TESSERA_TRANSCENDENTAL
#undef TESSERA_BOUND
#undef TESSERA_UNARY

}  // namespace tessera
