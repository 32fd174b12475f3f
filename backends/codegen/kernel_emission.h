// KernelEmission: one kernel while its code is made. Nodes are emitted in their own scope: before the axis loop when
// they do not see the axis, in it when they do, in the body of the innermost element loop that they see; so nothing is
// computed more often than it must be. Accumulators live in stack slots that a pass turns into registers.
// kernel_emitter.cpp walks the items, kernel_accesses.cpp reads and stores, kernel_nodes.cpp has the values between
// them, kernel_loops.cpp the loops of the element program. For a GPU one lane is emitted, and grid_emitter.cpp
// determines the items and the loop iterations of a thread.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_map.h"
#include "backends/codegen/kernel_function.h"
#include "backends/codegen/kernel_memory.h"
#include "backends/codegen/nest/axis_segments.h"
#include "backends/codegen/nest/guard_lanes.h"
#include "backends/codegen/nest/interleaved_stores.h"
#include "backends/codegen/nest/kernel_nest.h"
#include "backends/codegen/nest/rare_sides.h"
#include "backends/codegen/nest/row_cache.h"
#include "backends/codegen/row_tile_emitter.h"
#include "backends/codegen/scalar_emitter.h"
#include "backends/codegen/source_lines.h"
#include "core/base/result.h"

namespace tessera::codegen {

class AttentionEmission;  // grid_attention_emission.cpp
class WarpgroupEmission;  // grid_warpgroup_emission.cpp
struct ContractionMap;    // grid_contraction.h
struct ContractionSide;   // grid_contraction_emission.h
struct MatrixPlace;       // grid_contraction_emission.cpp
struct TransposeMap;      // grid_transpose.h

class KernelEmission {
 public:
  KernelEmission(llvm::Module& module, const LoopProgram& program, const ProgramAnalysis& analysis,
                 const KernelNest& nest, const SourceLines& lines, const GridMap* grid = nullptr)
      : grid_(grid),
        module_(module),
        program_(program),
        body_(program.body),
        analysis_(analysis),
        nest_(nest),
        rows_(RowCache::of(program, analysis, nest)),
        guards_(GuardLanes::of(program, analysis, nest)),
        segments_(AxisSegments::of(program, analysis, nest)),
        interleaved_(interleavedStores(program, analysis, nest.axis)),
        rare_(RareSides::of(program, analysis, unmoved())),
        b(module.getContext()),
        scalars_(module, b),
        memory_(b, scalars_, nest.lanes, nest.masks),
        tiles_(b, scalars_, memory_, nest),
        lines_(lines) {
    LineScope::setLine(b, lines_, kOwnLine);
  }

  Status emit(const std::string& name);
  // As a kernel of a GPU; `nest` is the grid's.
  Status emitGrid(const std::string& name);
  // All items at the end of a block of a kernel whose one block of threads runs other programs, too. byAll: each group
  // of threads computes and stores everything, for arrays of which each thread has one. Gives the block where control
  // goes on.
  Result<llvm::BasicBlock*> emitInBlock(llvm::BasicBlock& block, std::span<const ArrayBase> bases, bool byAll);
  Status emitContraction(const std::string& name, const ContractionMap& map);
  Status emitTransposed(const std::string& name, const TransposeMap& map);
  Result<llvm::BasicBlock*> emitInto(llvm::BasicBlock& block, std::span<const ArrayBase> bases);

 private:
  friend class AttentionEmission;
  friend class WarpgroupEmission;
  struct LoopState {
    bool emitted = false;
    std::vector<Val> accumulators;  // stack slots (re, im)
    std::vector<llvm::Type*> types;
    std::vector<Val> results;
  };

