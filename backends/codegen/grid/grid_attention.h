// GridAttention: softmax(f(q · kᵀ)) · v on a GPU without the scores in memory. A block takes a tile of queries and
// walks the keys, a tile at a time: it multiplies, keeps each row's maximum and sum so far, and adds the weighted
// values to the row's result, which is rescaled whenever the maximum grows. Found in the element program that
// core/passes/fusion/attention.h makes one of; f is any function of the score, the place and other arrays. Tried before
// GridContraction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_map.h"
#include "core/base/result.h"

namespace tessera::codegen {

struct AttentionMap {
  // One factor: its node, in the loops over the keys of values, and whether neighbours in memory are neighbours of
  // what is summed over.
  struct Factor {
    NodeId node;
    bool alongSum = false;
  };

  size_t mostLoop = 0, sumLoop = 0;     // of a row's maximum and sum
  size_t scoreLoop = 0, valueLoop = 0;  // of the first dot, as the second one reads it; of that
  Factor query, key, value;
  NodeId score;                                             // what the softmax is taken of
  NodeId shifted;                                           // the score less the row's maximum
  NodeId power;                                             // its exponential
  std::vector<int32_t> rows, columns, depth, width, batch;  // counters: queries, keys, their elements, the values'
  int64_t rowCount = 1, columnCount = 1, depthCount = 1, widthCount = 1, batches = 1;
  unsigned tileRows = 32, tileColumns = 32;
  GridMap grid;  // its threads
  // Of the factors, where tensor cores multiply them: bf16 or f16.
  std::optional<ElementType> tensor;

  int64_t rowTiles() const { return (rowCount + tileRows - 1) / tileRows; }
  int64_t blocks() const { return batches * rowTiles(); }
  unsigned paddedDepth() const { return padded(depthCount); }
  unsigned paddedWidth() const { return padded(widthCount); }
  // Words of a row of powers in shared memory: the two rows of a warp are in different halves of the banks.
  unsigned powersLine() const { return tileColumns % 32 == 0 ? tileColumns + 16 : tileColumns; }
  std::string text() const;

  // tensorCores: those of sm_80.
  static std::optional<AttentionMap> of(const LoopProgram& program, const ProgramAnalysis& analysis, bool tensorCores);

 private:
  static unsigned padded(int64_t count) { return static_cast<unsigned>((count + 15) / 16 * 16); }
};

Status emitAttentionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const AttentionMap& map);

}  // namespace tessera::codegen
