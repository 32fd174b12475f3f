// Why each dimension of a result has its size, one sentence for each: the op's dimension relations in words. Used by
// `tessera explain` and the studio's inspector.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"

namespace tessera {

// "dimension 1 = 5, as in operand 0". Empty for tuples and tokens, and where inference refuses the instruction or gives
// another shape than it has.
std::vector<std::string> dimensionReasons(const Module& module, InstructionId id);

}  // namespace tessera
