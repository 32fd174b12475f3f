// dot: who runs it. f32 and f64 go to our gemm, bf16 and 8-bit integers to oneDNN's matmul, where their operands lie as
// those routines can walk them; all other types and orders go to our contraction. Of those, products with one row or
// one column are memory bound and are left to the element program, which needs no packing, and so are many tiny ones of
// any type.
#include <algorithm>
#include <numeric>

#include "backends/cpu/library/contraction.h"
#include "backends/cpu/library/dot_form.h"
#include "core/base/sorting.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

namespace {

// Of many tiny products each would cost more to call for, or to pack, than to compute.
bool isOneOfManySmall(const DotForm& form) {
  const auto& limits = tuning().products;
  const int64_t most = form.m == 1 || form.n == 1 ? limits.smallVectorProduct : limits.tinyProduct;
  return form.batches >= limits.manyBatches && (form.m * form.n == 1 || form.m * form.n * form.k <= most);
}

// Many points times a small matrix: packing costs more than the products.
bool isOfPoints(const DotForm& form) {
  const auto& limits = tuning().products;
  return form.n > 1 && form.k <= limits.maxPointsDepth && form.n * form.k <= limits.maxPointsMatrix &&
         form.m >= limits.fewestPoints;
}

Contraction contractionOf(const DotForm& form, const LibraryContext& context) {
  Contraction c;
  c.lhs = {.type = form.lhsType, .batch = form.lhsBatch, .outer = form.rows, .inner = form.lhsInner};
  c.rhs = {.type = form.rhsType, .batch = form.rhsBatch, .outer = form.columns, .inner = form.rhsInner};
  c.lhsSlot = context.operands[0];
  c.rhsSlot = context.operands[1];
  c.outSlot = context.outputs[0];
  c.resultType = form.resultType;
  c.outBatch = {{form.batches, form.m * form.n}};
  c.outRows = {{form.m, form.n}};
  c.outColumns = {{form.n, 1}};
  return c;
}

}  // namespace

DotForm dotFormOf(const Module& module, const Instruction& dot) {
  const Shape &a = module.shapeOf(dot.operands[0]), &b = module.shapeOf(dot.operands[1]);
  const AttributeSet& attributes = *dot.attributes;
  std::vector<int64_t> lhsBatch = attributes.ints(Attr::lhs_batch_dims),
                       rhsBatch = attributes.ints(Attr::rhs_batch_dims);
  std::vector<int64_t> lhsK = attributes.ints(Attr::lhs_contracting_dims),
                       rhsK = attributes.ints(Attr::rhs_contracting_dims);
  std::vector<size_t> order(lhsK.size());  // contracting pairs in the order of lhs' memory, so that they collapse
  std::iota(order.begin(), order.end(), size_t{0});
  sortBy(order, [&](size_t i) { return lhsK[i]; });
  Dims ad = denseDims(a), bd = denseDims(b);
  DotForm form{a.type,
               b.type,
               dot.shape->type,
               pick(ad, lhsBatch),
               pick(bd, rhsBatch),
               others(ad, lhsBatch, lhsK),
               others(bd, rhsBatch, rhsK),
               {},
               {}};
  for (size_t i : order) {
    form.lhsInner.push_back(ad[static_cast<size_t>(lhsK[i])]);
    form.rhsInner.push_back(bd[static_cast<size_t>(rhsK[i])]);
  }
  form.batches = product(form.lhsBatch);
  form.m = product(form.rows);
  form.n = product(form.columns);
  form.k = product(form.lhsInner);
  return form;
}

std::optional<MatrixView> viewOf(const Dims& rows, const Dims& columns) {
  auto r = collapse(rows), c = collapse(columns);
  if (!r || !c) return std::nullopt;
  if (c->stride == 1 || c->size == 1) {
    int64_t ld = r->size == 1 ? c->size : r->stride;
    if (c->size == 1 && r->size > 1 && r->stride < 1) return std::nullopt;
    if (ld >= std::max<int64_t>(c->size, 1)) return MatrixView{false, ld};
  }
  if (r->stride == 1 || r->size == 1) {
    int64_t ld = c->stride;
    if (ld >= std::max<int64_t>(r->size, 1)) return MatrixView{true, ld};
  }
  return std::nullopt;
}

Result<StepPtr> planDot(LibraryContext& context) {
  const Instruction& dot = context.instruction;
  if (dot.operands.size() != 2) return StepPtr{};
  DotForm form = dotFormOf(context.module, dot);
  if (isOneOfManySmall(form) || isOfPoints(form)) return StepPtr{};
  auto gemm = planGemm(context, form);
  if (!gemm || *gemm) return gemm;
  if (form.m == 1 || form.n == 1) return StepPtr{};
  auto matmul = planMatmul(context, form);
  if (!matmul || *matmul) return matmul;
  context.what = "dot (contraction)";
  return planContraction(context, contractionOf(form, context));
}

}  // namespace tessera::cpu
