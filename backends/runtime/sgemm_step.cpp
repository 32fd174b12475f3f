// See sgemm_step.h.
#include "backends/runtime/sgemm_step.h"

#include <algorithm>

#include <oneapi/dnnl/dnnl.h>

#include "backends/runtime/dnnl_engine.h"

namespace tessera::cpu {

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

dnnl_status_t SgemmStep::runTask(RunState& state, int64_t task) const {
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
  return dnnl_sgemm(lhs.view.transposed ? 'T' : 'N', rhs.view.transposed ? 'T' : 'N', splitsColumns_ ? m : size, splitsColumns_ ? size : n,
             k, 1.0f, a, lhs.view.ld, b, rhs.view.ld, 0.0f, c, n);
}

Status SgemmStep::run(RunState& state) {
  if (batches * m * n == 0) return {};
  if (k == 0) {
    auto* c = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(out)]);
    std::fill(c, c + batches * m * n, 0.0f);
    return {};
  }
  if (!hasRun_ && !hasRoomForCode()) return fail(notEnoughMemory("dot"));
  DnnlAnswers answers;
  state.pool->parallelFor(batches * blocks_, tasksPerChunk_, [&](int64_t begin, int64_t end, int) {
    OneOpenMpThread single;
    for (int64_t task = begin; task < end; ++task) answers.note(runTask(state, task));
  });
  hasRun_ = true;
  return answers.status("dot");
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_dnnl_sgemm(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::SgemmStep>(in);
}
