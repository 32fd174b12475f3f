// The parts of a training step, told by what depends on what; no names are read. Used by the outline of a
// computation without op_name.
#pragma once

#include <cstdint>
#include <vector>

#include "core/arrange/scope_turns.h"
#include "core/hlo/module.h"

namespace tessera {

enum class TrainingPart : uint8_t { None, Forward, Backward, Update };

// By instruction (its place in the computation); None for what does not count (content[i] false). Empty: it is no
// training step. positions: by InstructionId value, the place in its computation. No part is read by an earlier one:
// Forward, Backward, Update.
// - A gradient is, or is added to, an output with the shape of a matrix or filter that is a parameter.
// - Forward: the arrays that every gradient depends on, and what depends on nothing else.
// - Update: elementwise steps from gradients and parameters to the outputs, which nothing else reads.
// - Backward: the rest. A product in it sums over another dimension of a parameter than a product in Forward does.
std::vector<TrainingPart> trainingParts(const Module& module, const Computation& computation, const UserTable& users,
                                        const std::vector<int32_t>& positions, const OperandPlaces& operands,
                                        const std::vector<bool>& content);

}  // namespace tessera
