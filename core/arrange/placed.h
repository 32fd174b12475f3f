// Positions that the user chose, on top of the computed arrangement: boxes move with what is in them or attached to
// them, their wires follow. Used by core/picture, the canvas and `render`.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/arrange/kept_wires.h"

namespace tessera {

// Upper left corners by instruction name and by group path; names that the view does not show are left alone. What is
// shown within an open call is among the groups, by withinGroup: a computation may be open in several calls.
struct Places {
  std::map<std::string, PointF> instructions, groups;
  std::map<std::pair<std::string, int32_t>, std::vector<PointF>>
      reroutes;  // by instruction and input: what its wire passes
  bool empty() const { return instructions.empty() && groups.empty() && reroutes.empty(); }
};
// The name of an instruction's box within an open call; empty: it is of the page's own computation.
std::string withinGroup(const Module& module, const GraphView& view, int32_t box);
// Boxes without a place beside boxes that mostly have one (new ones) go below what they read, else above what reads
// them, where there is room; nothing else moves for them. An open group is as large as what was placed in it; one that
// was opened since pushes what is below and right of it away. Wires of moved boxes are straight afterwards.
void placeBoxes(const Module& module, const GraphView& view, const Places& places, Arrangement& arrangement);

// A page as shown: arranged, then placed, wires at their sockets, around boxes or through the points that the user
// set. Where there are places, wires whose ends stand as on the page before run as they did there. Empty when `stop`
// was requested.
Arrangement arrangePage(const Module& module, const GraphView& view, const Places& places,
                        const std::stop_token& stop = {}, const DrawnPage& before = {});

}  // namespace tessera
