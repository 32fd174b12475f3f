// RealApproximations: transcendental functions of f32 as arithmetic nodes. Bounds are measured against long double by
// tests/unit/element/approximations_test.cpp: at most 2 units in the last place over all of f32, denormals included
// (sine, cosine, tangent: |x| <= 2^48; beyond, the value stays within [-1, 1] but carries no information).
// Polynomials interpolate at Chebyshev nodes; where f64 is used, Taylor terms suffice for f32's accuracy.
#pragma once

#include <initializer_list>

#include "core/element/element_builder.h"

namespace tessera {

class RealApproximations {
 public:
  explicit RealApproximations(ElementBuilder& builder) : b_(builder) {}

  // The function of an f32 node by its row in scalar_functions.inc; invalid when that has no approximation.
  NodeId unary(NodeOp op, NodeId x);
  NodeId binary(NodeOp op, NodeId x, NodeId y);

 private:
  // --- f32
  NodeId exp(NodeId x);
  NodeId expm1(NodeId x);
  NodeId log(NodeId x);
  NodeId log1p(NodeId x);
  NodeId tanh(NodeId x);
  NodeId logistic(NodeId x);
  NodeId erf(NodeId x);
  // --- f32 by way of f64
  NodeId circular(NodeOp op, NodeId x);
  NodeId cbrt(NodeId x);
  NodeId power(NodeId x, NodeId y);
  NodeId powerOfConstant(NodeId x, double exponent);
  NodeId atan2(NodeId y, NodeId x);
  NodeId inverseCircular(NodeOp op, NodeId x);
  NodeId inverseHyperbolic(NodeOp op, NodeId x);
  NodeId hyperbolic(NodeOp op, NodeId x);

  // --- parts
  struct Reduced {
    NodeId exponent;  // S32
    NodeId rest;
  };
  // The nearest integer of what was added to kShift, as f32 and as s32, undefined beyond 2²².
  struct Rounded {
    NodeId value, number;
  };
  Rounded rounded(NodeId shifted);
  Reduced reduceExp(NodeId x);  // x = exponent · ln 2 + rest
  struct Quadrant {
    NodeId rest, quadrant;  // f64: x = (4n + quadrant) · pi/2 + rest
  };
  Quadrant reduceFar(NodeId x);
  NodeId powerOfTwo(NodeId exponent);  // f32, -126 <= exponent <= 127
  struct Split {
    NodeId exponent, fraction;  // x = 2^exponent · fraction, fraction in [2/3, 4/3); exponent as a float
  };
  Split split(NodeId x);
  NodeId log1pOfFraction(NodeId f);  // f32, |f| <= 1/3
  NodeId exp64(NodeId t);            // f64, error 1e-8
  NodeId log64(NodeId x);            // f64 for x >= 0 normal; relative error 1e-11 beside x = 1
  NodeId log1p64(NodeId x);
  NodeId atan64(NodeId y, NodeId x);  // f64 atan2
  NodeId polynomial(NodeId x, std::initializer_list<double> coefficients);

  NodeId like(NodeId x, double value) { return b_.constant(b_.typeOf(x), value); }
  NodeId wide(NodeId x) { return b_.convert(ElementType::F64, x); }
  NodeId narrow(NodeId x) { return b_.convert(ElementType::F32, x); }
  NodeId s32(int64_t value) { return b_.constantBits(ElementType::S32, static_cast<uint32_t>(value)); }
  NodeId abs(NodeId x) { return b_.unary(NodeOp::Abs, x); }
  NodeId negate(NodeId x) { return b_.unary(NodeOp::Negate, x); }
  NodeId sqrt(NodeId x) { return b_.unary(NodeOp::Sqrt, x); }
  NodeId less(NodeId a, double c) { return b_.compare(CompareDirection::Lt, a, like(a, c)); }
  // NaN stays; one instruction, where minimum and maximum take three.
  NodeId atMost(NodeId x, double c) { return b_.select(greater(x, c), like(x, c), x); }
  NodeId atLeast(NodeId x, double c) { return b_.select(less(x, c), like(x, c), x); }
  NodeId greater(NodeId a, double c) { return b_.compare(CompareDirection::Gt, a, like(a, c)); }
  NodeId equals(NodeId a, double c) { return b_.compare(CompareDirection::Eq, a, like(a, c)); }
  NodeId signBit(NodeId x);                          // Pred, f32
  NodeId withSignOf(NodeId magnitude, NodeId sign);  // magnitude >= 0

  ElementBuilder& b_;
};

}  // namespace tessera
