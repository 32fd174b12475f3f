// See wide_approximations.h: angles, inverse hyperbolic functions, cube roots and the error function. Polynomials are
// interpolations at Chebyshev's nodes, computed to 60 digits; none errs by more than 2^-56 of its value.
#include <array>
#include <limits>

#include "core/element/approximations/wide_approximations.h"

namespace tessera {
namespace {

constexpr double kWideInfinity = std::numeric_limits<double>::infinity();
constexpr double kPiHigh = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
constexpr double kLogTwoHigh = 0x1.62e42fefa39efp-1, kLogTwoLow = 0x1.abc9e3b39803fp-56;

// The arc tangents of eighths.
struct Angle {
  double high, low;
};
constexpr std::array<Angle, 9> kAngles = {{{0, 0},
                                           {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                           {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                           {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                           {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                           {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                           {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                           {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                           {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};

}  // namespace

// --- angles

// Of 0 <= t <= 1: with the nearest eighth e, atan e + atan r, r = (t - e) / (1 + t e), |r| <= 1/16.
WideApproximations::Pair WideApproximations::arcTangent(NodeId t) {
  NodeId shifted = b_.fma(t, c(8), c(0x1.8p52)), number = b_.subtract(bits(shifted), integer(0x4338000000000000));
  NodeId eighth = b_.multiply(b_.subtract(shifted, c(0x1.8p52)), c(0.125));
  NodeId r = b_.divide(b_.subtract(t, eighth), b_.fma(t, eighth, c(1)));
  NodeId z = b_.multiply(r, r);
  NodeId p = polynomial(z, {-0x1.5555555555555p-2, 0x1.9999999999999p-3, -0x1.24924924921dcp-3, 0x1.c71c71c552d42p-4,
                            -0x1.745d12c7d5643p-4, 0x1.3b0de4df15c2ep-4, -0x1.0d59a3904b387p-4});
  NodeId high = c(0), low = c(0);
  for (size_t e = 1; e < kAngles.size(); ++e) {
    NodeId is = b_.compare(CompareDirection::Eq, number, integer(static_cast<int64_t>(e)));
    high = b_.select(is, c(kAngles[e].high), high);
    low = b_.select(is, c(kAngles[e].low), low);
  }
  const Pair sum = quickSum(high, r);  // r is 0 or smaller than its eighth's angle, or the angle is 0
  NodeId rest = b_.add(b_.fma(b_.multiply(r, z), p, low), sum.low);
  NodeId isFirst = equals(high, 0);
  return {b_.select(isFirst, r, sum.high), b_.select(isFirst, b_.multiply(b_.multiply(r, z), p), rest)};
}

// The smaller size over the larger one, then by octants as C's atan2.
NodeId WideApproximations::atan2(NodeId y, NodeId x) {
  NodeId ySize = abs(y), xSize = abs(x);
  NodeId isSteep = b_.compare(CompareDirection::Gt, ySize, xSize);
  NodeId small = b_.select(isSteep, xSize, ySize), large = b_.select(isSteep, ySize, xSize);
  NodeId isEven =
      b_.binary(NodeOp::Or, equals(large, 0), equals(small, kWideInfinity));  // 0 of 0, infinity of infinity
  NodeId ratio = b_.select(isEven, b_.select(equals(large, 0), c(0), c(1)), b_.divide(small, large));
  const Pair angle = arcTangent(ratio);
  NodeId isLeft = b_.compare(CompareDirection::Lt, bits(x), integer(0));
  const auto from = [&](double whole, double rest, const Pair& a) {
    const Pair sum = quickSum(c(whole), negate(a.high));
    return Pair{sum.high, b_.add(sum.low, b_.subtract(c(rest), a.low))};
  };
  const auto either = [&](NodeId condition, const Pair& yes, const Pair& no) {
    return Pair{b_.select(condition, yes.high, no.high), b_.select(condition, yes.low, no.low)};
  };
  const Pair octant = either(isSteep, from(kPiHigh / 2, kPiLow / 2, angle), angle);
  const Pair side = either(isLeft, from(kPiHigh, kPiLow, octant), octant);
  NodeId value = withSignOf(b_.add(side.high, side.low), y);
  NodeId isNone = b_.binary(NodeOp::Or, b_.compare(CompareDirection::Ne, x, x), b_.compare(CompareDirection::Ne, y, y));
  return b_.select(isNone, b_.add(x, y), value);
}

// The other side of a right-angled triangle with hypotenuse 1; beyond it none.
NodeId WideApproximations::otherSide(NodeId x) { return b_.unary(NodeOp::Sqrt, b_.fma(negate(x), x, c(1))); }
NodeId WideApproximations::asin(NodeId x) { return b_.select(less(abs(x), 0x1p-27), x, atan2(x, otherSide(x))); }
NodeId WideApproximations::acos(NodeId x) { return atan2(otherSide(x), x); }

// --- inverse hyperbolic functions, by ln(1 + v) of a v that is a sum of two

// v = a + a² / (1 + sqrt(1 + a²)); of large a, ln 2a.
NodeId WideApproximations::asinh(NodeId x) {
  NodeId a = abs(x), isLarge = greater(a, 0x1p28), at = b_.select(isLarge, c(1), a);
  const Pair square = product(at, at);
  NodeId root = b_.unary(NodeOp::Sqrt, b_.add(c(1), square.high));
  const Pair v = quickSum(at, b_.divide(b_.add(square.high, square.low), b_.add(c(1), root)));
  NodeId whole = b_.add(b_.add(log(a), c(kLogTwoHigh)), c(kLogTwoLow));
  NodeId value = withSignOf(b_.select(isLarge, whole, log1p(v)), x);
  return b_.select(less(a, 0x1p-28), x, b_.select(less(a, kWideInfinity), value, x));
}

// v = t + sqrt(t² + 2t) with t = x - 1; of large x, ln 2x. None below 1: beyond -1 the sum would cancel to a number.
NodeId WideApproximations::acosh(NodeId x) {
  NodeId isLarge = greater(x, 0x1p28), t = b_.subtract(b_.select(isLarge, c(1), x), c(1));
  const Pair square = product(t, t);
  NodeId twice = b_.add(t, t), isWide = b_.compare(CompareDirection::Gt, square.high, twice);
  Pair under = quickSum(b_.select(isWide, square.high, twice), b_.select(isWide, twice, square.high));
  under.low = b_.add(under.low, square.low);
  NodeId root = b_.unary(NodeOp::Sqrt, under.high);
  NodeId rest = b_.divide(b_.add(b_.fma(negate(root), root, under.high), under.low), b_.add(root, root));
  rest = b_.select(equals(root, 0), c(0), rest);
  Pair v = quickSum(root, t);  // the root is the larger one
  v.low = b_.add(v.low, rest);
  NodeId whole = b_.add(b_.add(log(x), c(kLogTwoHigh)), c(kLogTwoLow));
  NodeId value = b_.select(isLarge, whole, log1p(v));
  return b_.select(less(x, 1), c(std::numeric_limits<double>::quiet_NaN()), value);
}

// ln(1 + v) / 2 with v = 2a / (1 - a).
NodeId WideApproximations::atanh(NodeId x) {
  NodeId a = abs(x), isEnd = b_.unary(NodeOp::Not, less(a, 1)), at = b_.select(isEnd, c(0), a);
  NodeId below = b_.subtract(c(1), at), lost = b_.subtract(b_.subtract(c(1), below), at);
  NodeId twice = b_.add(at, at), v = b_.divide(twice, below);
  NodeId rest = b_.divide(b_.fma(negate(v), lost, b_.fma(negate(v), below, twice)), below);
  NodeId value = withSignOf(b_.multiply(c(0.5), log1p({v, rest})), x);
  // 1 gives infinity, what is beyond gives none.
  value = b_.select(equals(a, 1), withSignOf(c(kWideInfinity), x), value);
  value = b_.select(greater(a, 1), c(std::numeric_limits<double>::quiet_NaN()), value);
  NodeId isNone = b_.compare(CompareDirection::Ne, x, x);
  return b_.select(b_.binary(NodeOp::Or, isNone, less(a, 0x1p-28)), x, value);
}

// --- cube roots

// |x| = 2^3q · m, 1 <= m < 8: a polynomial, two steps of Halley, one of Newton with what y³ lacks to a few bits.
NodeId WideApproximations::cbrt(NodeId x) {
  NodeId a = abs(x), isTiny = less(a, 0x1p-1022), whole = bits(b_.select(isTiny, b_.multiply(a, c(0x1p54)), a));
  NodeId exponent = b_.subtract(b_.binary(NodeOp::ShiftRightLogical, whole, integer(52)), integer(1023));
  NodeId above = b_.add(exponent, integer(3 * 400));  // never negative
  NodeId q = b_.subtract(b_.divide(above, integer(3)), integer(400)), rest = b_.remainder(above, integer(3));
  NodeId fraction = b_.binary(NodeOp::Or, b_.logicalAnd(whole, integer((int64_t{1} << 52) - 1)),
                              b_.binary(NodeOp::ShiftLeft, b_.add(rest, integer(1023)), integer(52)));
  NodeId m = fromBits(fraction);
  NodeId y = polynomial(m, {0x1.3784c81b01b17p-1, 0x1.f48b3890d403cp-2, -0x1.cb3e73ee2713fp-4, 0x1.2b08ff2518449p-6,
                            -0x1.a29d4b8e82abep-10, 0x1.da65ac9237f24p-15});
  for (int step = 0; step < 2; ++step) {
    NodeId cube = b_.multiply(b_.multiply(y, y), y);
    y = b_.multiply(y, b_.divide(b_.fma(c(2), m, cube), b_.fma(c(2), cube, m)));
  }
  const Pair square = product(y, y), cube = product(square.high, y);
  NodeId lacks = b_.subtract(b_.subtract(m, cube.high), b_.fma(square.low, y, cube.low));
  y = b_.add(y, b_.divide(lacks, b_.multiply(c(3), square.high)));
  NodeId value = b_.multiply(y, powerOfTwo(b_.subtract(q, b_.select(isTiny, integer(18), integer(0)))));
  NodeId isPlain = b_.logicalAnd(greater(a, 0), less(a, kWideInfinity));
  return b_.select(isPlain, withSignOf(value, x), x);
}

// --- the error function: x · P(x²) up to 1, then 1 - erfc by polynomials around the middles of pieces

NodeId WideApproximations::erf(NodeId x) {
  NodeId a = abs(x), z = b_.multiply(x, x);
  NodeId near = b_.multiply(
      x, polynomial(z, {0x1.20dd750429b6dp+0, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4, -0x1.b82ce31284e00p-6,
                        0x1.565bcd0dbaa38p-8, -0x1.c02db3dac435fp-11, 0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17,
                        0x1.b9df224ca4b97p-20, -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30,
                        0x1.05ffd737fb32ep-34}));
  const auto around = [&](double middle, std::initializer_list<double> p) {
    return polynomial(b_.subtract(a, c(middle)), p);
  };
  NodeId first =
      around(1.375, {0x1.a8973c4b5c03ep-5, -0x1.5ce595c455b0ap-3, 0x1.dfbbadedf5d2dp-3, -0x1.4374d82e04c67p-3,
                     0x1.f3b8d52d35e30p-6, 0x1.f572c4c8c7a0cp-6, -0x1.6b16f52c7c452p-6, 0x1.73ffa9b8a2447p-10,
                     0x1.1740475b5fd21p-8, -0x1.9da3d49a6cf85p-10, -0x1.534f867928bfcp-12, 0x1.6392e2969de38p-12,
                     -0x1.e11f6997ccbabp-16, -0x1.5e44d7f3ccc7cp-15, 0x1.910662e198d62p-17, 0x1.8f8955e8463dfp-19,
                     -0x1.df0082ec6d451p-20, -0x1.2fd8b261952e4p-25});
  NodeId second =
      around(2.25, {0x1.7f713f9cc9786p-10, -0x1.d4143a9dfe965p-8, 0x1.074b60f8df2fep-6, -0x1.63ef61e824457p-6,
                    0x1.38a983278b002p-6, -0x1.5d3b17bbde50fp-7, 0x1.7cae0d4330859p-9, 0x1.5f8313b03dbbdp-11,
                    -0x1.0602e2d3f5a9fp-10, 0x1.8352ce1b36d6bp-12, 0x1.80bed6766241ep-17, -0x1.11324f0e97461p-14,
                    0x1.7cad65614b805p-16, 0x1.65e8adad241d3p-20, -0x1.cc0f43270f09dp-19, 0x1.cba795049439bp-21,
                    0x1.75d854f6422d0p-23, -0x1.0e8feb9969fd1p-23});
  NodeId third =
      around(3.375, {0x1.e749309830d31p-20, -0x1.abe09e9144976p-17, 0x1.690585ca996c0p-15, -0x1.84522fe88789cp-14,
                     0x1.298f8d4577f25p-13, -0x1.577577878c979p-13, 0x1.330aab84a8ca2p-13, -0x1.ac99980853972p-14,
                     0x1.cc157622674efp-15, -0x1.64c527d76d9aep-16, 0x1.34f0c4e8872d2p-18, 0x1.5f8a758836735p-21,
                     -0x1.1e2719e1052cdp-20, 0x1.ef5b647b3539ap-22, -0x1.5dbcb6fcb4472p-24, -0x1.6803dbb41ec4cp-26,
                     0x1.30f77c5d8c590p-26, -0x1.166da83682c7dp-28});
  NodeId fourth =
      around(5, {0x1.b0c1afd6f0138p-40, -0x1.13af4f2ce071ep-36, 0x1.589b08415a15dp-34, -0x1.196d9eb79ef3fp-32,
                 0x1.516da9f8a7ffdp-31, -0x1.3c51e0be78916p-30, 0x1.e232cd4dcbbf3p-30, -0x1.32c6c21829531p-29,
                 0x1.4bd77763fcc3ap-29, -0x1.35089acea9fafp-29, 0x1.f3d0a830a289bp-30, -0x1.61660e6c66061p-30,
                 0x1.b6bda6b6c3d25p-31, -0x1.da82d9202a3d4p-32, 0x1.b7acce037967fp-33, -0x1.6430c23f4f88ap-34,
                 0x1.071ebb0a1b381p-35, -0x1.16328ed86b40cp-37, 0x1.0675c4060df27p-45, 0x1.135df9bb77906p-41});
  NodeId lacks =
      b_.select(less(a, 1.75), first, b_.select(less(a, 2.75), second, b_.select(less(a, 4), third, fourth)));
  lacks = b_.select(less(a, 6), lacks, c(0));
  NodeId value = b_.select(less(a, 1), near, withSignOf(b_.subtract(c(1), lacks), x));
  return b_.select(b_.compare(CompareDirection::Ne, x, x), x, value);
}

}  // namespace tessera
