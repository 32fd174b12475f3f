// AttentionEmission: the kernel of attention while its code is made (grid_attention.h). Queries are loaded once, keys
// and values tile by tile. Of a row each of its threads has the maximum and its own part of the sum, and parts of the
// result. Defined in grid_attention_emission.cpp, what tensor cores do in grid_attention_matrices.cpp.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "backends/codegen/grid/grid_attention.h"
#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

class AttentionEmission {
 public:
  AttentionEmission(KernelEmission& emission, const AttentionMap& map)
      : e(emission), b(emission.b), scalars_(emission.scalars_), map_(map), f32_(b.getFloatTy()) {}
  Status emit(const std::string& name);

 private:
  // A factor's tile: `along` is what is summed over, `across` the rows, keys or elements of values.
  struct Tile {
    const AttentionMap::Factor& factor;
    const std::vector<int32_t>&along, &across;
    int64_t alongCount, acrossCount;
    unsigned alongSize, acrossSize;
    llvm::GlobalVariable* shared = nullptr;
    unsigned line = 0;          // elements from one line to the next
    bool linesAreAlong = true;  // a line holds what is summed over
    unsigned each = 1;          // neighbours along it that a thread loads at once
  };
  // An element on its way to shared memory.
  struct Loaded {
    llvm::Value *value, *place;
  };
  // A row of a thread, and the slots of what is known of it.
  struct Row {
    llvm::Value* number;  // i64, of all queries
    llvm::Value *most, *sum;
  };

  llvm::Value* int64(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* wide(llvm::Value* value) { return b.CreateZExt(value, b.getInt64Ty()); }
  llvm::Value* number(double value) { return llvm::ConstantFP::get(f32_, value); }
  llvm::Value* combine(NodeOp op, llvm::Value* x, llvm::Value* y) {
    return scalars_.binary(op, ElementType::F32, {x}, {y}).re;
  }
  llvm::Value* slot(llvm::Value* initial) { return e.makeSlot(false, {initial}).re; }
  llvm::Value* read(llvm::Value* slot) { return b.CreateLoad(f32_, slot); }

  void open(const std::string& name);
  llvm::Value* clamped(llvm::Value* at, int64_t count, unsigned tile, unsigned each = 1);

  // --- loading
  std::pair<llvm::Value*, llvm::Value*> placeIn(const Tile& tile, llvm::Value* element);
  Loaded load(const Tile& tile, llvm::Value* element, llvm::Value* firstAlong, llvm::Value* firstAcross);
  llvm::Value* factorValue(NodeId factor);
  llvm::Value* wholeValue(NodeId factor);
  unsigned neighboursOf(const Tile& tile) const;
  void fill(const Tile& tile, llvm::Value* first);

  // --- softmax
  llvm::Value* scoreOf(llvm::Value* row, llvm::Value* column, llvm::Value* sum);
  llvm::Value* powerOf(llvm::Value* difference);
  void settle(size_t loop, llvm::Value* result);
  llvm::Value* joinLanes(NodeOp op, llvm::Value* own, unsigned lanes);
  llvm::Value* takeScores(const Row& row, const std::vector<llvm::Value**>& scores, unsigned lanes);
  Row openRow(llvm::Value* inTile);
  void storeResult(llvm::Value* rowInTile, llvm::Value* element, llvm::Value* result);
  void forTiles(const std::function<void(llvm::Value*)>& body);

  // --- by multiply-adds
  void emitBySums();
  llvm::Value* loadShared(const Tile& tile, llvm::Value* line, llvm::Value* place);
  std::vector<llvm::Value*> sumProducts(unsigned depth, unsigned rows, unsigned columns,
                                        const std::function<llvm::Value*(unsigned, llvm::Value*)>& left,
                                        const std::function<llvm::Value*(unsigned, llvm::Value*)>& right,
                                        std::vector<llvm::Value*> slots);

  // --- by tensor cores
  void emitByMatrices();
  void storeMatrices(llvm::Value* warp, llvm::Value* lane, const std::vector<llvm::Value*>& results);
  llvm::Value* wordAt(const Tile& tile, llvm::Value* line, unsigned further, unsigned at);
  std::vector<llvm::Value*> leftWords(llvm::Value* row, unsigned step);
  std::vector<llvm::Value*> rightWords(const Tile& tile, unsigned matrix, unsigned step);
  llvm::Value* packed(llvm::Value* low, llvm::Value* high);

  KernelEmission& e;
  llvm::IRBuilder<>& b;
  ScalarEmitter& scalars_;
  const AttentionMap& map_;
  llvm::Type* const f32_;
  llvm::Type* held_ = nullptr;  // by shared memory
  llvm::Value *thread_ = nullptr, *firstRow_ = nullptr, *batch_ = nullptr;
  // Tensor cores: lane 4g + t of a warp, which has 16 rows, has of a product's sums the columns 2t and 2t + 1 of the
  // rows g and g + 8. That is what the next product wants of its left factor, so that powers stay in registers.
  llvm::Value *group_ = nullptr, *word_ = nullptr;  // g and t
  Tile queries_{map_.query, map_.depth, map_.rows, map_.depthCount, map_.rowCount, 0, 0};
  Tile keys_{map_.key, map_.depth, map_.columns, map_.depthCount, map_.columnCount, 0, 0};
  Tile values_{map_.value, map_.columns, map_.width, map_.columnCount, map_.widthCount, 0, 0};
};

}  // namespace tessera::codegen
