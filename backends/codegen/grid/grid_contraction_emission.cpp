// See grid_contraction.h, kernel_emission.h: the kernel of a contraction. A step loads tileDepth products' factors of
// the block's rows and columns into shared memory, zeros past the edges; then each thread adds its products. With
// asynchronous copies a step begins those of the next one first. Thread (x, y) has the rows y, y + 16 … and the
// columns x, x + 16 …, so that neighbours read and store side by side.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "backends/codegen/grid/grid_contraction_emission.h"
#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/grid_warpgroup_emission.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

// For tensor cores lines are along the depth: 16 words, and 4 against conflicts. Four warps share the rows, two the
// columns, in matrices of 16 rows and 8 columns.
constexpr unsigned kTensorLineWords = 20, kWarpRows = 64, kWarpColumns = 16;

// Elements behind each line of shared memory, so that a warp's stores fall into different banks: 16 places along the
// depth lie a line apart; of a line of 16 two stand side by side as they are. Copies of 16 bytes go along the lines,
// which begin at such multiples.
unsigned paddingOf(const ContractionMap::Side& side, ElementType type) {
  if (!side.alongDepth && (side.tile < kWarpThreads || side.copied > 1)) return 0;
  return byteWidth(type) == 8 ? 1 : 2;
}

}  // namespace

// digits of `point` over counters, into counterValue_.
void KernelEmission::setCounters(const std::vector<int32_t>& counters, Value* point) {
  for (size_t k = counters.size(); k-- > 0;) {
    const auto c = static_cast<size_t>(counters[k]);
    const int64_t size = analysis_.counters[c].size;
    counterValue_[c] = k == 0 ? point : b.CreateURem(point, int64(size));
    point = b.CreateUDiv(point, int64(size));
  }
}

// All that was computed was for other counters.
void KernelEmission::forget() { done_.assign(done_.size(), false); }

// The products of what the tiles hold, on top of the sums.
void KernelEmission::addProducts(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                                 const std::vector<Val>& sums, Value* thread) {
  const ElementType type = body_.at(rows.side.factor).type;
  llvm::Type* held = rows.held;
  const unsigned perColumn = columns.side.tile / kContractionSide, perRow = rows.side.tile / kContractionSide;
  Value *y = b.CreateLShr(thread, uint64_t{4}), *x = b.CreateAnd(thread, kContractionSide - 1);
  std::vector<Value*> now;
  for (const Val& sum : sums) now.push_back(b.CreateLoad(held, sum.re));
  for (unsigned k = 0; k < map.tileDepth; ++k) {
    const auto take = [&](const ContractionSide& side, Value* own, unsigned count) {
      std::vector<Value*> out;
      for (unsigned i = 0; i < count; ++i)
        out.push_back(
            b.CreateLoad(held, side.place(b, b.CreateAdd(own, b.getInt32(k * side.line + i * kContractionSide)))));
      return out;
    };
    const std::vector<Value*> left = take(rows, y, perRow), right = take(columns, x, perColumn);
    for (unsigned i = 0; i < perRow; ++i)
      for (unsigned j = 0; j < perColumn; ++j) {
        Value*& sum = now[i * perColumn + j];
        sum = isFloat(type) ? b.CreateIntrinsic(llvm::Intrinsic::fma, {held}, {left[i], right[j], sum})
                            : b.CreateAdd(sum, b.CreateMul(left[i], right[j]));
      }
  }
  for (size_t s = 0; s < sums.size(); ++s) b.CreateStore(now[s], sums[s].re);
}

// One of the thread's sums: what the program makes of it is stored.
void KernelEmission::finishSum(const ContractionMap& map, Value* row, Value* column, Val sum) {
  Value* inside = b.getTrue();
  if (map.rows.size % map.rows.tile != 0) inside = b.CreateICmpULT(row, int64(map.rows.size));
  if (map.columns.size % map.columns.tile != 0)
    inside = b.CreateAnd(inside, b.CreateICmpULT(column, int64(map.columns.size)));
  emitIf(b, inside, [&] {
    forget();
    setCounters(map.rows.counters, row);
    setCounters(map.columns.counters, column);
    const NodeId next = body_.loops[map.loop].next[0];
    LoopState& state = loops_[map.loop];
    state.emitted = true;
    state.results = {scalars_.binary(NodeOp::Add, body_.at(next).type, value(body_.loops[map.loop].inits[0]), sum)};
    emitScope(outerScope_);
    emitStores();
  });
}

