// Flatten axis: programs over arrays whose most minor dimension is shorter than a vector (an image's 6 channels) run
// over the elements in memory order instead: one long axis, of which the old indices are quotients and remainders. What
// is read at the element's own index then is contiguous. Runs before ProgramAnalysis.
#pragma once

#include "core/element/element_program.h"

namespace tessera::codegen {

// The program itself where it would not gain. lanes: of 32-bit elements.
LoopProgram flattenShortAxis(LoopProgram program, unsigned lanes);

}  // namespace tessera::codegen
