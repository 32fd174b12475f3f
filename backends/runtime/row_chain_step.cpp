// See row_chain_step.h.
#include "backends/runtime/row_chain_step.h"

#include <algorithm>
#include <array>

#include "backends/runtime/dnnl_engine.h"

namespace tessera::cpu {

Status RowChainStep::run(RunState& state) {
  const int64_t tiles = (form.rows + tileRows - 1) / tileRows;
  DnnlAnswers answers;
  state.pool->parallelFor(form.batches * tiles, 1, [&](int64_t begin, int64_t end, int thread) {
    OneOpenMpThread single;
    const int64_t start = state.profile ? state.profile->now() : 0;
    for (int64_t t = begin; t < end; ++t) runTile(state, t / tiles, t % tiles * tileRows, thread, answers);
    if (state.profile && thread > 0) state.profile->threadEvent(thread, start);
  });
  return answers.status("dots and kernel");
}

float* RowChainStep::tileAt(const RunState& state, size_t array, int thread, int64_t first) const {
  if (scratch[array] < 0) return reinterpret_cast<float*>(state.pointers[static_cast<size_t>(out)]) + first;
  return reinterpret_cast<float*>(state.pointers[static_cast<size_t>(scratch[array])]) + thread * tileRows * form.columns;
}

void RowChainStep::runTile(RunState& state, int64_t batch, int64_t first, int thread, DnnlAnswers& answers) const {
  const int64_t count = std::min(tileRows, form.rows - first), element = (batch * form.rows + first) * form.columns;
  for (size_t p = 0; p < products.size(); ++p) answers.note(multiply(state, products[p], batch, first, count, tileAt(state, p, thread, element)));
  runKernel(state, element, count * form.columns, thread);
  if (consumer.exists) answers.note(consume(state, batch, first, count, tileAt(state, resultTile, thread, element)));
}

dnnl_status_t RowChainStep::multiply(const RunState& state, const ChainProduct& p, int64_t batch, int64_t first, int64_t count, float* tile) const {
  const MatrixView &l = p.lhs.view, &r = p.rhs.view;
  const float* a = p.lhs.at(state, batch) + (l.transposed ? first : first * l.ld);
  return dnnl_sgemm(l.transposed ? 'T' : 'N', r.transposed ? 'T' : 'N', count, form.columns, p.depth, 1.0f, a, l.ld, p.rhs.at(state, batch), r.ld,
             0.0f, tile, form.columns);
}

// The kernel indexes whole arrays: a tile stands where its elements would lie in one.
void RowChainStep::runKernel(const RunState& state, int64_t first, int64_t count, int thread) const {
  std::array<void*, kMostSlots> buffers;
  for (size_t i = 0; i < slots.size(); ++i) buffers[i] = slots[i] < 0 ? nullptr : state.pointers[static_cast<size_t>(slots[i])];
  auto place = [&](float* tile) { return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tile) - static_cast<uintptr_t>(first) * sizeof(float)); };
  for (size_t p = 0; p < products.size(); ++p) buffers[products[p].operand] = place(tileAt(state, p, thread, first));
  if (consumer.exists) buffers[slots.size() - 1] = place(tileAt(state, resultTile, thread, first));
  const CompiledKernel& compiled = state.kernels[kernel];
  auto itemOf = [&](int64_t element) { return element == form.elements() ? compiled.parallelCount : element / locality.elements * locality.items; };
  compiled.function(buffers.data(), itemOf(first), itemOf(first + count));
}

dnnl_status_t RowChainStep::consume(const RunState& state, int64_t batch, int64_t first, int64_t count, const float* tile) const {
  const MatrixView& view = consumer.other.view;
  const float* other = consumer.other.at(state, batch);
  float* c = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(out)]) + batch * form.rows * consumer.columns;
  const char transposed = view.transposed ? 'T' : 'N';
  if (consumer.onRight)
    return dnnl_sgemm(transposed, 'T', consumer.columns, count, form.columns, 1.0f, other, view.ld, tile, form.columns, 0.0f, c + first, form.rows);
  return dnnl_sgemm('N', transposed, count, consumer.columns, form.columns, 1.0f, tile, form.columns, other, view.ld, 0.0f, c + first * consumer.columns,
                    consumer.columns);
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_dnnl_row_chain(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::RowChainStep>(in);
}