// Of the matrices that tensor cores multiply: 16 rows and 8 columns, 32 bytes deep. A warp's lanes hold each one's
// words as PTX lays them out: lane 4g + t has row (or column) g and words t and t + 4.
struct MatrixPlace {
  Value *row, *column;        // i32: this lane's first in the tile, of left and right
  Value* word;                // t
  Value *sumRow, *sumColumn;  // of its first sum, among one matrix of rows of each warp
};

MatrixPlace KernelEmission::matrixPlace(const ContractionMap& map, Value* thread) {
  const unsigned perRow = map.rows.tile / kWarpRows, perColumn = map.columns.tile / kWarpColumns;
  Value *lane = b.CreateAnd(thread, kWarpThreads - 1), *warp = b.CreateLShr(thread, uint64_t{5});
  Value *group = b.CreateLShr(lane, uint64_t{2}), *word = b.CreateAnd(lane, uint64_t{3});
  Value* warpRow = b.CreateMul(b.CreateAnd(warp, uint64_t{3}), b.getInt32(16));
  Value* row = b.CreateAdd(b.CreateMul(warpRow, b.getInt32(perRow)), group);
  Value* warpColumn = b.CreateMul(b.CreateLShr(warp, uint64_t{2}), b.getInt32(8 * perColumn));
  return {row, b.CreateAdd(warpColumn, group), word, b.CreateAdd(warpRow, group),
          b.CreateAdd(warpColumn, b.CreateShl(word, uint64_t{1}))};
}

// One product of matrices on top of four sums.
void KernelEmission::multiplyMatrices(ElementType type, std::span<Value* const> left, std::span<Value* const> right,
                                      std::span<Value*> sums) {
  const bool isHalf = type == ElementType::F16;
  const auto which = type == ElementType::BF16 ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16
                     : isHalf                  ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                                               : llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8;
  auto* pair = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  std::vector<Value*> arguments;
  for (const auto& words : {left, right})
    for (Value* word : words) arguments.push_back(isHalf ? b.CreateBitCast(word, pair) : word);
  arguments.insert(arguments.end(), sums.begin(), sums.end());
  Value* out = b.CreateIntrinsic(which, {}, arguments);
  for (unsigned s = 0; s < sums.size(); ++s) sums[s] = b.CreateExtractValue(out, s);
}

void KernelEmission::addMatrixProducts(const ContractionMap& map, const ContractionSide& rows,
                                       const ContractionSide& columns, const std::vector<Val>& sums, Value* thread) {
  const unsigned perRow = map.rows.tile / kWarpRows, perColumn = map.columns.tile / kWarpColumns;
  const MatrixPlace place = matrixPlace(map, thread);
  auto* word = b.getInt32Ty();
  llvm::Type* held = scalars_.registerType(body_.at(body_.loops[map.loop].next[0]).type);
  std::vector<Value*> now;
  for (const Val& sum : sums) now.push_back(b.CreateLoad(held, sum.re));
  const auto load = [&](const ContractionSide& side, Value* line, unsigned further, unsigned at) -> Value* {
    Value* first = b.CreateAdd(b.CreateMul(line, b.getInt32(kTensorLineWords)), place.word);
    first = b.CreateAdd(first, b.getInt32(further * kTensorLineWords + at));
    return b.CreateLoad(word, b.CreateGEP(word, side.place(b, b.getInt32(0)), first));
  };
  for (unsigned step = 0; step < 2; ++step) {
    std::vector<std::vector<Value*>> left, right;
    for (unsigned i = 0; i < perRow; ++i) {
      left.emplace_back();
      for (unsigned part = 0; part < 4; ++part)
        left.back().push_back(load(rows, place.row, 16 * i + 8 * (part % 2), 8 * step + 4 * (part / 2)));
    }
    for (unsigned j = 0; j < perColumn; ++j)
      right.push_back({load(columns, place.column, 8 * j, 8 * step), load(columns, place.column, 8 * j, 8 * step + 4)});
    for (unsigned i = 0; i < perRow; ++i)
      for (unsigned j = 0; j < perColumn; ++j)
        multiplyMatrices(*map.tensor, left[i], right[j], std::span(now).subspan(4 * (i * perColumn + j), 4));
  }
  for (size_t s = 0; s < sums.size(); ++s) b.CreateStore(now[s], sums[s].re);
}

