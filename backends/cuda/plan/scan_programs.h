// ScanPrograms: prefix sums along one dimension as three element programs: the total of each piece, the prefix of each
// piece, and the sums within a piece, one thread a piece. The order of operations depends on the length alone. Rows of
// memory go to codegen/grid/grid_scan.
#pragma once

#include "core/base/result.h"
#include "core/element/element_program.h"

namespace tessera::cuda {

struct ScanPrograms {
  LoopProgram totals;  // operands: the array, the first value; output: [the outer dimensions …, pieces]
  LoopProgram before;  // operands: the array, the first value, totals; output: as totals
  LoopProgram within;  // operands: the array, the first value, before; output: the array's shape
};

struct ScanRequest {
  Shape array;
  size_t dimension = 0;
  bool reversed = false;
  NodeOp operation = NodeOp::Add;
};

// ErrorKind::Unsupported where the operation has no neutral element in the type.
Result<ScanPrograms> scanProgramsOf(const ScanRequest& request);

}  // namespace tessera::cuda
