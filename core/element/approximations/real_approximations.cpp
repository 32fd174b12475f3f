// See real_approximations.h.
#include "core/element/approximations/real_approximations.h"

#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2E = 1.4426950408889634;
// ln 2 = high + low with a high part of few bits, so that exponent · high is exact in f32.
constexpr double kLn2High = 0.693145751953125, kLn2Low = 1.42860682030941723212e-6;
constexpr double kLn2 = 0.6931471805599453;
// 1.5 · 2²³: a small f32 added to it is rounded to an integer, which is in the low bits of the sum.
constexpr double kShift = 12582912;
constexpr uint32_t kShiftBits = 0x4b400000;
constexpr double kPi = 3.14159265358979323846;
// pi / 2 in three doubles.
constexpr double kHalfPi1 = 0x1.921fb54442d18p+0, kHalfPi2 = 0x1.1a62633145c07p-54, kHalfPi3 = -0x1.f1976b7ed8fbcp-110;

}  // namespace

#define APPROXIMATION(real, complex) real
#define TESSERA_UNARY_FUNCTION(node, opcode, takes, price, how, symbol, value, evaluated, approximation, ...) \
  case NodeOp::node: return approximation;

NodeId RealApproximations::unary(NodeOp op, NodeId x) {
  constexpr NodeId none;
  switch (op) {
#include "core/element/scalar_functions.inc"
    default: return none;
  }
}

#define APPROXIMATION(real, complex) real
#define TESSERA_BINARY_FUNCTION(node, opcode, takes, price, how, symbol, neutral, value, evaluated, approximation, \
                                ...)                                                                               \
  case NodeOp::node: return approximation;

NodeId RealApproximations::binary(NodeOp op, NodeId x, NodeId y) {
  constexpr NodeId none;
  switch (op) {
#include "core/element/scalar_functions.inc"
    default: return none;
  }
}

// Horner, constant term first.
NodeId RealApproximations::polynomial(NodeId x, std::initializer_list<double> coefficients) {
  const double* at = coefficients.end();
  NodeId sum = like(x, *--at);
  while (at != coefficients.begin()) sum = b_.fma(sum, x, like(x, *--at));
  return sum;
}

NodeId RealApproximations::signBit(NodeId x) {
  return b_.compare(CompareDirection::Lt, b_.bitcastConvert(ElementType::S32, x), s32(0));
}

NodeId RealApproximations::withSignOf(NodeId magnitude, NodeId sign) {
  NodeId bits = b_.logicalAnd(b_.bitcastConvert(ElementType::S32, sign), s32(0x80000000));
  NodeId joined = b_.binary(NodeOp::Or, b_.bitcastConvert(ElementType::S32, magnitude), bits);
  return b_.bitcastConvert(ElementType::F32, joined);
}

NodeId RealApproximations::powerOfTwo(NodeId exponent) {
  NodeId biased = b_.add(exponent, s32(127));
  return b_.bitcastConvert(ElementType::F32, b_.binary(NodeOp::ShiftLeft, biased, s32(23)));
}

RealApproximations::Rounded RealApproximations::rounded(NodeId shifted) {
  NodeId number = b_.subtract(b_.bitcastConvert(ElementType::S32, shifted), s32(kShiftBits));
  return {b_.subtract(shifted, like(shifted, kShift)), number};
}

// --- exponentials

RealApproximations::Reduced RealApproximations::reduceExp(NodeId x) {
  auto [n, number] = rounded(b_.fma(x, like(x, kLog2E), like(x, kShift)));
  NodeId rest = b_.fma(n, like(x, -kLn2High), x);
  rest = b_.fma(n, like(x, -kLn2Low), rest);
  return {number, rest};
}

