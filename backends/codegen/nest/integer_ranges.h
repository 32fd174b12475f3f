// Ranges of the 64-bit integers of an element program: index arithmetic that fits 32 bits is done in these, with twice
// as many lanes. Used by ProgramAnalysis.
#pragma once

#include <vector>

#include "core/element/element_program.h"

namespace tessera::codegen {

// By node: an S64 whose value and operands fit 32 bits, whatever the indices are.
std::vector<bool> fitsIn32Bits(const ElementProgram& body);

}  // namespace tessera::codegen
