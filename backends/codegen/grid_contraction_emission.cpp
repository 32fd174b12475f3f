// See grid_contraction.h, kernel_emission.h: the kernel of a contraction. A step loads tileDepth products' factors of
// the block's rows and columns into shared memory, zeros past the edges; then each thread adds its products. Thread (x,
// y) has the rows y, y + 16 … and the columns x, x + 16 …, so that neighbours read and store side by side.
#include <fmt/format.h>

#include "backends/codegen/grid_contraction.h"
#include "backends/codegen/grid_emitter.h"
#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kSide = 16;    // threads along rows and columns
constexpr unsigned kPadding = 2;  // elements behind each line of shared memory, against conflicts of banks

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

struct ContractionSide {
  const ContractionMap::Side& side;
  llvm::GlobalVariable* shared;
  Value* first;  // i64: of the block's rows or columns
};

// This thread's part of a side's tile, from contracted place `depth` on.
void KernelEmission::fillSide(const ContractionMap& map, const ContractionSide& to, Value* thread, Value* depth) {
  const unsigned tile = to.side.tile, threads = kSide * kSide, line = tile + kPadding;
  const ElementType type = body_.at(to.side.factor).type;
  for (unsigned from = 0; from < tile * map.tileDepth && !failure_; from += threads) {
    Value* e = b.CreateAdd(thread, b.getInt32(from));
    const uint64_t minor = to.side.alongDepth ? map.tileDepth : tile;
    Value *low = b.CreateURem(e, b.getInt32(static_cast<uint32_t>(minor))),
          *high = b.CreateUDiv(e, b.getInt32(static_cast<uint32_t>(minor)));
    Value *along = to.side.alongDepth ? low : high, *across = to.side.alongDepth ? high : low;
    Value *k = b.CreateAdd(depth, b.CreateZExt(along, b.getInt64Ty())),
          *x = b.CreateAdd(to.first, b.CreateZExt(across, b.getInt64Ty()));
    Value* inside = b.getTrue();
    if (map.depthSize % map.tileDepth != 0) inside = b.CreateICmpULT(k, int64(map.depthSize));
    if (to.side.size % tile != 0) inside = b.CreateAnd(inside, b.CreateICmpULT(x, int64(to.side.size)));
    const auto load = [&] {
      forget();
      setCounters(map.depth, k);
      setCounters(to.side.counters, x);
      Val v = value(to.side.factor);
      if (to.side.guard.valid()) v = scalars_.select(value(to.side.guard), v, scalars_.constant(type, 0, 0));
      forget();
      return v;
    };
    const Val loaded = llvm::isa<llvm::ConstantInt>(inside)
                           ? load()
                           : branchedLoad(false, inside, scalars_.constant(type, 0, 0), load);
    Value* place = b.CreateAdd(b.CreateMul(along, b.getInt32(line)), across);
    b.CreateStore(loaded.re, b.CreateGEP(loaded.re->getType(), to.shared, place));
  }
}

// The products of what the tiles hold, on top of the sums.
void KernelEmission::addProducts(const ContractionMap& map, const ContractionSide& rows, const ContractionSide& columns,
                                 const std::vector<Val>& sums, Value* thread) {
  const ElementType type = body_.at(rows.side.factor).type;
  llvm::Type* held = scalars_.registerType(type);
  const unsigned perColumn = columns.side.tile / kSide, perRow = rows.side.tile / kSide;
  Value *y = b.CreateLShr(thread, uint64_t{4}), *x = b.CreateAnd(thread, kSide - 1);
  std::vector<Value*> now;
  for (const Val& sum : sums) now.push_back(b.CreateLoad(held, sum.re));
  for (unsigned k = 0; k < map.tileDepth; ++k) {
    const auto take = [&](const ContractionSide& side, Value* own, unsigned count) {
      std::vector<Value*> out;
      for (unsigned i = 0; i < count; ++i)
        out.push_back(b.CreateLoad(
            held,
            b.CreateGEP(held, side.shared, b.CreateAdd(own, b.getInt32(k * (side.side.tile + kPadding) + i * kSide)))));
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

Status KernelEmission::emitContraction(const std::string& name, const ContractionMap& map) {
  openGridKernel(name);
  prepare();
  streams_.assign(program_.stores.size(), nullptr);
  const ElementType type = body_.at(map.rows.factor).type;
  llvm::Type* held = scalars_.registerType(type);
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  Value* tile = b.CreateZExt(emitBlockNumber(b), b.getInt64Ty());
  const auto split = [&](int64_t size) {
    Value* digit = b.CreateURem(tile, int64(size));
    tile = b.CreateUDiv(tile, int64(size));
    return digit;
  };
  const auto open = [&](const ContractionMap::Side& side, const char* what) {
    return ContractionSide{side, makeSharedArray(module_, held, map.tileDepth * (side.tile + kPadding), name + what),
                           b.CreateMul(split(side.tiles()), int64(side.tile))};
  };
  const ContractionSide columns = open(map.columns, "_columns"), rows = open(map.rows, "_rows");
  setCounters(map.batch, tile);
  const unsigned perColumn = map.columns.tile / kSide, perRow = map.rows.tile / kSide;
  std::vector<Val> sums;
  for (unsigned s = 0; s < perRow * perColumn; ++s) sums.push_back(makeSlot(false, scalars_.constant(type, 0, 0)));
  forRange(int64(0), int64(map.depthSize), map.tileDepth, [&](Value* depth) {
    fillSide(map, rows, thread, depth);
    fillSide(map, columns, thread, depth);
    emitBarrier(b);
    addProducts(map, rows, columns, sums, thread);
    emitBarrier(b);
  });
  Value *y = b.CreateZExt(b.CreateLShr(thread, uint64_t{4}), b.getInt64Ty()),
        *x = b.CreateZExt(b.CreateAnd(thread, kSide - 1), b.getInt64Ty());
  for (unsigned i = 0; i < perRow && !failure_; ++i)
    for (unsigned j = 0; j < perColumn && !failure_; ++j)
      finishSum(map, b.CreateAdd(rows.first, b.CreateAdd(y, int64(i * kSide))),
                b.CreateAdd(columns.first, b.CreateAdd(x, int64(j * kSide))),
                {b.CreateLoad(held, sums[i * perColumn + j].re)});
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

Status emitContractionKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                             const ProgramAnalysis& analysis, const ContractionMap& map) {
  return KernelEmission(module, program, analysis, map.grid.nest, {}, &map.grid).emitContraction(name, map);
}

}  // namespace tessera::codegen
