// GemmChainStep: dots with the kernel on their rows and the dot behind it, tile of rows by tile, so that what lies
// between them stays in a core's cache. Made by cpu/library/gemm_chain.
#pragma once

#include "backends/runtime/gemm/gemm.h"
#include "backends/runtime/gemm/row_pieces.h"
#include "backends/runtime/step.h"

namespace tessera::cpu {

// One operand of a dot that is in memory as a whole.
struct ChainOperand {
  int slot = -1;
  MatrixView view;
  std::vector<int64_t> batchOffset;
  template <class Fields>
  void fields(Fields& f) {
    f(slot, view, batchOffset);
  }
  const float* at(const RunState& state, int64_t batch) const {
    return reinterpret_cast<const float*>(state.pointers[static_cast<size_t>(slot)]) +
           batchOffset[static_cast<size_t>(batch)];
  }
};

// A dot in front: rows of lhs times rhs.
struct ChainProduct {
  ChainOperand lhs, rhs;
  int64_t depth = 1;
  size_t operand = 0;  // of the kernel
  template <class Fields>
  void fields(Fields& f) {
    f(lhs, rhs, depth, operand);
  }
};

// The dot behind: the tile times `other`, or (onRight) `other` times the tile's transpose.
struct ChainConsumer {
  bool exists = false, onRight = false;
  ChainOperand other;
  int64_t columns = 1;  // free elements of `other`
  template <class Fields>
  void fields(Fields& f) {
    f(exists, onRight, other, columns);
  }
};

struct ChainForm {
  int64_t batches = 1, rows = 1, columns = 1;
  int64_t elements() const { return batches * rows * columns; }
};

class GemmChainStep : public SerializableStep<GemmChainStep> {
 public:
  static constexpr const char* kLoader = "tessera_step_gemm_chain";
  static constexpr size_t kMaxSlots = 64;

  ChainForm form;
  std::vector<ChainProduct> products;
  ChainConsumer consumer;
  size_t kernel = 0;
  std::vector<int> slots;  // of the kernel's operands, then its result; -1: a tile
  std::vector<int>
      scratch;  // by product: tiles of all threads (-1: it is in the result); then the kernel's, where it has its own
  size_t resultTile = 0;  // of the kernel, if there is a consumer: one of `scratch`
  int out = -1;
  codegen::RowLocality locality;
  int64_t tileRows = 1;
  ThreadScratch packed;  // of packedBytes()
  GemmVectors vectors = GemmVectors::Sse;

  int64_t packedBytes() const;  // once the dots are known
  Status run(RunState& state) override;
  template <class Fields>
  void fields(Fields& f) {
    f(form, products, consumer, kernel, slots, scratch, resultTile, out, locality, tileRows, packed, vectors);
  }

 private:
  // first: the tile's first element in the whole array.
  float* tileAt(const RunState& state, size_t array, int thread, int64_t first) const;
  void runTile(RunState& state, int64_t batch, int64_t first, int thread) const;
  Gemm<float> productOf(const RunState& state, const ChainProduct& p, int64_t batch, int64_t first, int64_t count,
                        float* tile) const;
  void runKernel(const RunState& state, int64_t first, int64_t count, int thread) const;
  Gemm<float> consumption(const RunState& state, int64_t batch, int64_t first, int64_t count, const float* tile) const;
};

}  // namespace tessera::cpu
