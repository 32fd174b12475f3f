// See gemm_chain_step.h.
#include "backends/runtime/gemm/gemm_chain_step.h"

#include <algorithm>
#include <array>

namespace tessera::cpu {

Status GemmChainStep::run(RunState& state) {
  const int64_t tiles = (form.rows + tileRows - 1) / tileRows;
  state.pool->parallelFor(form.batches * tiles, 1, [&](int64_t begin, int64_t end, int thread) {
    const int64_t start = state.profile ? state.profile->now() : 0;
    for (int64_t t = begin; t < end; ++t) runTile(state, t / tiles, t % tiles * tileRows, thread);
    if (state.profile && thread > 0) state.profile->threadEvent(thread, start);
  });
  return {};
}

float* GemmChainStep::tileAt(const RunState& state, size_t array, int thread, int64_t first) const {
  if (scratch[array] < 0) return reinterpret_cast<float*>(state.pointers[static_cast<size_t>(out)]) + first;
  return reinterpret_cast<float*>(state.pointers[static_cast<size_t>(scratch[array])]) +
         thread * tileRows * form.columns;
}

int64_t GemmChainStep::packedBytes() const {
  int64_t most = 0;
  for (const ChainProduct& p : products) most = std::max(most, gemmScratch<float>(form.columns, p.depth));
  if (consumer.exists)
    most = std::max(most, gemmScratch<float>(consumer.onRight ? tileRows : consumer.columns, form.columns));
  return most * static_cast<int64_t>(sizeof(float));
}

void GemmChainStep::runTile(RunState& state, int64_t batch, int64_t first, int thread) const {
  const int64_t count = std::min(tileRows, form.rows - first), element = (batch * form.rows + first) * form.columns;
  for (size_t p = 0; p < products.size(); ++p)
    gemm<float>(productOf(state, products[p], batch, first, count, tileAt(state, p, thread, element)), vectors,
                packed.at<float>(state, thread));
  runKernel(state, element, count * form.columns, thread);
  if (consumer.exists)
    gemm<float>(consumption(state, batch, first, count, tileAt(state, resultTile, thread, element)), vectors,
                packed.at<float>(state, thread));
}

Gemm<float> GemmChainStep::productOf(const RunState& state, const ChainProduct& p, int64_t batch, int64_t first,
                                     int64_t count, float* tile) const {
  return {count,
          form.columns,
          p.depth,
          p.lhs.at(state, batch) + first * p.lhs.view.row(),
          p.rhs.at(state, batch),
          p.lhs.view,
          p.rhs.view,
          tile,
          form.columns};
}

// The kernel indexes whole arrays: a tile is where its elements would be in one.
void GemmChainStep::runKernel(const RunState& state, int64_t first, int64_t count, int thread) const {
  std::array<void*, kMaxSlots> buffers;
  for (size_t i = 0; i < slots.size(); ++i)
    buffers[i] = slots[i] < 0 ? nullptr : state.pointers[static_cast<size_t>(slots[i])];
  auto place = [&](float* tile) {
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tile) - static_cast<uintptr_t>(first) * sizeof(float));
  };
  for (size_t p = 0; p < products.size(); ++p) buffers[products[p].operand] = place(tileAt(state, p, thread, first));
  if (consumer.exists) buffers[slots.size() - 1] = place(tileAt(state, resultTile, thread, first));
  const CompiledKernel& compiled = state.kernels[kernel];
  auto itemOf = [&](int64_t element) {
    return element == form.elements() ? compiled.parallelCount : element / locality.elements * locality.items;
  };
  compiled.function(buffers.data(), itemOf(first), itemOf(first + count));
}

Gemm<float> GemmChainStep::consumption(const RunState& state, int64_t batch, int64_t first, int64_t count,
                                       const float* tile) const {
  const MatrixView& view = consumer.other.view;
  const float* other = consumer.other.at(state, batch);
  float* c = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(out)]) + batch * form.rows * consumer.columns;
  if (consumer.onRight)
    return {consumer.columns, count, form.columns, other, tile, view, {true, form.columns}, c + first, form.rows};
  return {count,           consumer.columns,      form.columns, tile,
          other,           {false, form.columns}, view,         c + first * consumer.columns,
          consumer.columns};
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_step_gemm_chain(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::GemmChainStep>(in);
}
