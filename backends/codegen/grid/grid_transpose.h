// GridTranspose: programs that move data whose reads walk memory along another counter than their stores, as tiles on a
// GPU: a block reads a tile along the memory of what it reads, into shared memory, and stores it along the memory of
// what it writes. Found in the element program itself. Tried before GridMap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_map.h"
#include "core/base/result.h"

namespace tessera::codegen {

struct TransposeMap {
  static constexpr unsigned kTile = 32, kRows = 8;  // of a block: 32 by 8 threads

  int32_t stored = -1, read = -1;  // the counters along which memory is written and read
  std::vector<int32_t> others;
  std::vector<NodeId> crossing;  // reads along `read`
  int64_t storedSize = 1, readSize = 1, batches = 1;
  GridMap grid;  // its threads

  int64_t storedTiles() const { return (storedSize + kTile - 1) / kTile; }
  int64_t readTiles() const { return (readSize + kTile - 1) / kTile; }
  int64_t blocks() const { return batches * storedTiles() * readTiles(); }
  std::string text() const;

  // Nothing where no read crosses, or the tiles would be mostly empty.
  static std::optional<TransposeMap> of(const LoopProgram& program, const ProgramAnalysis& analysis);
};

Status emitTransposeKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const TransposeMap& map);

}  // namespace tessera::codegen
