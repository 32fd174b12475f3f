// ContractionStep: our own matrix product: any types, any dimension order, batches, and convolutions as products of
// patches and kernels. Both sides are packed into panels, of many rows each task its own; a register tile made by
// codegen walks them, cache block by cache block; all threads share both phases. The order of each sum depends on the
// shape alone. Made by cpu/library/contraction.
#pragma once

#include <optional>

#include "backends/runtime/gemm/contraction_panels.h"
#include "backends/runtime/gemm/tile_shape.h"
#include "backends/runtime/step.h"

namespace tessera::cpu {

// out[b, i, j] = Σ_k lhs[b, i, k] · rhs[b, j, k]. The panels' batch dimensions fit those of the result; the
// contracted dimensions of both sides have the same order.
struct Contraction {
  PanelSource lhs, rhs;
  int lhsSlot = -1, rhsSlot = -1, outSlot = -1;
  ElementType resultType = ElementType::F32;
  int64_t outStart = 0;
  Dims outBatch, outRows, outColumns;
  template <class Fields>
  void fields(Fields& f) {
    f(lhs, rhs, lhsSlot, rhsSlot, outSlot, resultType, outStart, outBatch, outRows, outColumns);
  }
};

class ContractionStep : public Step {
 public:
  ContractionStep(const Contraction& contraction, const codegen::TileShape& tile);

  // Bytes of the panels; nullopt on overflow.
  std::optional<int64_t> packedBytes(int64_t threads) const;
  int kernelIndex = -1, packed = -1;

  Status run(RunState& state) override;
  const char* loader() const override { return "tessera_step_contraction"; }
  void save(FieldWriter& out) override { out(c, tile_, kernelIndex, packed); }

 private:
  void splitTasks();
  void pack(RunState& state, const PanelPacker& packer, int slot, std::byte* to) const;
  int64_t leftBytes() const;  // of all tasks' left panels, or a thread's
  std::byte* leftPanels(RunState& state) const;
  void runTask(RunState& state, int64_t task, int thread);
  void runTile(const CompiledKernel& kernel, void** buffers, std::byte* out, int64_t batch, int64_t panelRow,
               int64_t panelColumn, int64_t begin, int64_t end);
  void scatter(const std::byte* sums, std::byte* out, int64_t batch, int64_t firstRow, int64_t firstColumn) const;
  void fillZero(std::byte* out) const;

  Contraction c;
  codegen::TileShape tile_;
  PanelPacker left_, right_;
  int64_t rows_, columns_;
  bool isDirect_ = false;
  int64_t rowStride_ = 0;
  int64_t rowsPerTask_ = 1, columnsPerTask_ = 1, rowTasks_ = 1, columnTasks_ = 1;  // in panels
  bool packsOwn_ = false;  // a task packs the left panels of its rows, for itself
  double taskFlops_ = 1;
};

}  // namespace tessera::cpu
