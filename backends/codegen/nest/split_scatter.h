// splitScatter: many updates of few elements (a histogram) as pieces of the updates that run side by side, each into an
// array of its own, and a program that joins those arrays. The pieces follow from the shapes alone, so that results do
// not depend on the number of threads. Stands beside split_reduction, before the kernel library.
#pragma once

#include <optional>

#include "backends/codegen/nest/kernel_nest.h"
#include "core/element/element_program.h"

namespace tessera::codegen {

struct SplitScatter {
  ElementProgram fill;  // no operands; neutral elements [piece, the output's dimensions …]
  LoopProgram pieces;   // operands of the program; adds to what `fill` made
  ElementProgram join;  // operands of the program, then the pieces' arrays
};

// Nothing where the program does more than combine updates into one output, is short, or runs on several threads as it
// is.
std::optional<SplitScatter> splitScatter(const LoopProgram& program, const Target& target);

}  // namespace tessera::codegen
