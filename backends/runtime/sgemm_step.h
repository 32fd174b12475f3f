// SgemmStep: f32 dots through our sgemm, on operands where they lie. Batches and blocks of rows (or columns) are split over
// the threads. Before: cpu/sgemm.
#pragma once

#include "backends/runtime/sgemm.h"
#include "backends/runtime/step.h"

namespace tessera::cpu {

struct SgemmSide {
  int slot = -1;
  MatrixView view;
  std::vector<int64_t> batchOffset;  // in elements, by batch
  template <class Fields>
  void fields(Fields& f) {
    f(slot, view, batchOffset);
  }
};

class SgemmStep : public KeptStep<SgemmStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_sgemm";
  SgemmSide lhs, rhs;
  int64_t m = 1, n = 1, k = 1, batches = 1;
  int out = -1;
  ThreadScratch scratch;  // of scratchBytes()
  SgemmVectors vectors = SgemmVectors::Plain;

  void split();  // once the shape is known
  int64_t scratchBytes() const;
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(lhs, rhs, m, n, k, batches, out, scratch, vectors);
  }
  bool prepare() {
    split();
    return true;
  }

 private:
  void runTask(const RunState& state, int64_t task, int thread) const;
  bool splitsColumns_ = false;
  int64_t extent_ = 1, block_ = 1, blocks_ = 1, tasksPerChunk_ = 1;
};

}  // namespace tessera::cpu
