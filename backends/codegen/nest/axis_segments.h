// AxisSegments: the vector axis cut where comparisons of its index with constants change (the pieces of a concatenate,
// the borders of a pad). In a segment they are constants, so its loop reads one piece alone, unmasked. Reads
// KernelNest. Used by KernelEmitter.
#pragma once

#include <vector>

#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::codegen {

struct AxisSegments {
  struct Condition {
    uint32_t node;
    std::vector<bool> holds;  // by segment
  };
  std::vector<int64_t> bounds;  // ascending, from 0 to the axis's size; empty: one loop for all of it
  std::vector<Condition> conditions;

  static AxisSegments of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest);
};

}  // namespace tessera::codegen
