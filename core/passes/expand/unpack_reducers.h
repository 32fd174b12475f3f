// A reduction or window reduction whose computation gives a tuple of one value becomes one whose computation gives the
// value, and a tuple around it: no pass after this one, and no backend, meets a reduction with a tuple of one.
#pragma once

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

Result<bool> unpackReducers(Module& module);

}  // namespace tessera
