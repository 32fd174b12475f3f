// See wide_approximations.h.
#include "core/element/approximations/wide_approximations.h"

#include <array>
#include <limits>

namespace tessera {
namespace {

constexpr double kWideInf = std::numeric_limits<double>::infinity();
constexpr double kWideNan = std::numeric_limits<double>::quiet_NaN();
// 1.5 · 2⁵²: a small f64 added to it is rounded to an integer, which is in the low bits of the sum.
constexpr double kWideShift = 0x1.8p52;
constexpr int64_t kWideShiftBits = 0x4338000000000000;
constexpr double kWideLog2E = 0x1.71547652b82fep+0, kWideLn2 = 0x1.62e42fefa39efp-1,
                 kWideLn2Rest = 0x1.abc9e3b39803fp-56;
// ln 2 as a high part of few bits, so that exponent · high is exact, and the rest.
constexpr double kWideLn2High = 0x1.62e42fefa3800p-1, kWideLn2Low = 0x1.ef35793c76730p-45;
// pi / 2 in three doubles.
constexpr double kWideHalfPi1 = 0x1.921fb54442d18p+0, kWideHalfPi2 = 0x1.1a62633145c07p-54,
                 kWideHalfPi3 = -0x1.f1976b7ed8fbcp-110;
constexpr double kWideThird = 0x1.5555555555555p-2, kWideThirdRest = 0x1.5555555555555p-56;

}  // namespace

NodeId WideApproximations::unary(NodeOp op, NodeId x) {
  switch (op) {
    case NodeOp::Exp: return exp({x, {}});
    case NodeOp::Expm1: return expm1(x);
    case NodeOp::Log: return log(x);
    case NodeOp::Log1p: return log1p({x, {}});
    case NodeOp::Tanh: return tanh(x);
    case NodeOp::Sinh: return sinh(x);
    case NodeOp::Cosh: return cosh(x);
    case NodeOp::Sin:
    case NodeOp::Cos:
    case NodeOp::Tan: return circular(op, x);
    case NodeOp::Asin: return asin(x);
    case NodeOp::Acos: return acos(x);
    case NodeOp::Asinh: return asinh(x);
    case NodeOp::Acosh: return acosh(x);
    case NodeOp::Atanh: return atanh(x);
    case NodeOp::Cbrt: return cbrt(x);
    case NodeOp::Erf: return erf(x);
    default: return {};
  }
}

NodeId WideApproximations::binary(NodeOp op, NodeId x, NodeId y) {
  switch (op) {
    case NodeOp::Power: return power(x, y);
    case NodeOp::Atan2: return atan2(x, y);
    default: return {};
  }
}

// --- parts

// Horner, constant term first.
NodeId WideApproximations::polynomial(NodeId x, std::initializer_list<double> coefficients) {
  const double* at = coefficients.end();
  NodeId sum = c(*--at);
  while (at != coefficients.begin()) sum = b_.fma(sum, x, c(*--at));
  return sum;
}

NodeId WideApproximations::withSignOf(NodeId magnitude, NodeId sign) {
  return fromBits(b_.binary(NodeOp::Or, bits(magnitude), b_.logicalAnd(bits(sign), integer(INT64_MIN))));
}

NodeId WideApproximations::powerOfTwo(NodeId exponent) {
  return fromBits(b_.binary(NodeOp::ShiftLeft, b_.add(exponent, integer(1023)), integer(52)));
}

WideApproximations::Pair WideApproximations::product(NodeId x, NodeId y) {
  NodeId high = b_.multiply(x, y);
  return {high, b_.fma(x, y, negate(high))};
}

WideApproximations::Pair WideApproximations::quickSum(NodeId large, NodeId small) {
  NodeId high = b_.add(large, small);
  return {high, b_.add(b_.subtract(large, high), small)};
}

// Of a positive number; subnormal ones are scaled up first.
WideApproximations::Split WideApproximations::split(NodeId x) {
  NodeId isTiny = less(x, 0x1p-1022);
  NodeId whole = bits(b_.select(isTiny, b_.multiply(x, c(0x1p54)), x));
  NodeId above = b_.subtract(whole, integer(0x3fe6a09e667f3bcd));  // sqrt(1/2)
  NodeId k = b_.binary(NodeOp::ShiftRightArithmetic, above, integer(52));
  NodeId fraction = fromBits(b_.subtract(whole, b_.binary(NodeOp::ShiftLeft, k, integer(52))));
  NodeId exponent = b_.convert(ElementType::F64, b_.subtract(k, b_.select(isTiny, integer(54), integer(0))));
  return {exponent, fraction};
}

// --- exponentials

// e^x = 2^n · e^r; the power is applied in two halves, so that overflow and denormals come out by themselves.
NodeId WideApproximations::exp(const Pair& x) {
  NodeId vanishes = less(x.high, -746), at = b_.select(vanishes, c(0), x.high);
  at = b_.select(greater(at, 710), c(710), at);
  NodeId shifted = b_.fma(at, c(kWideLog2E), c(kWideShift));
  NodeId n = b_.subtract(bits(shifted), integer(kWideShiftBits)), whole = b_.subtract(shifted, c(kWideShift));
  NodeId r = b_.fma(whole, c(-kWideLn2Rest), b_.fma(whole, c(-kWideLn2), at));
  if (x.low.valid()) r = b_.add(r, x.low);
  NodeId p = polynomial(r, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                            1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800});
  NodeId value = b_.add(c(1), b_.fma(b_.multiply(r, r), p, r));
  NodeId half = b_.binary(NodeOp::ShiftRightArithmetic, n, integer(1));
  value = b_.multiply(b_.multiply(value, powerOfTwo(half)), powerOfTwo(b_.subtract(n, half)));
  return b_.select(vanishes, c(0), value);
}

