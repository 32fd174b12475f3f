// RowTileEmitter: the code of a kernel's row tiles (row_tile.h): places on the stack, rows transposed into them, loads.
#pragma once

#include <functional>
#include <vector>

#include "backends/codegen/kernel_memory.h"
#include "backends/codegen/nest/kernel_nest.h"

namespace tessera::codegen {

class RowTileEmitter {
 public:
  RowTileEmitter(llvm::IRBuilder<>& builder, ScalarEmitter& scalars, KernelMemory& memory, const KernelNest& nest)
      : b(builder), scalars_(scalars), memory_(memory), nest_(nest), width_(nest.lanes / nest.vectors) {}

  // Places on the stack of the function that is being built. types: of the tiles' reads.
  void open(const std::vector<ElementType>& types);
  // Fills a tile with rows first, first + 1, … of the `rows` of the array. base: its row 0.
  void fill(size_t tile, const ArrayBase& base, llvm::Value* first, int64_t rows);
  // Element `at` of all lanes' rows.
  Val load(size_t tile, llvm::Value* at);

 private:
  void fillSquare(size_t tile, const ArrayBase& base, llvm::Value* lane, llvm::Value* top, llvm::Value* column,
                  int64_t rows);
  void transpose(std::vector<llvm::Value*>& rows);
  void inSteps(int64_t to, const std::function<void(llvm::Value*)>& body);
  llvm::Value* int64(int64_t v) { return b.getInt64(static_cast<uint64_t>(v)); }
  llvm::Align alignOf(size_t tile) const { return llvm::Align(static_cast<uint64_t>(byteWidth(types_[tile]))); }

  llvm::IRBuilder<>& b;
  ScalarEmitter& scalars_;
  KernelMemory& memory_;
  const KernelNest& nest_;
  unsigned width_;  // lanes of one vector
  std::vector<ElementType> types_;
  std::vector<llvm::Value*> places_;
};

}  // namespace tessera::codegen
