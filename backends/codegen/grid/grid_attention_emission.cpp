// See grid_attention_emission.h.
#include "backends/codegen/grid/grid_attention_emission.h"

#include <algorithm>
#include <cmath>

#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

Status AttentionEmission::emit(const std::string& name) {
  e.openGridKernel(name);
  e.prepare();
  e.streams_.assign(1, nullptr);
  open(name);
  if (!map_.isOverBatch && !map_.isByWarpgroups)
    for (const Tile& tile : rowTiles_) fill(tile, firstRow_);
  if (map_.tensor)
    emitByMatrices();
  else
    emitBySums();
  b.CreateRetVoid();
  if (e.failure_) return fail(*e.failure_);
  return {};
}

void AttentionEmission::open(const std::string& name) {
  thread_ = emitThreadNumber(b, map_.grid.blockThreads);
  Value* block = b.CreateZExt(emitBlockNumber(b), b.getInt64Ty());
  const auto digit = [&](int64_t size) {
    Value* out = b.CreateURem(block, int64(size));
    block = b.CreateUDiv(block, int64(size));
    return out;
  };
  if (map_.isOverBatch) firstColumn_ = b.CreateMul(digit(map_.columnTiles()), int64(map_.tileColumns));
  firstRow_ = b.CreateMul(digit(map_.rowTiles()), int64(map_.tileRows));
  batch_ = block;
  held_ = map_.tensor ? scalars_.memoryType(*map_.tensor) : f32_;
  for (const AttentionMap::Product& product : map_.products) {
    const unsigned depth = product.paddedDepth();
    rowTiles_.push_back(
        {product.row, product.depth, map_.rows, product.depthCount, map_.rowCount, depth, map_.tileRows});
    columnTiles_.push_back(
        {product.column, product.depth, map_.columns, product.depthCount, map_.columnCount, depth, map_.tileColumns});
  }
  for (const AttentionMap::Sum& sum : map_.sums)
    if (sum.value)
      valueTiles_.push_back({*sum.value, map_.columns, map_.width, map_.columnCount, map_.widthCount, map_.tileColumns,
                             map_.paddedWidth(), true});
  if (map_.isByWarpgroups) return openWarpgroups(name);
  for (std::vector<Tile>* tiles : {&rowTiles_, &columnTiles_})
    for (Tile& tile : *tiles) place(tile, name);
  for (size_t s = 0; s < valueTiles_.size(); ++s) {
    valueTiles_[s].linesAreAlong = map_.tensor.has_value();
    if (const auto p = map_.sums[s].sharedWith)
      valueTiles_[s].shared = columnTiles_[*p].shared, valueTiles_[s].line = columnTiles_[*p].line;
    else
      place(valueTiles_[s], name);
  }
}

// An array in shared memory: its own, or a part of the dynamic memory where the kernel has that.
Value* AttentionEmission::share(llvm::Type* element, uint64_t count, const std::string& name) {
  if (map_.dynamicSharedBytes == 0) return makeSharedArray(e.module_, element, count, name);
  Value* out = b.CreateConstGEP1_64(b.getInt8Ty(), dynamicSharedMemory(e.module_), dynamicBytesTaken_);
  dynamicBytesTaken_ += count * element->getPrimitiveSizeInBits() / 8;
  return out;
}

// Against conflicts of banks, lines are an odd number of words, or for matrices four more than a multiple of eight.
void AttentionEmission::place(Tile& tile, const std::string& name) {
  tile.each = neighboursOf(tile);
  tile.line = (tile.linesAreAlong ? tile.alongSize : tile.acrossSize) + (map_.tensor ? 8 : 1);
  const unsigned lines = tile.linesAreAlong ? tile.acrossSize : tile.alongSize;
  tile.shared = share(held_, uint64_t{lines} * tile.line, name + "_tile");
}

// Within the array; what lies beyond is the last one again, or the last `each` that are taken at once.
Value* AttentionEmission::clamped(Value* at, int64_t count, unsigned tile, unsigned each) {
  if (count % tile == 0) return at;
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, int64(count - each));
}

void AttentionEmission::setBatch() {
  e.forget();
  e.setCounters(map_.batch, batch_);
  if (added_) e.setCounters(map_.added, added_);
}

// --- weights and results

// By sum, the weight of a row's column; of a softmax, what it sees. products: the sums of each. Beyond the columns,
// what changes no result.
AttentionEmission::Values AttentionEmission::weightsAt(Value* row, Value* column, std::span<Value* const> products) {
  setBatch();
  e.setCounters(map_.rows, row);
  e.setCounters(map_.columns, clamped(column, map_.columnCount, map_.tileColumns));
  for (size_t p = 0; p < products.size(); ++p)
    for (const size_t loop : map_.products[p].loops) settle(loop, {products[p]});
  Values out;
  for (const AttentionMap::Sum& sum : map_.sums) {
    Value* weight = e.value(map_.softmax ? map_.softmax->score : sum.weight).re;
    if (e.failure_) return Values(map_.sums.size(), number(0));
    const bool isLargest = map_.softmax || sum.join == NodeOp::Maximum;
    if (map_.columnCount % map_.tileColumns != 0)
      weight =
          b.CreateSelect(b.CreateICmpULT(column, int64(map_.columnCount)), weight, number(isLargest ? -INFINITY : 0));
    out.push_back(weight);
  }
  return out;
}

