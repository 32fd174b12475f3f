// The part of an element program that its results need. Used by ElementBuilder::finish.
#pragma once

#include <vector>

#include "core/element/element_program.h"

namespace tessera {

// Nodes and loops keep their order.
ElementProgram neededPart(const ElementProgram& program, std::vector<NodeId> results);

}  // namespace tessera
