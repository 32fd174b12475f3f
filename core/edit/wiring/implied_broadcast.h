// The broadcasts that the builder's rules imply between elementwise operands of unlike shapes.
#pragma once

#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/shape.h"

namespace tessera {

// Every way to lay the dimensions of `from` in order along equal ones of `to`, at most `most` of them; empty: none.
// Equal shapes need no broadcast and give none.
std::vector<std::vector<int64_t>> broadcastPlacements(const Shape& from, const Shape& to, size_t most = 8);

// The way in which the dimensions of `from` are those of `to`, where both are computed of one value: of x and
// reduce(x) those that are left. Sizes alone do not tell where two of them are equal, as in f32[2,4,4]. Empty: unknown.
std::vector<int64_t> derivedPlacement(const Module& module, InstructionId from, InstructionId to);

}  // namespace tessera
