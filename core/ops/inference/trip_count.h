// How often a while's body runs, and the elements of a loop's state. Used by the passes on loops, gradients of loops
// and the overview.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/hlo/module.h"

namespace tessera {

// Index i of get-tuple-element(state, i); nullopt for anything else.
std::optional<size_t> elementOf(const Module& module, InstructionId id, InstructionId state);

// From a counter with a constant start, step and bound, through copies and fusions; nullopt otherwise. `resolve`: the
// replacement of an instruction during a rewrite.
std::optional<int64_t> countedTrips(
    const Module& module, const Instruction& loop,
    const std::function<InstructionId(InstructionId)>& resolve = [](InstructionId id) { return id; });

// What XLA wrote into backend_config (known_trip_count), else countedTrips. For estimates: what a file claims changes
// no program.
std::optional<int64_t> tripCountOf(const Module& module, const Instruction& loop);

}  // namespace tessera
