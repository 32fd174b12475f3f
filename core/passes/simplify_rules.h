// The rules of simplify that are arithmetic. Between simplify.cpp (driver, data movement) and the op tables.
#pragma once

#include "core/passes/rewriter.h"

namespace tessera {

// What may stand for `in`; invalid when nothing simpler is known. May add instructions to the rewriter's module.
InstructionId simplifyArithmetic(Rewriter& rewriter, const Instruction& in);

}  // namespace tessera
