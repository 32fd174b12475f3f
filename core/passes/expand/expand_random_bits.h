// Expands rng-bit-generator into integer arithmetic: Threefry or Philox of each element's own index, so
// that random bits are made by lanes on all cores and fuse with what reads them (as XLA expands it, too). Stands before
// calls are inlined; `evaluate` of the operation stays the definition.
#pragma once

#include "core/hlo/module.h"

namespace tessera {

Result<bool> expandRandomBits(Module& module);

}  // namespace tessera
