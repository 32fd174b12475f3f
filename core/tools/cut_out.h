// Cutting a runnable module out of another: what a value needs, down to a chosen edge, where values become parameters.
// Used by `tessera extract` and `isolate`, reduce.h, and the studio's "extract".
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// A module whose entry computes `root`. An instruction for which isInput is true becomes a parameter, as does each
// parameter; a token becomes after-all(). Names, attributes, metadata and what is called stay. The done half of a pair
// includes its start, regardless of isInput: the transfer between them cannot be an argument.
Result<Module> cutOut(const Module& module, InstructionId root, const std::function<bool(InstructionId)>& isInput);

inline constexpr int64_t kWholeCone = std::numeric_limits<int64_t>::max();
// The instruction and what it needs, at most `height` operands up (0: only itself). Constants at the edge stay
// constants.
Result<Module> extract(const Module& module, InstructionId id, int64_t height = kWholeCone);
// One instruction; each of its operands is a parameter.
Result<Module> isolate(const Module& module, InstructionId id);
// One computation as the entry; it has the parameters that it had.
Result<Module> isolate(const Module& module, ComputationId id);

}  // namespace tessera
