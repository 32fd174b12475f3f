// A stack for chains of calls that are deeper than the thread's own allows: each level of the evaluator's recursion
// takes some of it. Used by evaluate.cpp; HLO has no recursion, so that the depth is known before.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// Runs work() where all levels of calls below the computation have room: here, or on a thread with a stack of its own.
// What it throws is thrown here. Fails when there are too many levels, or no memory for them.
Status withRoomForCalls(const Module& module, ComputationId from, const std::function<void()>& work);

}  // namespace tessera