// e^x = 2^n · e^r. The power is applied in two halves, so that overflow and denormals come out by themselves. What
// vanishes (a masked logit, say) is kept away from that product: underflowing is slow.
NodeId RealApproximations::exp(NodeId x) {
  NodeId vanishes = less(x, -104);
  auto [n, r] = reduceExp(atMost(b_.select(vanishes, like(x, 0), x), 89));
  NodeId p = polynomial(r, {0.5, 0.1666657338, 0.04166655011, 0.008363773874, 0.001392692661});
  NodeId value = b_.add(b_.fma(b_.multiply(r, r), p, r), like(x, 1));
  NodeId half = b_.binary(NodeOp::ShiftRightArithmetic, n, s32(1));
  value = b_.multiply(value, powerOfTwo(half));
  return b_.select(vanishes, like(x, 0), b_.multiply(value, powerOfTwo(b_.subtract(n, half))));
}

// 2^n · (e^r - 1) + (2^n - 1), on half the scale so that 2^128 does not overflow.
NodeId RealApproximations::expm1(NodeId x) {
  auto [n, r] = reduceExp(atMost(atLeast(x, -20), 89));
  NodeId p =
      polynomial(r, {0.5000000014, 0.1666666668, 0.04166645681, 0.008333310024, 0.001393454193, 0.0001989198131});
  NodeId q = b_.fma(b_.multiply(r, r), p, r);
  NodeId scale = powerOfTwo(b_.subtract(n, s32(1)));
  NodeId value = b_.fma(scale, q, b_.subtract(scale, like(x, 0.5)));
  value = b_.add(value, value);
  return b_.select(less(abs(x), 0x1p-25), x, value);
}

// With e = e^-|x|: 1 / (1 + e) or e / (1 + e); one Newton step takes the roundings of sum and quotient back.
NodeId RealApproximations::logistic(NodeId x) {
  NodeId e = exp(negate(abs(x))), one = like(x, 1);
  NodeId sum = b_.add(one, e), lost = b_.add(b_.subtract(one, sum), e);
  NodeId above = b_.select(less(x, 0), e, one), inverse = b_.divide(one, sum);
  NodeId q = b_.multiply(above, inverse), minusQ = negate(q);
  NodeId rest = b_.fma(minusQ, lost, b_.fma(minusQ, sum, above));
  return b_.fma(rest, inverse, q);
}

// Odd polynomial about 0, else 1 - 2 / (e^2|x| + 1).
NodeId RealApproximations::tanh(NodeId x) {
  NodeId z = b_.multiply(x, x), one = like(x, 1);
  NodeId p = polynomial(z, {-0.3333333033, 0.1333291537, -0.05387394885, 0.02111095905, -0.00626911972});
  NodeId small = b_.fma(b_.multiply(p, z), x, x);
  NodeId a = b_.minimum(abs(x), like(x, 10));
  NodeId large = b_.subtract(one, b_.divide(like(x, 2), b_.add(exp(b_.add(a, a)), one)));
  NodeId value = b_.select(less(abs(x), 0.6), small, withSignOf(large, x));
  return b_.select(equals(x, 0), x, value);
}

// x · P(x²) about 0, else 1 - 2^-Q(|x|), whose exponent is small: no end of the range to look after. NaN takes the
// former.
NodeId RealApproximations::erf(NodeId x) {
  NodeId a = abs(x), one = like(x, 1);
  NodeId p = polynomial(b_.multiply(x, x),
                        {0.1283791497, -0.3761249299, 0.1128179653, -0.02676556065, 0.004991231234, -0.000597925806});
  NodeId small = b_.fma(x, p, x);
  NodeId t = b_.select(less(a, 4), a, like(x, 4));
  constexpr double k = -kLog2E;
  NodeId e =
      polynomial(t, {k * -0.0003204415313, k * 1.130237616, k * 0.6318145167, k * 0.1100944808, k * -0.0264310176,
                     k * 0.004763575249, k * -0.000597743472, k * 4.617791279e-5, k * -1.643569654e-6});
  auto [n, number] = rounded(b_.add(e, like(x, kShift)));
  NodeId r = b_.subtract(e, n);
  NodeId value = b_.fma(
      r, polynomial(r, {0.6931471806, 0.240226507, 0.055503798, 0.0096181022, 0.00133822638, 0.00015445716}), one);
  NodeId exponent = b_.add(number, s32(127 + 256));  // the sign bit, too
  NodeId negative = b_.bitcastConvert(ElementType::F32, b_.binary(NodeOp::ShiftLeft, exponent, s32(23)));
  NodeId large = b_.fma(value, negative, one);
  return b_.select(b_.compare(CompareDirection::Ge, a, like(x, 0.921875)), withSignOf(large, x), small);
}

