// The key of a compiled kernel: a hash of its program (or tile, or region) and of all else that its code depends on,
// which is this library's and LLVM's builds, the processor, the features that may be used and the tuning constants.
// Used by KernelCache.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "backends/cpu/kernels/kernel_compiler.h"

namespace tessera::cpu {

using KernelKey = std::array<uint8_t, 32>;

// "" when it is not known which build this is; then nothing may be kept.
std::string kernelEnvironment(const HostProcessor& host);
KernelKey kernelKey(const std::string& environment, const KernelSource& source);

}  // namespace tessera::cpu
