// Two more ways to write a module: XLA's short, still parsable text, and a Graphviz file to look at.
#pragma once

#include <string>

#include "core/hlo/module.h"

namespace tessera {

// No metadata, signatures, control dependencies, percent signs or index comments; constants in full.
std::string printShortText(const Module& module);

// One cluster a computation, one node an instruction, an edge an operand; dashed edges to called computations.
std::string printDot(const Module& module);

}  // namespace tessera