// --- logarithms

RealApproximations::Split RealApproximations::split(NodeId x) {
  NodeId tiny = less(x, 0x1p-126);
  NodeId scaled = b_.select(tiny, b_.multiply(x, like(x, 0x1p23)), x);
  NodeId bits = b_.bitcastConvert(ElementType::S32, scaled);
  NodeId power = b_.logicalAnd(b_.subtract(bits, s32(0x3f2aaaab)), s32(0xff800000));
  NodeId exponent = b_.convert(ElementType::F32, b_.binary(NodeOp::ShiftRightArithmetic, power, s32(23)));
  exponent = b_.add(exponent, b_.select(tiny, like(x, -23), like(x, 0)));
  return {exponent, b_.bitcastConvert(ElementType::F32, b_.subtract(bits, power))};
}

NodeId RealApproximations::log1pOfFraction(NodeId f) {
  NodeId q = polynomial(f, {0.3333332017, -0.249999879, 0.2000378032, -0.1667014069, 0.141183099, -0.1234619025,
                            0.1342574901, -0.1212558065});
  return b_.fma(b_.multiply(f, f), b_.fma(q, f, like(f, -0.5)), f);
}

NodeId RealApproximations::log(NodeId x) {
  auto [e, m] = split(x);
  NodeId value = log1pOfFraction(b_.subtract(m, like(x, 1)));
  value = b_.fma(e, like(x, kLn2High), b_.fma(e, like(x, kLn2Low), value));
  value = b_.select(b_.compare(CompareDirection::Lt, x, like(x, kInf)), value, x);  // infinity, NaN
  value = b_.select(less(x, 0), like(x, kNan), value);
  return b_.select(equals(x, 0), like(x, -kInf), value);
}

// With 1 + x = 2^e · m: f = 2^-e · x + (2^-e - 1) keeps the low bits of x. From 2^30 on 1 + x is x.
NodeId RealApproximations::log1p(NodeId x) {
  NodeId one = like(x, 1), u = b_.add(x, one);
  auto [e, m] = split(u);
  NodeId bounded = b_.convert(ElementType::S32, b_.minimum(e, like(x, 60)));
  NodeId scale = powerOfTwo(b_.subtract(s32(0), bounded));
  NodeId near = b_.fma(scale, x, b_.subtract(scale, one));
  NodeId value = log1pOfFraction(b_.select(greater(e, 30), b_.subtract(m, one), near));
  value = b_.fma(e, like(x, kLn2High), b_.fma(e, like(x, kLn2Low), value));
  value = b_.select(b_.compare(CompareDirection::Lt, x, like(x, kInf)), value, x);
  value = b_.select(less(x, -1), like(x, kNan), value);
  value = b_.select(equals(x, -1), like(x, -kInf), value);
  return b_.select(less(abs(x), 0x1p-25), x, value);
}

// --- by way of f64

// e^t with an f64 that never overflows: the caller rounds to f32.
NodeId RealApproximations::exp64(NodeId t) {
  NodeId clamped = b_.minimum(b_.maximum(t, like(t, -700)), like(t, 700));
  NodeId n = b_.unary(NodeOp::RoundNearestEven, b_.multiply(clamped, like(t, kLog2E)));
  NodeId r = b_.fma(n, like(t, -kLn2), clamped);
  NodeId p = polynomial(r, {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320});
  NodeId biased = b_.add(b_.convert(ElementType::S64, n), b_.index(1023));
  NodeId scale = b_.bitcastConvert(ElementType::F64, b_.binary(NodeOp::ShiftLeft, biased, b_.index(52)));
  return b_.multiply(p, scale);
}

