// The counting loop of the palette: a while with its condition and body, ready to be entered and changed.
#pragma once

#include <span>

#include "core/edit/palette/palette.h"

namespace tessera {

// Repeats a body while a counter is below a limit. Sources are carried through and can be changed in the body; the
// result is the first of them, or the counter. The while's state is (counter, sources …).
Edit placingCountingLoop(const Module& module, ComputationId computation, std::span<const InstructionId> sources,
                         const std::string& limit);

}  // namespace tessera
