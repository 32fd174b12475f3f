// Where a kernel begins to read its operands: constant parts of its indices, which slices leave, become an offset of
// the pointer that it is given. The steps of an unrolled loop, which differ in nothing else, are then one kernel. Used
// by plan_builder.
#pragma once

#include <cstdint>
#include <vector>

#include "core/element/element_program.h"

namespace tessera::cpu {

// Takes the constants out of `program`, whose nodes keep their numbers; gives bytes by operand, 0 for most.
std::vector<int64_t> takeOperandStarts(LoopProgram& program);

}  // namespace tessera::cpu
