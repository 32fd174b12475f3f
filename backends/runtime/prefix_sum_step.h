// Running totals (cumulative sums, products, maxima …) in one or two passes over memory. Along a major dimension
// whole rows are combined; along the minor one a row is cut into blocks: their totals are combined first, then each
// block is walked by several independent chains. How a row is cut depends on its length only, so results do not depend
// on the threads. Made by cpu/library/prefix_sum.
#pragma once

#include "backends/runtime/step.h"
#include "core/hlo/element_type.h"

namespace tessera::cpu {

enum class ScanOp : uint8_t { Add, Multiply, Maximum, Minimum };

// The array as [outer, length, inner]; slots of the operand, the initial value, the result and scratch.
struct Scan {
  ElementType type = ElementType::F32;
  ScanOp op = ScanOp::Add;
  int64_t outer = 1, length = 1, inner = 1;
  bool reversed = false;
  int from = -1, initial = -1, to = -1, totals = -1;
};

// Of the scratch array `totals`.
int64_t scanScratchBytes(const Scan& scan);
// Null: there is none for the type.
StepPtr makeScanStep(const Scan& scan);

}  // namespace tessera::cpu