// 2^n · (e^r - 1) + (2^n - 1), n = 0 up to 1/2, where the terms would cancel; on half the scale, so that 2^1024
// does not overflow.
NodeId WideApproximations::expm1(NodeId x) {
  NodeId at = b_.select(less(x, -40), c(-40), x);
  at = b_.select(greater(at, 710), c(710), at);
  NodeId shifted = b_.select(less(abs(x), 0.5), c(kWideShift), b_.fma(at, c(kWideLog2E), c(kWideShift)));
  NodeId n = b_.subtract(bits(shifted), integer(kWideShiftBits)), whole = b_.subtract(shifted, c(kWideShift));
  NodeId near = b_.fma(whole, c(-kWideLn2), at), r = b_.fma(whole, c(-kWideLn2Rest), near);
  NodeId lost = b_.fma(whole, c(-kWideLn2Rest), b_.subtract(near, r));
  NodeId p = polynomial(r, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                            1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200,
                            1.0 / 1307674368000, 1.0 / 20922789888000});
  NodeId q = b_.add(r, b_.fma(b_.multiply(r, r), p, lost));
  NodeId scale = powerOfTwo(b_.subtract(n, integer(1)));
  NodeId value = b_.fma(scale, q, b_.subtract(scale, c(0.5)));
  value = b_.add(value, value);
  return b_.select(less(abs(x), 0x1p-54), x, value);
}

// --- logarithms

// ln(2^exponent · (1 + excess)) with excess exact but for `lost`, about what fdlibm does.
NodeId WideApproximations::logOf(const Split& x, NodeId f, NodeId lost) {
  NodeId s = b_.divide(f, b_.add(c(2), f)), z = b_.multiply(s, s);
  NodeId r = b_.multiply(z, polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
                                           2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01,
                                           1.479819860511658591e-01}));
  NodeId half = b_.multiply(b_.multiply(c(0.5), f), f);
  constexpr double kHigh = 6.93147180369123816490e-01, kLow = 1.90821492927058770002e-10;  // ln 2
  NodeId low = b_.fma(x.exponent, c(kLow), lost);
  NodeId rest = b_.fma(s, b_.add(half, r), low);
  return b_.subtract(b_.multiply(x.exponent, c(kHigh)), b_.subtract(b_.subtract(half, rest), f));
}

NodeId WideApproximations::log(NodeId x) {
  const Split parts = split(x);
  NodeId value = logOf(parts, b_.subtract(parts.fraction, c(1)), c(0));
  value = b_.select(equals(x, 0), c(-kWideInf), b_.select(less(x, 0), c(kWideNan), value));
  return b_.select(less(x, kWideInf), value, x);  // infinity, and what is no number
}

// Of 1 + x as it is rounded, and the rest; near 0 of x itself.
NodeId WideApproximations::log1p(const Pair& sum) {
  NodeId x = sum.high, u = b_.add(c(1), x);
  const Split parts = split(u);
  NodeId isNear = b_.logicalAnd(greater(x, -0.2928), less(x, 0.4142));
  // What is subtracted in each is exact: Sterbenz's lemma.
  NodeId lost = b_.select(less(x, 1), b_.subtract(x, b_.subtract(u, c(1))), b_.subtract(c(1), b_.subtract(u, x)));
  lost = b_.select(isNear, c(0), lost);
  if (sum.low.valid()) lost = b_.add(lost, sum.low);
  lost = b_.divide(lost, u);
  NodeId f = b_.select(isNear, x, b_.subtract(parts.fraction, c(1)));
  NodeId value = logOf({b_.select(isNear, c(0), parts.exponent), {}}, f, lost);
  value = b_.select(equals(x, -1), c(-kWideInf), b_.select(less(x, -1), c(kWideNan), value));
  value = b_.select(less(abs(x), 0x1p-54), x, value);
  return b_.select(less(x, kWideInf), value, x);
}

