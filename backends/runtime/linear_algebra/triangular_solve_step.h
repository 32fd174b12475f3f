// TriangularSolveStep: op(a) x = b or x op(a) = b for a batch of triangles, in the precision of their type. Right sides
// go side by side into panels (matrix_panels), panels to all threads; each is solved as if it were alone. Made by
// cpu/library/linear_algebra.
#pragma once

#include "backends/runtime/step.h"

namespace tessera::cpu {

// a: [batch, n, n]; b and x: [batch, n, sides] where left, else [batch, sides, n]. Slots; x may alias b, not a.
struct TriangularSolve {
  int64_t batch = 1, n = 0, sides = 0;
  bool left = true, lower = true, transposed = false, unit = false;
  bool isDouble = false;
  int threads = 1;
  int a = -1, b = -1, x = -1, scratch = -1;
};

// Of scratch: a panel a thread.
int64_t scratchBytes(const TriangularSolve& shape);
StepPtr makeTriangularSolveStep(const TriangularSolve& shape);

}  // namespace tessera::cpu
