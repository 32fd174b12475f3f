// What is seen of a computation as a Graphviz file: open groups are clusters, closed ones boxes. (The whole module,
// instruction by instruction, is printDot of core/formats.) Used by `tessera render` and the studio.
#pragma once

#include <string>

#include "core/arrange/arrangement.h"

namespace tessera {

std::string viewAsDot(const GraphView& view, const std::string& name);

}  // namespace tessera
