// The elementwise ops of two operands, as a table: result[i] = f(lhs[i], rhs[i]). A row says which element types f
// takes, the scalar function in double, complex and 64-bit integers (the evaluator's), and the node that code
// generation uses. Integers wrap; division by zero gives all ones; a shift by the width or more gives no bits.
#include <algorithm>
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

enum Accepts : unsigned { kPred = 1, kInteger = 2, kFloat = 4, kComplex = 8 };
constexpr unsigned kNumber = kInteger | kFloat | kComplex;

struct BinaryRow {
  Opcode opcode;
  NodeOp node;
  unsigned accepts;
  double (*real)(double, double) = nullptr;
  Complex128 (*complex)(Complex128, Complex128) = nullptr;
  int64_t (*integer)(int64_t, int64_t, ElementType) = nullptr;
};

// Arithmetic on bits, so that overflow wraps.
int64_t wrapped(uint64_t x) { return static_cast<int64_t>(x); }
uint64_t bits(int64_t x) { return static_cast<uint64_t>(x); }
uint64_t maskOf(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
int64_t signExtended(int64_t x, int width) {
  return width >= 64 ? x : wrapped(bits(x) << (64 - width)) >> (64 - width);
}

int64_t divideIntegers(int64_t a, int64_t b, ElementType type) {
  if (b == 0) return -1;
  if (isUnsigned(type)) return wrapped(bits(a) / bits(b));
  return b == -1 ? wrapped(0 - bits(a)) : a / b;
}
int64_t remainderIntegers(int64_t a, int64_t b, ElementType type) {
  if (b == 0) return a;
  if (isUnsigned(type)) return wrapped(bits(a) % bits(b));
  return b == -1 ? 0 : a % b;
}
bool lessIntegers(int64_t a, int64_t b, ElementType type) { return isUnsigned(type) ? bits(a) < bits(b) : a < b; }

// As XLA:CPU has it: both are read as signed, in whole bytes, whatever the type; a negative exponent gives the integer
// part of the true power, and 0 for base 0; of others the low six bits count.
int64_t powerIntegers(int64_t a, int64_t b, ElementType type) {
  const int width = std::max(8, info(type).bits);
  const int64_t base = signExtended(a, width), exponent = signExtended(b, width);
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? wrapped(exponent % 2 == 0 ? 1 : ~uint64_t{0}) : 0;
  uint64_t power = 1, factor = bits(base);
  for (int64_t rest = exponent & 63; rest != 0; rest >>= 1, factor *= factor)
    if (rest & 1) power *= factor;
  return wrapped(power);
}

// A shift amount is read as an unsigned number of the type's width.
int64_t shiftLeft(int64_t a, int64_t b, ElementType type) {
  const int width = info(type).bits;
  const uint64_t amount = bits(b) & maskOf(width);
  return amount >= static_cast<uint64_t>(width) ? 0 : wrapped(bits(a) << amount);
}
int64_t shiftRightArithmetic(int64_t a, int64_t b, ElementType type) {
  const int width = info(type).bits;
  const uint64_t amount = std::min(bits(b) & maskOf(width), static_cast<uint64_t>(width - 1));
  return signExtended(a, width) >> amount;
}
int64_t shiftRightLogical(int64_t a, int64_t b, ElementType type) {
  const int width = info(type).bits;
  const uint64_t amount = bits(b) & maskOf(width);
  return amount >= static_cast<uint64_t>(width) ? 0 : wrapped((bits(a) & maskOf(width)) >> amount);
}
int64_t multiplyHigh(int64_t a, int64_t b, ElementType type) {
  const int width = info(type).bits;
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;
  if (isUnsigned(type)) return static_cast<int64_t>((static_cast<Wide>(bits(a)) * bits(b)) >> width);
  return static_cast<int64_t>((static_cast<SignedWide>(a) * b) >> width);
}

double maximum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double minimum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

constexpr BinaryRow kRows[] = {
    {Opcode::Add, NodeOp::Add, kPred | kNumber, [](double a, double b) { return a + b; },
     [](Complex128 a, Complex128 b) { return a + b; },
     [](int64_t a, int64_t b, ElementType) { return wrapped(bits(a) + bits(b)); }},
    {Opcode::Subtract, NodeOp::Subtract, kNumber, [](double a, double b) { return a - b; },
     [](Complex128 a, Complex128 b) { return a - b; },
     [](int64_t a, int64_t b, ElementType) { return wrapped(bits(a) - bits(b)); }},
    {Opcode::Multiply, NodeOp::Multiply, kPred | kNumber, [](double a, double b) { return a * b; },
     [](Complex128 a, Complex128 b) { return a * b; },
     [](int64_t a, int64_t b, ElementType) { return wrapped(bits(a) * bits(b)); }},
    {Opcode::Divide, NodeOp::Divide, kNumber, [](double a, double b) { return a / b; },
     [](Complex128 a, Complex128 b) { return a / b; }, divideIntegers},
    {Opcode::Remainder, NodeOp::Remainder, kInteger | kFloat, [](double a, double b) { return std::fmod(a, b); },
     nullptr, remainderIntegers},
    {Opcode::Maximum, NodeOp::Maximum, kPred | kNumber, maximum, complexMaximum,
     [](int64_t a, int64_t b, ElementType type) { return lessIntegers(a, b, type) ? b : a; }},
    {Opcode::Minimum, NodeOp::Minimum, kPred | kNumber, minimum, complexMinimum,
     [](int64_t a, int64_t b, ElementType type) { return lessIntegers(b, a, type) ? b : a; }},
    {Opcode::Power, NodeOp::Power, kNumber, [](double a, double b) { return std::pow(a, b); }, complexPower,
     powerIntegers},
    {Opcode::Atan2, NodeOp::Atan2, kFloat | kComplex, [](double a, double b) { return std::atan2(a, b); },
     complexAtan2},
    {Opcode::And, NodeOp::And, kPred | kInteger, nullptr, nullptr,
     [](int64_t a, int64_t b, ElementType) { return a & b; }},
    {Opcode::Or, NodeOp::Or, kPred | kInteger, nullptr, nullptr,
     [](int64_t a, int64_t b, ElementType) { return a | b; }},
    {Opcode::Xor, NodeOp::Xor, kPred | kInteger, nullptr, nullptr,
     [](int64_t a, int64_t b, ElementType) { return a ^ b; }},
    {Opcode::ShiftLeft, NodeOp::ShiftLeft, kInteger, nullptr, nullptr, shiftLeft},
    {Opcode::ShiftRightArithmetic, NodeOp::ShiftRightArithmetic, kInteger, nullptr, nullptr, shiftRightArithmetic},
    {Opcode::ShiftRightLogical, NodeOp::ShiftRightLogical, kInteger, nullptr, nullptr, shiftRightLogical},
    {Opcode::Complex, NodeOp::MakeComplex, kFloat},
    {Opcode::Mulhi, NodeOp::MulHi, kInteger, nullptr, nullptr, multiplyHigh},
};

const BinaryRow& rowOf(Opcode opcode) { return *std::ranges::find(kRows, opcode, &BinaryRow::opcode); }

bool accepted(const BinaryRow& row, ElementType type) {
  if (row.opcode == Opcode::Complex) return type == ElementType::F32 || type == ElementType::F64;
  const unsigned bit = type == ElementType::Pred ? kPred
                       : isInteger(type)         ? kInteger
                       : isFloat(type)           ? kFloat
                                                 : kComplex;
  return (row.accepts & bit) != 0;
}

std::string acceptedText(const BinaryRow& row) {
  if (row.opcode == Opcode::Complex) return "f32 or f64";
  std::string text;
  auto append = [&](unsigned bit, const char* name) {
    if (row.accepts & bit) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  append(kPred, "pred");
  append(kInteger, "integer");
  append(kFloat, "float");
  append(kComplex, "complex");
  return text;
}

Result<Inferred> inferShape(const InferContext& context) {
  TESSERA_TRY(checkArrayOperands(context, 2));
  const Shape &lhs = context.operand(0), &rhs = context.operand(1);
  if (!sameDimensions(lhs, rhs)) {
    return context.violated("C1", fmt::format("the operands of {} must have equal dimensions", nameOf(context.opcode)),
                            toString(lhs, false), toString(rhs, false));
  }
  if (!sameButPrecision(lhs.type, rhs.type)) {
    return context.violated("C2", fmt::format("the operands of {} must have one element type", nameOf(context.opcode)),
                            std::string(nameOf(lhs.type)), std::string(nameOf(rhs.type)));
  }
  const BinaryRow& row = rowOf(context.opcode);
  if (!accepted(row, lhs.type) || !accepted(row, rhs.type)) {
    return context.violated("C3", fmt::format("{} does not take {} elements", nameOf(context.opcode), nameOf(lhs.type)),
                            acceptedText(row), std::string(nameOf(lhs.type)));
  }
  ElementType type = widerType(lhs.type, rhs.type);
  if (row.opcode == Opcode::Complex) type = type == ElementType::F32 ? ElementType::C64 : ElementType::C128;
  Shape shape = elementwiseShape(context, lhs, type);
  return Inferred{shape, reasonsAsOperand(shape, 0)};
}

Result<Literal> evaluate(const EvaluateContext& context) {
  const BinaryRow& row = rowOf(context.instruction.opcode);
  const ElementType type = context.operands[0].shape().type;
  if (row.opcode == Opcode::Complex) {
    return mapElements<Complex128, double, double>(context, [](double re, double im) { return Complex128(re, im); });
  }
  if (isComplex(type)) return mapElements<Complex128, Complex128, Complex128>(context, row.complex);
  if (isFloat(type)) return mapElements<double, double, double>(context, row.real);
  return mapElements<int64_t, int64_t, int64_t>(context, [&](int64_t a, int64_t b) { return row.integer(a, b, type); });
}

// Arithmetic of truth values is logic.
NodeOp nodeFor(NodeOp node, ElementType type) {
  if (type != ElementType::Pred) return node;
  if (node == NodeOp::Add || node == NodeOp::Maximum) return NodeOp::Or;
  if (node == NodeOp::Multiply || node == NodeOp::Minimum) return NodeOp::And;
  return node;
}

// complexMaximum and complexMinimum as nodes.
NodeId extremeOfComplex(ElementBuilder& builder, bool isMaximum, NodeId a, NodeId b) {
  const auto part = [&](NodeOp op, NodeId value) { return builder.unary(op, value); };
  const auto isNan = [&](NodeId value) {
    const NodeId re = part(NodeOp::Real, value), im = part(NodeOp::Imag, value);
    return builder.binary(NodeOp::Or, builder.compare(CompareDirection::Ne, re, re),
                          builder.compare(CompareDirection::Ne, im, im));
  };
  const auto order = [&](NodeOp op, CompareDirection direction) {
    return isMaximum ? builder.compare(direction, part(op, a), part(op, b))
                     : builder.compare(direction, part(op, b), part(op, a));
  };
  const NodeId tie =
      builder.logicalAnd(order(NodeOp::Real, CompareDirection::Eq), order(NodeOp::Imag, CompareDirection::Lt));
  const NodeId less = builder.binary(NodeOp::Or, order(NodeOp::Real, CompareDirection::Lt), tie);
  const NodeId takesB = builder.binary(NodeOp::Or, isNan(b), less);
  return builder.select(isNan(a), a, builder.select(takesB, b, a));
}

Status element(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId lhs, context.read(0, context.indices));
  TESSERA_ASSIGN_OR_RETURN(const NodeId rhs, context.read(1, context.indices));
  const NodeOp node = nodeFor(rowOf(context.instruction.opcode).node, context.operandShape(0).type);
  if (isComplex(context.operandShape(0).type) && (node == NodeOp::Maximum || node == NodeOp::Minimum)) {
    context.results = {extremeOfComplex(context.builder, node == NodeOp::Maximum, lhs, rhs)};
    return {};
  }
  context.results = {node == NodeOp::MakeComplex ? context.builder.makeComplex(lhs, rhs)
                                                 : context.builder.binary(node, lhs, rhs)};
  return {};
}

constexpr OperandDoc kOperands[] = {{"lhs", "The left array."}, {"rhs", "The right array, of the same shape."}};
constexpr Constraint kConstraints[] = {
    {"C1", "Both operands have the same dimensions."},
    {"C2", "Both operands have the same element type (floats may differ in width)."},
    {"C3", "The element type is one that the function takes."},
};
// A function of all types has no C3 to violate.
constexpr std::span<const Constraint> constraintsOf(Opcode opcode) {
  for (const BinaryRow& row : kRows)
    if (row.opcode == opcode && row.accepts == (kPred | kNumber)) return std::span(kConstraints).first(2);
  return kConstraints;
}

}  // namespace