unsigned KernelEmission::sumsPerThread(const ContractionMap& map) const {
  return map.rows.tile * map.columns.tile / (kContractionSide * kContractionSide);
}

void KernelEmission::finishProducts(const ContractionMap& map, const ContractionSide& rows,
                                    const ContractionSide& columns, const std::vector<Val>& sums, Value* thread) {
  Value *y = b.CreateLShr(thread, uint64_t{4}), *x = b.CreateAnd(thread, kContractionSide - 1);
  const unsigned perColumn = map.columns.tile / kContractionSide;
  for (unsigned s = 0; s < sums.size() && !failure_; ++s) {
    Value *row = b.CreateAdd(y, b.getInt32(s / perColumn * kContractionSide)),
          *column = b.CreateAdd(x, b.getInt32(s % perColumn * kContractionSide));
    finishSum(map, b.CreateAdd(rows.first, b.CreateZExt(row, b.getInt64Ty())),
              b.CreateAdd(columns.first, b.CreateZExt(column, b.getInt64Ty())),
              {b.CreateLoad(columns.held, sums[s].re)});
  }
}

// Through shared memory, so that neighbours store side by side: one matrix of rows of each warp at a time. Lanes put
// two sums at once; lines that are 8 words longer than a multiple of 16 keep these in different banks.
void KernelEmission::finishMatrices(const ContractionMap& map, const ContractionSide& rows,
                                    const ContractionSide& columns, const std::vector<Val>& sums, Value* thread) {
  llvm::Type* held = scalars_.registerType(body_.at(body_.loops[map.loop].next[0]).type);
  const unsigned perRow = map.rows.tile / kWarpRows, perColumn = map.columns.tile / kWarpColumns;
  const unsigned line = map.columns.tile + 8;
  auto* shared = makeSharedArray(module_, held, kWarpRows * line, function_->getName().str() + "_sums");
  const MatrixPlace place = matrixPlace(map, thread);
  Value* own = b.CreateAdd(b.CreateMul(place.sumRow, b.getInt32(line)), place.sumColumn);
  const auto at = [&](Value* from, unsigned further) {
    return b.CreateGEP(held, shared, b.CreateAdd(from, b.getInt32(further)));
  };
  for (unsigned i = 0; i < perRow; ++i) {
    for (unsigned k = 0; k < 2 * perColumn; ++k) {
      Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(held, 2));
      for (unsigned part = 0; part < 2; ++part)
        pair = b.CreateInsertElement(pair, b.CreateLoad(held, sums[2 * (2 * i * perColumn + k) + part].re), part);
      b.CreateAlignedStore(pair, at(own, k % 2 * 8 * line + k / 2 * 8), llvm::Align(8));
    }
    emitBarrier(b);
    for (unsigned from = 0; from < kWarpRows * map.columns.tile && !failure_;
         from += kContractionSide * kContractionSide) {
      Value* e = b.CreateAdd(thread, b.getInt32(from));
      Value *column = b.CreateURem(e, b.getInt32(map.columns.tile)),
            *bandRow = b.CreateUDiv(e, b.getInt32(map.columns.tile));
      Value* row = b.CreateAdd(b.CreateMul(b.CreateLShr(bandRow, uint64_t{4}), b.getInt32(16 * perRow)),
                               b.CreateAdd(b.CreateAnd(bandRow, uint64_t{15}), b.getInt32(16 * i)));
      Value* sum = b.CreateLoad(held, at(b.CreateAdd(b.CreateMul(bandRow, b.getInt32(line)), column), 0));
      finishSum(map, b.CreateAdd(rows.first, b.CreateZExt(row, b.getInt64Ty())),
                b.CreateAdd(columns.first, b.CreateZExt(column, b.getInt64Ty())), {sum});
    }
    if (i + 1 < perRow) emitBarrier(b);
  }
}

void KernelEmission::addPiece(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                              const std::vector<Val>& sums, Value* thread) {
  if (map.tensor)
    addMatrixProducts(map, rows, columns, sums, thread);
  else
    addProducts(map, rows, columns, sums, thread);
}

