// Transcendental nodes as arithmetic: the one place of our approximations, their sources and bounds.
// Used by backends/cpu before code generation; the tests hold them against the interpreter and quadruple precision.
#pragma once

#include "core/element/element_program.h"

namespace tessera {

// What remains: transcendentals of f64 and of c128's parts, which a generator takes from a library.
ElementProgram expandApproximations(const ElementProgram& program);
LoopProgram expandApproximations(const LoopProgram& program);

}  // namespace tessera
