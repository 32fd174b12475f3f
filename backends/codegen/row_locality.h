// RowLocality: whether a kernel can run on a tile of its result alone: which of its items compute a piece of consecutive
// elements, reading of some operands only that same piece. Stands after KernelNest; tiled plans (cpu/row_chain_step) ask.
#pragma once

#include <optional>
#include <vector>

#include "backends/codegen/kernel_nest.h"

namespace tessera::codegen {

// Items [i · items, (i + 1) · items) compute elements [i · elements, (i + 1) · elements) of the one result.
struct RowLocality {
  int64_t elements = 1, items = 1;
  bool mayOverwrite = false;  // the result may lie where a local operand does: elements are read before they are stored
};

// nullopt: there is no such piece, or it is the whole result. local: by operand, whether it is read in pieces.
std::optional<RowLocality> rowLocalityOf(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest,
                                         const std::vector<bool>& local);

}  // namespace tessera::codegen
