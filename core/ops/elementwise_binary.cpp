// The elementwise ops of two operands: result[i] = f(lhs[i], rhs[i]). What f is, which types it takes and how it is
// described are in its row of core/element/scalar_functions.inc; here is what these ops have alike, and the functions
// that the rows' EVALUATED column calls beside the C library. Integers wrap; division by zero gives all ones.
#include <algorithm>
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

struct BinaryRow {
  Opcode opcode;
  double (*real)(double, double);
  Complex128 (*complex)(Complex128, Complex128);
  int64_t (*integer)(int64_t, int64_t, ElementType);
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

#define EVALUATED(real, complex, integer)                                                           \
  [](double a, double b) -> double { return (static_cast<void>(a + b), real); },                    \
      [](Complex128 a, Complex128 b) -> Complex128 { return (static_cast<void>(a + b), complex); }, \
      [](int64_t a, int64_t b, ElementType type) -> int64_t {                                       \
        return (static_cast<void>(a & b), static_cast<void>(type), integer);                        \
      }
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, evaluated, ...) \
  {Opcode::opcode, evaluated},
constexpr BinaryRow kBinaryRows[] = {
#include "core/element/scalar_functions.inc"
};

const BinaryRow& binaryRowOf(Opcode opcode) { return *std::ranges::find(kBinaryRows, opcode, &BinaryRow::opcode); }

Result<Shape> inferElementwiseBinary(const InferContext& context) {
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
  const unsigned takes = scalarFunctionOf(context.opcode)->takes;
  if (!takesType(takes, lhs.type) || !takesType(takes, rhs.type)) {
    return context.violated("C3", fmt::format("{} does not take {} elements", nameOf(context.opcode), nameOf(lhs.type)),
                            takenTypesText(takes), std::string(nameOf(lhs.type)));
  }
  ElementType type = widerType(lhs.type, rhs.type);
  if (takes & kGivesComplex) type = type == ElementType::F32 ? ElementType::C64 : ElementType::C128;
  Shape shape = elementwiseShape(context, lhs, type);
  return shape;
}

Result<Literal> evaluateElementwiseBinary(const EvaluateContext& context) {
  const BinaryRow& row = binaryRowOf(context.instruction.opcode);
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

Status elementwiseBinaryElement(ElementContext& context) {
  TESSERA_ASSIGN_OR_RETURN(const NodeId lhs, context.read(0, context.indices));
  TESSERA_ASSIGN_OR_RETURN(const NodeId rhs, context.read(1, context.indices));
  const NodeOp node = nodeFor(scalarFunctionOf(context.instruction.opcode)->node, context.operandShape(0).type);
  if (isComplex(context.operandShape(0).type) && (node == NodeOp::Maximum || node == NodeOp::Minimum)) {
    context.results = {extremeOfComplex(context.builder, node == NodeOp::Maximum, lhs, rhs)};
    return {};
  }
  context.results = {node == NodeOp::MakeComplex ? context.builder.makeComplex(lhs, rhs)
                                                 : context.builder.binary(node, lhs, rhs)};
  return {};
}

constexpr OperandDoc kElementwiseBinaryOperands[] = {{"lhs", "The left array."},
                                                     {"rhs", "The right array, of the same shape."}};
constexpr Constraint kElementwiseBinaryConstraints[] = {
    {"C1", "Both operands have the same dimensions."},
    {"C2", "Both operands have the same element type (floats may differ in width)."},
    {"C3", "The element type is one that the function takes."},
};
// A function of all types has no C3 to violate.
constexpr std::span<const Constraint> constraintsOf(unsigned takes) {
  return takes == kAnyType ? std::span(kElementwiseBinaryConstraints).first(2)
                           : std::span(kElementwiseBinaryConstraints);
}
}  // namespace

#define TESSERA_BINARY_FUNCTION(node, name, takes, price, how, symbol, neutral, value, evaluated, approximation, \
                                forms, reference, words, line, paragraph)                                        \
  const OpDef k##name = {                                                                                        \
      .opcode = Opcode::name,                                                                                    \
      .kind = ExecutionKind::Element,                                                                            \
      .category = {OpCategory::Elementwise, kElementwise},                                                       \
      .summary = line,                                                                                           \
      .doc = paragraph,                                                                                          \
      .synonyms = words,                                                                                         \
      .operands = kElementwiseBinaryOperands,                                                                    \
      .attributes = {},                                                                                          \
      .constraints = constraintsOf(takes),                                                                       \
      .inferShape = inferElementwiseBinary,                                                                      \
      .inferLayout = followOperandLayout,                                                                        \
      .cost = costPerElement(price.transcendental),                                                              \
      .evaluate = evaluateElementwiseBinary,                                                                     \
      .element = elementwiseBinaryElement,                                                                       \
  };
#include "core/element/scalar_functions.inc"

}  // namespace tessera
