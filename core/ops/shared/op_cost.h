// What OpDef::cost functions are made of: XLA's cost analysis counts flops, transcendentals and bytes of an instruction
// from its shapes and from the cost of the computations that it calls. Read by op files; core/cost runs them.
#pragma once

#include <functional>

#include "core/ops/op.h"

namespace tessera {

struct CostContext {
  const Module& module;
  const Instruction& instruction;
  std::function<Cost(ComputationId)> computation;  // of one run

  const Shape& shape() const { return *instruction.shape; }
  const Shape& operand(size_t i) const;  // an empty tuple where there is none
  Cost callee(size_t i) const;           // in attribute order; nothing where there is none
};

// Of a tuple those of its first element: what an op with several results does for each.
double elementsOf(const Shape& shape);
// Packed if the layout is (s4 with E(4)). A tuple is its leaves.
double bytesOf(const Shape& shape);
double operandBytes(const CostContext& context);
// Elements under the `window` attribute.
double windowElements(const CostContext& context);

// Every operand is read and the result written once.
Cost usualCost(const CostContext& context, double flops = 0, double transcendentals = 0);
// The same, with a called computation applied so many times.
Cost appliedCost(const CostContext& context, size_t callee, double times);
// For OpDef::cost as they are.
Cost noCost(const CostContext& context);                    // nothing runs
Cost flopPerElement(const CostContext& context);            // of the result
Cost transcendentalPerElement(const CostContext& context);  // of the result
// That of a scalar function: a row of core/element/scalar_functions.inc has a price.
constexpr auto costPerElement(bool transcendental) {
  return transcendental ? transcendentalPerElement : flopPerElement;
}
Cost costOfCallees(const CostContext& context);  // each runs once
// Twice the result, and an operand of places: what a part of an array is taken with.
Cost costOfPart(const CostContext& context);

void addWork(Cost& sum, const Cost& more, double times);

}  // namespace tessera
