// MatmulStep: bf16, s8 and u8 dots through oneDNN's matmul, on operands in place: one primitive per shard of the
// batch or of the rows, so that our threads share the work. Made by cpu/library/matmul.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "backends/runtime/step.h"

namespace tessera::cpu {

// rows × columns with an outer batch, described by bytes from the operand's start.
struct Matrix {
  int slot = -1;
  dnnl::memory::data_type kind = dnnl::memory::data_type::f32;
  int64_t width = 4, batchStride = 0, rowStride = 0, columnStride = 0;
  std::vector<int64_t> batchOffset;  // of each, if their distances are not constant
  dnnl::memory::desc desc(int64_t batch, int64_t rows, int64_t columns) const {
    return dnnl::memory::desc({batch, rows, columns}, kind, {batchStride, rowStride, columnStride});
  }
  std::byte* at(RunState& state, int64_t batch, int64_t row) const {
    const int64_t first = batchOffset.empty() ? batch * batchStride : batchOffset[static_cast<size_t>(batch)];
    return state.pointers[static_cast<size_t>(slot)] + (first + row * rowStride) * width;
  }
  template <class Fields>
  void fields(Fields& f) {
    f(slot, kind, width, batchStride, rowStride, columnStride, batchOffset);
  }
};

struct MatmulShard {
  int64_t batch = 0, row = 0;
  dnnl::matmul primitive;
  dnnl::memory lhs, rhs, out, scratch;
};

class MatmulStep : public SerializableStep<MatmulStep> {
 public:
  static constexpr const char* kLoader = "tessera_dnnl_matmul";
  Matrix lhs, rhs, out;
  int64_t batches = 1, m = 1, n = 1, k = 1;

  // Makes the library's primitives; false: it has none for these matrices.
  bool prepare();
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(lhs, rhs, out, batches, m, n, k);
  }

 private:
  void split();
  void addShard(int64_t batch, int64_t row, int64_t count, int64_t rows);
  bool isRegular() const { return lhs.batchOffset.empty() && rhs.batchOffset.empty(); }

  std::vector<MatmulShard> shards_;
};

}  // namespace tessera::cpu
