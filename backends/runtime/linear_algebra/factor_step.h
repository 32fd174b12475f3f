// FactorStep: the LU or Cholesky factors of each matrix of a batch, in the precision of their type. Panels of columns
// from left to right: what earlier columns take from a panel is subtracted at once, then it is eliminated column by
// column. Matrices go to all threads, or the rows of few large ones. Made by cpu/library/linear_algebra.
#pragma once

#include "backends/runtime/step.h"

namespace tessera::cpu {

enum class Factors : uint8_t { Lu, Cholesky };

// matrices: [batch, rows, columns], square for Cholesky; the factors have LAPACK's form. Slots; -1: not wanted.
struct Factor {
  Factors factors = Factors::Lu;
  int64_t batch = 1, rows = 0, columns = 0;
  bool lower = true;     // Cholesky: the triangle that is read and written; else the upper one, of Uᴴ U
  bool isWhole = false;  // Cholesky: the other triangle becomes 0, and a matrix that is not positive definite NaN
  bool isDouble = false;
  int threads = 1;
  int from = -1, to = -1, pivots = -1, info = -1,
      scratch = -1;  // pivots: s32[batch, min(rows, columns)] from 1; info: s32[batch]
};

// Of scratch: two panels a thread.
int64_t scratchBytes(const Factor& shape);
StepPtr makeFactorStep(const Factor& shape);

}  // namespace tessera::cpu
