// What was moved on the canvas: types of its signals. Sent by MoveTool and RerouteTool, received by ArrangeController.
#pragma once

#include <QPointF>
#include <cstdint>
#include <vector>

namespace tessera {

struct MovedBoxes {
  std::vector<int32_t> nodes;  // of the view; what is in them or attached to them goes along
  std::vector<int> pageItems;  // frames and notes
  QPointF by;                  // scene units
  int32_t wire = -1;           // the edge of the view that a node was dropped on
  bool pulled = false;         // shaken, or dragged with Ctrl+Shift: out of its wires
};

// A point that a wire was routed through.
struct ReroutePoint {
  int32_t edge = -1;
  int32_t index = 0;
  QPointF at;  // scene
};

}  // namespace tessera
