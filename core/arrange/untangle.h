// Keeps a folded picture true: what is drawn in one container (boxes of groups, and single instructions) has no cycle,
// so every wire can run downwards. Groups that data leaves and enters again are cut into pieces. Used by the outline.
#pragma once

#include <cstdint>
#include <vector>

#include "core/arrange/outline.h"
#include "core/arrange/outline_levels.h"

namespace tessera {

// Cuts groups until no level has a cycle; gives the levels as they are then. Pieces are groups of the same title; of a
// stack, runs of three members or more.
OutlineLevels untangle(Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs);

}  // namespace tessera
