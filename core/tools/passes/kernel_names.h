// After which instructions the compiler named the kernels that compute an instruction of a compiled module. Used by the
// studio's panel of a dump to find an instruction's code.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// Most likely first, each once: the instruction; the fusions that it is part of; fusions that compute the same as one
// of those from operands of the same shapes, because XLA emits one kernel for equal fusions.
std::vector<std::string> kernelNames(const Module& module, InstructionId instruction);

}  // namespace tessera
