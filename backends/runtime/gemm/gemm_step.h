// GemmStep: dots of f32 or f64 through our gemm, on operands in place. Batches and blocks of rows (or columns)
// are split over the threads. Made by cpu/library/gemm.
#pragma once

#include "backends/runtime/gemm/gemm.h"
#include "backends/runtime/step.h"

namespace tessera::cpu {

struct GemmSide {
  int slot = -1;
  MatrixView view;
  std::vector<int64_t> batchOffset;  // in elements, by batch
  template <class Fields>
  void fields(Fields& f) {
    f(slot, view, batchOffset);
  }
};

class GemmStep : public SerializableStep<GemmStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_gemm";
  GemmSide lhs, rhs;
  int64_t m = 1, n = 1, k = 1, batches = 1;
  int out = -1;
  bool isDouble = false;
  ThreadScratch scratch;  // of scratchBytes()
  GemmVectors vectors = GemmVectors::Sse;

  void split();  // into tasks, once the shape is known
  int64_t scratchBytes() const;
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(lhs, rhs, m, n, k, batches, out, isDouble, scratch, vectors);
  }
  bool prepare() {
    split();
    return true;
  }

 private:
  template <class Real>
  Status runAs(RunState& state) const;
  template <class Real>
  void runTask(const RunState& state, int64_t task, int thread) const;
  bool splitsColumns_ = false;
  int64_t extent_ = 1, block_ = 1, blocks_ = 1, tasksPerChunk_ = 1;
};

}  // namespace tessera::cpu
