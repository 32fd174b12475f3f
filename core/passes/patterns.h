// Patterns: small questions about instructions that several passes ask. No state, no change.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// The scalar that every element of a real-valued instruction equals, through broadcast and reshape; nullopt otherwise.
std::optional<double> splatValue(const Module& module, InstructionId id);
// 0, 1, … n-1.
bool isIota(std::span<const int64_t> values);
// The dimensions that are not 1, in order.
std::vector<int64_t> significantDimensions(const Shape& shape);
// A reduce-window of one array that makes running totals: along `dimension` each window holds all elements up to its
// own (reversed: from its own on), along the others just one.
struct PrefixSum {
  size_t dimension = 0;
  bool reversed = false;
};
std::optional<PrefixSum> runningTotal(const Module& module, const Instruction& instruction);
// Result element i depends on element i of every array operand of the same dimensions, and on nothing else; kernels
// can be made of it.
bool isElementwise(Opcode opcode);
// A reshape (or copy) of one row-major dense array to another: the bytes stay where they are.
bool keepsBytes(const Shape& from, const Shape& to);

}  // namespace tessera
