// See matmul_step.h.
#include "backends/runtime/dnnl/matmul_step.h"

#include <algorithm>

#include "backends/runtime/dnnl/dnnl_engine.h"
#include "core/base/tuning.h"

namespace tessera::cpu {

using Desc = dnnl::memory::desc;

void MatmulStep::addShard(int64_t batch, int64_t row, int64_t count, int64_t rows) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  Desc l = lhs.desc(count, rows, k), r = rhs.desc(count, k, n), o = out.desc(count, rows, n);
  // Shards of one size share the code that the library generates.
  const auto alike = std::ranges::find_if(
      shards_, [&](const MatmulShard& shard) { return shard.lhs.get_desc() == l && shard.out.get_desc() == o; });
  auto empty = [&](const Desc& desc) { return dnnl::memory(desc, dnnlEngine(), nullptr); };
  if (alike != shards_.end()) {
    shards_.push_back({batch, row, alike->primitive, empty(l), empty(r), empty(o),
                       dnnl::memory(alike->scratch.get_desc(), dnnlEngine())});
    return;
  }
  dnnl::matmul::primitive_desc pd(dnnl::matmul::desc(l, r, o), attributes, dnnlEngine());
  shards_.push_back(
      {batch, row, dnnl::matmul(pd), empty(l), empty(r), empty(o), dnnl::memory(pd.scratchpad_desc(), dnnlEngine())});
}

Status MatmulStep::run(RunState& state) {
  return dnnlForEach(*state.pool, static_cast<int64_t>(shards_.size()), "dot",
                     [&](int64_t i, dnnl::stream& stream, int) {
                       MatmulShard& shard = shards_[static_cast<size_t>(i)];
                       shard.lhs.set_data_handle(lhs.at(state, shard.batch, shard.row));
                       shard.rhs.set_data_handle(rhs.at(state, shard.batch, 0));
                       shard.out.set_data_handle(out.at(state, shard.batch, shard.row));
                       const dnnl_exec_arg_t all[] = {{DNNL_ARG_SRC, shard.lhs.get()},
                                                      {DNNL_ARG_WEIGHTS, shard.rhs.get()},
                                                      {DNNL_ARG_DST, shard.out.get()},
                                                      {DNNL_ARG_SCRATCHPAD, shard.scratch.get()}};
                       dnnlExecute(shard.primitive, stream, all);
                     });
}

bool MatmulStep::prepare() {
  OneOpenMpThread single;
  if (!hasRoomForCode()) return false;
  try {
    split();
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

void MatmulStep::split() {
  double flops =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * static_cast<double>(batches);
  int64_t wanted = flops < tuning().products.librarySharedFlops ? 1 : tuning().products.libraryShards;
  if (batches >= wanted) {
    int64_t each = isRegular() ? (batches + wanted - 1) / wanted : 1;
    for (int64_t b = 0; b < batches; b += each) addShard(b, 0, std::min(each, batches - b), m);
    return;
  }
  int64_t each = std::max<int64_t>(16, ((m * batches + wanted - 1) / wanted + 15) / 16 * 16);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t row = 0; row < m; row += each) addShard(b, row, 1, std::min(each, m - row));
}

}  // namespace tessera::cpu

extern "C" tessera::cpu::Step* tessera_dnnl_matmul(tessera::cpu::FieldReader& in) {
  return tessera::cpu::loadStep<tessera::cpu::MatmulStep>(in);
}
