// Layout assignment: every inner value gets the row-major layout that kernels and libraries of the CPU need, so
// that copies are needed only where another layout is required: the entry's parameters and result and custom
// calls keep theirs. A copy that only changed the layout disappears; a bitcast that read bytes under another layout
// becomes the transposes and the reshape that it means, which the algebra then folds. Before the algebra, after calls
// are inlined.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> assignLayouts(Module& module);

}  // namespace tessera
