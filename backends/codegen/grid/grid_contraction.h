// GridContraction: sums of products whose two factors see different counters (a dot, a convolution with its patches
// read in place, also with what is done to their operands and results) as tiles on a GPU: a block loads a piece of both
// factors into shared memory, and each thread keeps some of the tile's sums in registers. From sm_80 on the next piece
// is copied there beside the products of the one before (cp.async), where a factor is in memory as it is multiplied.
// On sm_90a large products of bf16, f16 and f8 are wgmma's (grid_warpgroup_emission.h); elsewhere f8 becomes f16, which
// holds all its values.
// Found in the element program itself, so that it needs no knowledge of the operation. Tried before GridMap.
#pragma once

#include <optional>
#include <string>

#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_map.h"
#include "core/base/result.h"

namespace tessera::codegen {

struct ContractionMap {
  // One factor: its node, and the condition under which its products count (invalid: always).
  struct Side {
    NodeId factor, guard;
    std::vector<int32_t> counters;  // that it alone sees, major to minor
    int64_t size = 1;               // of these
    unsigned tile = 16;             // rows or columns of a block
    bool alongDepth = false;        // neighbours in memory are neighbours of the contracted dimension
    unsigned copied = 0;            // elements that an asynchronous copy moves; 0: they go through registers
    int64_t tiles() const { return (size + tile - 1) / tile; }
  };

  size_t loop = 0;
  Side rows, columns;
  std::vector<int32_t> batch, depth;
  int64_t batches = 1, depthSize = 1;
  unsigned tileDepth = 16;
  GridMap grid;  // its threads
  // Of the factors, where tensor cores multiply them (before their conversion to the sums' type): bf16, f16, s8; f16
  // where they are f8.
  std::optional<ElementType> tensor;
  bool isByWarpgroups = false;      // by wgmma, each factor in its own type
  unsigned dynamicSharedBytes = 0;  // of a block; 0: its arrays are static

  int64_t blocks() const { return batches * rows.tiles() * columns.tiles(); }
  std::string text() const;

  // Two pieces of each factor are in shared memory, of which one is on its way.
  bool isPipelined() const { return rows.copied > 0 || columns.copied > 0; }

  // Nothing where the program is none, or too small to gain.
  static std::optional<ContractionMap> of(const LoopProgram& program, const ProgramAnalysis& analysis,
                                          const GridTarget& target);
};

Status emitContractionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                             const ProgramAnalysis& analysis, const ContractionMap& map);

}  // namespace tessera::codegen
