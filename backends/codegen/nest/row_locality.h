// RowLocality: whether a kernel can run on a tile of its result alone: which of its items compute a piece of
// consecutive elements, reading of some operands only that same piece. Reads KernelNest. Used by plans of tiles
// (cpu/library/gemm_chain, convolution_epilogue) and of groups of rows (sort).
#pragma once

#include <optional>
#include <vector>

#include "backends/codegen/nest/kernel_nest.h"
#include "backends/runtime/gemm/row_pieces.h"

namespace tessera::codegen {

// nullopt: there is no such piece, or it is the whole result. local: by operand, whether it is read in pieces.
std::optional<RowLocality> rowLocalityOf(const LoopProgram& program, const ProgramAnalysis& analysis,
                                         const KernelNest& nest, const std::vector<bool>& local);

}  // namespace tessera::codegen
