// See grid_attention_emission.h: factors on their way to shared memory.
#include <algorithm>

#include "backends/codegen/grid/grid_attention_emission.h"
#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/warpgroup_products.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kMostAtOnce = 8;  // elements that a thread reads before it stores the first

}  // namespace

// Neighbouring threads read neighbours in memory; where lines lie crosswise, a warp takes eight by four.
std::pair<Value*, Value*> AttentionEmission::placeIn(const Tile& tile, Value* element) {
  const auto digit = [&](unsigned size) {
    Value* out = b.CreateURem(element, b.getInt32(size));
    element = b.CreateUDiv(element, b.getInt32(size));
    return out;
  };
  if (map_.isByWarpgroups) {
    Value* inLine =
        b.CreateMul(digit((tile.linesAreAlong ? tile.alongSize : tile.acrossSize) / tile.each), b.getInt32(tile.each));
    return tile.linesAreAlong ? std::pair(inLine, element) : std::pair(element, inLine);
  }
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

// For wgmma a chunk, in lines of 128 bytes: those of the first 64 elements of all lines, then those of the next.
Value* AttentionEmission::sharedPlace(const Tile& tile, Value* line, Value* inLine) {
  if (!map_.isByWarpgroups)
    return b.CreateGEP(held_, tile.shared, b.CreateAdd(b.CreateMul(line, b.getInt32(tile.line)), inLine));
  Value* chunk = b.CreateUDiv(inLine, b.getInt32(tile.each));
  Value* panel = b.CreateMul(b.CreateUDiv(chunk, b.getInt32(kLineChunks)), b.getInt32(panelBytes(tile)));
  return b.CreateGEP(b.getInt8Ty(), tile.shared, b.CreateAdd(panel, emitChunkPlace(b, line, chunk)));
}

// Sets the counters to an element of the tile. first: of `across`, of `along` for values.
AttentionEmission::Place AttentionEmission::moveTo(const Tile& tile, Value* element, Value* first) {
  const auto [along, across] = placeIn(tile, element);
  Value *i = wide(along), *j = wide(across);
  (tile.isOfValues ? i : j) = b.CreateAdd(first, tile.isOfValues ? i : j);
  setBatch();
  e.setCounters(tile.along, clamped(i, tile.alongCount, tile.alongSize, tile.linesAreAlong ? tile.each : 1));
  e.setCounters(tile.across, clamped(j, tile.acrossCount, tile.acrossSize, tile.linesAreAlong ? 1 : tile.each));
  Value* inside = nullptr;
  if (tile.alongCount % tile.alongSize != 0) inside = b.CreateICmpULT(i, int64(tile.alongCount));
  if (tile.acrossCount % tile.acrossSize != 0) {
    Value* other = b.CreateICmpULT(j, int64(tile.acrossCount));
    inside = inside ? b.CreateAnd(inside, other) : other;
  }
  Value *line = tile.linesAreAlong ? across : along, *inLine = tile.linesAreAlong ? along : across;
  return {inside, sharedPlace(tile, line, inLine)};
}

// Zero beyond the array.
AttentionEmission::Loaded AttentionEmission::load(const Tile& tile, Value* element, Value* first) {
  const Place place = moveTo(tile, element, first);
  Value* value = tile.each > 1 ? wholeValue(tile.factor.node) : factorValue(tile.factor.node);
  if (place.inside) value = b.CreateSelect(place.inside, value, llvm::Constant::getNullValue(value->getType()));
  return {value, place.shared};
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

std::pair<Value*, MemoryScope> AttentionEmission::wholePlace(NodeId factor) {
  const LaneAddress place =
      e.laneAddressOf(*e.analysis_.addresses[factor.value], e.operandBase_[e.body_.at(factor).bits0]);
  return {b.CreateGEP(held_, place.base.pointer, place.scalar), place.base.scope};
}

// As many neighbours as one access moves, as words.
Value* AttentionEmission::wholeValue(NodeId factor) {
  const auto [place, scope] = wholePlace(factor);
  auto* words = llvm::FixedVectorType::get(b.getInt32Ty(), kWidestAccess / 4);
  auto* loaded = b.CreateAlignedLoad(words, place, llvm::Align(kWidestAccess));
  scope.mark(loaded);
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

// Calls body with some elements of the tile at a time, which the thread is to bring there.
void AttentionEmission::forElements(const Tile& tile, const std::function<void(std::span<Value* const>)>& body) {
  const unsigned total = tile.alongSize * tile.acrossSize / tile.each, threads = map_.grid.blockThreads;
  unsigned atOnce = kMostAtOnce;  // sizes are multiples of sixteen, so that one is left at least
  while (total % (threads * atOnce) != 0) atOnce /= 2;
  e.forRange(int64(0), int64(total), int64_t{threads} * atOnce, [&](Value* from) {
    Value* first = b.CreateAdd(b.CreateTrunc(from, b.getInt32Ty()), thread_);
    Values elements;
    for (unsigned i = 0; i < atOnce; ++i) elements.push_back(b.CreateAdd(first, b.getInt32(i * threads)));
    body(elements);
  });
  e.forget();
}

void AttentionEmission::fill(const Tile& tile, Value* first) {
  forElements(tile, [&](std::span<Value* const> elements) {
    std::vector<Loaded> loaded;
    for (Value* element : elements) loaded.push_back(load(tile, element, first));
    for (const auto& [value, shared] : loaded)
      if (tile.each > 1)
        b.CreateAlignedStore(value, shared, llvm::Align(kWidestAccess));
      else
        b.CreateStore(value, shared);
  });
}

// Whether the next tile of columns is copied while the weights of the one before are made: on sm_80, where all are
// read by whole accesses.
bool AttentionEmission::copiesColumns() const {
  return map_.tensor && !map_.isByWarpgroups && !map_.isOverBatch &&
         std::ranges::all_of(columnTiles_, [](const Tile& t) { return t.each > 1; });
}

void AttentionEmission::copyTile(const Tile& tile, Value* first) {
  forElements(tile, [&](std::span<Value* const> elements) {
    for (Value* element : elements) {
      const Place place = moveTo(tile, element, first);
      emitCopyAsync(b, place.shared, wholePlace(tile.factor.node).first, kWidestAccess,
                    place.inside ? place.inside : b.getTrue());
    }
  });
}

void AttentionEmission::copyColumns(Value* firstColumn) {
  for (const Tile& tile : columnTiles_) copyTile(tile, firstColumn);
  emitCommitCopies(b);
}

// After the last tile the last one again, which nothing reads.
void AttentionEmission::copyColumnsBehind(Value* firstColumn) {
  emitBarrier(b);
  copyColumns(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b.CreateAdd(firstColumn, int64(map_.tileColumns)),
                                      int64((map_.columnTiles() - 1) * map_.tileColumns)));
}

}  // namespace tessera::codegen
