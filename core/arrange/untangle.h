// Keeps a folded picture true: what is drawn in one container (boxes of groups, and single instructions) has no cycle,
// so every wire can run downwards. Groups that data leaves and enters again are cut into pieces. Also the graph of each
// container, for cutting it into clusters. Used by the outline.
#pragma once

#include <cstdint>
#include <vector>

#include "core/arrange/outline.h"
#include "core/arrange/scope_turns.h"

namespace tessera {

// What one container draws: boxes in order of their first instruction, and the wires between them by number.
struct OutlineLevel {
  // An instruction (its place in the computation), or a group.
  struct Box {
    int32_t first = 0, item = -1, group = -1;
  };
  std::vector<Box> boxes;
  std::vector<std::pair<int32_t, int32_t>> wires;

  // Boxes such that wires run forwards, earliest instructions first. Shorter than `boxes`: there is a cycle.
  std::vector<int32_t> topologicalOrder() const;
  // By box: the number of boxes on the longest way down from it. Empty when there is a cycle.
  std::vector<int32_t> heights() const;
};

// By group + 1; the page is 0. Groups that are not drawn have no boxes of their own.
using OutlineLevels = std::vector<OutlineLevel>;
// hubs are drawn beside their users and have no wires.
OutlineLevels levelsOf(const Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs);

// Cuts groups until no level has a cycle; gives the levels as they are then. Pieces are groups of the same title; of a
// stack, runs of three members or more.
OutlineLevels untangle(Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs);

// How many instructions each group holds, and its first one.
void countInstructions(Outline& outline, const std::vector<bool>& hubs);

}  // namespace tessera