#define TESSERA_BINARY(name, summary, doc)            \
  const OpDef k##name = {Opcode::name,                \
                         ExecutionKind::Element,      \
                         "Elementwise",               \
                         summary,                     \
                         doc,                         \
                         kOperands,                   \
                         {},                          \
                         constraintsOf(Opcode::name), \
                         inferShape,                  \
                         followOperandLayout,         \
                         nullptr,                     \
                         evaluate,                    \
                         element};

TESSERA_BINARY(Add, "Sum", "$r_i = a_i + b_i$; integers wrap around, pred is logical or.")
TESSERA_BINARY(And, "And", "Logical and of pred, bitwise and of integers.")
TESSERA_BINARY(Atan2, "Angle of a point",
               "$r_i = \\operatorname{atan2}(y_i, x_i)$: the angle of $(x_i, y_i)$ in $(-\\pi, \\pi]$; lhs is y. Exact "
               "to 2 ulp for f32 and f64; "
               "narrower floats are computed in f32 and rounded once.")
TESSERA_BINARY(Complex, "Complex number from its parts", "$r_i = a_i + \\mathrm{i}\\, b_i$.")
TESSERA_BINARY(Divide, "Quotient",
               "$r_i = a_i / b_i$; integers truncate toward zero, division by zero gives all one bits, and the most "
               "negative integer divided by -1 stays itself.")
