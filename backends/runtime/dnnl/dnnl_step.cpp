// See dnnl_step.h.
#include "backends/runtime/dnnl/dnnl_step.h"

#include <algorithm>
#include <array>

#include "core/base/tuning.h"

namespace tessera::cpu {

DnnlArgument::DnnlArgument(int kind, int slot, int64_t offset, const dnnl::memory::desc& plain,
                           const dnnl::memory::desc& wanted, bool isResult)
    : kind_(kind),
      slot_(slot),
      offset_(offset),
      isResult_(isResult),
      moves_(plain != wanted),
      plain_(plain, dnnlEngine(), nullptr) {
  if (!moves_) return;
  packed_ = dnnl::memory(wanted, dnnlEngine());
  move_ = isResult ? dnnl::reorder(packed_, plain_) : dnnl::reorder(plain_, packed_);
}

void DnnlArgument::bind(const RunState& state, std::byte* shard) {
  plain_.set_data_handle((slot_ == kSlotOfShard ? shard : state.pointers[static_cast<size_t>(slot_)]) + offset_);
}

void DnnlArgument::reorder(dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) const {
  const dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
  dnnlExecute(move_, stream, both);
}

void DnnlArgument::packIn(dnnl::stream& stream) {
  if (moves_ && !isResult_) reorder(stream, plain_, packed_);
}

void DnnlArgument::unpackOut(dnnl::stream& stream) {
  if (moves_ && isResult_) reorder(stream, packed_, plain_);
}

void DnnlStep::gatherRows(RunState& state) const {
  const auto* from = reinterpret_cast<const float*>(state.pointers[static_cast<size_t>(gather->from)]) + gather->start;
  auto* to = reinterpret_cast<float*>(state.pointers[static_cast<size_t>(gather->to)]);
  auto each = static_cast<int64_t>(gather->inside.size());
  state.pool->parallelFor(product(gather->rows), std::max<int64_t>(1, tuning().products.gatheredElements / each),
                          [&](int64_t begin, int64_t end, int) {
                            for (int64_t row = begin; row < end; ++row) {
                              const float* at = from + offsetAt(gather->rows, row);
                              for (int64_t e = 0; e < each; ++e)
                                to[row * each + e] = at[gather->inside[static_cast<size_t>(e)]];
                            }
                          });
}

void DnnlEpilogue::run(const RunState& state, int64_t first, int64_t count, std::byte* shard) const {
  std::array<void*, kMaxSlots> buffers;
  for (size_t i = 0; i < slots.size(); ++i)
    buffers[i] = slots[i] == kSlotOfShard ? shard : state.pointers[static_cast<size_t>(slots[i])];
  const CompiledKernel& compiled = state.kernels[kernel];
  auto itemOf = [&](int64_t element) {
    return element == elements ? compiled.parallelCount : element / locality.elements * locality.items;
  };
  compiled.function(buffers.data(), itemOf(first), itemOf(first + count));
}

void DnnlStep::bindAll(DnnlShard& shard) const {
  shard.bound.push_back({DNNL_ARG_SCRATCHPAD, shard.scratch.get()});
  if (shared) shard.bound.push_back({shared->kind(), shared->memory().get()});
  for (const DnnlArgument& argument : shard.arguments)
    shard.bound.push_back({argument.kind(), argument.memory().get()});
}

std::byte* DnnlStep::placeOf(const RunState& state, const DnnlShard& shard, int thread) const {
  if (shardScratch.slot < 0) return nullptr;
  std::byte* const base = state.pointers[static_cast<size_t>(shardScratch.slot)];
  if (shardScratch.bytes == 0) return base;
  return base + thread * shardScratch.bytes - shard.first * shardScratch.elementBytes;
}

Status DnnlStep::run(RunState& state) {
  if (gather) gatherRows(state);
  if (shared) {
    OneOpenMpThread single;
    TESSERA_TRY(dnnlGuarded(what_, [&] {
      shared->bind(state, nullptr);
      shared->packIn(dnnlStream());
    }));
  }
  return dnnlForEach(*state.pool, static_cast<int64_t>(shards.size()), what_,
                     [&](int64_t i, dnnl::stream& stream, int thread) {
                       DnnlShard& shard = shards[static_cast<size_t>(i)];
                       std::byte* const place = placeOf(state, shard, thread);
                       if (shard.bound.empty()) bindAll(shard);
                       for (DnnlArgument& argument : shard.arguments) {
                         argument.bind(state, place);
                         argument.packIn(stream);
                       }
                       dnnlExecute(shard.primitive, stream, shard.bound);
                       for (DnnlArgument& argument : shard.arguments) argument.unpackOut(stream);
                       if (epilogue) epilogue->run(state, shard.first, shard.count, place);
                     });
}

}  // namespace tessera::cpu
