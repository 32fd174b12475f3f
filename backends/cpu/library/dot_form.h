// DotForm: a dot of any dimension numbers as out[b, i, j] = Σ_k lhs[b, i, k] · rhs[b, j, k] over strided dimensions,
// and the ways to run it. dot.cpp tries one after the other: gemm (f32, f64), oneDNN's matmul (bf16, s8, u8), then our
// contraction.
#pragma once

#include "backends/cpu/library/library_steps.h"
#include "backends/runtime/gemm/gemm.h"
#include "backends/runtime/movement/strided_dims.h"

namespace tessera::cpu {

struct DotForm {
  ElementType lhsType, rhsType, resultType;
  Dims lhsBatch, rhsBatch, rows, columns, lhsInner, rhsInner;
  int64_t batches = 1, m = 1, n = 1, k = 1;
};

std::optional<MatrixView> viewOf(const Dims& rows, const Dims& columns);

DotForm dotFormOf(const Module& module, const Instruction& dot);
// The tiles that products run on for the target.
GemmVectors gemmVectors(const codegen::Target& target);
// bytes: for each thread that may run parts of the step.
Result<ThreadScratch> takeThreadScratch(const LibraryContext& context, int64_t bytes);

// Null steps: refused.
Result<StepPtr> planGemm(LibraryContext& context, const DotForm& form);
Result<StepPtr> planMatmul(LibraryContext& context, const DotForm& form);

}  // namespace tessera::cpu
