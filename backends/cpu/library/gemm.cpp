// Dots of f32 or f64 through our gemm (runtime/gemm/gemm_step) where their operands lie as it can walk them.
#include "backends/cpu/library/dot_form.h"
#include "backends/runtime/gemm/gemm_step.h"

namespace tessera::cpu {

GemmVectors gemmVectors(const codegen::Target& target) {
  if (target.vectorBytes == 64) return GemmVectors::Avx512;
  return target.vectorBytes == 32 && target.fusedMultiplyAdd ? GemmVectors::Avx2 : GemmVectors::Sse;
}

Result<ThreadScratch> takeThreadScratch(const LibraryContext& context, int64_t bytes) {
  ThreadScratch scratch{-1, (bytes + 63) / 64 * 64};
  if (bytes > 0) {
    TESSERA_ASSIGN_OR_RETURN(scratch.slot, context.scratch(scratch.bytes * context.threads));
  }
  return scratch;
}

Result<StepPtr> planGemm(LibraryContext& context, const DotForm& form) {
  const bool isReal = form.resultType == ElementType::F32 || form.resultType == ElementType::F64;
  auto left = viewOf(form.rows, form.lhsInner), right = viewOf(form.rhsInner, form.columns);
  if (!isReal || form.lhsType != form.resultType || form.rhsType != form.resultType || !left || !right)
    return StepPtr{};
  auto step = std::make_unique<GemmStep>();
  step->lhs = {context.operands[0], *left, allOffsets(form.lhsBatch)};
  step->rhs = {context.operands[1], *right, allOffsets(form.rhsBatch)};
  step->batches = form.batches;
  step->m = form.m;
  step->n = form.n;
  step->k = form.k;
  step->out = context.outputs[0];
  step->isDouble = form.resultType == ElementType::F64;
  step->vectors = gemmVectors(context.kernels.target());
  step->split();
  TESSERA_ASSIGN_OR_RETURN(step->scratch, takeThreadScratch(context, step->scratchBytes()));
  context.what = step->isDouble ? "dot (dgemm)" : "dot (sgemm)";
  return step;
}

}  // namespace tessera::cpu
