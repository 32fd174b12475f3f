// What a source instruction has become: the instructions of a compiled module that a run executes and that compute it.
// Reads Executable::optimized. Used by `tessera explain` and the studio's panel of compiled code.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// In the order of execution; empty: it was folded, merged or not needed. O(instructions).
std::vector<InstructionId> derivedOf(const Module& optimized, InstructionId source);
// The names of the source instructions that one of them computes.
std::vector<std::string> sourcesOf(const Module& source, const Module& optimized, InstructionId derived);
// Why a pass inserted it: "inserted for %loop: the loop carries the value twice"; empty: no pass did.
std::string insertionText(const Module& optimized, InstructionId derived);

}  // namespace tessera
