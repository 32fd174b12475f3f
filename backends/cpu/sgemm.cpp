// f32 dots through our sgemm (runtime/sgemm_step) where their operands lie as it can walk them.
#include "backends/cpu/dot_form.h"
#include "backends/runtime/sgemm_step.h"

namespace tessera::cpu {

SgemmVectors sgemmVectors(const codegen::Target& target) {
  if (target.vectorBytes == 64) return SgemmVectors::Widest;
  return target.vectorBytes == 32 && target.fusedMultiplyAdd ? SgemmVectors::Wide : SgemmVectors::Plain;
}

Result<ThreadScratch> takeThreadScratch(const LibraryContext& context, int64_t bytes) {
  ThreadScratch scratch{-1, (bytes + 63) / 64 * 64};
  if (bytes > 0) {
    TESSERA_ASSIGN_OR_RETURN(scratch.slot, context.scratch(scratch.bytes * context.threads));
  }
  return scratch;
}

Result<StepPtr> planSgemm(LibraryContext& context, const DotForm& form) {
  bool f32 = form.lhsType == ElementType::F32 && form.rhsType == ElementType::F32 && form.resultType == ElementType::F32;
  auto left = viewOf(form.rows, form.lhsInner), right = viewOf(form.rhsInner, form.columns);
  if (!f32 || !left || !right) return StepPtr{};
  auto step = std::make_unique<SgemmStep>();
  step->lhs = {context.operands[0], *left, allOffsets(form.lhsBatch)};
  step->rhs = {context.operands[1], *right, allOffsets(form.rhsBatch)};
  step->batches = form.batches;
  step->m = form.m;
  step->n = form.n;
  step->k = form.k;
  step->out = context.outputs[0];
  step->vectors = sgemmVectors(context.kernels.target());
  step->split();
  TESSERA_ASSIGN_OR_RETURN(step->scratch, takeThreadScratch(context, step->scratchBytes()));
  context.what = "dot (sgemm)";
  return step;
}

}  // namespace tessera::cpu
