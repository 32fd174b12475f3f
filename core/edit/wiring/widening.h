// What a caller hands its computation by one value, one value wider: a loop carries one more element, a branch gets one
// more, a reduction and a sort take one more array along. Then a constant of such a computation can come from outside.
// Used by promoting.cpp; inference follows from what is seeded here.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

struct Widened {
  std::vector<InstructionId> added, seeds;
  std::vector<ComputationId> homes;  // whose instructions are to be put in order
};
// Makes the constant what its computation is given, by callers that are all loops, conditionals, reductions or sorts.
// What read the narrower values reads them as before. Refused, with the reason, before anything is changed.
Result<Widened> widen(Module& module, InstructionId constant, const std::vector<InstructionId>& callers);
// Instructions that run a computation.
std::vector<InstructionId> callersOf(const Module& module, ComputationId body);

}  // namespace tessera