// ln m = 2 (s + s³/3 + s⁵/5 + …) with s = (m - 1) / (m + 1), |s| <= 1/5.
NodeId RealApproximations::log64(NodeId x) {
  NodeId bits = b_.bitcastConvert(ElementType::S64, x);
  NodeId shifted = b_.subtract(bits, b_.index(0x3fe5555555555555));
  NodeId e = b_.binary(NodeOp::ShiftRightArithmetic, shifted, b_.index(52));
  NodeId power = b_.binary(NodeOp::ShiftLeft, e, b_.index(52));
  NodeId m = b_.bitcastConvert(ElementType::F64, b_.subtract(bits, power));
  NodeId s = b_.divide(b_.subtract(m, like(x, 1)), b_.add(m, like(x, 1)));
  NodeId p = polynomial(b_.multiply(s, s), {2, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15});
  NodeId value = b_.fma(b_.convert(ElementType::F64, e), like(x, kLn2), b_.multiply(s, p));
  value = b_.select(equals(x, 0), like(x, -kInf), value);
  return b_.select(b_.compare(CompareDirection::Lt, x, like(x, kInf)), value, x);
}

NodeId RealApproximations::log1p64(NodeId x) {
  NodeId series = b_.multiply(x, polynomial(x, {1, -1.0 / 2, 1.0 / 3}));
  return b_.select(less(abs(x), 0x1p-16), series, log64(b_.add(x, like(x, 1))));
}

// The same for |x| >= 2^25, where x = m · 2^e with an integer m of 24 bits: 2^e · 2/pi mod 4 is a window of the bits
// of 2/pi, and m times it, modulo 2^64, has the quadrant in its two upper bits (Payne and Hanek 1983).
RealApproximations::Quadrant RealApproximations::reduceFar(NodeId x) {
  constexpr uint64_t kTwoOverPi[] = {0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561};
  const auto u64 = [&](uint64_t v) { return b_.constantBits(ElementType::U64, v); };
  const auto left = [&](NodeId a, NodeId by) { return b_.binary(NodeOp::ShiftLeft, a, by); };
  const auto right = [&](NodeId a, NodeId by) { return b_.binary(NodeOp::ShiftRightLogical, a, by); };
  NodeId bits = b_.convert(ElementType::U64, b_.bitcastConvert(ElementType::U32, abs(x)));
  NodeId m = b_.binary(NodeOp::Or, b_.logicalAnd(bits, u64(0x7fffff)), u64(0x800000));
  NodeId first = b_.subtract(right(bits, u64(23)), u64(152));  // bit of 2/pi that has the weight 2
  NodeId late = b_.compare(CompareDirection::Ge, first, u64(64));
  NodeId shift = b_.select(late, b_.subtract(first, u64(64)), first), back = b_.subtract(u64(64), shift);
  const auto word = [&](size_t i) { return b_.select(late, u64(kTwoOverPi[i + 1]), u64(kTwoOverPi[i])); };
  const auto window = [&](size_t i) { return b_.binary(NodeOp::Or, left(word(i), shift), right(word(i + 1), back)); };
  NodeId lower = right(b_.multiply(m, right(window(1), u64(32))), u64(32));
  NodeId turns = b_.add(b_.multiply(m, window(0)), lower);
  NodeId quadrant = right(b_.add(turns, u64(uint64_t{1} << 61)), u64(62));
  NodeId signedRest = b_.bitcastConvert(ElementType::S64, b_.subtract(turns, left(quadrant, u64(62))));
  NodeId rest = wide(signedRest), part = wide(b_.bitcastConvert(ElementType::S64, quadrant));
  rest = b_.fma(rest, like(rest, kPi / 2 * 0x1p-62), wide(b_.subtract(x, x)));  // not a number for infinities
  NodeId minus = less(x, 0), opposite = b_.select(equals(part, 0), part, b_.subtract(like(part, 4), part));
  return {b_.select(minus, negate(rest), rest), b_.select(minus, opposite, part)};
}