  void openFunction(const std::string& name);
  void bind(llvm::BasicBlock& block, std::span<const ArrayBase> bases);
  void prepare();
  void sortNodesByScope();
  void emitItem(llvm::Value* item);
  void emitUnlessEmpty(llvm::Value* begin, llvm::Value* end, const std::function<void()>& body);
  void forLanes(llvm::Value* begin, llvm::Value* end, std::optional<int64_t> lanesAtEnd,
                const std::function<void(llvm::Value* place, llvm::Value* mask)>& body);
  void emitAxis(llvm::Value* begin, llvm::Value* end, std::optional<int64_t> lanesAtEnd);
  void emitVectorAt(llvm::Value* place, llvm::Value* mask);
  void forVectors(llvm::Value* begin, llvm::Value* end, const std::function<void(llvm::Value*)>& body);
  void emitSegments(llvm::Value* begin, llvm::Value* end);
  void emitColumns(llvm::Value* begin, llvm::Value* end);
  void emitSequential(size_t depth, llvm::Value* begin, llvm::Value* end);
  void emitGuarded();
  void emitStores();
  void openStreams();
  bool emitWoven(size_t store);
  void emitStore(size_t store, const LaneAddress& place, Val value, llvm::Value* mask);
  void forRange(llvm::Value* from, llvm::Value* to, int64_t step, const std::function<void(llvm::Value*)>& body) {
    emitRange(b, from, to, step, body);
  }
  llvm::Value* int64(int64_t v) { return b.getInt64(static_cast<uint64_t>(v)); }

  void emitScope(const std::vector<uint32_t>& nodes);
  void openRows();
  llvm::Value* rowPlace(int32_t buffer);
  void fillTiles();
  void emitVector();
  Val value(NodeId id);  // S64: i64 lanes
  std::vector<bool> unmoved() const;
  void emitRare(int32_t side);
  Val narrowValue(NodeId id);  // S64: i32 lanes when the node is narrow
  Val emitNode(NodeId id);
  Val emitIndex(NodeId id);
  Val emitRead(NodeId id);
  Val emitReadIf(NodeId id);
  Val emitUnaryOrBinary(NodeId id);
  Val emitIntegerIndexOp(NodeId id);
  Val branchedLoad(bool vector, llvm::Value* condition, Val otherwise, const std::function<Val()>& load);
  LaneAddress laneAddressOf(const Address& address, const ArrayBase& base);
  void unify(std::initializer_list<Val*> values);
  void unsupported(NodeId id);

  void openGridKernel(const std::string& name);
  llvm::Value* threadNumber();
  void emitGroupItem();
  int32_t neighbours() const { return grid_ && grid_->each > 1 ? grid_->nest.outer.back() : -1; }
  void emitNeighbours();
  void emitWholeNeighbours(llvm::Value* first);
  std::vector<Val> readNeighboursIf(NodeId id, const std::function<void(unsigned)>& moveTo);
  std::optional<int64_t> unrolledSteps(int64_t count, size_t nodes) const;
  void forRowNeighbours(const std::vector<int32_t>& counters, llvm::Value* step, const std::vector<uint32_t>& nodes,
                        const std::function<void()>& body);
  void emitRow();
  void computeElement(std::vector<std::function<void()>>& stores);
  void emitStrided(int64_t count, size_t nodes, const std::function<void(llvm::Value*)>& body);
  void setCounters(const std::vector<int32_t>& counters, llvm::Value* point);
  void forget();
  Val factorValue(const ContractionMap& map, const ContractionSide& of);
  std::pair<llvm::Value*, llvm::Value*> placeInTile(const ContractionMap& map, const ContractionSide& of,
                                                    llvm::Value* e);
  std::pair<llvm::Value*, llvm::Value*> chunkInTile(const ContractionMap& map, const ContractionSide& of,
                                                    llvm::Value* c);
  void copyAsync(NodeId factor, unsigned elements, llvm::Value* place, llvm::Value* inside);
  void fillSide(const ContractionMap& map, const ContractionSide& to, llvm::Value* thread, llvm::Value* depth);
  void fillChunk(const ContractionMap& map, const ContractionSide& to, llvm::Value* chunk, llvm::Value* depth);
  void emitTile(const ContractionMap& map, llvm::Value* tile);
  void addPiece(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                const std::vector<Val>& sums, llvm::Value* thread);
  void addPipelined(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                    const std::vector<Val>& sums, llvm::Value* thread);
  void addProducts(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                   const std::vector<Val>& sums, llvm::Value* thread);
  MatrixPlace matrixPlace(const ContractionMap& map, llvm::Value* thread);
  void multiplyMatrices(ElementType type, std::span<llvm::Value* const> left, std::span<llvm::Value* const> right,
                        std::span<llvm::Value*> sums);
  void addMatrixProducts(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                         const std::vector<Val>& sums, llvm::Value* thread);
  unsigned sumsPerThread(const ContractionMap& map) const;
  void finishProducts(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                      const std::vector<Val>& sums, llvm::Value* thread);
  void finishMatrices(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                      const std::vector<Val>& sums, llvm::Value* thread);
  void finishSum(const ContractionMap& map, llvm::Value* row, llvm::Value* column, Val sum);
  void runLoopByGroup(size_t loop);
  llvm::Value* emitItemNumber();
  Val joinGroup(NodeOp op, ElementType type, Val own);
  Val joinThroughMemory(NodeOp op, ElementType type, Val own, unsigned lanes);

