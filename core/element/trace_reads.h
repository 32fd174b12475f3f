// "This output cell reads those input cells", for core/tools/explain and the layout lab.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/element/element_program.h"

namespace tessera {

struct TracedRead {
  size_t operand;
  std::vector<int64_t> index;
};
// All (operand, index) pairs that are read for one output index, at most `limit`.
std::vector<TracedRead> traceReads(const ElementProgram& program, std::span<const int64_t> outputIndex, size_t limit);

}  // namespace tessera
