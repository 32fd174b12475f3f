// Clusters: what a container shows too much of is folded into groups of no scope. Read by the outline.
#pragma once

#include <cstdint>
#include <vector>

#include "core/arrange/untangle.h"
#include "core/hlo/module.h"

namespace tessera {

// More than 12 parameters, more than 12 elements of one tuple, loose instructions of one kind (the update of each
// parameter), and then pieces of the order where a container has more than 200 boxes. No cluster makes a cycle.
// cuts[i]: how many values cross the program's order before instruction i. Titles stay empty for those that are named
// after what they hold.
void makeClusters(const Module& module, const Computation& computation, const OperandPlaces& operands,
                  const std::vector<bool>& hubs, const std::vector<uint32_t>& cuts, Outline& outline,
                  OutlineLevels levels);

}  // namespace tessera