// ln x of a positive number to about 2^-66: with s = f / (2 + f), 2s · (1 + s²/3 + s⁴·P), the first two terms
// as sums of two numbers.
WideApproximations::Pair WideApproximations::logPair(NodeId x) {
  const Split parts = split(x);
  NodeId f = b_.subtract(parts.fraction, c(1));
  const Pair below = quickSum(c(2), f);
  NodeId s = b_.divide(f, below.high), minusS = negate(s);
  NodeId sRest = b_.divide(b_.fma(minusS, below.low, b_.fma(minusS, below.high, f)), below.high);
  Pair z = product(s, s);
  z.low = b_.fma(b_.add(s, s), sRest, z.low);
  Pair third = product(z.high, c(kWideThird));
  third.low = b_.add(third.low, b_.fma(z.high, c(kWideThirdRest), b_.multiply(z.low, c(kWideThird))));
  NodeId p = polynomial(z.high, {1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21,
                                 1.0 / 23, 1.0 / 25});
  const Pair w = quickSum(third.high, b_.fma(b_.multiply(z.high, z.high), p, third.low));
  NodeId u = b_.add(s, s);
  Pair uw = product(u, w.high);
  uw.low = b_.add(uw.low, b_.fma(u, w.low, b_.multiply(b_.add(sRest, sRest), w.high)));
  Pair m = quickSum(u, uw.high);
  m.low = b_.add(m.low, b_.add(uw.low, b_.add(sRest, sRest)));
  NodeId whole = b_.multiply(parts.exponent, c(kWideLn2High));  // exact, and larger than m unless it is zero
  Pair sum = quickSum(whole, m.high);
  sum.low = b_.add(sum.low, b_.fma(parts.exponent, c(kWideLn2Low), m.low));
  return quickSum(sum.high, sum.low);
}

// |x|^y = e^(y ln|x|), then the cases of IEEE 754's pow.
NodeId WideApproximations::power(NodeId x, NodeId y) {
  NodeId size = abs(x);
  const Pair ln = logPair(size);
  Pair exponent = product(y, ln.high);
  exponent.low = b_.fma(y, ln.low, exponent.low);
  exponent.low = b_.select(less(abs(exponent.high), 800), exponent.low, c(0));
  NodeId value = exp(exponent);
  const auto isOver = [&](NodeId v, double than) { return greater(v, than); };
  // Of 0 and infinity, whose logarithm is none.
  NodeId isGrowing = b_.compare(CompareDirection::Eq, isOver(size, 1), isOver(y, 0));
  NodeId isEnd = b_.binary(NodeOp::Or, equals(size, 0), equals(size, kWideInf));
  value = b_.select(isEnd, b_.select(isGrowing, c(kWideInf), c(0)), value);
  // Of an infinite exponent.
  value = b_.select(equals(abs(y), kWideInf), b_.select(equals(size, 1), c(1), b_.select(isGrowing, c(kWideInf), c(0))),
                    value);
  const auto floorOf = [&](NodeId v) { return b_.unary(NodeOp::Floor, v); };
  NodeId isInteger = b_.compare(CompareDirection::Eq, floorOf(y), y), half = b_.multiply(y, c(0.5));
  NodeId isOdd = b_.logicalAnd(isInteger, b_.compare(CompareDirection::Ne, floorOf(half), half));
  NodeId isNegative = b_.logicalAnd(less(x, 0), greater(x, -kWideInf));
  value = b_.select(b_.logicalAnd(isNegative, b_.unary(NodeOp::Not, isInteger)), c(kWideNan), value);
  NodeId hasSign = b_.compare(CompareDirection::Lt, bits(x), integer(0));
  value = b_.select(b_.logicalAnd(hasSign, isOdd), negate(value), value);
  const auto isNan = [&](NodeId v) { return b_.compare(CompareDirection::Ne, v, v); };
  value = b_.select(b_.binary(NodeOp::Or, isNan(x), isNan(y)), c(kWideNan), value);
  return b_.select(b_.binary(NodeOp::Or, equals(x, 1), equals(y, 0)), c(1), value);
}

// --- hyperbolic functions

