// Computations that need no building: reducers (add, maximum …) of reductions, scatters and collectives, comparators
// of sorts and of select-and-scatter. Used by the field of an attribute that names a computation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace tessera {

// Names of the predefined computations that fit an attribute of an instruction, the likeliest first.
std::vector<std::string> readyComputations(const Module& module, const Instruction& instruction, Attr name);

// The edit that makes a ready computation, or shares it where it is there, and names it at the attribute; nullopt: the
// word is none.
std::optional<Edit> choosingReady(const Module& module, InstructionId id, Attr name, const std::string& word);

}  // namespace tessera
