// See grid_attention_emission.h.
#include "backends/codegen/grid/grid_attention_emission.h"

#include <algorithm>
#include <cmath>

#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kThreadSide = 16;  // threads along rows and along columns, without tensor cores
constexpr unsigned kMostAtOnce = 8;   // elements that a thread reads before it stores the first
constexpr unsigned kDepthStep = 8;    // products of a sum that are written out

}  // namespace

Status AttentionEmission::emit(const std::string& name) {
  e.openGridKernel(name);
  e.prepare();
  e.streams_.assign(1, nullptr);
  open(name);
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
  firstRow_ = b.CreateMul(b.CreateURem(block, int64(map_.rowTiles())), int64(map_.tileRows));
  batch_ = b.CreateUDiv(block, int64(map_.rowTiles()));
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

// Against conflicts of banks, lines are an odd number of words, or for matrices four more than a multiple of eight.
void AttentionEmission::place(Tile& tile, const std::string& name) {
  tile.each = neighboursOf(tile);
  tile.line = (tile.linesAreAlong ? tile.alongSize : tile.acrossSize) + (map_.tensor ? 8 : 1);
  const unsigned lines = tile.linesAreAlong ? tile.acrossSize : tile.alongSize;
  tile.shared = makeSharedArray(e.module_, held_, uint64_t{lines} * tile.line, name + "_tile");
}

// Within the array; what lies beyond is the last one again, or the last `each` that are taken at once.
Value* AttentionEmission::clamped(Value* at, int64_t count, unsigned tile, unsigned each) {
  if (count % tile == 0) return at;
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, int64(count - each));
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
  e.forget();
  e.setCounters(map_.batch, batch_);
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
  e.forget();
  e.setCounters(map_.batch, batch_);
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
  for (size_t s = 0; s < row.totals.size(); ++s) {
    Value* total = read(row.totals[s]);
    for (const size_t k : ofRow) total = combine(map_.sums[s].join, total, weights[s][k]);
    b.CreateStore(total, row.totals[s]);
  }
  return nullptr;
}

