// f32 dots through oneDNN's sgemm, on operands where they lie. We split batches and blocks of rows (or columns) over our
// threads; inside each call the library runs on one.
#include <algorithm>
#include <atomic>

#include <oneapi/dnnl/dnnl.h>

#include "backends/cpu/dnnl_engine.h"
#include "backends/cpu/dot_form.h"

namespace tessera::cpu {

namespace {

struct Side {
  int slot = -1;
  MatrixView view;
  std::vector<int64_t> batchOffset;
};

class SgemmStep : public Step {
 public:
  Side lhs, rhs;
  int64_t m = 1, n = 1, k = 1, batches = 1;
  int out = -1;

  void split();
  Status run(RunState& state) override;

 private:
  void runTask(RunState& state, int64_t task) const;
  bool splitsColumns_ = false;
  int64_t extent_ = 1, block_ = 1, blocks_ = 1, tasksPerChunk_ = 1;
};

// Blocks of rows (or, for flat products, of columns) so that each task has some 10^6 flops or more: a few microseconds.
void SgemmStep::split() {
  constexpr int64_t kWantedTasks = 8;
  splitsColumns_ = m < n;
  extent_ = splitsColumns_ ? n : m;
  double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  int64_t wanted = std::max<int64_t>(1, kWantedTasks / std::max<int64_t>(batches, 1));
  wanted = std::min(wanted, static_cast<int64_t>(flops / 1e6) + 1);
  block_ = std::max<int64_t>(16, ((extent_ + wanted - 1) / wanted + 15) / 16 * 16);
  blocks_ = (extent_ + block_ - 1) / block_;
  tasksPerChunk_ = static_cast<int64_t>(2e5 / (flops / static_cast<double>(std::max<int64_t>(blocks_, 1)) + 1)) + 1;
}

void SgemmStep::runTask(RunState& state, int64_t task) const {
  auto base = [&](int slot) { return reinterpret_cast<float*>(state.pointers[static_cast<size_t>(slot)]); };
  int64_t batch = task / blocks_, first = task % blocks_ * block_, size = std::min(block_, extent_ - first);
  const float* a = base(lhs.slot) + lhs.batchOffset[static_cast<size_t>(batch)];
  const float* b = base(rhs.slot) + rhs.batchOffset[static_cast<size_t>(batch)];
  float* c = base(out) + batch * m * n;
  if (splitsColumns_) {
    b += rhs.view.transposed ? first * rhs.view.ld : first;
    c += first;
  } else {
    a += lhs.view.transposed ? first : first * lhs.view.ld;
    c += first * n;
  }
  dnnl_sgemm(lhs.view.transposed ? 'T' : 'N', rhs.view.transposed ? 'T' : 'N', splitsColumns_ ? m : size, splitsColumns_ ? size : n,
             k, 1.0f, a, lhs.view.ld, b, rhs.view.ld, 0.0f, c, n);
}

Status SgemmStep::run(RunState& state) {
  if (batches * m * n == 0) return {};
  if (k == 0) {
    auto* c = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(out)]);
    std::fill(c, c + batches * m * n, 0.0f);
    return {};
  }
  state.pool->parallelFor(batches * blocks_, tasksPerChunk_, [&](int64_t begin, int64_t end, int) {
    for (int64_t task = begin; task < end; ++task) runTask(state, task);
  });
  return {};
}

// The library generates its code at the first product of a process, some 20 ms.
void generateCode() {
  OneOpenMpThread single;
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
