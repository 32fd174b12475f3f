// Places that a person chose, over the arrangement that was worked out: boxes move with what is in them or attached to them,
// their wires follow. Before: arrange; after: draw.
#pragma once

#include <map>
#include <string>

#include "core/arrange/arrangement.h"

namespace tessera {

// Upper left corners by instruction name and by group path; names that the view does not show are left alone.
struct Places {
  std::map<std::string, PointF> instructions, groups;
  bool empty() const { return instructions.empty() && groups.empty(); }
};
void placeBoxes(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement);

}  // namespace tessera