// x = k · pi/2 + r with three-part pi/2; the quadrant is k mod 4.
NodeId RealApproximations::circular(NodeOp op, NodeId x) {
  NodeId w = wide(x);
  NodeId k = b_.unary(NodeOp::RoundNearestEven, b_.multiply(w, like(w, 2 / kPi)));
  NodeId minusK = negate(k);
  NodeId r = b_.fma(minusK, like(w, kHalfPi1), w);
  r = b_.fma(minusK, like(w, kHalfPi2), r);
  r = b_.fma(minusK, like(w, kHalfPi3), r);
  r = b_.minimum(b_.maximum(r, like(w, -1.5)), like(w, 1.5));
  NodeId quadrant = b_.fma(b_.unary(NodeOp::Floor, b_.multiply(k, like(w, 0.25))), like(w, -4), k);
  const Quadrant far = reduceFar(x);
  NodeId isFar = greater(abs(x), 0x1p40);
  r = b_.select(isFar, far.rest, r);
  quadrant = b_.select(isFar, far.quadrant, quadrant);
  NodeId z = b_.multiply(r, r);
  NodeId sine = b_.multiply(r, polynomial(z, {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800}));
  NodeId cosine = polynomial(z, {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600});
  NodeId odd = b_.binary(NodeOp::Or, equals(quadrant, 1), equals(quadrant, 3));
  NodeId swappedSine = b_.select(odd, cosine, sine), swappedCosine = b_.select(odd, sine, cosine);
  if (op == NodeOp::Tan) {
    NodeId ratio = b_.divide(swappedSine, swappedCosine);
    return b_.select(equals(x, 0), x, narrow(b_.select(odd, negate(ratio), ratio)));
  }
  if (op == NodeOp::Sin) {
    NodeId value = b_.select(greater(quadrant, 1.5), negate(swappedSine), swappedSine);
    return b_.select(equals(x, 0), x, narrow(value));
  }
  NodeId flip = b_.binary(NodeOp::Or, equals(quadrant, 1), equals(quadrant, 2));
  return narrow(b_.select(flip, negate(swappedCosine), swappedCosine));
}

NodeId RealApproximations::cbrt(NodeId x) {
  NodeId t = b_.multiply(log64(wide(abs(x))), b_.constant(ElementType::F64, 1.0 / 3));
  NodeId value = withSignOf(narrow(exp64(t)), x);
  NodeId special = b_.binary(NodeOp::Or, equals(x, 0), b_.unary(NodeOp::Not, b_.unary(NodeOp::IsFinite, x)));
  return b_.select(special, x, value);
}

NodeId RealApproximations::powerOfConstant(NodeId x, double exponent) {
  if (exponent == 0) return like(x, 1);
  if (exponent == 1) return x;
  if (exponent == 2) return b_.multiply(x, x);
  if (exponent == -1) return b_.divide(like(x, 1), x);
  if (exponent == 0.5)  // |-inf| is infinite, -0 gives 0
    return b_.select(equals(x, -kInf), like(x, kInf), sqrt(b_.add(x, like(x, 0))));
  return {};
}

// |x|^y = e^(y ln|x|) in f64, then the cases of IEEE 754's pow.
NodeId RealApproximations::power(NodeId x, NodeId y) {
  const Node& exponent = b_.program().at(y);
  if (exponent.op == NodeOp::Constant) {
    const auto bits = static_cast<uint32_t>(exponent.bits0);
    NodeId simple = powerOfConstant(x, __builtin_bit_cast(float, bits));
    if (simple.valid()) return simple;
  }
  NodeId w = wide(y);
  NodeId value = narrow(exp64(b_.multiply(w, log64(wide(abs(x))))));
  const auto floorOf = [&](NodeId v) { return b_.unary(NodeOp::Floor, v); };
  NodeId isInteger = b_.compare(CompareDirection::Eq, floorOf(y), y);
  NodeId half = b_.multiply(w, like(w, 0.5));
  NodeId isOdd = b_.logicalAnd(isInteger, b_.compare(CompareDirection::Ne, floorOf(half), half));
  NodeId negative = b_.logicalAnd(less(x, 0), greater(x, -kInf));
  value = b_.select(b_.logicalAnd(negative, b_.unary(NodeOp::Not, isInteger)), like(x, kNan), value);
  value = b_.select(b_.logicalAnd(signBit(x), isOdd), negate(value), value);
  NodeId unit = b_.logicalAnd(equals(x, -1), equals(abs(y), kInf));
  value = b_.select(b_.binary(NodeOp::Or, b_.binary(NodeOp::Or, equals(x, 1), equals(y, 0)), unit), like(x, 1), value);
  return value;
}

