// Bitcasts between layouts that are not row-major. This backend keeps every array dense and row-major, so such a
// bitcast moves elements: it becomes a fusion of its own. Runs after core/passes, before buffer assignment.
#pragma once

#include "core/base/result.h"
#include "core/hlo/module.h"

namespace tessera::cpu {

// The module stays scheduled and its copies sufficient.
Status detachBitcasts(Module& module);

}  // namespace tessera::cpu
