// Mixed float precision. HLO compares shapes ignoring the width of floats: operands that must agree may be f32 beside
// bf16, and an instruction may write its result narrower or wider than its op gives it; the written type wins.
// Normalising makes that explicit: operands are converted to the widest type, the op computes in the type it gives, and
// a convert rounds to the written one. It runs before evaluation and code generation, which then see equal types.
#pragma once

#include <optional>

#include "core/hlo/module.h"

namespace tessera {

// False for ops that pass on or reinterpret existing data: there the written type must be the inferred one exactly.
bool mayRoundItsResult(Opcode opcode);

// How a mixed instruction is computed.
struct MixedPrecision {
  std::optional<ElementType> operands;  // the type that its number operands are converted to; absent: they stay
  Shape computed;                       // what the op then gives, without layout
};
// nullopt when the instruction is not mixed (or not valid).
std::optional<MixedPrecision> mixedPrecisionOf(const Module& module, const Instruction& instruction);
bool hasMixedPrecision(const Module& module);

// Ids of existing instructions and their results stay; returns whether something changed.
Result<bool> normalizePrecision(Module& module);

}  // namespace tessera
