// RowCache: what several passes over a row compute alike. A kernel that reduces a row and then uses its elements (the
// exponentials of a softmax: summed, then divided) walks it once a loop; a value that is expensive and the same in a
// later pass is kept by the first one in a buffer as long as the row, and read back. Found by numbering the nodes as if
// all walks had the same counter. Reads KernelNest. Used by KernelEmitter.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::codegen {

struct RowCache {
  static constexpr int32_t kNone = -1;

  std::vector<bool> idle;            // by node: only values that are read back need it, so it has no code
  std::vector<int32_t> keptIn;       // by node: the buffer that its value goes into, once computed
  std::vector<int32_t> readFrom;     // by node: the buffer that has its value
  std::vector<ElementType> buffers;  // their types; nest.lanes more elements than the row at most
  int64_t length = 0;                // of the row

  static RowCache of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest);
};

}  // namespace tessera::codegen
