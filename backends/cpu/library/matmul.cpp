// bf16, s8 and u8 dots through oneDNN's matmul (runtime/dnnl/matmul_step) where their operands lie as it can walk them.
// Processors whose bf16 or 8-bit products are emulated are refused.
#include <algorithm>

#include <oneapi/dnnl/dnnl.hpp>

#include "backends/cpu/library/dot_form.h"
#include "backends/runtime/dnnl/matmul_step.h"

namespace tessera::cpu {

namespace {

constexpr int64_t kMaxPlaces = 4096;  // of batches that are not at regular distances

using Kind = dnnl::memory::data_type;

std::optional<Kind> kindOf(ElementType type) {
  switch (type) {
    case ElementType::BF16: return Kind::bf16;
    case ElementType::F32: return Kind::f32;
    case ElementType::S8: return Kind::s8;
    case ElementType::U8: return Kind::u8;
    case ElementType::S32: return Kind::s32;
    default: return std::nullopt;
  }
}

bool isNative(const DotForm& form) {
  using E = ElementType;
  auto isa = dnnl::get_effective_cpu_isa();
  if (form.lhsType == E::BF16 && form.rhsType == E::BF16)
    return isa >= dnnl::cpu_isa::avx512_core_bf16 && (form.resultType == E::BF16 || form.resultType == E::F32);
  bool bytes = (form.lhsType == E::S8 || form.lhsType == E::U8) && form.rhsType == E::S8;
  return bytes && form.resultType == E::S32 && isa >= dnnl::cpu_isa::avx512_core_vnni;
}

std::optional<Matrix> matrixOf(int slot, ElementType type, const Dims& batch, const Dims& rows, const Dims& columns) {
  auto b = collapse(batch), r = collapse(rows), c = collapse(columns);
  auto view = viewOf(rows, columns);
  if (!r || !c || !view || (!b && product(batch) > kMaxPlaces)) return std::nullopt;
  Matrix out{slot,
             *kindOf(type),
             byteWidth(type),
             b ? b->stride : 0,
             view->transposed ? 1 : view->ld,
             view->transposed ? view->ld : 1,
             {}};
  if (!b) {  // each by itself; the library looks at the stride of one batch, too
    out.batchOffset = allOffsets(batch);
    out.batchStride = std::max(r->size * out.rowStride, c->size * out.columnStride);
  }
  return out;
}

}  // namespace

Result<StepPtr> planMatmul(LibraryContext& context, const DotForm& form) {
  if (!isNative(form) || form.batches * form.m * form.n * form.k == 0) return StepPtr{};
  auto left = matrixOf(context.operands[0], form.lhsType, form.lhsBatch, form.rows, form.lhsInner);
  auto right = matrixOf(context.operands[1], form.rhsType, form.rhsBatch, form.rhsInner, form.columns);
  if (!left || !right) return StepPtr{};
  auto step = std::make_unique<MatmulStep>();
  step->lhs = *left;
  step->rhs = *right;
  step->out = {
      context.outputs[0], *kindOf(form.resultType), byteWidth(form.resultType), form.m * form.n, form.n, 1, {}};
  step->batches = form.batches;
  step->m = form.m;
  step->n = form.n;
  step->k = form.k;
  if (!step->prepare()) return StepPtr{};
  context.what = "dot (oneDNN matmul)";
  return step;
}

}  // namespace tessera::cpu