// The program's own exponential, of a difference that it is given.
Value* AttentionEmission::powerOf(Value* difference) {
  e.forget();
  e.memo_[map_.softmax->shifted.value] = {difference};
  e.done_[map_.softmax->shifted.value] = true;
  return e.value(map_.softmax->power).re;
}

// The results of a loop, which are f32, rounded to its own types.
void AttentionEmission::settle(size_t loop, const Values& results) {
  KernelEmission::LoopState& state = e.loops_[loop];
  state.emitted = true;
  state.results.clear();
  for (size_t k = 0; k < results.size(); ++k) {
    const ElementType type = e.body_.at(e.body_.loops[loop].next[k]).type;
    state.results.push_back(type == ElementType::F32 ? Val{results[k]}
                                                     : scalars_.convert(type, ElementType::F32, {results[k]}));
  }
}

// By as many lanes as share a row, neighbours: every one gets the same.
Value* AttentionEmission::joinLanes(NodeOp op, Value* own, unsigned lanes) {
  for (unsigned distance = lanes / 2; distance > 0; distance /= 2)
    own = combine(op, own, emitShuffleAcross(b, own, distance));
  return own;
}

// Scores become powers; gives by what the row's results so far are to be multiplied. A row of which nothing counts so
// far has powers of zero, not of no number.
Value* AttentionEmission::takeScores(const Row& row, const std::vector<Value**>& scores, unsigned lanes) {
  Value* before = read(row.most);
  Value* most = *scores[0];
  for (size_t j = 1; j < scores.size(); ++j) most = combine(NodeOp::Maximum, most, *scores[j]);
  most = combine(NodeOp::Maximum, before, joinLanes(NodeOp::Maximum, most, lanes));
  b.CreateStore(most, row.most);
  Value* base = b.CreateSelect(b.CreateFCmpOEQ(most, number(-INFINITY)), number(0), most);
  Value* shrink = powerOf(b.CreateFSub(before, base));
  Value* sum = b.CreateFMul(read(row.sum), shrink);
  for (Value** score : scores) {
    *score = powerOf(b.CreateFSub(*score, base));
    sum = b.CreateFAdd(sum, *score);
  }
  b.CreateStore(sum, row.sum);
  return shrink;
}

// What a tile's weights are to a row; gives by what its results so far are to be multiplied, null where they stay.
// ofRow: the row's weights among all of each sum.
Value* AttentionEmission::takeWeights(const Row& row, std::vector<Values>& weights, std::span<const size_t> ofRow,
                                      unsigned lanes) {
  if (map_.softmax) {
    std::vector<Value**> scores;
    for (const size_t k : ofRow) scores.push_back(&weights[0][k]);
    return takeScores(row, scores, lanes);
  }
  if (map_.isOverBatch) {
    for (size_t j = 0; j < ofRow.size(); ++j)
      b.CreateStore(b.CreateFAdd(read(row.totals[j]), weights[0][ofRow[j]]), row.totals[j]);
    return nullptr;
  }
  for (size_t s = 0; s < row.totals.size(); ++s) {
    Value* total = read(row.totals[s]);
    for (const size_t k : ofRow) total = combine(map_.sums[s].join, total, weights[s][k]);
    b.CreateStore(total, row.totals[s]);
  }
  return nullptr;
}

// ownColumns: of a tile, that the thread has.
AttentionEmission::Row AttentionEmission::openRow(Value* inTile, size_t ownColumns) {
  Row out{.number = clamped(b.CreateAdd(firstRow_, wide(inTile)), map_.rowCount, map_.tileRows)};
  if (map_.softmax) out.most = slot(number(-INFINITY)), out.sum = slot(number(0));
  if (map_.isOverBatch)
    for (size_t j = 0; j < ownColumns; ++j) out.totals.push_back(slot(number(0)));
  else if (!map_.hasValues() && !map_.softmax)
    for (const AttentionMap::Sum& sum : map_.sums)
      out.totals.push_back(slot(number(sum.join == NodeOp::Maximum ? -INFINITY : 0)));
  return out;
}

// sum: of a softmax's row, else null.
Value* AttentionEmission::finished(Value* result, Value* sum) {
  return sum ? combine(NodeOp::Divide, result, sum) : result;
}

