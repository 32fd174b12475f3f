// Layout assignment: every value in between gets the row-major layout that kernels and libraries of the CPU want, so
// that no copy is needed but where somebody outside asks for another: the entry's parameters and result and custom
// calls keep theirs. A copy that only changed the layout disappears; a bitcast that read bytes under another layout
// becomes the transposes and the reshape that it means, which the algebra then folds. Before the algebra, after calls
// are inlined.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

Result<bool> assignLayouts(Module& module);

}  // namespace tessera
