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
  fill(queries_, firstRow_);
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
  const unsigned depth = map_.paddedDepth(), width = map_.paddedWidth();
  queries_.alongSize = keys_.alongSize = depth;
  queries_.acrossSize = map_.tileRows, keys_.acrossSize = values_.alongSize = map_.tileColumns;
  values_.acrossSize = width;
  values_.linesAreAlong = map_.tensor.has_value();
  held_ = map_.tensor ? scalars_.memoryType(*map_.tensor) : f32_;
  // Against conflicts of banks: an odd number of words, or for matrices four more than a multiple of eight.
  const unsigned padding = map_.tensor ? 8 : 1;
  for (Tile* tile : {&queries_, &keys_, &values_}) {
    tile->each = neighboursOf(*tile);
    tile->line = (tile->linesAreAlong ? tile->alongSize : tile->acrossSize) + padding;
    const unsigned lines = tile->linesAreAlong ? tile->acrossSize : tile->alongSize;
    tile->shared = makeSharedArray(e.module_, held_, uint64_t{lines} * tile->line, name + "_tile");
  }
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

// first: of `across` for queries and keys, of `along` for values.
void AttentionEmission::fill(const Tile& tile, Value* first) {
  const bool isValues = &tile == &values_;
  const unsigned total = tile.alongSize * tile.acrossSize / tile.each, threads = map_.grid.blockThreads;
  unsigned atOnce = kMostAtOnce;  // sizes are multiples of sixteen, so that one is left at least
  while (total % (threads * atOnce) != 0) atOnce /= 2;
  const auto load = [&](Value* element) {
    return this->load(tile, element, isValues ? first : int64(0), isValues ? int64(0) : first);
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

// --- softmax

// What the softmax sees of a sum of products; beyond the keys what no maximum is.
Value* AttentionEmission::scoreOf(Value* row, Value* column, Value* sum) {
  e.forget();
  e.setCounters(map_.batch, batch_);
  e.setCounters(map_.rows, row);
  e.setCounters(map_.columns, clamped(column, map_.columnCount, map_.tileColumns));
  settle(map_.scoreLoop, sum);
  Value* score = e.value(map_.score).re;
  if (map_.columnCount % map_.tileColumns == 0) return score;
  return b.CreateSelect(b.CreateICmpULT(column, int64(map_.columnCount)), score, number(-INFINITY));
}

// The program's own exponential, of a difference that it is given.
Value* AttentionEmission::powerOf(Value* difference) {
  e.forget();
  e.memo_[map_.shifted.value] = {difference};
  e.done_[map_.shifted.value] = true;
  return e.value(map_.power).re;
}

void AttentionEmission::settle(size_t loop, Value* result) {
  KernelEmission::LoopState& state = e.loops_[loop];
  state.emitted = true;
  state.results.assign(e.body_.loops[loop].next.size(), {result});
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

AttentionEmission::Row AttentionEmission::openRow(Value* inTile) {
  Value* number = clamped(b.CreateAdd(firstRow_, wide(inTile)), map_.rowCount, map_.tileRows);
  return {number, slot(this->number(-INFINITY)), slot(this->number(0))};
}

void AttentionEmission::storeResult(Value* rowInTile, Value* element, Value* result) {
  Value *row = b.CreateAdd(firstRow_, wide(rowInTile)), *at = wide(element);
  Value* inside = b.getTrue();
  if (map_.rowCount % map_.tileRows != 0) inside = b.CreateICmpULT(row, int64(map_.rowCount));
  if (map_.widthCount != map_.paddedWidth()) inside = b.CreateAnd(inside, b.CreateICmpULT(at, int64(map_.widthCount)));
  emitIf(b, inside, [&] {
    e.forget();
    e.setCounters(map_.batch, batch_);
    e.setCounters(map_.rows, row);
    e.setCounters(map_.width, at);
    settle(map_.valueLoop, result);
    e.emitStores();
  });
}

void AttentionEmission::forTiles(const std::function<void(Value*)>& body) {
  e.forRange(int64(0), int64(map_.columnCount), map_.tileColumns, [&](Value* first) {
    fill(keys_, first);
    fill(values_, first);
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
  const unsigned line = map_.powersLine();
  auto* powers =
      makeSharedArray(e.module_, f32_, uint64_t{map_.tileRows} * line, e.function_->getName().str() + "_powers");
  const auto rowAt = [&](unsigned i) { return b.CreateAdd(y, b.getInt32(i * kThreadSide)); };
  const auto columnAt = [&](unsigned j) { return b.CreateAdd(x, b.getInt32(j * kThreadSide)); };
  const auto powerAt = [&](Value* row, Value* column) {
    return b.CreateGEP(f32_, powers, b.CreateAdd(b.CreateMul(row, b.getInt32(line)), column));
  };
  std::vector<Row> own;
  std::vector<Value*> results;
  for (unsigned i = 0; i < rows; ++i) {
    own.push_back(openRow(rowAt(i)));
    for (unsigned k = 0; k < elements; ++k) results.push_back(slot(number(0)));
  }
  forTiles([&](Value* first) {
    const std::vector<Value*> sums = sumProducts(
        map_.paddedDepth(), rows, columns, [&](unsigned i, Value* k) { return loadShared(queries_, rowAt(i), k); },
        [&](unsigned j, Value* k) { return loadShared(keys_, columnAt(j), k); }, {});
    for (unsigned i = 0; i < rows && !e.failure_; ++i) {
      std::vector<Value*> scores;
      for (unsigned j = 0; j < columns; ++j)
        scores.push_back(scoreOf(own[i].number, b.CreateAdd(first, wide(columnAt(j))), read(sums[i * columns + j])));
      std::vector<Value**> places;
      for (Value*& score : scores) places.push_back(&score);
      Value* shrink = takeScores(own[i], places, kThreadSide);
      for (unsigned j = 0; j < columns; ++j) b.CreateStore(scores[j], powerAt(rowAt(i), columnAt(j)));
      for (unsigned k = 0; k < elements; ++k) {
        Value* at = results[i * elements + k];
        b.CreateStore(b.CreateFMul(read(at), shrink), at);
      }
    }
    emitBarrier(b);
    sumProducts(
        map_.tileColumns, rows, elements,
        [&](unsigned i, Value* k) { return b.CreateLoad(f32_, powerAt(rowAt(i), k)); },
        [&](unsigned j, Value* k) { return loadShared(values_, k, columnAt(j)); }, results);
  });
  for (unsigned i = 0; i < rows && !e.failure_; ++i) {
    Value* sum = joinLanes(NodeOp::Add, read(own[i].sum), kThreadSide);
    for (unsigned k = 0; k < elements && !e.failure_; ++k)
      storeResult(rowAt(i), columnAt(k), combine(NodeOp::Divide, read(results[i * elements + k]), sum));
  }
}

Value* AttentionEmission::loadShared(const Tile& tile, Value* line, Value* place) {
  return b.CreateLoad(f32_,
                      b.CreateGEP(f32_, tile.shared, b.CreateAdd(b.CreateMul(line, b.getInt32(tile.line)), place)));
}

// rows × columns sums of `depth` products on top of what the slots hold; no slots: of new ones.
std::vector<Value*> AttentionEmission::sumProducts(unsigned depth, unsigned rows, unsigned columns,
                                                   const std::function<Value*(unsigned, Value*)>& left,
                                                   const std::function<Value*(unsigned, Value*)>& right,
                                                   std::vector<Value*> slots) {
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
