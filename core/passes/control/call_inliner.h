// Call inlining: every `call` becomes the instructions of its computation, callees first. Stands at the start: all
// later passes see one flat graph per control computation.
#pragma once

#include "core/passes/pipeline.h"

namespace tessera {

// Fails (ErrorKind::Invalid) when nested calls would multiply into more instructions than a machine can hold.
Result<bool> inlineCalls(Module& module);
// Fusions stay: what is fused takes no memory between its instructions.
Result<bool> inlineCallsAlone(Module& module);

}  // namespace tessera
