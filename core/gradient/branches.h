// Values of branches: those that select alone reads, itself or through elementwise steps. Where it takes the other
// operand, their cotangent is zero while their derivative need not be finite (the square root at 0, a logarithm of
// what the branch was not made for), and zero times that would be NaN: rules keep such zeros.
#pragma once

#include <unordered_set>
#include <vector>

#include "core/hlo/module.h"

namespace tessera::gradient {

using BranchValues = std::unordered_set<uint32_t>;  // instructions

// Among `order`, the instructions behind `result`, operands first. resultIsOne: the result is a branch's value itself.
BranchValues branchValues(const Module& module, const std::vector<InstructionId>& order, InstructionId result,
                          bool resultIsOne);

}  // namespace tessera::gradient
