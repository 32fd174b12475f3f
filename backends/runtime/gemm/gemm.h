// gemm: the product of two matrices of f32 or f64 in place, on one thread; our own, on gemm_tiles. The right side
// goes through a small packed block; nothing is allocated. The order of each sum follows from the depth and the
// vectors, and from whether the call has but few rows or columns: steps cut their work by shapes alone. Used by
// gemm_step and gemm_chain_step.
#pragma once

#include <cstdint>

#include "backends/runtime/gemm/gemm_tiles.h"

namespace tessera::cpu {

// How a matrix routine sees one operand: `rows` × `columns`, one of them contiguous.
struct MatrixView {
  bool transposed = false;  // the rows are contiguous
  int64_t ld = 1;           // elements from one row (transposed: column) to the next
  int64_t row() const { return transposed ? 1 : ld; }
  int64_t column() const { return transposed ? ld : 1; }
};

// out = left · right: m × k times k × n; the rows of `out` are contiguous, outRow elements from one to the next.
template <class Real>
struct Gemm {
  int64_t m = 1, n = 1, k = 1;
  const Real *left = nullptr, *right = nullptr;
  MatrixView leftView, rightView;
  Real* out = nullptr;
  int64_t outRow = 1;
};

// Elements of scratch that a product with a right side of k × n is faster with; 0: it needs none.
template <class Real>
int64_t gemmScratch(int64_t n, int64_t k);
// scratch: null, or as many elements as gemmScratch gives at most, 64-byte aligned.
template <class Real>
void gemm(const Gemm<Real>& product, GemmVectors vectors, Real* scratch);

}  // namespace tessera::cpu
