// ComplexApproximations: transcendental functions of complex numbers as real nodes on the two parts. The real nodes
// are given to a function of the caller's, which expands them further where it can.
#pragma once

#include <functional>

#include "core/element/element_builder.h"

namespace tessera {

class ComplexApproximations {
 public:
  using UnaryFn = std::function<NodeId(NodeOp, NodeId)>;
  using BinaryFn = std::function<NodeId(NodeOp, NodeId, NodeId)>;
  ComplexApproximations(ElementBuilder& builder, UnaryFn unary, BinaryFn binary)
      : b_(builder), unary_(std::move(unary)), binary_(std::move(binary)) {}

  // Of a complex node by its row in scalar_functions.inc; invalid when that has no form. Abs gives a real node.
  NodeId unary(NodeOp op, NodeId z);

 private:
  struct Parts {
    NodeId re, im;
  };
  Parts of(NodeId z) { return {b_.unary(NodeOp::Real, z), b_.unary(NodeOp::Imag, z)}; }
  NodeId join(Parts z) { return b_.makeComplex(z.re, z.im); }
  NodeId whole(Parts z) { return join(z); }
  NodeId whole(NodeId node) { return node; }
  NodeId like(NodeId x, double value) { return b_.constant(b_.typeOf(x), value); }
  NodeId real(NodeOp op, NodeId x) { return unary_(op, x); }
  NodeId times(NodeId a, NodeId b) { return b_.multiply(a, b); }

  NodeId twice(NodeId x) { return b_.add(x, x); }
  NodeId isNegative(NodeId x);

  NodeId isNearOne(NodeId square);
  Parts reciprocal(Parts z);
  Parts aboveTheCut(Parts z);
  NodeId magnitude(Parts z);
  NodeId sign(NodeId node, Parts z);
  NodeId scaledMagnitude(NodeId a, NodeId c);
  NodeId ratioMagnitude(NodeId a, NodeId c);
  Parts exp(Parts z);
  Parts expm1(Parts z);
  Parts log(Parts z);
  Parts log1p(Parts z);
  Parts logistic(Parts z);
  Parts sqrt(Parts z);
  Parts sine(Parts z);
  Parts cosine(Parts z);
  Parts sinh(Parts z) { return timesMinusI(sine(timesI(z))); }
  Parts cosh(Parts z) { return cosine(timesI(z)); }
  Parts tanh(Parts z);
  Parts asin(Parts z);
  Parts acos(Parts z);
  Parts acosh(Parts z);
  Parts atanh(Parts z);
  Parts divide(Parts a, Parts c) { return of(b_.divide(join(a), join(c))); }
  Parts add(Parts a, Parts c) { return {b_.add(a.re, c.re), b_.add(a.im, c.im)}; }
  Parts multiply(Parts a, Parts c) { return of(b_.multiply(join(a), join(c))); }
  Parts one(Parts z) { return {like(z.re, 1), like(z.re, 0)}; }
  Parts onePlus(Parts z) { return {b_.add(z.re, like(z.re, 1)), z.im}; }
  Parts oneMinus(Parts z) { return {b_.subtract(like(z.re, 1), z.re), b_.unary(NodeOp::Negate, z.im)}; }
  Parts timesI(Parts z) { return {b_.unary(NodeOp::Negate, z.im), z.re}; }       // i · z
  Parts timesMinusI(Parts z) { return {z.im, b_.unary(NodeOp::Negate, z.re)}; }  // -i · z

  ElementBuilder& b_;
  UnaryFn unary_;
  BinaryFn binary_;
};

}  // namespace tessera
