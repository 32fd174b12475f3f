// What the canvas asks about wires that are being drawn: the inputs of a node, and whether a value fits one. Answered
// by GraphEditController; asked by WireTool and MoveTool.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/base/ids.h"

namespace tessera {

struct CanvasInput {
  QString name;
  InstructionId value;   // invalid: open
  bool appends = false;  // one more where the op takes any number; only a wire sees it
};
struct WireVerdict {
  bool fits = false;
  QString text;  // what the user gives then, or why not
};
struct WireHints {
  std::function<std::vector<CanvasInput>(InstructionId)> inputs;
  std::function<WireVerdict(InstructionId value, InstructionId user, int32_t operand)> judge;
  // Whether a node that is dropped on a wire (an edge of the view) would be put into it.
  std::function<bool(InstructionId node, int32_t edge)> inserts = nullptr;
};

}  // namespace tessera
