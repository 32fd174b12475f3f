// DotForm: a dot of any dimension numbers as out[b, i, j] = Σ_k lhs[b, i, k] · rhs[b, j, k] over strided dimensions, and
// the ways to run it. dot.cpp asks them in turn: oneDNN's sgemm (f32), its matmul (bf16, s8, u8), then our contraction.
#pragma once

#include "backends/cpu/library_steps.h"
#include "backends/runtime/sgemm_step.h"
#include "backends/runtime/strided_dims.h"

namespace tessera::cpu {

struct DotForm {
  ElementType lhsType, rhsType, resultType;
  Dims lhsBatch, rhsBatch, rows, columns, lhsInner, rhsInner;
  int64_t batches = 1, m = 1, n = 1, k = 1;
};

std::optional<MatrixView> viewOf(const Dims& rows, const Dims& columns);

DotForm dotFormOf(const Module& module, const Instruction& dot);
// Has the library generate the code of its sgemm beside ours.
void prepareSgemm(KernelLibrary& kernels);

// Null steps: refused.
Result<StepPtr> planSgemm(LibraryContext& context, const DotForm& form);
Result<StepPtr> planMatmul(LibraryContext& context, const DotForm& form);

}  // namespace tessera::cpu
