// A node's value as the canvas paints it under the node's shape. Made by node_values in editor/document; painted by
// ValueStrips.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace tessera {

struct NodeValue {
  enum class Form : uint8_t { None, Line, Heat, Image, Bars };
  QString text;  // a number, or what a picture cannot say
  Form form = Form::None;
  // Row by row, within 0 … 1 between least and greatest; NaN stays; three a pixel of an image.
  std::vector<float> samples;
  int columns = 0;
  float zero = 0;         // where zero lies among the samples; outside of 0 … 1 it is none of them
  double aspect = 1;      // columns by rows of the array itself
  bool bad = false;       // holds NaN or an infinity
  InstructionId badFrom;  // where that first appeared
  bool scrubs = false;    // a number that a drag on it changes
};

}  // namespace tessera
