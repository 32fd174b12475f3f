// One value of a module, computed on the CPU by what it needs alone. Used by ValueFetch and WatchedValues.
#pragma once

#include <atomic>

#include "core/base/result.h"
#include "core/formats/run_settings.h"
#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/trust/file_access.h"

namespace tessera {

// What it needs becomes a module of its own, which is compiled and run. module: without what is muted. Of a called
// computation it is the value in its first call. Fails inside what is applied to elements (reducers, comparators), in a
// branch that its first call does not take, and where what it needs is incomplete.
Result<Literal> valueAlone(const Module& module, InstructionId id, const FileAccess& files, const RunSettings& settings,
                           const std::atomic<bool>& cancel);

}  // namespace tessera
