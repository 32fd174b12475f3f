// Interpreting a program scalar by scalar: slow and plain. Tests compare it with each op's `evaluate`, which shares no
// code with descriptions; dynamic dimensions have the size of their bound.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/element/element_program.h"
#include "core/hlo/literal.h"

namespace tessera {

// One literal per result. Fails on a read out of bounds.
Result<std::vector<Literal>> interpret(const ElementProgram& program, std::span<const Literal> operands);
// One literal per output; outputs without initial operand start as zeros.
Result<std::vector<Literal>> interpret(const LoopProgram& program, std::span<const Literal> operands);

}  // namespace tessera
