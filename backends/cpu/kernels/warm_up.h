// A first compilation by LLVM whose code nobody reads. In a process, the first one touches the pages of LLVM's code and
// fills its tables, which takes as long as a small kernel; begun on another core while passes and plan are at work, it
// takes that from the program's own kernels. Used by KernelLibrary, once a process.
#pragma once

#include <atomic>

#include "backends/cpu/kernels/host_processor.h"

namespace tessera::cpu {

// Ends early where `stop` is set.
void compileWarmUp(const HostProcessor& host, const std::atomic<bool>& stop);

}  // namespace tessera::cpu
