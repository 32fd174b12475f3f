// AttentionEmission: the kernel of attention while its code is made (grid_attention.h). Vectors of rows are loaded
// once, those of columns and values tile by tile. With a softmax each thread of a row has the maximum and its own part
// of the sum; it has parts of the row's results. Defined in grid_attention_emission.cpp; loading in
// grid_attention_loading.cpp, products in grid_attention_sums.cpp and, by tensor cores, grid_attention_matrices.cpp and
// grid_attention_warpgroups.cpp.
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
  using Values = std::vector<llvm::Value*>;
  // A factor's tile: `along` is what is summed over, `across` the rows, columns or elements of values.
  struct Tile {
    AttentionMap::Factor factor;
    std::vector<int32_t> along, across;
    int64_t alongCount, acrossCount;
    unsigned alongSize, acrossSize;
    bool isOfValues = false;  // the next tile is further along, not across
    llvm::Value* shared = nullptr;
    unsigned line = 0;          // elements from one line to the next
    bool linesAreAlong = true;  // a line holds what is summed over
    unsigned each = 1;          // neighbours along it that a thread loads at once
  };
  // Where an element lies in shared memory; inside the array, null: all are.
  struct Place {
    llvm::Value *inside, *shared;
  };
  // An element on its way to shared memory.
  struct Loaded {
    llvm::Value *value, *shared;
  };
  // A row of a thread, and the slots of what is known of it.
  struct Row {
    llvm::Value* number;                          // i64, of all rows
    llvm::Value *most = nullptr, *sum = nullptr;  // of a softmax
    Values totals;                                // by sum without values; over the batch: by column of the thread
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
  llvm::Value* share(llvm::Type* element, uint64_t count, const std::string& name);
  void place(Tile& tile, const std::string& name);
  llvm::Value* clamped(llvm::Value* at, int64_t count, unsigned tile, unsigned each = 1);
  void setBatch();

  // --- loading
  std::pair<llvm::Value*, llvm::Value*> placeIn(const Tile& tile, llvm::Value* element);
  llvm::Value* sharedPlace(const Tile& tile, llvm::Value* line, llvm::Value* inLine);
  Place moveTo(const Tile& tile, llvm::Value* element, llvm::Value* first);
  Loaded load(const Tile& tile, llvm::Value* element, llvm::Value* first);
  llvm::Value* factorValue(NodeId factor);
  std::pair<llvm::Value*, MemoryScope> wholePlace(NodeId factor);
  llvm::Value* wholeValue(NodeId factor);
  unsigned neighboursOf(const Tile& tile) const;
  void forElements(const Tile& tile, const std::function<void(std::span<llvm::Value* const>)>& body);
  void fill(const Tile& tile, llvm::Value* first);
  void copyTile(const Tile& tile, llvm::Value* first);
  bool copiesColumns() const;
  void copyColumns(llvm::Value* firstColumn);
  void copyColumnsBehind(llvm::Value* firstColumn);

  // --- weights and results
  Values weightsAt(llvm::Value* row, llvm::Value* column, std::span<llvm::Value* const> products);
  llvm::Value* powerOf(llvm::Value* difference);
  void settle(size_t loop, const Values& results);
  llvm::Value* joinLanes(NodeOp op, llvm::Value* own, unsigned lanes);
  llvm::Value* takeScores(const Row& row, const std::vector<llvm::Value**>& scores, unsigned lanes);
  llvm::Value* takeWeights(const Row& row, std::vector<Values>& weights, std::span<const size_t> ofRow, unsigned lanes);
  Row openRow(llvm::Value* inTile, size_t ownColumns);
  llvm::Value* finished(llvm::Value* result, llvm::Value* sum);
  void storeTotals(const Row& row, llvm::Value* inTile, llvm::Value* lane, unsigned lanes);
  void storeScores(const Row& row, llvm::Value* inTile, const Values& columnsInTile);
  void storeResult(llvm::Value* rowInTile, llvm::Value* element, const Values& results, llvm::Value* most = nullptr);
  std::pair<llvm::Value*, llvm::Value*> visibleColumns();
  void fillTiles(llvm::Value* firstColumn);
  void forTiles(const std::function<void(llvm::Value*)>& body);

  // --- by multiply-adds
  void emitBySums();
  llvm::Value* loadShared(const Tile& tile, llvm::Value* line, llvm::Value* place);
  Values sumProducts(unsigned depth, unsigned rows, unsigned columns,
                     const std::function<llvm::Value*(unsigned, llvm::Value*)>& left,
                     const std::function<llvm::Value*(unsigned, llvm::Value*)>& right, Values slots);

  // --- by tensor cores
  void emitByMatrices();
  Values matrixProducts(size_t p, llvm::Value* firstRow);
  Values packedWeights(const Values& weights, unsigned step);
  void addMatrices(const Tile& values, const Values& weights, std::span<llvm::Value*> sums);
  void storeMatrices(llvm::Value* warp, llvm::Value* lane, const std::vector<Values>& results);
  llvm::Value* wordAt(const Tile& tile, llvm::Value* line, unsigned further, unsigned at);
  Values leftWords(const Tile& tile, llvm::Value* row, unsigned step);
  Values rightWords(const Tile& tile, unsigned matrix, unsigned step);
  llvm::Value* packed(llvm::Value* low, llvm::Value* high);

  // --- by wgmma
  void openWarpgroups(const std::string& name);
  void forWarpgroupTiles(const std::function<void(llvm::Value*)>& body);
  static unsigned panelBytes(const Tile& tile);
  static unsigned pieceBytes(const Tile& tile);
  llvm::Value* pieceAt(llvm::Value* first, const Tile& tile);
  void copyPiece(const Tile& tile, llvm::Value* first);
  void takePiece(const Tile& tile, llvm::Value* first);
  Values warpgroupProducts(llvm::Value* first, llvm::Value* warp);
  Values addByWarpgroups(llvm::Value* first, const Values& weights, const Values& sums);

  KernelEmission& e;
  llvm::IRBuilder<>& b;
  ScalarEmitter& scalars_;
  const AttentionMap& map_;
  llvm::Type* const f32_;
  llvm::Type* held_ = nullptr;      // by shared memory
  uint64_t dynamicBytesTaken_ = 0;  // of the block's dynamic shared memory
  llvm::Value *thread_ = nullptr, *firstRow_ = nullptr, *batch_ = nullptr;
  llvm::Value *firstColumn_ = nullptr, *added_ = nullptr;  // over the batch: of the block; which part now
  // Tensor cores: lane 4g + t of a warp, which has 16 rows, has of a product's sums the columns 2t and 2t + 1 of the
  // rows g and g + 8. That is what the next product wants of its left factor, so that powers stay in registers.
  llvm::Value *group_ = nullptr, *word_ = nullptr;  // g and t
  std::vector<Tile> rowTiles_, columnTiles_;        // by product
  std::vector<Tile> valueTiles_;                    // by sum with values
  llvm::Value* endColumn_ = nullptr;                // wgmma: behind the last that the rows see
};

}  // namespace tessera::codegen
