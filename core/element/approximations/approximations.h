// Transcendental nodes as arithmetic: the one place of our approximations, their sources and bounds.
// Used by backends/cpu before code generation; the tests hold them against the interpreter and quadruple precision.
#pragma once

#include "core/element/element_program.h"

namespace tessera {

// What becomes of transcendentals of f64 and of c128's parts.
enum class WideFunctions : uint8_t {
  Called,    // a generator takes them from a library
  Expanded,  // arithmetic, too, as far as there is a form
};
ElementProgram expandApproximations(const ElementProgram& program, WideFunctions wide = WideFunctions::Called);
LoopProgram expandApproximations(const LoopProgram& program, WideFunctions wide = WideFunctions::Called);

}  // namespace tessera
