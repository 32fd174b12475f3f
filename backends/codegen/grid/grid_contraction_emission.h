// What the parts of a contraction's kernel have in common: grid_contraction_loading.cpp fills tiles in shared memory,
// grid_contraction_emission.cpp multiplies them. Threads of a block are 16 by 16, along rows and columns.
#pragma once

#include "backends/codegen/grid/grid_contraction.h"
#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

inline constexpr unsigned kContractionSide = 16;

// One factor's tile in shared memory.
struct ContractionSide {
  const ContractionMap::Side& side;
  llvm::GlobalVariable* shared;
  llvm::Type* held;
  unsigned line;       // elements from one line to the next
  llvm::Value* first;  // i64: of the block's rows or columns
  llvm::Value* begin;  // i32: of the piece in use, in elements

  llvm::Value* place(llvm::IRBuilder<>& b, llvm::Value* element) const {
    return b.CreateGEP(held, shared, b.CreateAdd(begin, element));
  }
};

}  // namespace tessera::codegen