// atan of min / max in [0, 1], halved about tan(pi / 8), then put into its octant.
NodeId RealApproximations::atan64(NodeId y, NodeId x) {
  NodeId ax = abs(x), ay = abs(y);
  NodeId high = b_.maximum(ax, ay), low = b_.minimum(ax, ay);
  NodeId t = b_.divide(low, high);
  t = b_.select(equals(high, 0), like(t, 0), t);
  t = b_.select(equals(low, kInf), like(t, 1), t);
  NodeId beyond = greater(t, 0.41421356237309503);
  NodeId u = b_.select(beyond, b_.divide(b_.subtract(t, like(t, 1)), b_.add(t, like(t, 1))), t);
  NodeId p = polynomial(b_.multiply(u, u),
                        {0.999999999999243871, -0.33333333276864912, 0.199999930475579266, -0.142853863220165126,
                         0.111034526836485061, -0.0899251365478906189, 0.0697401802761062115, -0.0376518930812832216});
  NodeId a = b_.fma(u, p, b_.select(beyond, like(t, kPi / 4), like(t, 0)));
  a = b_.select(b_.compare(CompareDirection::Gt, ay, ax), b_.subtract(like(t, kPi / 2), a), a);
  NodeId left = b_.compare(CompareDirection::Lt, b_.bitcastConvert(ElementType::S64, x), b_.index(0));
  return b_.select(left, b_.subtract(like(t, kPi), a), a);  // without the sign of y
}

NodeId RealApproximations::atan2(NodeId y, NodeId x) { return withSignOf(narrow(atan64(wide(y), wide(x))), y); }

NodeId RealApproximations::inverseCircular(NodeOp op, NodeId x) {
  NodeId w = wide(x), one = like(w, 1);
  NodeId other = sqrt(b_.multiply(b_.subtract(one, w), b_.add(one, w)));
  if (op == NodeOp::Acos) return narrow(atan64(other, w));
  return withSignOf(narrow(atan64(w, other)), x);
}

NodeId RealApproximations::inverseHyperbolic(NodeOp op, NodeId x) {
  NodeId w = wide(x), one = like(w, 1);
  if (op == NodeOp::Acosh) {  // ln(1 + t + sqrt(2t + t²)), t = x - 1
    NodeId t = b_.subtract(w, one);
    NodeId value = narrow(log1p64(b_.add(t, sqrt(b_.multiply(t, b_.add(t, like(w, 2)))))));
    return b_.select(less(x, 1), like(x, kNan), value);
  }
  NodeId a = abs(w), argument;
  if (op == NodeOp::Asinh) {  // ln(1 + a + a² / (1 + sqrt(1 + a²)))
    NodeId square = b_.multiply(a, a);
    argument = b_.add(a, b_.divide(square, b_.add(one, sqrt(b_.add(one, square)))));
    NodeId value = withSignOf(narrow(log1p64(argument)), x);
    return b_.select(b_.unary(NodeOp::IsFinite, x), value, x);
  }
  argument = b_.divide(b_.add(a, a), b_.subtract(one, a));  // atanh a = ln(1 + 2a / (1 - a)) / 2
  NodeId value = withSignOf(narrow(b_.multiply(log1p64(argument), like(w, 0.5))), x);
  return b_.select(greater(abs(x), 1), like(x, kNan), value);
}

NodeId RealApproximations::hyperbolic(NodeOp op, NodeId x) {
  NodeId w = wide(x), e = exp64(abs(w));
  NodeId inverse = b_.divide(like(w, 1), e), half = like(w, 0.5);
  if (op == NodeOp::Cosh) return narrow(b_.multiply(half, b_.add(e, inverse)));
  NodeId z = b_.multiply(w, w);
  NodeId small = b_.multiply(w, polynomial(z, {1, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880}));
  NodeId large = withSignOf(narrow(b_.multiply(half, b_.subtract(e, inverse))), x);
  return b_.select(less(abs(x), 0.5), narrow(small), large);
}

}  // namespace tessera
