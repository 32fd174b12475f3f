// Which instructions of a module the compiler fuses into one kernel. Used by the studio's grouping by kernels.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// By InstructionId value: "fusion.3 · reduce sum over 1"; "": it becomes a kernel of its own, or none. All "" where
// the module has fusions already, is unfinished or wrong, or cannot be optimised.
std::vector<std::string> kernelsOf(const Module& module, const std::atomic<bool>* cancel = nullptr);

}  // namespace tessera
