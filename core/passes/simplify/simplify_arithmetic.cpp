// Rules of arithmetic. `x + 0.0` stays for floats, for -0 + 0 is not -0; integers wrap, so they may be regrouped,
// floats not. Between simplify.cpp (driver) and the op tables.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/hlo/numbers.h"
#include "core/passes/simplify/simplify_rules.h"

namespace tessera {
namespace {

using Id = InstructionId;

// The floats that have infinities, NaN and both zeros.
bool isPlainFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 || type == ElementType::F64;
}
bool isWhole(ElementType type) { return isInteger(type); }
bool isNegativeZero(const Site& s, size_t i) {
  const auto value = s.splat(i);
  return value && *value == 0 && std::signbit(*value);
}
// The value of a splat of integers, exact for every width.
std::optional<int64_t> wholeSplat(const Site& s, Id id) {
  const Literal* literal = s.splatLiteral(id);
  if (!literal || !isInteger(literal->shape().type)) return std::nullopt;
  return loadInt(literal->shape().type, literal->bytes().data());
}

Id addNothing(Site& s) {
  for (size_t i : {0u, 1u})
    if (s.equals(i, 0) && (!isFloat(s.type()) || isNegativeZero(s, i))) return s.operand(1 - i);
  return {};
}
Id addNegated(Site& s) {
  if (!isPlainFloat(s.type()) && !isWhole(s.type())) return {};
  for (size_t i : {1u, 0u})
    if (s.is(s.operand(i), Opcode::Negate)) {
      const Id by = s.from(i).operands[0];
      return s.make(Opcode::Subtract, *s.in.shape, {s.operand(1 - i), by}, {}, s.operand(i));
    }
  return {};
}
// (x op c) op d = x op (c op d) for integers, whose sums and products wrap.
Id regroupConstants(Site& s) {
  if (!isWhole(s.type())) return {};
  for (size_t i : {0u, 1u}) {
    const Instruction& inner = s.from(i);
    const auto outer = wholeSplat(s, s.operand(1 - i));
    if (inner.opcode != s.in.opcode || !outer || wholeSplat(s, s.operand(i))) continue;
    for (size_t k : {0u, 1u}) {
      const auto value = wholeSplat(s, inner.operands[k]);
      if (!value) continue;
      const auto a = static_cast<uint64_t>(*outer), b = static_cast<uint64_t>(*value);
      const Id rest = inner.operands[1 - k];
      const Id both = s.filledInteger(static_cast<int64_t>(s.in.opcode == Opcode::Add ? a + b : a * b));
      return s.make(s.in.opcode, *s.in.shape, {rest, both}, {}, inner.id);
    }
  }
  return {};
}
Id subtractNothing(Site& s) { return s.equals(1, 0) && !isNegativeZero(s, 1) ? s.operand(0) : Id(); }
Id subtractItself(Site& s) { return isWhole(s.type()) && s.operand(0) == s.operand(1) ? s.filledInteger(0) : Id(); }
Id subtractNegated(Site& s) {
  if (!s.is(s.operand(1), Opcode::Negate) || (!isPlainFloat(s.type()) && !isWhole(s.type()))) return {};
  return s.make(Opcode::Add, *s.in.shape, {s.operand(0), s.from(1).operands[0]}, {}, s.operand(1));
}
Id subtractFromZero(Site& s) {
  const bool zero = isWhole(s.type()) ? s.equals(0, 0) : isPlainFloat(s.type()) && isNegativeZero(s, 0);
  return zero ? s.make(Opcode::Negate, *s.in.shape, {s.operand(1)}) : Id();
}
// x - c = x + (-c) for integers, so that constants meet.
Id subtractConstant(Site& s) {
  const auto value = isWhole(s.type()) ? wholeSplat(s, s.operand(1)) : std::nullopt;
  if (!value || *value == 0) return {};
  return s.make(Opcode::Add, *s.in.shape,
                {s.operand(0), s.filledInteger(static_cast<int64_t>(0 - static_cast<uint64_t>(*value)))});
}

Id multiplyByOne(Site& s) {
  for (size_t i : {0u, 1u})
    if (s.equals(i, 1)) return s.operand(1 - i);
  return {};
}
Id multiplyByZero(Site& s) {
  if (!isWhole(s.type())) return {};
  for (size_t i : {0u, 1u})
    if (s.equals(i, 0)) return s.operand(i);
  return {};
}
Id multiplyByMinusOne(Site& s) {
  if (!isPlainFloat(s.type()) && !isSigned(s.type())) return {};
  for (size_t i : {0u, 1u})
    if (s.equals(i, -1)) return s.make(Opcode::Negate, *s.in.shape, {s.operand(1 - i)});
  return {};
}
Id ofTwoNegated(Site& s) {
  if (s.in.opcode == Opcode::Divide ? !isPlainFloat(s.type()) : !isPlainFloat(s.type()) && !isWhole(s.type()))
    return {};
  if (!s.is(s.operand(0), Opcode::Negate) || !s.is(s.operand(1), Opcode::Negate)) return {};
  return s.make(s.in.opcode, *s.in.shape, {s.from(0).operands[0], s.from(1).operands[0]});
}

Id divideByOne(Site& s) { return s.equals(1, 1) ? s.operand(0) : Id(); }
Id divideByMinusOne(Site& s) {
  const bool fits = (isPlainFloat(s.type()) || isSigned(s.type())) && s.equals(1, -1);
  return fits ? s.make(Opcode::Negate, *s.in.shape, {s.operand(0)}) : Id();
}
// x / 2^k = x · 2^-k, exact while the reciprocal is a normal number.
Id divideByPowerOfTwo(Site& s) {
  const auto divisor = s.splat(1);
  if (!divisor || (s.type() != ElementType::F32 && s.type() != ElementType::F64)) return {};
  int exponent = 0;
  if (std::fabs(std::frexp(*divisor, &exponent)) != 0.5 || std::abs(exponent) > 120) return {};
  return s.make(Opcode::Multiply, *s.in.shape, {s.operand(0), s.filled(1 / *divisor)});
}
std::optional<int> powerOfTwo(const Site& s, Id id) {
  const auto value = wholeSplat(s, id);
  if (!value || *value <= 0 || (*value & (*value - 1))) return std::nullopt;
  return __builtin_ctzll(static_cast<uint64_t>(*value));
}
Id divideUnsigned(Site& s) {
  const auto k = isUnsigned(s.type()) ? powerOfTwo(s, s.operand(1)) : std::nullopt;
  return k ? s.make(Opcode::ShiftRightLogical, *s.in.shape, {s.operand(0), s.filledInteger(*k)}) : Id();
}
Id remainderUnsigned(Site& s) {
  const auto k = isUnsigned(s.type()) ? powerOfTwo(s, s.operand(1)) : std::nullopt;
  return k ? s.make(Opcode::And, *s.in.shape, {s.operand(0), s.filledInteger((int64_t{1} << *k) - 1)}) : Id();
}
Id remainderOfOne(Site& s) { return isWhole(s.type()) && s.equals(1, 1) ? s.filledInteger(0) : Id(); }

// Never below zero and never -0, or NaN.
bool isNonNegative(const Site& s, Id id) {
  const Instruction& in = s.module.at(id);
  switch (in.opcode) {
    case Opcode::Abs: return !isComplex(in.shape->type);
    case Opcode::Exponential:
    case Opcode::Logistic: return isPlainFloat(in.shape->type);
    case Opcode::Multiply: return isPlainFloat(in.shape->type) && in.operands[0] == in.operands[1];
    default: return isUnsigned(in.shape->type);
  }
}
Id powerOfOne(Site& s) { return s.equals(1, 1) && (isWhole(s.type()) || isFloat(s.type())) ? s.operand(0) : Id(); }
Id powerOfZero(Site& s) { return s.equals(1, 0) && (isWhole(s.type()) || isPlainFloat(s.type())) ? s.filled(1) : Id(); }
Id powerOfTwoOrThree(Site& s) {
  if (!isFloat(s.type())) return {};
  const Id x = s.operand(0);
  if (s.equals(1, 2)) return s.make(Opcode::Multiply, *s.in.shape, {x, x});
  if (!s.equals(1, 3) || (s.type() != ElementType::F32 && s.type() != ElementType::F64)) return {};
  return s.make(Opcode::Multiply, *s.in.shape, {s.make(Opcode::Multiply, *s.in.shape, {x, x}), x});
}
Id powerOfMinusOne(Site& s) {
  return isPlainFloat(s.type()) && s.equals(1, -1) ? s.make(Opcode::Divide, *s.in.shape, {s.filled(1), s.operand(0)})
                                                   : Id();
}
Id powerOfHalf(Site& s) {
  return isPlainFloat(s.type()) && s.equals(1, 0.5) && isNonNegative(s, s.operand(0))
             ? s.make(Opcode::Sqrt, *s.in.shape, {s.operand(0)})
             : Id();
}

Id twice(Site& s) {
  const Instruction& from = s.from(0);
  return from.opcode == s.in.opcode ? from.operands[0] : Id();
}
Id negatedDifference(Site& s) {
  if (!isWhole(s.type()) || !s.is(s.operand(0), Opcode::Subtract)) return {};
  return s.make(Opcode::Subtract, *s.in.shape, {s.from(0).operands[1], s.from(0).operands[0]}, {}, s.operand(0));
}
Id absOfAbs(Site& s) {
  return isNonNegative(s, s.operand(0)) && s.shapeOf(s.operand(0)) == *s.in.shape ? s.operand(0) : Id();
}
Id absOfNegated(Site& s) {
  if (!s.is(s.operand(0), Opcode::Negate) || isComplex(s.shapeOf(s.operand(0)).type)) return {};
  return s.make(Opcode::Abs, *s.in.shape, {s.from(0).operands[0]}, {}, s.operand(0));
}
// floor, ceil and both roundings give whole numbers, which none of them changes.
Id roundTwice(Site& s) {
  switch (s.from(0).opcode) {
    case Opcode::Floor:
    case Opcode::Ceil:
    case Opcode::RoundNearestAfz:
    case Opcode::RoundNearestEven: return s.operand(0);
    default: return {};
  }
}

// max(x, lowest) = x: -infinity or the smallest integer; min the other way.
Id extremeOfBound(Site& s) {
  if (!isPlainFloat(s.type()) && !isWhole(s.type()) && s.type() != ElementType::Pred) return {};
  for (size_t i : {0u, 1u})
    if (const Literal* bound = s.splatLiteral(s.operand(i)); bound && isNeutral(*bound, s.in.opcode))
      return s.operand(1 - i);
  return {};
}
// op(op(a, b), b) = op(a, b)
Id repeatedOperand(Site& s) {
  for (size_t i : {0u, 1u}) {
    const Instruction& inner = s.from(i);
    if (inner.opcode != s.in.opcode) continue;
    if (std::ranges::find(inner.operands, s.operand(1 - i)) != inner.operands.end()) return inner.id;
  }
  return {};
}
Id clampTwice(Site& s) {
  const Instruction& inner = s.from(1);
  if (inner.opcode != Opcode::Clamp || inner.operands[0] != s.operand(0) || inner.operands[2] != s.operand(2))
    return {};
  return inner.id;
}

Id shiftByNothing(Site& s) { return s.equals(1, 0) ? s.operand(0) : Id(); }
Id shiftOut(Site& s) {
  const auto amount = wholeSplat(s, s.operand(1));
  return amount && *amount >= info(s.type()).bits && info(s.type()).bits >= 8 ? s.filledInteger(0) : Id();
}

Id partOfComplex(Site& s) {
  if (!s.is(s.operand(0), Opcode::Complex)) return {};
  return s.from(0).operands[s.in.opcode == Opcode::Real ? 0 : 1];
}
Id complexOfParts(Site& s) {
  if (!s.is(s.operand(0), Opcode::Real) || !s.is(s.operand(1), Opcode::Imag)) return {};
  return s.from(0).operands[0] == s.from(1).operands[0] ? s.from(0).operands[0] : Id();
}

// --- broadcasts wait: f(broadcast(x)) = broadcast(f(x)) does the work once an element of x.
Id unaryOfBroadcast(Site& s) {
  const Instruction& from = s.from(0);
  if (from.opcode != Opcode::Broadcast || from.shape->dimensions != s.in.shape->dimensions) return {};
  const Id inner = s.make(s.in.opcode, withDimensions(*s.in.shape, s.shapeOf(from.operands[0]).dimensions),
                          {from.operands[0]}, *s.in.attributes);
  return s.broadcast(inner, *s.in.shape, from.attributes->ints(Attr::dimensions));
}
Id binaryOfBroadcasts(Site& s) {
  const Instruction &a = s.from(0), &b = s.from(1);
  if (a.opcode != Opcode::Broadcast || b.opcode != Opcode::Broadcast) return {};
  if (s.shapeOf(a.operands[0]).dimensions != s.shapeOf(b.operands[0]).dimensions) return {};
  const std::vector<int64_t>& dimensions = a.attributes->ints(Attr::dimensions);
  if (dimensions != b.attributes->ints(Attr::dimensions)) return {};
  const Shape inner = withDimensions(*s.in.shape, s.shapeOf(a.operands[0]).dimensions);
  return s.broadcast(s.make(s.in.opcode, inner, {a.operands[0], b.operands[0]}, *s.in.attributes), *s.in.shape,
                     dimensions);
}

constexpr Rule kArithmeticRules[] = {
    {Opcode::Add, "x + 0 = x", addNothing},
    {Opcode::Add, "x + -y = x - y", addNegated},
    {Opcode::Add, "(x + c) + d = x + (c + d)", regroupConstants},
    {Opcode::Subtract, "x - 0 = x", subtractNothing},
    {Opcode::Subtract, "x - x = 0", subtractItself},
    {Opcode::Subtract, "x - -y = x + y", subtractNegated},
    {Opcode::Subtract, "0 - x = -x", subtractFromZero},
    {Opcode::Subtract, "x - c = x + -c", subtractConstant},
    {Opcode::Multiply, "x * 1 = x", multiplyByOne},
    {Opcode::Multiply, "x * 0 = 0", multiplyByZero},
    {Opcode::Multiply, "x * -1 = -x", multiplyByMinusOne},
    {Opcode::Multiply, "-x * -y = x * y", ofTwoNegated},
    {Opcode::Multiply, "(x * c) * d = x * (c * d)", regroupConstants},
    {Opcode::Divide, "x / 1 = x", divideByOne},
    {Opcode::Divide, "x / -1 = -x", divideByMinusOne},
    {Opcode::Divide, "-x / -y = x / y", ofTwoNegated},
    {Opcode::Divide, "x / 2^k = x * 2^-k", divideByPowerOfTwo},
    {Opcode::Divide, "unsigned x / 2^k = x >> k", divideUnsigned},
    {Opcode::Remainder, "unsigned x % 2^k = x & (2^k - 1)", remainderUnsigned},
    {Opcode::Remainder, "x % 1 = 0", remainderOfOne},
    {Opcode::Power, "x ^ 1 = x", powerOfOne},
    {Opcode::Power, "x ^ 0 = 1", powerOfZero},
    {Opcode::Power, "x ^ 2 = x * x, up to rounding", powerOfTwoOrThree},
    {Opcode::Power, "x ^ -1 = 1 / x, up to rounding", powerOfMinusOne},
    {Opcode::Power, "x ^ 0.5 = sqrt x for x >= 0, up to rounding", powerOfHalf},
    {Opcode::Negate, "-(-x) = x", twice},
    {Opcode::Negate, "-(x - y) = y - x", negatedDifference},
    {Opcode::Abs, "|x| = x for x >= 0", absOfAbs},
    {Opcode::Abs, "|-x| = |x|", absOfNegated},
    {Opcode::Floor, "a whole number is its floor", roundTwice},
    {Opcode::Ceil, "a whole number is its ceiling", roundTwice},
    {Opcode::RoundNearestAfz, "a whole number is rounded", roundTwice},
    {Opcode::RoundNearestEven, "a whole number is rounded to even", roundTwice},
    {Opcode::Maximum, "max(x, x) = x", sameOperands},
    {Opcode::Minimum, "min(x, x) = x", sameOperands},
    {Opcode::Maximum, "max(x, lowest) = x", extremeOfBound},
    {Opcode::Minimum, "min(x, highest) = x", extremeOfBound},
    {Opcode::Maximum, "max(max(x, y), y) = max(x, y)", repeatedOperand},
    {Opcode::Minimum, "min(min(x, y), y) = min(x, y)", repeatedOperand},
    {Opcode::Clamp, "clamp(l, clamp(l, x, h), h) = clamp(l, x, h)", clampTwice},
    {Opcode::ShiftLeft, "x << 0 = x", shiftByNothing},
    {Opcode::ShiftRightLogical, "x >> 0 = x, logical", shiftByNothing},
    {Opcode::ShiftRightArithmetic, "x >> 0 = x, arithmetic", shiftByNothing},
    {Opcode::ShiftLeft, "x << width = 0", shiftOut},
    {Opcode::ShiftRightLogical, "x >> width = 0", shiftOut},
    {Opcode::Real, "real(complex(x, y)) = x", partOfComplex},
    {Opcode::Imag, "imag(complex(x, y)) = y", partOfComplex},
    {Opcode::Complex, "complex(real(z), imag(z)) = z", complexOfParts},
    {Opcode::Exponential, "exp(broadcast x) = broadcast(exp x)", unaryOfBroadcast},
    {Opcode::Log, "log(broadcast x) = broadcast(log x)", unaryOfBroadcast},
    {Opcode::Negate, "-(broadcast x) = broadcast(-x)", unaryOfBroadcast},
    {Opcode::Abs, "|broadcast x| = broadcast |x|", unaryOfBroadcast},
    {Opcode::Sqrt, "sqrt(broadcast x) = broadcast(sqrt x)", unaryOfBroadcast},
    {Opcode::Rsqrt, "rsqrt(broadcast x) = broadcast(rsqrt x)", unaryOfBroadcast},
    {Opcode::Tanh, "tanh(broadcast x) = broadcast(tanh x)", unaryOfBroadcast},
    {Opcode::Convert, "convert(broadcast x) = broadcast(convert x)", unaryOfBroadcast},
    {Opcode::Not, "not(broadcast x) = broadcast(not x)", unaryOfBroadcast},
    {Opcode::Add, "broadcast x + broadcast y = broadcast(x + y)", binaryOfBroadcasts},
    {Opcode::Subtract, "broadcast x - broadcast y = broadcast(x - y)", binaryOfBroadcasts},
    {Opcode::Multiply, "broadcast x * broadcast y = broadcast(x * y)", binaryOfBroadcasts},
    {Opcode::Divide, "broadcast x / broadcast y = broadcast(x / y)", binaryOfBroadcasts},
    {Opcode::Maximum, "max of broadcasts = broadcast of max", binaryOfBroadcasts},
    {Opcode::Minimum, "min of broadcasts = broadcast of min", binaryOfBroadcasts},
    {Opcode::Power, "power of broadcasts = broadcast of power", binaryOfBroadcasts},
    {Opcode::Compare, "compare of broadcasts = broadcast of compare", binaryOfBroadcasts},
    {Opcode::And, "and of broadcasts = broadcast of and", binaryOfBroadcasts},
    {Opcode::Or, "or of broadcasts = broadcast of or", binaryOfBroadcasts},
};

}  // namespace

std::span<const Rule> arithmeticRules() { return kArithmeticRules; }

}  // namespace tessera
