// A reduction or window reduction whose computation gives a tuple of one value becomes one whose computation gives the
// value, and a tuple around it: no later pass and no backend sees a reduction of a 1-tuple.
#pragma once

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

Result<bool> unpackReducers(Module& module);

}  // namespace tessera
