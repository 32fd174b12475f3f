// Prices for the fusion pass, in units of one vectorised element operation (about 0.1 ns on one core).
#pragma once

#include "core/hlo/module.h"

namespace tessera {

// Evaluating one result element once, operands given; a reduction counts its whole inner loop.
double elementPrice(const Module& module, const Instruction& instruction);
// How often one evaluation of `user` evaluates operand `operand`.
double readsPerEvaluation(const Module& module, const Instruction& user, size_t operand);
// Writing and reading back a result of this shape, and launching the loop nest that makes it. inLoop: it is part of a
// loop's body.
double materialisationPrice(const Shape& shape, bool inLoop);
// The op runs a loop of its own for each element.
bool hasInnerLoop(Opcode opcode);

}  // namespace tessera