TESSERA_BINARY(Maximum, "Larger of two",
               "$r_i = \\max(a_i, b_i)$; NaN when either is NaN. Complex numbers are ordered by their real, then by "
               "their imaginary parts.")
TESSERA_BINARY(Minimum, "Smaller of two",
               "$r_i = \\min(a_i, b_i)$; NaN when either is NaN. Complex numbers are ordered by their real, then by "
               "their imaginary parts.")
TESSERA_BINARY(Mulhi, "High half of a product", "The upper half of the double-width product of two integers.")
TESSERA_BINARY(Multiply, "Product", "$r_i = a_i b_i$; integers wrap around, pred is logical and.")
TESSERA_BINARY(Or, "Or", "Logical or of pred, bitwise or of integers.")
TESSERA_BINARY(
    Power, "Power",
    "$r_i = a_i^{b_i}$. Integers are read as signed; a negative exponent gives 0 unless the base is 1 or -1, and of "
    "others the low six bits count. Exact to 2 ulp for f32 and f64; narrower floats are computed in f32 and "
    "rounded once.")
TESSERA_BINARY(Remainder, "Remainder",
               "$r_i = a_i - b_i \\operatorname{trunc}(a_i / b_i)$, with the sign of the dividend; an integer "
               "remainder by zero is the dividend.")
TESSERA_BINARY(ShiftLeft, "Shift left",
               "$r_i = a_i \\cdot 2^{b_i}$ in the type's bits; 0 when the amount is the width or more.")
TESSERA_BINARY(
    ShiftRightArithmetic, "Shift right, keeping the sign",
    "Bits move down and copies of the sign bit come in; only sign bits remain when the amount is the width or more.")
TESSERA_BINARY(ShiftRightLogical, "Shift right, filling with zeros",
               "Bits move down and zeros come in; 0 when the amount is the width or more.")
TESSERA_BINARY(Subtract, "Difference", "$r_i = a_i - b_i$; integers wrap around.")
TESSERA_BINARY(Xor, "Exclusive or", "Logical exclusive or of pred, bitwise exclusive or of integers.")

#undef TESSERA_BINARY

}  // namespace tessera
