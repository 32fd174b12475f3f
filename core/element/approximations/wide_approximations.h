// WideApproximations: transcendental functions of f64 as arithmetic nodes, for generators that have no library to call.
// Within 2 units in the last place (exponential, logarithm, hyperbolic tangent within 1): the sum of a polynomial on a
// reduced argument and a correction; what must be more exact than f64 is kept as a sum of two. Sines are reduced
// exactly for all arguments.
#pragma once

#include <initializer_list>

#include "core/element/element_builder.h"

namespace tessera {

class WideApproximations {
 public:
  explicit WideApproximations(ElementBuilder& builder) : b_(builder) {}

  // Of f64 nodes; invalid where the function has no form here.
  NodeId unary(NodeOp op, NodeId x);
  NodeId binary(NodeOp op, NodeId x, NodeId y);

 private:
  struct Pair {
    NodeId high, low;  // the number is their sum
  };
  struct Split {
    NodeId exponent, fraction;  // x = 2^exponent · fraction, fraction in [sqrt(1/2), sqrt(2)); exponent as f64
  };
  struct Quadrant {
    Pair rest;
    NodeId number;  // s64: x = (4n + number) · pi/2 + rest
  };

  NodeId exp(const Pair& x);
  NodeId expm1(NodeId x);
  NodeId log(NodeId x);
  NodeId log1p(const Pair& x);
  NodeId logOf(const Split& x, NodeId excess, NodeId lost);
  Pair logPair(NodeId x);
  NodeId power(NodeId x, NodeId y);
  NodeId tanh(NodeId x);
  NodeId halfOfExp(NodeId x);
  NodeId sinh(NodeId x);
  NodeId cosh(NodeId x);
  NodeId circular(NodeOp op, NodeId x);
  Quadrant reduceNear(NodeId x);
  Quadrant reduceFar(NodeId x);
  NodeId sinOf(const Pair& r);
  NodeId cosOf(const Pair& r);
  // In wide_inverse.cpp.
  Pair arcTangent(NodeId t);
  NodeId atan2(NodeId y, NodeId x);
  NodeId otherSide(NodeId x);
  NodeId asin(NodeId x);
  NodeId acos(NodeId x);
  NodeId asinh(NodeId x);
  NodeId acosh(NodeId x);
  NodeId atanh(NodeId x);
  NodeId cbrt(NodeId x);
  NodeId erf(NodeId x);

  Split split(NodeId x);
  NodeId powerOfTwo(NodeId exponent);  // s64, -1022 <= exponent <= 1023
  Pair product(NodeId x, NodeId y);
  Pair quickSum(NodeId large, NodeId small);
  NodeId polynomial(NodeId x, std::initializer_list<double> coefficients);
  NodeId c(double value) { return b_.constant(ElementType::F64, value); }
  NodeId bits(NodeId x) { return b_.bitcastConvert(ElementType::S64, x); }
  NodeId fromBits(NodeId x) { return b_.bitcastConvert(ElementType::F64, x); }
  NodeId integer(int64_t value) { return b_.constantBits(ElementType::S64, static_cast<uint64_t>(value)); }
  NodeId word(uint64_t value) { return b_.constantBits(ElementType::U64, value); }
  NodeId less(NodeId a, double value) { return b_.compare(CompareDirection::Lt, a, c(value)); }
  NodeId greater(NodeId a, double value) { return b_.compare(CompareDirection::Gt, a, c(value)); }
  NodeId equals(NodeId a, double value) { return b_.compare(CompareDirection::Eq, a, c(value)); }
  NodeId abs(NodeId x) { return b_.unary(NodeOp::Abs, x); }
  NodeId negate(NodeId x) { return b_.unary(NodeOp::Negate, x); }
  NodeId withSignOf(NodeId magnitude, NodeId sign);

  ElementBuilder& b_;
};

}  // namespace tessera