AttentionEmission::Row AttentionEmission::openRow(Value* inTile) {
  Row out{.number = clamped(b.CreateAdd(firstRow_, wide(inTile)), map_.rowCount, map_.tileRows)};
  if (map_.softmax) out.most = slot(number(-INFINITY)), out.sum = slot(number(0));
  if (!map_.hasValues() && !map_.softmax)
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

// element: of the values, null where there are none. results: by sum. most: the row's maximum, where it is a result.
void AttentionEmission::storeResult(Value* rowInTile, Value* element, const Values& results, Value* most) {
  Value* row = b.CreateAdd(firstRow_, wide(rowInTile));
  Value* at = element ? wide(element) : nullptr;
  Value* inside = b.getTrue();
  if (map_.rowCount % map_.tileRows != 0) inside = b.CreateICmpULT(row, int64(map_.rowCount));
  if (at && map_.widthCount != map_.paddedWidth())
    inside = b.CreateAnd(inside, b.CreateICmpULT(at, int64(map_.widthCount)));
  emitIf(b, inside, [&] {
    e.forget();
    e.setCounters(map_.batch, batch_);
    e.setCounters(map_.rows, row);
    if (at) e.setCounters(map_.width, at);
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

void AttentionEmission::forTiles(const std::function<void(Value*)>& body) {
  const auto [begin, end] = visibleColumns();
  e.forRange(begin, end, map_.tileColumns, [&](Value* first) {
    for (const Tile& tile : columnTiles_) fill(tile, first);
    for (size_t s = 0; s < valueTiles_.size(); ++s)
      if (!map_.sums[s].sharedWith) fill(valueTiles_[s], first);
    emitBarrier(b);
    body(first);
    emitBarrier(b);
  });
}

// --- by multiply-adds: thread (x, y) has the rows y, y + 16 …, of them the columns and elements x, x + 16 …

void AttentionEmission::emitBySums() {
  const unsigned rows = map_.tileRows / kThreadSide, columns = map_.tileColumns / kThreadSide,
                 elements = map_.paddedWidth() / kThreadSide;
  Value *y = b.CreateLShr(thread_, uint64_t{4}), *x = b.CreateAnd(thread_, kThreadSide - 1);
  const unsigned line = map_.weightsLine();
  auto* shared = !map_.hasValues() ? nullptr
                                   : makeSharedArray(e.module_, f32_, uint64_t{map_.tileRows} * line,
                                                     e.function_->getName().str() + "_weights");
  const auto rowAt = [&](unsigned i) { return b.CreateAdd(y, b.getInt32(i * kThreadSide)); };
  const auto columnAt = [&](unsigned j) { return b.CreateAdd(x, b.getInt32(j * kThreadSide)); };
  const auto weightAt = [&](Value* row, Value* column) {
    return b.CreateGEP(f32_, shared, b.CreateAdd(b.CreateMul(row, b.getInt32(line)), column));
  };
  const auto storeWeights = [&](const Values& weights, unsigned i) {
    for (unsigned j = 0; j < columns; ++j) b.CreateStore(weights[i * columns + j], weightAt(rowAt(i), columnAt(j)));
  };
  std::vector<Row> own;
  std::vector<Values> results(valueTiles_.size());
  for (unsigned i = 0; i < rows; ++i) {
    own.push_back(openRow(rowAt(i)));
    for (Values& each : results)
      for (unsigned k = 0; k < elements; ++k) each.push_back(slot(number(0)));
  }
  forTiles([&](Value* first) {
    std::vector<Values> products, weights(map_.sums.size());
    for (size_t p = 0; p < map_.products.size(); ++p)
      products.push_back(sumProducts(
          map_.products[p].paddedDepth(), rows, columns,
          [&](unsigned i, Value* k) { return loadShared(rowTiles_[p], rowAt(i), k); },
          [&](unsigned j, Value* k) { return loadShared(columnTiles_[p], columnAt(j), k); }, {}));
    for (unsigned i = 0; i < rows && !e.failure_; ++i) {
      std::vector<size_t> ofRow;
      for (unsigned j = 0; j < columns; ++j) {
        ofRow.push_back(i * columns + j);
        Values at;
        for (const Values& product : products) at.push_back(read(product[ofRow.back()]));
        at = weightsAt(own[i].number, b.CreateAdd(first, wide(columnAt(j))), at);
        for (size_t s = 0; s < weights.size(); ++s) weights[s].push_back(at[s]);
      }
      Value* shrink = takeWeights(own[i], weights, ofRow, kThreadSide);
      if (map_.hasValues()) storeWeights(weights[0], i);
      for (unsigned k = 0; k < elements && shrink; ++k) {
        Value* at = results[0][i * elements + k];
        b.CreateStore(b.CreateFMul(read(at), shrink), at);
      }
    }
    for (size_t s = 0; s < valueTiles_.size() && !e.failure_; ++s) {
      if (s > 0) {
        emitBarrier(b);
        for (unsigned i = 0; i < rows; ++i) storeWeights(weights[s], i);
      }
      emitBarrier(b);
      sumProducts(
          map_.tileColumns, rows, elements,
          [&](unsigned i, Value* k) { return b.CreateLoad(f32_, weightAt(rowAt(i), k)); },
          [&](unsigned j, Value* k) { return loadShared(valueTiles_[s], k, columnAt(j)); }, results[s]);
    }
  });
  for (unsigned i = 0; i < rows && !e.failure_; ++i) {
    if (!map_.hasValues()) {
      storeTotals(own[i], rowAt(i), x, kThreadSide);
      continue;
    }
    Value* sum = map_.softmax ? joinLanes(NodeOp::Add, read(own[i].sum), kThreadSide) : nullptr;
    for (unsigned k = 0; k < elements && !e.failure_; ++k) {
      Values found;
      for (const Values& each : results) found.push_back(finished(read(each[i * elements + k]), sum));
      storeResult(rowAt(i), columnAt(k), found);
    }
  }
}

Value* AttentionEmission::loadShared(const Tile& tile, Value* line, Value* place) {
  return b.CreateLoad(f32_,
                      b.CreateGEP(f32_, tile.shared, b.CreateAdd(b.CreateMul(line, b.getInt32(tile.line)), place)));
}

// rows × columns sums of `depth` products on top of what the slots hold; no slots: of new ones.
AttentionEmission::Values AttentionEmission::sumProducts(unsigned depth, unsigned rows, unsigned columns,
                                                         const std::function<Value*(unsigned, Value*)>& left,
                                                         const std::function<Value*(unsigned, Value*)>& right,
                                                         Values slots) {
  if (slots.empty())
    for (unsigned s = 0; s < rows * columns; ++s) slots.push_back(slot(number(0)));
  e.forRange(int64(0), int64(depth), kDepthStep, [&](Value* from) {
    std::vector<Value*> now;
    for (Value* each : slots) now.push_back(read(each));
    Value* first = b.CreateTrunc(from, b.getInt32Ty());
    for (unsigned step = 0; step < kDepthStep; ++step) {
      Value* k = b.CreateAdd(first, b.getInt32(step));
      std::vector<Value*> ofRows, ofColumns;
      for (unsigned i = 0; i < rows; ++i) ofRows.push_back(left(i, k));
      for (unsigned j = 0; j < columns; ++j) ofColumns.push_back(right(j, k));
      for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < columns; ++j)
          now[i * columns + j] =
              b.CreateIntrinsic(llvm::Intrinsic::fma, {f32_}, {ofRows[i], ofColumns[j], now[i * columns + j]});
    }
    for (size_t s = 0; s < slots.size(); ++s) b.CreateStore(now[s], slots[s]);
  });
  return slots;
}

Status emitAttentionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const AttentionMap& map) {
  KernelEmission emission(module, program, analysis, map.grid.nest, {}, &map.grid);
  return AttentionEmission(emission, map).emit(name);
}

}  // namespace tessera::codegen
