// Object split: one relocatable object of LLVM's with several kernels, each in a section of its own, becomes a
// KernelCode a kernel: its section and those that it reaches (constants, jump tables).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/kernels/kernel_code.h"
#include "core/base/result.h"

namespace tessera::cpu {

// In the order of the symbols. Fails on what kernels do not have: unknown relocations, data that is not in the file.
Result<std::vector<KernelCode>> splitObject(std::string_view object, std::span<const std::string> symbols);

}  // namespace tessera::cpu
