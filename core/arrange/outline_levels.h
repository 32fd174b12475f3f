// The graph that each container of an outline draws: boxes and the wires between them. Used by untangle, which removes
// cycles, and by clusters.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/arrange/outline.h"
#include "core/arrange/scope_turns.h"

namespace tessera {

using LevelWires = std::vector<std::pair<int32_t, int32_t>>;  // from box, to box

// What one container draws: boxes in order of their first instruction, and the wires between them by number.
struct OutlineLevel {
  // An instruction (its place in the computation), or a group.
  struct Box {
    int32_t first = 0, item = -1, group = -1;
  };
  std::vector<Box> boxes;
  LevelWires wires;

  // Boxes such that wires run forwards, earliest instructions first. Shorter than `boxes`: there is a cycle.
  std::vector<int32_t> topologicalOrder() const;
  // By box: the number of boxes on the longest way down from it. Empty when there is a cycle.
  std::vector<int32_t> heights() const;
};

// By group + 1; the page is 0. Groups that are not drawn have no boxes of their own.
using OutlineLevels = std::vector<OutlineLevel>;
// hubs are drawn beside their users and have no wires.
OutlineLevels levelsOf(const Outline& outline, const OperandPlaces& operands, const std::vector<bool>& hubs);

// How many instructions each group holds, and its first one.
void countInstructions(Outline& outline, const std::vector<bool>& hubs);

// Wires by their start.
struct LevelSuccessors {
  LevelSuccessors(size_t boxes, const LevelWires& wires);
  std::span<const int32_t> of(int32_t box) const;

  std::vector<int32_t> begin, ends;
};

// Boxes such that wires run forwards, smallest first(box) first. Shorter than `boxes`: there is a cycle.
std::vector<int32_t> orderOfBoxes(size_t boxes, const LevelWires& wires, const std::function<int32_t(int32_t)>& first);
// By box the number of its strongly connected component, -1 if it is alone.
std::vector<int32_t> cyclesOf(size_t boxes, const LevelWires& wires);
bool hasCycle(const OutlineLevel& level);

}  // namespace tessera
