// SgemmStep: f32 dots through oneDNN's sgemm, on operands where they lie. We split batches and blocks of rows (or columns)
// over our threads; inside each call the library runs on one. Before: cpu/sgemm.
#pragma once

#include <oneapi/dnnl/dnnl_types.h>

#include "backends/runtime/step.h"

namespace tessera::cpu {

// How a matrix routine sees one operand: `rows` × `columns`, one of them contiguous.
struct MatrixView {
  bool transposed = false;  // the rows are contiguous
  int64_t ld = 1;           // elements from one row (transposed: column) to the next
};

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
  static constexpr const char* kLoader = "tessera_dnnl_sgemm";
  SgemmSide lhs, rhs;
  int64_t m = 1, n = 1, k = 1, batches = 1;
  int out = -1;

  void split();  // once all of it is known
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(lhs, rhs, m, n, k, batches, out);
  }
  bool prepare() {
    split();
    return true;
  }

 private:
  dnnl_status_t runTask(RunState& state, int64_t task) const;
  bool splitsColumns_ = false, hasRun_ = false;
  int64_t extent_ = 1, block_ = 1, blocks_ = 1, tasksPerChunk_ = 1;
};

}  // namespace tessera::cpu
