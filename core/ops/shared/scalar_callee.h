// Checks of called computations over scalars (reducers, comparators, map bodies), and their use in `element`:
// small floats that are only summed or multiplied accumulate in f32.
#pragma once

#include <string_view>
#include <vector>

#include "core/ops/inference/infer_checks.h"
#include "core/ops/op.h"
#include "core/ops/shared/element_context.h"

namespace tessera {

// Result types of a reducer of n values: it must take 2n scalars and give n, of types that fit `types`.
Result<std::vector<ElementType>> reducerTypes(const InferContext& context, std::string_view label,
                                              const std::vector<ElementType>& types);

// Array leaves of a result: the shape itself or the elements of a tuple.
std::vector<Shape> resultLeaves(const Shape& shape);
// One shape, or a tuple of them; with `tuple`, a tuple of one too: what a reducer whose root is one gives.
Shape arrayOrTuple(std::vector<Shape> shapes, bool tuple = false);
Literal literalOrTuple(std::vector<Literal> literals, bool tuple = false);
// Whether the called computation hands out a tuple, be it of one value.
bool givesTuple(const InferContext& context);

NodeId convertTo(ElementBuilder& builder, ElementType type, NodeId value);

// Applies the reducer in a builder loop. For one small-float value under a plain add or multiply the accumulator is
// f32.
class ReducerNodes {
 public:
  using CallFn = ElementContext::CallFn;
  ReducerNodes(const Module& module, const Instruction& instruction, size_t callee, ElementBuilder& builder,
               CallFn call, std::vector<ElementType> types);
  std::vector<NodeId> start(std::span<const NodeId> inits);
  Result<std::vector<NodeId>> apply(std::span<const NodeId> accumulators, std::span<const NodeId> values);
  std::vector<NodeId> finish(std::span<const NodeId> accumulators);

 private:
  ElementBuilder& builder_;
  size_t callee_;
  CallFn call_;
  std::vector<ElementType> types_;
  bool wide_ = false;
  NodeOp wideOp_ = NodeOp::Add;
};

}  // namespace tessera
