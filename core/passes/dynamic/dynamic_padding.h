// Dynamic padding: a module with run-time sizes becomes one with static shapes, in which the sizes are numbers that the
// program computes (XLA's dynamic padder does the same). After it no dynamic dimension, set-dimension-size,
// get-dimension-size or dynamic-reshape is left, and the passes behind know nothing of them.
#pragma once

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

// The sizes of dynamic dimensions of the entry's parameters are further parameters, s32 scalars, one for each dynamic
// dimension in order; those of the result's dynamic dimensions follow its leaves in the same way.
Result<bool> padDynamicDimensions(Module& module);

}  // namespace tessera
