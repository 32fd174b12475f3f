// See grid_transpose.h, kernel_emission.h: which programs are read across, and the two halves of their kernel.
#include "backends/codegen/grid/grid_transpose.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr int64_t kShortest = 16;                    // a side of a tile; shorter ones leave most of it empty
constexpr size_t kMostCrossing = 3;                  // reads that are brought through shared memory
constexpr unsigned kLine = TransposeMap::kTile + 1;  // so that columns lie in different banks

class TransposeMatcher {
 public:
  TransposeMatcher(const LoopProgram& program, const ProgramAnalysis& analysis)
      : program_(program), body_(program.body), analysis_(analysis) {}

  std::optional<TransposeMap> run() {
    const auto& space = analysis_.spaceCounters[0];
    const bool allParallel = program_.parallelDims == static_cast<int64_t>(body_.outputDims.size());
    if (!allParallel || !body_.loops.empty() || space.size() < 2) return std::nullopt;
    out_.stored = space.back();
    if (!storesAlong() || !findReads()) return std::nullopt;
    for (int32_t c : space) {
      const int64_t size = analysis_.counters[static_cast<size_t>(c)].size;
      if (c == out_.stored)
        out_.storedSize = size;
      else if (c == out_.read)
        out_.readSize = size;
      else
        out_.others.push_back(c), out_.batches *= size;
    }
    if (out_.storedSize < kShortest || out_.readSize < kShortest) return std::nullopt;
    out_.grid.nest.lanes = 1;
    out_.grid.blockThreads = TransposeMap::kTile * TransposeMap::kRows;
    return std::move(out_);
  }

 private:
  bool storesAlong() const {
    return std::ranges::all_of(analysis_.storeAddresses,
                               [&](const Address& address) { return address.coefficientOf(out_.stored) == 1; });
  }

  // Reads that stand still or walk along with the stores need no help; all others walk along one other counter.
  bool findReads() {
    for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
      const Node& node = body_.nodes[n];
      if (!analysis_.needed[n] || !analysis_.addresses[n]) continue;
      const int64_t along = analysis_.addresses[n]->coefficientOf(out_.stored);
      if (along == 0 || along == 1 || along == -1) continue;
      if (node.op != NodeOp::Read || isComplex(node.type) || !analysis_.addresses[n]->others.empty()) return false;
      const int32_t across = counterAlong(*analysis_.addresses[n]);
      if (across < 0 || (out_.read >= 0 && out_.read != across)) return false;
      out_.read = across;
      out_.crossing.push_back(NodeId{n});
    }
    return !out_.crossing.empty() && out_.crossing.size() <= kMostCrossing;
  }

  // The counter of the space whose neighbours are neighbours in memory; -1: none.
  int32_t counterAlong(const Address& address) const {
    for (int32_t c : analysis_.spaceCounters[0])
      if (c != out_.stored && address.coefficientOf(c) == 1) return c;
    return -1;
  }

  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  TransposeMap out_;
};

}  // namespace

std::string TransposeMap::text() const {
  return fmt::format("tiles of {} by {} through shared memory, {} blocks", kTile, kTile, blocks());
}

std::optional<TransposeMap> TransposeMap::of(const LoopProgram& program, const ProgramAnalysis& analysis) {
  return TransposeMatcher(program, analysis).run();
}

// Thread (x, y) reads the places y, y + 8 … of `stored` at x of `read`, and stores y, y + 8 … of `read` at x of
// `stored`.
Status KernelEmission::emitTransposed(const std::string& name, const TransposeMap& map) {
  openGridKernel(name);
  prepare();
  streams_.assign(program_.stores.size(), nullptr);
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  Value* tile = b.CreateZExt(emitBlockNumber(b), b.getInt64Ty());
  const auto split = [&](int64_t size) {
    Value* digit = b.CreateURem(tile, int64(size));
    tile = b.CreateUDiv(tile, int64(size));
    return b.CreateMul(digit, int64(TransposeMap::kTile));
  };
  Value *storedFirst = split(map.storedTiles()), *readFirst = split(map.readTiles());
  Value *x = b.CreateAnd(thread, TransposeMap::kTile - 1), *y = b.CreateLShr(thread, uint64_t{5});
  setCounters(map.others, tile);
  std::vector<llvm::GlobalVariable*> shared;
  std::vector<llvm::Type*> types;
  for (NodeId read : map.crossing) {
    types.push_back(scalars_.registerType(body_.at(read).type));
    llvm::Type* held = types.back()->isIntegerTy(1) ? b.getInt8Ty() : types.back();
    shared.push_back(
        makeSharedArray(module_, held, TransposeMap::kTile * kLine, fmt::format("{}_{}", name, shared.size())));
  }
  // One place of the tile: `minor` runs along x, `major` along y.
  const auto forPlaces = [&](int32_t minor, Value* minorFirst, int64_t minorSize, int32_t major, Value* majorFirst,
                             int64_t majorSize, const std::function<void(Value * row)>& body) {
    for (unsigned step = 0; step < TransposeMap::kTile && !failure_; step += TransposeMap::kRows) {
      Value* row = b.CreateAdd(y, b.getInt32(step));
      Value *at = b.CreateAdd(minorFirst, b.CreateZExt(x, b.getInt64Ty())),
            *over = b.CreateAdd(majorFirst, b.CreateZExt(row, b.getInt64Ty()));
      Value* inside = b.getTrue();
      if (minorSize % TransposeMap::kTile != 0) inside = b.CreateICmpULT(at, int64(minorSize));
      if (majorSize % TransposeMap::kTile != 0) inside = b.CreateAnd(inside, b.CreateICmpULT(over, int64(majorSize)));
      emitIf(b, inside, [&] {
        forget();
        counterValue_[static_cast<size_t>(minor)] = at;
        counterValue_[static_cast<size_t>(major)] = over;
        body(row);
        forget();
      });
    }
  };
  const auto place = [&](size_t k, Value* line, Value* column) {
    llvm::Type* held = types[k]->isIntegerTy(1) ? b.getInt8Ty() : types[k];
    return std::pair(held, b.CreateGEP(held, shared[k], b.CreateAdd(b.CreateMul(line, b.getInt32(kLine)), column)));
  };
  forPlaces(map.read, readFirst, map.readSize, map.stored, storedFirst, map.storedSize, [&](Value* row) {
    for (size_t k = 0; k < shared.size(); ++k) {
      const auto [held, to] = place(k, row, x);
      Value* read = value(map.crossing[k]).re;
      b.CreateStore(held == types[k] ? read : b.CreateZExt(read, held), to);
    }
  });
  emitBarrier(b);
  forPlaces(map.stored, storedFirst, map.storedSize, map.read, readFirst, map.readSize, [&](Value* row) {
    for (size_t k = 0; k < shared.size(); ++k) {
      const auto [held, from] = place(k, x, row);
      Value* loaded = b.CreateLoad(held, from);
      memo_[map.crossing[k].value] = {held == types[k] ? loaded : b.CreateTrunc(loaded, types[k])};
      done_[map.crossing[k].value] = true;
    }
    emitScope(outerScope_);
    emitStores();
  });
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

Status emitTransposeKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                           const ProgramAnalysis& analysis, const TransposeMap& map) {
  return KernelEmission(module, program, analysis, map.grid.nest, {}, &map.grid).emitTransposed(name, map);
}

}  // namespace tessera::codegen
