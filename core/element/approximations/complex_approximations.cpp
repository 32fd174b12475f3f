// See complex_approximations.h. Formulas are the textbook ones on real and imaginary parts; hyperbolic functions are
// circular ones of i·z.
#include "core/element/approximations/complex_approximations.h"

#include <limits>

namespace tessera {

#define APPROXIMATION(real, complex) complex
#define TESSERA_UNARY_FUNCTION(name, opcode, takes, price, how, symbol, value, evaluated, approximation, ...) \
  case NodeOp::name: return whole(approximation);

NodeId ComplexApproximations::unary(NodeOp op, NodeId node) {
  constexpr NodeId none;
  const Parts z = of(node);
  switch (op) {
#include "core/element/scalar_functions.inc"
    default: return none;
  }
}

NodeId ComplexApproximations::sign(NodeId node, Parts z) {
  NodeId size = magnitude(z), zero = b_.compare(CompareDirection::Eq, size, like(size, 0));
  return b_.select(zero, node, join({b_.divide(z.re, size), b_.divide(z.im, size)}));
}

// XLA takes an imaginary part of -0 for 0: values on a cut are those from above.
ComplexApproximations::Parts ComplexApproximations::aboveTheCut(Parts z) { return {z.re, b_.add(z.im, like(z.im, 0))}; }

// 1 / z as C99's Annex G has it: zeros with the signs of the conjugate where a part is infinite, (inf, NaN) for zero.
ComplexApproximations::Parts ComplexApproximations::reciprocal(Parts z) {
  const NodeId zero = like(z.re, 0), minusZero = like(z.re, -0.0),
               infinite = like(z.re, std::numeric_limits<double>::infinity());
  const auto equals = [&](NodeId part, NodeId value) {
    return b_.compare(CompareDirection::Eq, b_.unary(NodeOp::Abs, part), value);
  };
  const NodeId vast = b_.binary(NodeOp::Or, equals(z.re, infinite), equals(z.im, infinite));
  const NodeId none = b_.binary(NodeOp::And, equals(z.re, zero), equals(z.im, zero));
  const Parts usual = divide(one(z), z);
  const NodeId pole = b_.select(isNegative(z.re), b_.unary(NodeOp::Negate, infinite), infinite);
  const NodeId usualIm = b_.select(equals(z.im, zero), b_.unary(NodeOp::Negate, z.im), usual.im);
  const NodeId re = b_.select(none, pole, usual.re),
               im = b_.select(none, like(z.re, std::numeric_limits<double>::quiet_NaN()), usualIm);
  return {b_.select(vast, b_.select(isNegative(z.re), minusZero, zero), re),
          b_.select(vast, b_.select(isNegative(z.im), zero, minusZero), im)};
}

// NaN when a part is; else infinite when a part is.
NodeId ComplexApproximations::magnitude(Parts z) {
  NodeId a = b_.unary(NodeOp::Abs, z.re), c = b_.unary(NodeOp::Abs, z.im);
  NodeId size = b_.typeOf(a) == ElementType::F32 ? scaledMagnitude(a, c) : ratioMagnitude(a, c);
  NodeId infinite = like(a, std::numeric_limits<double>::infinity());
  NodeId any = b_.binary(NodeOp::Or, b_.compare(CompareDirection::Eq, a, infinite),
                         b_.compare(CompareDirection::Eq, c, infinite));
  return b_.select(any, b_.add(a, c), size);
}

// Of f32 parts ≥ 0: sqrt((a·2^-e)² + (c·2^-e)²) · 2^e, e the larger part's exponent, kept where 2^e and 2^-e are
// both normal. The bits of positive floats are ordered as they are; a NaN stays one.
NodeId ComplexApproximations::scaledMagnitude(NodeId a, NodeId c) {
  auto bits = [&](uint64_t v) { return b_.constantBits(ElementType::U32, v); };
  NodeId larger = b_.maximum(b_.bitcastConvert(ElementType::U32, a), b_.bitcastConvert(ElementType::U32, c));
  NodeId exponent = b_.logicalAnd(larger, bits(0x7f800000));
  exponent = b_.minimum(b_.maximum(exponent, bits(1u << 23)), bits(253u << 23));
  NodeId down = b_.bitcastConvert(ElementType::F32, b_.subtract(bits(254u << 23), exponent));
  NodeId x = times(a, down), y = times(c, down);
  return times(real(NodeOp::Sqrt, b_.fma(x, x, times(y, y))), b_.bitcastConvert(ElementType::F32, exponent));
}

// max · sqrt(1 + (min / max)²); 0 for 0.
NodeId ComplexApproximations::ratioMagnitude(NodeId a, NodeId c) {
  NodeId high = b_.maximum(a, c), low = b_.minimum(a, c);
  NodeId ratio = b_.divide(low, high);
  NodeId size = times(high, real(NodeOp::Sqrt, b_.fma(ratio, ratio, like(a, 1))));
  return b_.select(b_.compare(CompareDirection::Eq, high, like(a, 0)), high, size);
}

ComplexApproximations::Parts ComplexApproximations::exp(Parts z) {
  NodeId size = real(NodeOp::Exp, z.re);
  NodeId isReal = b_.compare(CompareDirection::Eq, z.im, like(z.im, 0));  // inf · 0 would be NaN
  return {b_.select(isReal, size, times(size, real(NodeOp::Cos, z.im))),
          b_.select(isReal, z.im, times(size, real(NodeOp::Sin, z.im)))};
}

// e^x cos y - 1 = expm1(x) cos y - 2 sin²(y / 2).
ComplexApproximations::Parts ComplexApproximations::expm1(Parts z) {
  NodeId half = real(NodeOp::Sin, times(z.im, like(z.im, 0.5)));
  NodeId re =
      b_.subtract(times(real(NodeOp::Expm1, z.re), real(NodeOp::Cos, z.im)), times(like(half, 2), times(half, half)));
  NodeId isReal = b_.compare(CompareDirection::Eq, z.im, like(z.im, 0));  // inf · 0 would be NaN
  return {b_.select(isReal, real(NodeOp::Expm1, z.re), re),
          b_.select(isReal, z.im, times(real(NodeOp::Exp, z.re), real(NodeOp::Sin, z.im)))};
}

// |z|² - 1 in (-0.5, 3): there the logarithm is small beside the rounding of |z|.
NodeId ComplexApproximations::isNearOne(NodeId square) {
  return b_.compare(CompareDirection::Lt, b_.unary(NodeOp::Abs, b_.subtract(square, like(square, 1.25))),
                    like(square, 1.75));
}

// About |z| = 1 the logarithm of the magnitude is log1p(a² - 1 + c²) / 2 with a the larger part: no digits are lost.
ComplexApproximations::Parts ComplexApproximations::log(Parts z) {
  NodeId re = b_.unary(NodeOp::Abs, z.re), im = b_.unary(NodeOp::Abs, z.im);
  NodeId a = b_.maximum(re, im), c = b_.minimum(re, im), one = like(a, 1);
  NodeId square = b_.fma(b_.subtract(a, one), b_.add(a, one), times(c, c));
  NodeId near = isNearOne(square);
  NodeId size = b_.select(near, times(like(square, 0.5), real(NodeOp::Log1p, square)), real(NodeOp::Log, magnitude(z)));
  return {size, binary_(NodeOp::Atan2, z.im, z.re)};
}

// 1 / (1 + e^-z) = e^z / (1 + e^z), whichever exponential is small; beside the poles (1 + tanh(z / 2)) / 2.
ComplexApproximations::Parts ComplexApproximations::logistic(Parts z) {
  NodeId negative = b_.compare(CompareDirection::Lt, z.re, like(z.re, 0));
  NodeId towards = b_.select(negative, z.re, b_.unary(NodeOp::Negate, z.re));
  NodeId im = b_.select(negative, z.im, b_.unary(NodeOp::Negate, z.im));
  const Parts e = exp({towards, im});
  const Parts above{b_.select(negative, e.re, like(z.re, 1)), b_.select(negative, e.im, like(z.re, 0))};
  const Parts far = divide(above, add(one(z), e));
  NodeId half = like(z.re, 0.5);
  const Parts h = tanh({times(z.re, half), times(z.im, half)});
  NodeId near = b_.compare(CompareDirection::Gt, towards, like(z.re, -1));
  return {b_.select(near, b_.fma(h.re, half, half), far.re), b_.select(near, times(h.im, half), far.im)};
}

// ln|1 + z| = log1p(x (2 + x) + y²) / 2 keeps small z.
ComplexApproximations::Parts ComplexApproximations::log1p(Parts z) {
  NodeId square = b_.fma(z.re, b_.add(z.re, like(z.re, 2)), times(z.im, z.im));
  NodeId small = isNearOne(square);
  NodeId near = times(like(square, 0.5), real(NodeOp::Log1p, square));
  const Parts far = log(onePlus(z));  // keeps the sign of a zero: on which side of the cut z stands
  return {b_.select(small, near, far.re), far.im};
}

// t = sqrt((|x| + |z|) / 2); one part is t, the other y / 2t. An infinite y makes both infinite, but for a NaN.
ComplexApproximations::Parts ComplexApproximations::sqrt(Parts z) {
  NodeId half = like(z.re, 0.5), zero = like(z.re, 0), height = b_.unary(NodeOp::Abs, z.im);
  NodeId t = real(NodeOp::Sqrt, b_.fma(b_.unary(NodeOp::Abs, z.re), half, times(magnitude(z), half)));
  NodeId none = b_.compare(CompareDirection::Eq, t, zero);
  NodeId vast = b_.compare(CompareDirection::Eq, height, like(height, std::numeric_limits<double>::infinity()));
  NodeId other = b_.select(none, zero, b_.select(vast, t, b_.divide(height, b_.add(t, t))));
  NodeId right = b_.compare(CompareDirection::Ge, z.re, zero);
  NodeId re = b_.select(right, t, other), im = b_.select(right, other, t);
  NodeId minus = b_.select(none, z.im, b_.unary(NodeOp::Negate, im));
  return {re, b_.select(isNegative(z.im), minus, im)};
}

ComplexApproximations::Parts ComplexApproximations::sine(Parts z) {
  return {times(real(NodeOp::Sin, z.re), real(NodeOp::Cosh, z.im)),
          times(real(NodeOp::Cos, z.re), real(NodeOp::Sinh, z.im))};
}

ComplexApproximations::Parts ComplexApproximations::cosine(Parts z) {
  NodeId im = times(real(NodeOp::Sin, z.re), real(NodeOp::Sinh, z.im));
  return {times(real(NodeOp::Cos, z.re), real(NodeOp::Cosh, z.im)), b_.unary(NodeOp::Negate, im)};
}

// tanh(x + iy) = (tanh x (1 + tan² y) + i tan y (1 - tanh² x)) / (1 + tanh² x tan² y).
ComplexApproximations::Parts ComplexApproximations::tanh(Parts z) {
  NodeId h = real(NodeOp::Tanh, z.re), cosh = real(NodeOp::Cosh, z.re);
  NodeId s = real(NodeOp::Sin, z.im), c = real(NodeOp::Cos, z.im);
  NodeId sech = b_.divide(like(h, 1), cosh), sech2 = times(sech, sech);
  NodeId below = b_.fma(times(c, c), sech2, times(h, h));  // (sinh² x + cos² y) / cosh² x
  NodeId far = b_.compare(CompareDirection::Eq, b_.unary(NodeOp::Abs, z.re),
                          like(z.re, std::numeric_limits<double>::infinity()));
  NodeId isReal = b_.compare(CompareDirection::Eq, z.im, like(z.im, 0));
  NodeId im = b_.divide(times(times(s, c), sech2), below);
  return {b_.select(far, h, b_.divide(h, below)), b_.select(far, like(z.re, 0), b_.select(isReal, z.im, im))};
}

// Kahan's formulas (Branch Cuts for Complex Elementary Functions, 1987): with p = sqrt(1 + z), m = sqrt(1 - z) nothing
// cancels, and the sign of a zero says from which side a cut is reached.
ComplexApproximations::Parts ComplexApproximations::asin(Parts z) {
  const Parts p = sqrt(onePlus(z)), m = sqrt(oneMinus(z));
  NodeId im = b_.subtract(times(m.re, p.im), times(m.im, p.re));     // Im(conj(m) · p)
  NodeId below = b_.subtract(times(m.re, p.re), times(m.im, p.im));  // Re(m · p)
  return {binary_(NodeOp::Atan2, z.re, below), real(NodeOp::Asinh, im)};
}

ComplexApproximations::Parts ComplexApproximations::acos(Parts z) {
  const Parts p = sqrt(onePlus(z)), m = sqrt(oneMinus(z));
  NodeId im = b_.subtract(times(p.re, m.im), times(p.im, m.re));  // Im(conj(p) · m)
  return {twice(binary_(NodeOp::Atan2, m.re, p.re)), real(NodeOp::Asinh, im)};
}

ComplexApproximations::Parts ComplexApproximations::acosh(Parts z) {
  const Parts p = sqrt(onePlus(z)), m = sqrt({b_.subtract(z.re, like(z.re, 1)), z.im});
  NodeId re = b_.add(times(m.re, p.re), times(m.im, p.im));  // Re(conj(m) · p)
  return {real(NodeOp::Asinh, re), twice(binary_(NodeOp::Atan2, m.im, p.re))};
}

// (log1p(4x / ((1 - x)² + y²)) / 4, atan2(2y, (1 - x)(1 + x) - y²) / 2), with |x| first so that log1p keeps its
// digits.
ComplexApproximations::Parts ComplexApproximations::atanh(Parts z) {
  NodeId one = like(z.re, 1), x = b_.unary(NodeOp::Abs, z.re), square = times(z.im, z.im);
  NodeId away = b_.subtract(one, x);
  NodeId ratio = b_.divide(times(like(x, 4), x), b_.add(times(away, away), square));
  NodeId re = times(like(x, 0.25), real(NodeOp::Log1p, ratio));
  NodeId across = b_.subtract(times(away, b_.add(one, x)), square);
  NodeId im = times(like(x, 0.5), binary_(NodeOp::Atan2, twice(z.im), across));
  return {b_.select(isNegative(z.re), b_.unary(NodeOp::Negate, re), re), im};
}

// Also of -0.
NodeId ComplexApproximations::isNegative(NodeId x) {
  const ElementType bits = b_.typeOf(x) == ElementType::F64 ? ElementType::S64 : ElementType::S32;
  return b_.compare(CompareDirection::Lt, b_.bitcastConvert(bits, x), b_.constant(bits, 0));
}

}  // namespace tessera