// By the first of the lanes that share the row.
void AttentionEmission::storeTotals(const Row& row, Value* inTile, Value* lane, unsigned lanes) {
  Values joined;
  if (map_.softmax) joined.push_back(joinLanes(NodeOp::Add, read(row.sum), lanes));
  for (size_t s = 0; s < row.totals.size(); ++s)
    joined.push_back(joinLanes(map_.sums[s].join, read(row.totals[s]), lanes));
  Value* most = map_.softmax ? read(row.most) : nullptr;
  emitIf(b, b.CreateICmpEQ(lane, b.getInt32(0)), [&] { storeResult(inTile, nullptr, joined, most); });
}

void AttentionEmission::storeScores(const Row& row, Value* inTile, const Values& columnsInTile) {
  for (size_t j = 0; j < columnsInTile.size() && !e.failure_; ++j)
    storeResult(inTile, columnsInTile[j], {read(row.totals[j])});
}

// element: of the values, over the batch the column in the tile, null where there are none. results: by sum. most: the
// row's maximum, where it is a result.
void AttentionEmission::storeResult(Value* rowInTile, Value* element, const Values& results, Value* most) {
  Value* row = b.CreateAdd(firstRow_, wide(rowInTile));
  Value* at = element ? wide(element) : nullptr;
  if (map_.isOverBatch) at = b.CreateAdd(firstColumn_, at);
  const int64_t count = map_.isOverBatch ? map_.columnCount : map_.widthCount;
  const unsigned whole = map_.isOverBatch ? map_.tileColumns : map_.paddedWidth();
  Value* inside = b.getTrue();
  if (map_.rowCount % map_.tileRows != 0) inside = b.CreateICmpULT(row, int64(map_.rowCount));
  if (at && count % whole != 0) inside = b.CreateAnd(inside, b.CreateICmpULT(at, int64(count)));
  emitIf(b, inside, [&] {
    e.forget();
    e.setCounters(map_.batch, batch_);
    e.setCounters(map_.rows, row);
    if (at) e.setCounters(map_.isOverBatch ? map_.columns : map_.width, at);
    settle(map_.loop, results);
    if (most) settle(map_.softmax->mostLoop, {most});
    e.emitStores();
  });
}

// From the beginning of a tile on; that of the last one where the rows see none.
std::pair<Value*, Value*> AttentionEmission::visibleColumns() {
  Value *begin = int64(0), *end = int64(map_.columnCount);
  if (!map_.visible.areKnown()) return {begin, end};
  Value* lastRow = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b.CreateAdd(firstRow_, int64(map_.tileRows - 1)),
                                           int64(map_.rowCount - 1));
  const auto at = [&](const ColumnLimits::Limit& limit, bool isLeast) {
    Value* row = (limit.slope > 0) == isLeast ? firstRow_ : lastRow;
    return b.CreateAdd(b.CreateMul(row, int64(limit.slope)), int64(limit.constant));
  };
  for (const ColumnLimits::Limit& limit : map_.visible.first)
    begin = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, at(limit, true));
  for (const ColumnLimits::Limit& limit : map_.visible.last)
    end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, b.CreateAdd(at(limit, false), int64(1)));
  begin = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin, int64(map_.columnCount - 1));
  return {b.CreateSub(begin, b.CreateURem(begin, int64(map_.tileColumns))), end};
}

void AttentionEmission::fillTiles(Value* firstColumn) {
  if (!copiesColumns())
    for (const Tile& tile : columnTiles_) fill(tile, firstColumn);
  for (size_t s = 0; s < valueTiles_.size(); ++s)
    if (!map_.sums[s].sharedWith) fill(valueTiles_[s], firstColumn);
  if (copiesColumns()) emitWaitForCopies(b, 0);
}

// Calls body with the first column of each tile; over the batch, for each part with that of the one tile.
void AttentionEmission::forTiles(const std::function<void(Value*)>& body) {
  if (map_.isByWarpgroups) return forWarpgroupTiles(body);
  if (map_.isOverBatch) {
    e.forRange(int64(0), int64(map_.addedCount), 1, [&](Value* part) {
      added_ = part;
      for (const Tile& tile : rowTiles_) fill(tile, firstRow_);
      fillTiles(firstColumn_);
      emitBarrier(b);
      body(firstColumn_);
      emitBarrier(b);
    });
    added_ = nullptr;
    return;
  }
  const auto [begin, end] = visibleColumns();
  if (copiesColumns()) copyColumns(begin);
  e.forRange(begin, end, map_.tileColumns, [&](Value* first) {
    fillTiles(first);
    emitBarrier(b);
    body(first);
    emitBarrier(b);
  });
  if (copiesColumns()) emitWaitForCopies(b, 0);
}

Status emitAttentionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const AttentionMap& map) {
  KernelEmission emission(module, program, analysis, map.grid.nest, {}, &map.grid);
  return AttentionEmission(emission, map).emit(name);
}

}  // namespace tessera::codegen
