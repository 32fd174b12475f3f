// Wires between boxes that stand as they did run as they did: an edit moves no wire but those of what it names. Used by
// arrangePage.
#pragma once

#include <memory>

#include "core/arrange/arrangement.h"

namespace tessera {

// A page as it was drawn before; empty: none was.
struct DrawnPage {
  std::shared_ptr<const GraphView> view;
  std::shared_ptr<const Arrangement> arrangement;
};

// Both ends at the same place: what is in the way by now is not looked at.
void keepWires(const GraphView& view, const DrawnPage& before, Arrangement& arrangement);

}  // namespace tessera
