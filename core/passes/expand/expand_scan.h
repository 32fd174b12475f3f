// Scan expansion: a scan becomes a while loop over its steps that slices the inputs, calls the computation and writes
// the outputs in place, so that it is compiled like any other loop.
#pragma once

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera {

Result<bool> expandScans(Module& module);

}  // namespace tessera
