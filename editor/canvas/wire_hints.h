// What the canvas asks about wires that are drawn by hand: the inputs of a node, and whether a value fits one.
// Answered by whoever owns the document; asked by WireTool and MoveTool.
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

// What a node would become if what is in the hand were done: its new shape, or what would be wrong with it.
struct NodePreview {
  InstructionId instruction;
  QString text;
  bool wrong = false;
};

// A node's value as it is painted under its shape.
struct NodeValue {
  enum class Form : uint8_t { None, Line, Heat, Image, Bars };
  QString text;  // a number, or what a picture cannot say
  Form form = Form::None;
  std::vector<float>
      samples;  // row by row, within 0 … 1 between least and greatest; NaN stays; three a pixel of an image
  int columns = 0;
  bool bad = false;       // holds NaN or an infinity
  InstructionId badFrom;  // where that first appeared
  bool scrubs = false;    // a number that a drag on it changes
};

}  // namespace tessera