NodeId WideApproximations::tanh(NodeId x) {
  NodeId a = abs(x), isSmall = less(a, 1), twice = b_.add(a, a);
  NodeId t = expm1(b_.select(isSmall, negate(twice), twice)), below = b_.add(t, c(2));
  NodeId value = b_.select(isSmall, b_.divide(negate(t), below), b_.subtract(c(1), b_.divide(c(2), below)));
  value = b_.select(greater(a, 22), c(1), value);
  return b_.select(less(a, 0x1p-28), x, withSignOf(value, x));
}

// e^x / 2 of x beyond 1.
NodeId WideApproximations::halfOfExp(NodeId x) {
  const Pair below = quickSum(b_.select(greater(x, 800), c(800), x), c(-kWideLn2High));
  return exp({below.high, b_.subtract(below.low, c(kWideLn2Low))});
}

NodeId WideApproximations::sinh(NodeId x) {
  NodeId a = abs(x), t = expm1(a), ratio = b_.divide(t, b_.add(t, c(1)));
  NodeId small = b_.subtract(b_.add(t, t), b_.multiply(t, ratio));
  NodeId value = b_.multiply(c(0.5), b_.select(less(a, 1), small, b_.add(t, ratio)));
  value = b_.select(greater(a, 22), halfOfExp(a), value);
  return b_.select(less(a, 0x1p-28), x, withSignOf(value, x));
}

NodeId WideApproximations::cosh(NodeId x) {
  NodeId a = abs(x), e = exp({a, {}});
  NodeId near = b_.add(b_.multiply(c(0.5), e), b_.divide(c(0.5), e));
  return b_.select(greater(a, 22), halfOfExp(a), near);
}

// --- circular functions

// x - n · pi/2: exact but for the third part of pi/2.
WideApproximations::Quadrant WideApproximations::reduceNear(NodeId x) {
  NodeId shifted = b_.fma(x, c(0x1.45f306dc9c883p-1), c(kWideShift));
  NodeId n = b_.subtract(shifted, c(kWideShift)), minus = negate(n);
  NodeId first = b_.fma(minus, c(kWideHalfPi1), x);
  const Pair second = product(n, c(kWideHalfPi2));
  NodeId high = b_.subtract(first, second.high);
  NodeId low = b_.subtract(b_.subtract(first, high), second.high);
  low = b_.fma(minus, c(kWideHalfPi3), b_.subtract(low, second.low));
  return {quickSum(high, low), b_.logicalAnd(bits(shifted), integer(3))};
}

