// Places that a person chose, over the arrangement that was worked out: boxes move with what is in them or attached to
// them, their wires follow. Used by core/picture.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

// Upper left corners by instruction name and by group path; names that the view does not show are left alone.
struct Places {
  std::map<std::string, PointF> instructions, groups;
  std::map<std::pair<std::string, int32_t>, std::vector<PointF>>
      reroutes;  // by instruction and input: what its wire passes
  bool empty() const { return instructions.empty() && groups.empty() && reroutes.empty(); }
};
// Boxes without a place on a page that is mostly placed by hand (new ones) go below what they read, else above what
// reads them, where there is room. Open groups grow round what was moved in them.
void placeBoxes(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement);

}  // namespace tessera
