// ContractionTile: the innermost loop of a contraction as one LLVM function: a tile of rows × (vectors · lanes) sums
// kept in registers while it walks the contracted dimension over two packed panels.
// Compiled by KernelCompiler; runtime/gemm/contraction_step cuts the operands into panels and calls it.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include "backends/runtime/gemm/tile_shape.h"

namespace tessera::codegen {

// Adds void(ptr buffers, i64 begin, i64 end). buffers: panel of the left operand (`rows` values a step), panel of the
// right one (rows of vectors · lanes values a step), the tile's first sum, and a pointer to {i64 elements from one
// row of sums to the next, i64 whether to add to the old values}. Steps [begin, end) are walked, at least one.
// Pairs: a step's values are 16-bit integers, those of its two elements side by side.
// Complex values come and go as two planes: a panel's step is the real parts, then the imaginary ones; the imaginary
// sums are `rows` rows below the real ones.
void emitTile(llvm::Module& module, const std::string& name, const TileShape& tile);

}  // namespace tessera::codegen
