// Activity: which arrays of a computation depend on chosen ones through real or complex numbers, so that cotangents of
// the others need not be computed, nor refused.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/hlo/module.h"

namespace tessera::gradient {

bool isDifferentiable(ElementType type);  // floats and complex numbers
// Of each leaf of a shape.
std::vector<bool> differentiableLeaves(const Shape& shape);
// Where the leaves of element `index` of a tuple begin among the tuple's.
size_t firstLeafOfElement(const Shape& tuple, size_t index);

using LeafFlags = std::unordered_map<uint32_t, std::vector<bool>>;  // by instruction; absent: none

// The seeds and all that depends on them among `order`, leaf by leaf. order: instructions of one computation, operands
// first, whose shapes follow from their operands and what they call; others are not looked at.
LeafFlags dependentLeaves(const Module& module, const std::vector<InstructionId>& order, LeafFlags seeds);
// The same of a whole computation.
LeafFlags dependentLeaves(const Module& module, ComputationId computation, LeafFlags seeds);

}  // namespace tessera::gradient
