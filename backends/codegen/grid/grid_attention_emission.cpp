// See grid_attention_emission.h.
#include "backends/codegen/grid/grid_attention_emission.h"

#include <algorithm>
#include <cmath>

#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kMostAtOnce = 8;  // elements that a thread reads before it stores the first

}  // namespace

Status AttentionEmission::emit(const std::string& name) {
  e.openGridKernel(name);
  e.prepare();
  e.streams_.assign(1, nullptr);
  open(name);
  if (!map_.isOverBatch)
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

// --- loading

// Neighbouring threads read neighbours in memory; where lines lie crosswise, a warp takes eight by four.
std::pair<Value*, Value*> AttentionEmission::placeIn(const Tile& tile, Value* element) {
  const auto digit = [&](unsigned size) {
    Value* out = b.CreateURem(element, b.getInt32(size));
    element = b.CreateUDiv(element, b.getInt32(size));
    return out;
  };
  if (tile.factor.alongSum) {
    Value* along = b.CreateMul(digit(tile.alongSize / tile.each), b.getInt32(tile.each));
    return {along, element};
  }
  if (!map_.tensor) {
    Value* across = digit(tile.acrossSize);
    return {element, across};
  }
  constexpr unsigned kAcross = 8, kAlong = kWarpThreads / kAcross;
  Value *across = digit(kAcross), *along = digit(kAlong);
  Value* further = b.CreateMul(digit(tile.acrossSize / kAcross), b.getInt32(kAcross));
  return {b.CreateAdd(b.CreateMul(element, b.getInt32(kAlong)), along), b.CreateAdd(further, across)};
}

// Zero beyond the array.
AttentionEmission::Loaded AttentionEmission::load(const Tile& tile, Value* element, Value* firstAlong,
                                                  Value* firstAcross) {
  const auto [along, across] = placeIn(tile, element);
  Value *i = b.CreateAdd(firstAlong, wide(along)), *j = b.CreateAdd(firstAcross, wide(across));
  setBatch();
  e.setCounters(tile.along, clamped(i, tile.alongCount, tile.alongSize, tile.each));
  e.setCounters(tile.across, clamped(j, tile.acrossCount, tile.acrossSize));
  Value* value = tile.each > 1 ? wholeValue(tile.factor.node) : factorValue(tile.factor.node);
  Value* inside = nullptr;
  if (tile.alongCount % tile.alongSize != 0) inside = b.CreateICmpULT(i, int64(tile.alongCount));
  if (tile.acrossCount % tile.acrossSize != 0) {
    Value* other = b.CreateICmpULT(j, int64(tile.acrossCount));
    inside = inside ? b.CreateAnd(inside, other) : other;
  }
  if (inside) value = b.CreateSelect(inside, value, llvm::Constant::getNullValue(value->getType()));
  Value *line = tile.linesAreAlong ? across : along, *place = tile.linesAreAlong ? along : across;
  return {value, b.CreateAdd(b.CreateMul(line, b.getInt32(tile.line)), place)};
}

Value* AttentionEmission::factorValue(NodeId factor) {
  const Node& node = e.body_.at(factor);
  if (map_.tensor && node.op == NodeOp::Read) {
    const LaneAddress place = e.laneAddressOf(*e.analysis_.addresses[factor.value], e.operandBase_[node.bits0]);
    return e.memory_.loadRaw(node.type, place);
  }
  const Val value = e.value(factor);
  return map_.tensor ? scalars_.toMemory(node.type, value).re : value.re;
}

// As many neighbours as one access moves, as words.
Value* AttentionEmission::wholeValue(NodeId factor) {
  const LaneAddress place =
      e.laneAddressOf(*e.analysis_.addresses[factor.value], e.operandBase_[e.body_.at(factor).bits0]);
  auto* words = llvm::FixedVectorType::get(b.getInt32Ty(), kWidestAccess / 4);
  auto* loaded =
      b.CreateAlignedLoad(words, b.CreateGEP(held_, place.base.pointer, place.scalar), llvm::Align(kWidestAccess));
  place.base.scope.mark(loaded);
  return loaded;
}

// Lines for tensor cores are multiples of such an access, and arrays begin at one.
unsigned AttentionEmission::neighboursOf(const Tile& tile) const {
  const NodeId factor = tile.factor.node;
  if (!map_.tensor || !tile.factor.alongSum || e.body_.at(factor).op != NodeOp::Read) return 1;
  constexpr int64_t kEach = kWidestAccess / 2;
  const Address& address = *e.analysis_.addresses[factor.value];
  const int32_t along = tile.along.back();
  const bool isShared = tile.alongSize * tile.acrossSize % (kEach * map_.grid.blockThreads) == 0;  // by all threads
  const bool isWhole = isShared && e.analysis_.counters[static_cast<size_t>(along)].size % kEach == 0 &&
                       address.coefficientOf(along) == 1 && address.constant % kEach == 0 && address.others.empty() &&
                       std::ranges::all_of(address.terms, [&](const CounterTerm& term) {
                         return term.counter == along || term.coefficient % kEach == 0;
                       });
  return isWhole ? kEach : 1;
}

// first: of `across`, of `along` for values.
void AttentionEmission::fill(const Tile& tile, Value* first) {
  const unsigned total = tile.alongSize * tile.acrossSize / tile.each, threads = map_.grid.blockThreads;
  unsigned atOnce = kMostAtOnce;  // sizes are multiples of sixteen, so that one is left at least
  while (total % (threads * atOnce) != 0) atOnce /= 2;
  const auto load = [&](Value* element) {
    return this->load(tile, element, tile.isOfValues ? first : int64(0), tile.isOfValues ? int64(0) : first);
  };
  e.forRange(int64(0), int64(total), int64_t{threads} * atOnce, [&](Value* from) {
    std::vector<Loaded> loaded;
    Value* element = b.CreateAdd(b.CreateTrunc(from, b.getInt32Ty()), thread_);
    for (unsigned i = 0; i < atOnce; ++i) loaded.push_back(load(b.CreateAdd(element, b.getInt32(i * threads))));
    for (const Loaded& each : loaded) {
      Value* at = b.CreateGEP(held_, tile.shared, each.place);
      if (tile.each > 1)
        b.CreateAlignedStore(each.value, at, llvm::Align(kWidestAccess));
      else
        b.CreateStore(each.value, at);
    }
  });
  e.forget();
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

void AttentionEmission::settle(size_t loop, const Values& results) {
  KernelEmission::LoopState& state = e.loops_[loop];
  state.emitted = true;
  state.results.clear();
  for (Value* result : results) state.results.push_back({result});
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
  for (const Tile& tile : columnTiles_) fill(tile, firstColumn);
  for (size_t s = 0; s < valueTiles_.size(); ++s)
    if (!map_.sums[s].sharedWith) fill(valueTiles_[s], firstColumn);
}

// Calls body with the first column of each tile; over the batch, for each part with that of the one tile.
void AttentionEmission::forTiles(const std::function<void(Value*)>& body) {
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
  e.forRange(begin, end, map_.tileColumns, [&](Value* first) {
    fillTiles(first);
    emitBarrier(b);
    body(first);
    emitBarrier(b);
  });
}

Status emitAttentionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const AttentionMap& map) {
  KernelEmission emission(module, program, analysis, map.grid.nest, {}, &map.grid);
  return AttentionEmission(emission, map).emit(name);
}

}  // namespace tessera::codegen
