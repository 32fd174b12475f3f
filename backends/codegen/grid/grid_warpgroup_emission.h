// WarpgroupEmission: the kernel of a contraction by wgmma. Two groups of four warps have 64 rows of a tile each and all
// of its columns. Pieces of 64 products (of f8: 128) wait in four places of shared memory, whose lines of 128 bytes
// lie as descriptors say: two are on their way (cp.async), of two the products are being computed.
#pragma once

#include <string>
#include <vector>

#include "backends/codegen/grid/grid_contraction.h"
#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

class WarpgroupEmission {
 public:
  WarpgroupEmission(KernelEmission& emission, const ContractionMap& map) : e(emission), b(e.b), map_(map) {}

  // Between the kernel's opening and its end. tile: of the block, in the map's order; it is divided.
  void emit(llvm::Value* tile);
  // Of the block, dynamic.
  static unsigned sharedBytes(const ContractionMap& map);

 private:
  struct Factor {
    const ContractionMap::Side& side;
    unsigned begin = 0;  // bytes, in a piece
    llvm::Value* first = nullptr;
  };

  void fill(const Factor& factor, llvm::Value* piece, llvm::Value* depth);
  void fillChunk(const Factor& factor, llvm::Value* piece, llvm::Value* depth, llvm::Value* chunk);
  llvm::Value* descriptorOf(const Factor& factor, llvm::Value* piece, llvm::Value* groupBytes);
  void changeSums(const std::string& text, const std::vector<llvm::Value*>& descriptors);
  std::string productText() const;
  ElementType typeOf(const ContractionMap::Side& side) const;
  bool addsPieces() const;
  void addPiece();
  void multiply(llvm::Value* piece);
  void finish();
  llvm::Value* pieceOf(llvm::Value* number);

  KernelEmission& e;
  llvm::IRBuilder<>& b;
  const ContractionMap& map_;
  llvm::Value *thread_ = nullptr, *shared_ = nullptr;
  std::vector<llvm::Value*> sums_, totals_;  // slots; totals: where the sums are those of a piece
  std::vector<Factor> factors_;              // rows, columns
};

}  // namespace tessera::codegen
