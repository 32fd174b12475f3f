// What was moved on the canvas, and where a menu is asked for: types of its signals. Received by ArrangeController and
// CanvasMenu.
#pragma once

#include <QPointF>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"

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

// What is under the pointer where a menu is asked for.
struct CanvasSpot {
  enum class Kind { Empty, Node, Group, Input, Output, Wire, PageItem };
  Kind kind = Kind::Empty;
  InstructionId instruction;  // of a node, group or port; of a wire: the value that it carries
  int operand = -1;           // of an input
  int viewNode = -1, viewEdge = -1, pageItem = -1;
  QPointF at;  // widget
};

}  // namespace tessera