  void emitLoop(size_t loop);
  void runLoop(size_t loop, bool overLanes);
  void runCounters(const std::vector<int32_t>& counters, size_t depth, bool overLanes,
                   const std::function<void()>& body);
  void stepAccumulators(size_t loop);
  bool variesOverAxis(size_t loop) const;
  Val makeSlot(bool vector, Val initial);
  Val loadSlot(const LoopState& state, size_t k);

  const GridMap* const grid_;  // null: for a CPU
  llvm::Module& module_;
  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const KernelNest& nest_;
  const RowCache rows_;
  const GuardLanes guards_;
  const AxisSegments segments_;
  const std::vector<std::vector<size_t>> interleaved_;  // stores that are emitted together
  const RareSides rare_;
  llvm::IRBuilder<> b;
  ScalarEmitter scalars_;
  KernelMemory memory_;
  RowTileEmitter tiles_;
  const SourceLines lines_;

  llvm::Function* function_ = nullptr;
  std::vector<ArrayBase> operandBase_, outputBase_;
  std::vector<llvm::Value*> rowBase_;
  std::vector<llvm::Value*> counterValue_;  // i64 by counter; of the axis: lane 0
  int32_t axis_ = -1;                       // the counter that runs over lanes at this point
  // While a thread's neighbours are made: their counter, its value for the first one, and which of them is next.
  int32_t along_ = -1;
  llvm::Value* firstNeighbour_ = nullptr;
  int64_t neighbour_ = 0;
  std::vector<llvm::Value*> streams_;  // by store: whether its vectors begin where lines do; null: it is no stream
  llvm::Value *innerBegin_ = nullptr, *innerEnd_ = nullptr;  // of nest.inner, in this item
  llvm::Value* mask_ = nullptr;                              // lanes in range; null: all
  unsigned lanesInRange_ = 0;                                // so many with that mask; 0: known as it runs
  bool guardHolds_ = false;                                  // as guards_ have it
  int32_t openSide_ = RareSides::kNone;                      // whose branch is being made
  std::vector<Val> memo_;
  std::vector<bool> done_;
  std::vector<LoopState> loops_;
  std::vector<uint32_t> outerScope_, axisScope_;
  std::vector<std::vector<uint32_t>> loopScope_;
  std::optional<Diagnostic> failure_;
  llvm::Value* isOwnItem_ = nullptr;  // i1: not one that only comes to the barriers; null: all are
  bool isByAll_ = false;              // each thread stores an item's results, not the first of its group
  llvm::Value* member_ = nullptr;     // i32: which thread of its group this is; null: it has no others
};

}  // namespace tessera::codegen
