// Wires: each follows the lanes that its levels gave it; where there are none it takes in each row the gap nearest to
// its straight line, and very long ones run beside the level. Read by arrange after all boxes have their places.
#pragma once

#include <vector>

#include "core/arrange/arrangement.h"
#include "core/arrange/level.h"

namespace tessera {

// All levels of a view with absolute coordinates: level(-1) is the page, level(g) the inside of open group g.
struct PlacedLevels {
  // One stretch of an edge: the wire of a level that it follows.
  struct Stretch {
    int32_t group = -1, wire = -1;
  };
  std::vector<Level> levels;
  // By edge: out of the source's groups, innermost first, across the common level, into the target's groups.
  std::vector<std::vector<Stretch>> stretches;
  std::vector<int32_t> localIndex;  // by view node: its place in its level's boxes
  Level& level(int32_t group) { return levels[static_cast<size_t>(group + 1)]; }
  const Level& level(int32_t group) const { return levels[static_cast<size_t>(group + 1)]; }
};

// The innermost level that holds both nodes, and the boxes of that level which are or contain them.
struct CommonLevel {
  int32_t level = -1, from = -1, to = -1;
};
CommonLevel commonLevel(const GraphView& view, int32_t from, int32_t to);

// Not all of them when `stop` was requested.
void routeWires(const GraphView& view, const PlacedLevels& placed, Arrangement& arrangement,
                const std::stop_token& stop);

}  // namespace tessera
