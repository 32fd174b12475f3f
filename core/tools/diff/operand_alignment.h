// Matches the operands of two instructions: by position, by what a called computation does with it,
// or, where the order means nothing or operands came and went, by likeness. Used by matcher and
// core/tools/diff/diff.cpp.
#pragma once

#include <functional>
#include <vector>

#include "core/tools/diff/matcher.h"

namespace tessera {

// How much two operands are alike; more than 0: they may be the same.
using Likeness = std::function<int(InstructionId left, InstructionId right)>;

// By position in `a`, the position in `b`; kUnmatched: none. callees: what both call, compared; null: not compared.
std::vector<uint32_t> alignedOperands(const LabelledGraph& left, const Instruction& a, const LabelledGraph& right,
                                      const Instruction& b, const Likeness& likeness,
                                      const ComputationMatch* callees = nullptr);

}  // namespace tessera
