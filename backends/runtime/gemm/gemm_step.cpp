// See gemm_step.h.
#include "backends/runtime/gemm/gemm_step.h"

#include <algorithm>

#include "core/base/tuning.h"

namespace tessera::cpu {

// Blocks of rows (or, for flat products, of columns) so that each task has some 10^6 flops or more: a few microseconds.
void GemmStep::split() {
  const auto& limits = tuning().products;
  constexpr int64_t kRowUnit = 16, kColumnUnit = 32;
  const bool transposesOnce =
      rhs.view.transposed && n >= std::max(kColumnUnit * limits.wantedTasks, m / limits.transposedOnce);
  splitsColumns_ = m < n || transposesOnce;
  extent_ = splitsColumns_ ? n : m;
  double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  int64_t wanted = std::max<int64_t>(1, limits.wantedTasks / std::max<int64_t>(batches, 1));
  wanted = std::min(wanted, static_cast<int64_t>(flops / limits.taskFlops) + 1);
  const int64_t unit = splitsColumns_ ? kColumnUnit : kRowUnit;  // of rows or columns: whole register tiles
  block_ = std::max(unit, ((extent_ + wanted - 1) / wanted + unit - 1) / unit * unit);
  blocks_ = (extent_ + block_ - 1) / block_;
  tasksPerChunk_ =
      static_cast<int64_t>(limits.chunkFlops / (flops / static_cast<double>(std::max<int64_t>(blocks_, 1)) + 1)) + 1;
}

int64_t GemmStep::scratchBytes() const {
  return isDouble ? gemmScratch<double>(n, k) * static_cast<int64_t>(sizeof(double))
                  : gemmScratch<float>(n, k) * static_cast<int64_t>(sizeof(float));
}

template <class Real>
void GemmStep::runTask(const RunState& state, int64_t task, int thread) const {
  auto base = [&](int slot) { return reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(slot)]); };
  const int64_t batch = task / blocks_, first = task % blocks_ * block_, size = std::min(block_, extent_ - first);
  Gemm<Real> product{m,
                     n,
                     k,
                     base(lhs.slot) + lhs.batchOffset[static_cast<size_t>(batch)],
                     base(rhs.slot) + rhs.batchOffset[static_cast<size_t>(batch)],
                     lhs.view,
                     rhs.view,
                     base(out) + batch * m * n,
                     n};
  if (splitsColumns_) {
    product.n = size;
    product.right += first * rhs.view.column();
    product.out += first;
  } else {
    product.m = size;
    product.left += first * lhs.view.row();
    product.out += first * n;
  }
  gemm(product, vectors, scratch.at<Real>(state, thread));
}

Status GemmStep::run(RunState& state) { return isDouble ? runAs<double>(state) : runAs<float>(state); }

template <class Real>
Status GemmStep::runAs(RunState& state) const {
  if (batches * m * n == 0) return {};
  if (k == 0) {
    auto* c = reinterpret_cast<Real*>(state.pointers[static_cast<size_t>(out)]);
    std::fill(c, c + batches * m * n, Real(0));
    return {};
  }
  state.pool->parallelFor(batches * blocks_, tasksPerChunk_, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t task = begin; task < end; ++task) runTask<Real>(state, task, thread);
  });
  return {};
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_gemm(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::GemmStep>(in);
}
