// Instructions that compute the same in another computation: what a pass has put into a fusion, inlined or outlined.
// Used by core/tools/diff/diff.cpp, for what has no partner where it stood.
#pragma once

#include "core/tools/diff/gaps.h"

namespace tessera {

// Of those that are gone and those that are new, pairs of equal values: a call that binds its parameters is what it
// calls, and its parameters are its operands.
InstructionPairs movedInstructions(const LabelledGraph& left, const std::vector<InstructionId>& gone,
                                   const LabelledGraph& right, const std::vector<InstructionId>& added);

}  // namespace tessera
