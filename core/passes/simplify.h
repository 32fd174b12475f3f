// Simplify: one forward sweep of algebra over every control computation; operands are simple before their users.
// Exact rules only, but for `power(x, 2)`, which becomes a product as in XLA: NaN, infinities and signed zeros stay.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> simplify(Module& module);

}  // namespace tessera
