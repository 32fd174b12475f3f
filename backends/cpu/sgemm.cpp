// f32 dots through oneDNN's sgemm (runtime/sgemm_step) where their operands lie as it can walk them.
#include <atomic>

#include <oneapi/dnnl/dnnl.h>

#include "backends/cpu/dot_form.h"
#include "backends/runtime/dnnl_engine.h"

namespace tessera::cpu {

namespace {

// The library generates its code at the first product of a process, some 20 ms.
void generateCode() {
  OneOpenMpThread single;
  if (!hasRoomForCode(256)) return;  // LLVM takes memory meanwhile
  float one[4] = {1, 1, 1, 1}, out[4];
  dnnl_sgemm('N', 'N', 2, 2, 2, 1.0f, one, 2, one, 2, 0.0f, out, 2);
}

}  // namespace

void prepareSgemm(KernelLibrary& kernels) {
  static std::atomic<bool> generated{false};
  if (!generated.exchange(true)) kernels.prepare(generateCode);
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
  step->split();
  prepareSgemm(context.kernels);
  context.what = "dot (oneDNN)";
  return step;
}

}  // namespace tessera::cpu