// A group of copies for each piece, empty behind the last one: all but the newest group are there when a piece is used.
void KernelEmission::addPipelined(const ContractionMap& map, const ContractionSide& rows,
                                  const ContractionSide& columns, const std::vector<Val>& sums, Value* thread) {
  const auto piece = [&](ContractionSide side, Value* number) {
    side.begin = b.CreateMul(number, b.getInt32((map.tensor ? side.side.tile : map.tileDepth) * side.line));
    return side;
  };
  const auto fill = [&](Value* number, Value* depth) {
    fillSide(map, piece(rows, number), thread, depth);
    fillSide(map, piece(columns, number), thread, depth);
  };
  fill(b.getInt32(0), int64(0));
  emitCommitCopies(b);
  forRange(int64(0), int64(map.depthSize), map.tileDepth, [&](Value* depth) {
    Value* step = b.CreateTrunc(b.CreateUDiv(depth, int64(map.tileDepth)), b.getInt32Ty());
    Value *now = b.CreateAnd(step, uint64_t{1}), *next = b.CreateXor(now, uint64_t{1});
    Value* further = b.CreateAdd(depth, int64(map.tileDepth));
    emitIf(b, b.CreateICmpULT(further, int64(map.depthSize)), [&] { fill(next, further); });
    emitCommitCopies(b);
    emitWaitForCopies(b, 1);
    emitBarrier(b);
    addPiece(map, piece(rows, now), piece(columns, now), sums, thread);
    emitBarrier(b);
  });
}

// tile: of the block; it is divided.
void KernelEmission::emitTile(const ContractionMap& map, Value* tile) {
  const ElementType type = body_.at(body_.loops[map.loop].next[0]).type;
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  const std::string name = function_->getName().str();
  const auto split = [&](int64_t size) {
    Value* digit = b.CreateURem(tile, int64(size));
    tile = b.CreateUDiv(tile, int64(size));
    return digit;
  };
  const auto open = [&](const ContractionMap::Side& side, const char* what) {
    llvm::Type* held = map.tensor ? scalars_.memoryType(*map.tensor) : scalars_.registerType(type);
    const unsigned line = map.tensor ? kTensorLineWords * 4 / static_cast<unsigned>(byteWidth(*map.tensor))
                                     : side.tile + paddingOf(side, type);
    const unsigned lines = map.tensor ? side.tile : map.tileDepth;
    const unsigned pieces = map.isPipelined() ? 2 : 1;
    return ContractionSide{side,
                           makeSharedArray(module_, held, pieces * lines * line, name + what),
                           held,
                           line,
                           b.CreateMul(split(side.tiles()), int64(side.tile)),
                           b.getInt32(0)};
  };
  const ContractionSide columns = open(map.columns, "_columns"), rows = open(map.rows, "_rows");
  setCounters(map.batch, tile);
  std::vector<Val> sums;
  for (unsigned s = 0; s < sumsPerThread(map); ++s) sums.push_back(makeSlot(false, scalars_.constant(type, 0, 0)));
  if (map.isPipelined())
    addPipelined(map, rows, columns, sums, thread);
  else
    forRange(int64(0), int64(map.depthSize), map.tileDepth, [&](Value* depth) {
      fillSide(map, rows, thread, depth);
      fillSide(map, columns, thread, depth);
      emitBarrier(b);
      addPiece(map, rows, columns, sums, thread);
      emitBarrier(b);
    });
  if (map.tensor)
    finishMatrices(map, rows, columns, sums, thread);
  else
    finishProducts(map, rows, columns, sums, thread);
}

Status KernelEmission::emitContraction(const std::string& name, const ContractionMap& map) {
  openGridKernel(name);
  prepare();
  streams_.assign(program_.stores.size(), nullptr);
  Value* tile = b.CreateZExt(emitBlockNumber(b), b.getInt64Ty());
  if (map.isByWarpgroups)
    WarpgroupEmission(*this, map).emit(tile);
  else
    emitTile(map, tile);
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

Status emitContractionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                             const ProgramAnalysis& analysis, const ContractionMap& map) {
  return KernelEmission(module, program, analysis, map.grid.nest, {}, &map.grid).emitContraction(name, map);
}

}  // namespace tessera::codegen
