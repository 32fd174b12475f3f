// What instructions that access memory have in common: their ordering and scope, hints to caches, and what a kernel
// remembers of its accesses. Used by memory.cpp, atomics.cpp and copies.cpp.
#pragma once

#include "backends/cuda/simulated/decode/decoder.h"

namespace tessera::cuda::simulated {

// .volatile, .relaxed, .acquire … and a scope; true: other threads may look at it without a barrier.
bool takeOrdering(Decoder& decoder);
void takeCacheHints(Decoder& decoder);
// Of an access that is emitted, with its space and bytes.
void noteAccess(Decoder& decoder, Instruction& instruction, bool isStrong);

}  // namespace tessera::cuda::simulated
