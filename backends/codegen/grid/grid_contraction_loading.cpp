// See grid_contraction_emission.h: factors on their way to shared memory, through registers or by asynchronous copies.
#include "backends/codegen/grid/grid_contraction_emission.h"
#include "backends/codegen/grid/grid_emitter.h"

namespace tessera::codegen {

using llvm::Value;

// The value as shared memory holds it: for tensor cores in their type, mostly as it is in memory.
Val KernelEmission::factorValue(const ContractionMap& map, const ContractionSide& of) {
  const NodeId factor = of.side.factor;
  const Node& node = body_.at(factor);
  if (map.tensor == node.type && node.op == NodeOp::Read && !of.side.guard.valid()) {
    const LaneAddress place = laneAddressOf(*analysis_.addresses[factor.value], operandBase_[node.bits0]);
    return {memory_.loadRaw(node.type, place)};
  }
  Val v = value(factor);
  if (of.side.guard.valid()) v = scalars_.select(value(of.side.guard), v, scalars_.constant(node.type, 0, 0));
  return map.tensor ? scalars_.toMemory(*map.tensor, v) : v;
}

// Where element e of a tile is along the depth and across: neighbours in memory are neighbouring threads. Lines for
// tensor cores lie along the depth: where memory goes across, warps take eight by four, without conflicts of banks.
std::pair<Value*, Value*> KernelEmission::placeInTile(const ContractionMap& map, const ContractionSide& of, Value* e) {
  const auto digit = [&](unsigned size) {
    Value* out = b.CreateURem(e, b.getInt32(size));
    e = b.CreateUDiv(e, b.getInt32(size));
    return out;
  };
  if (of.side.alongDepth) {
    Value* along = digit(map.tileDepth);
    return {along, e};
  }
  if (!map.tensor) {
    Value* across = digit(of.side.tile);
    return {e, across};
  }
  constexpr unsigned kAcross = 8, kAlong = kWarpThreads / kAcross;
  Value *across = digit(kAcross), *along = digit(kAlong);
  Value* further = b.CreateMul(digit(of.side.tile / kAcross), b.getInt32(kAcross));
  return {b.CreateAdd(b.CreateMul(e, b.getInt32(kAlong)), along), b.CreateAdd(further, across)};
}

// Where chunk c of so many elements that lie side by side is in a tile. Eight lanes of a warp take a chunk of eight
// lines for tensor cores each, which then are in different banks.
std::pair<Value*, Value*> KernelEmission::chunkInTile(const ContractionMap& map, const ContractionSide& of, Value* c) {
  constexpr unsigned kLines = 8;
  const unsigned chunks = (of.side.alongDepth ? map.tileDepth : of.side.tile) / of.side.copied;
  const auto scaled = [&](Value* chunk) { return b.CreateMul(chunk, b.getInt32(of.side.copied)); };
  if (!of.side.alongDepth) return {b.CreateUDiv(c, b.getInt32(chunks)), scaled(b.CreateURem(c, b.getInt32(chunks)))};
  Value* further = b.CreateUDiv(c, b.getInt32(kLines));
  Value* lines = b.CreateMul(b.CreateUDiv(further, b.getInt32(chunks)), b.getInt32(kLines));
  return {scaled(b.CreateURem(further, b.getInt32(chunks))), b.CreateAdd(lines, b.CreateURem(c, b.getInt32(kLines)))};
}

// Copies so many elements from where the counters point to shared memory, or zeros.
void KernelEmission::copyAsync(NodeId factor, unsigned elements, Value* place, Value* inside) {
  const Node& node = body_.at(factor);
  const LaneAddress from = laneAddressOf(*analysis_.addresses[factor.value], operandBase_[node.bits0]);
  const unsigned bytes = elements * static_cast<unsigned>(byteWidth(node.type));
  emitCopyAsync(b, place, b.CreateGEP(scalars_.memoryType(node.type), from.base.pointer, from.scalar), bytes, inside);
}

// This thread's part of a side's tile, from contracted place `depth` on.
void KernelEmission::fillSide(const ContractionMap& map, const ContractionSide& to, Value* thread, Value* depth) {
  const unsigned tile = to.side.tile, threads = kContractionSide * kContractionSide,
                 each = std::max(1u, to.side.copied);
  const unsigned chunks = tile * map.tileDepth / each;
  if (chunks < threads)
    return emitIf(b, b.CreateICmpULT(thread, b.getInt32(chunks)), [&] { fillChunk(map, to, thread, depth); });
  for (unsigned from = 0; from < chunks && !failure_; from += threads)
    fillChunk(map, to, b.CreateAdd(thread, b.getInt32(from)), depth);
}

void KernelEmission::fillChunk(const ContractionMap& map, const ContractionSide& to, Value* chunk, Value* depth) {
  const auto [along, across] = to.side.copied > 1 ? chunkInTile(map, to, chunk) : placeInTile(map, to, chunk);
  Value *k = b.CreateAdd(depth, b.CreateZExt(along, b.getInt64Ty())),
        *x = b.CreateAdd(to.first, b.CreateZExt(across, b.getInt64Ty()));
  Value* inside = b.getTrue();
  if (map.depthSize % map.tileDepth != 0) inside = b.CreateICmpULT(k, int64(map.depthSize));
  if (to.side.size % to.side.tile != 0) inside = b.CreateAnd(inside, b.CreateICmpULT(x, int64(to.side.size)));
  Value* place = to.place(b, map.tensor ? b.CreateAdd(b.CreateMul(across, b.getInt32(to.line)), along)
                                        : b.CreateAdd(b.CreateMul(along, b.getInt32(to.line)), across));
  const auto moveTo = [&] {
    forget();
    setCounters(map.depth, k);
    setCounters(to.side.counters, x);
  };
  if (to.side.copied > 0) {
    moveTo();
    copyAsync(to.side.factor, to.side.copied, place, inside);
    return forget();
  }
  const auto load = [&] {
    moveTo();
    const Val v = factorValue(map, to);
    forget();
    return v;
  };
  const Val nothing{llvm::Constant::getNullValue(to.held)};
  const Val loaded = llvm::isa<llvm::ConstantInt>(inside) ? load() : branchedLoad(false, inside, nothing, load);
  b.CreateStore(loaded.re, place);
}

}  // namespace tessera::codegen