// Of x = m · 2^e, 2^48 and beyond: the bits of 2/pi whose product with m · 2^e is no multiple of four are
// multiplied by m, modulo 2^192 (Payne and Hanek). The top two bits are the quadrant, the rest its fraction.
WideApproximations::Quadrant WideApproximations::reduceFar(NodeId x) {
  // 2/pi behind a word of zeros.
  static constexpr std::array<uint64_t, 21> kTwoOverPi = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
      0xf0cfbc209af4361d};
  const auto u64 = [&](NodeId v) { return b_.convert(ElementType::U64, v); };
  const auto shiftRight = [&](NodeId v, NodeId by) { return b_.binary(NodeOp::ShiftRightLogical, v, by); };
  const auto shiftLeft = [&](NodeId v, NodeId by) { return b_.binary(NodeOp::ShiftLeft, v, by); };
  NodeId whole = b_.bitcastConvert(ElementType::U64, abs(x));
  NodeId m = b_.binary(NodeOp::Or, b_.logicalAnd(whole, word((uint64_t{1} << 52) - 1)), word(uint64_t{1} << 52));
  // e = exponent - 1075; the first bit taken is e - 2 + 64 of the table.
  NodeId start = b_.subtract(shiftRight(whole, word(52)), word(1013));
  NodeId at = shiftRight(start, word(6)), by = b_.logicalAnd(start, word(63));
  const auto tableAt = [&](size_t further) {
    NodeId out = word(kTwoOverPi[further]);
    for (size_t i = 1; i + further < kTwoOverPi.size(); ++i)
      out = b_.select(b_.compare(CompareDirection::Ge, at, word(i)), word(kTwoOverPi[i + further]), out);
    return out;
  };
  std::array<NodeId, 4> table;
  for (size_t i = 0; i < 4; ++i) table[i] = tableAt(i);
  std::array<NodeId, 3> taken;  // 192 bits from `start` on, the highest first
  for (size_t i = 0; i < 3; ++i)
    taken[i] = b_.binary(NodeOp::Or, shiftLeft(table[i], by), shiftRight(table[i + 1], b_.subtract(word(64), by)));
  const auto high = [&](NodeId v) { return b_.binary(NodeOp::MulHi, v, m); };
  NodeId middle = b_.add(b_.multiply(taken[1], m), high(taken[2]));
  NodeId carry = u64(b_.compare(CompareDirection::Lt, middle, high(taken[2])));
  NodeId top = b_.add(b_.add(b_.multiply(taken[0], m), high(taken[1])), carry);
  NodeId fraction = b_.binary(NodeOp::Or, shiftLeft(top, word(2)), shiftRight(middle, word(62)));
  NodeId below = shiftLeft(middle, word(2));
  // Of 64 + 64 bits, as a signed number of quadrants; rounding to the nearest adds its sign to the quadrant.
  NodeId isUpper = shiftRight(fraction, word(63));
  NodeId quadrant = b_.add(shiftRight(top, word(62)), isUpper);
  NodeId upper = b_.convert(
      ElementType::F64, b_.binary(NodeOp::ShiftRightArithmetic, b_.convert(ElementType::S64, fraction), integer(32)));
  NodeId lower = b_.convert(ElementType::F64, b_.logicalAnd(fraction, word(0xffffffff)));
  NodeId tail = b_.multiply(b_.convert(ElementType::F64, below), c(0x1p-128));
  Pair turns = quickSum(b_.multiply(upper, c(0x1p-32)), b_.multiply(lower, c(0x1p-64)));
  turns = quickSum(turns.high, b_.add(turns.low, tail));
  Pair rest = product(turns.high, c(kWideHalfPi1));
  rest.low = b_.add(rest.low, b_.fma(turns.high, c(kWideHalfPi2), b_.multiply(turns.low, c(kWideHalfPi1))));
  rest = quickSum(rest.high, rest.low);
  NodeId isNegative = less(x, 0), number = b_.convert(ElementType::S64, quadrant);
  const auto signedBy = [&](NodeId v, NodeId minus) { return b_.select(isNegative, minus, v); };
  return {{signedBy(rest.high, negate(rest.high)), signedBy(rest.low, negate(rest.low))},
          b_.logicalAnd(signedBy(number, b_.subtract(integer(0), number)), integer(3))};
}

NodeId WideApproximations::sinOf(const Pair& r) {
  NodeId x = r.high, z = b_.multiply(x, x), v = b_.multiply(z, x);
  NodeId p = polynomial(z, {8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                            -2.50507602534068634195e-08, 1.58969099521155010221e-10});
  NodeId inner = b_.subtract(b_.multiply(z, b_.subtract(b_.multiply(c(0.5), r.low), b_.multiply(v, p))), r.low);
  return b_.subtract(x, b_.subtract(inner, b_.multiply(v, c(-1.66666666666666324348e-01))));
}

NodeId WideApproximations::cosOf(const Pair& r) {
  NodeId x = r.high, z = b_.multiply(x, x);
  NodeId p = b_.multiply(
      z, polynomial(z, {4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11}));
  NodeId half = b_.multiply(c(0.5), z), w = b_.subtract(c(1), half);
  NodeId lost = b_.subtract(b_.subtract(c(1), w), half);
  return b_.add(w, b_.add(lost, b_.subtract(b_.multiply(z, p), b_.multiply(x, r.low))));
}

NodeId WideApproximations::circular(NodeOp op, NodeId x) {
  const Quadrant near = reduceNear(x), far = reduceFar(x);
  NodeId isFar = b_.unary(NodeOp::Not, less(abs(x), 0x1p48));
  const auto either = [&](NodeId away, NodeId close) { return b_.select(isFar, away, close); };
  const Pair rest{either(far.rest.high, near.rest.high), either(far.rest.low, near.rest.low)};
  NodeId number = either(far.number, near.number);
  if (op == NodeOp::Cos) number = b_.add(number, integer(1));
  NodeId sine = sinOf(rest), cosine = cosOf(rest);
  NodeId isOdd = b_.compare(CompareDirection::Ne, b_.logicalAnd(number, integer(1)), integer(0));
  NodeId value = b_.select(isOdd, cosine, sine);
  if (op == NodeOp::Tan) {
    value = b_.divide(value, b_.select(isOdd, negate(sine), cosine));
  } else {
    NodeId isLower = b_.compare(CompareDirection::Ne, b_.logicalAnd(number, integer(2)), integer(0));
    value = b_.select(isLower, negate(value), value);
  }
  if (op != NodeOp::Cos) value = b_.select(less(abs(x), 0x1p-28), x, value);
  return b_.select(less(abs(x), kWideInf), value, c(kWideNan));
}

}  // namespace tessera
