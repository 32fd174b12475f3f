// The instruction or computation that a user means by a name. Used by every tool that takes the name of an instruction
// to look at.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// "%add.5", "add.5" (the entry's first), "COMPUTATION/add.5", or of the entry what the program calls it: an argument's
// path, "p['h'][0]" (of one array its name, "tokens"), or "output 3". Fails with ErrorKind::Usage, naming what comes
// near.
Result<InstructionId> instructionNamed(const Module& module, std::string_view name);
Result<ComputationId> computationNamed(const Module& module, std::string_view name);

// At most three of `names` that differ from `wanted` by few letters: ", did you mean A, B?", or "".
std::string nearMisses(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace tessera
