// See grid_scan.h.
#include "backends/codegen/grid/grid_scan.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/grid_map.h"
#include "backends/codegen/kernel_function.h"
#include "backends/codegen/scalar_emitter.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kBankBytes = 128, kMostThreads = 256;
constexpr unsigned kEach = ScanMap::kEach;

class ScanEmission {
 public:
  ScanEmission(llvm::Module& module, const ScanMap& map)
      : module_(module), b(module.getContext()), scalars_(module, b), map_(map) {}

  Status emit(const std::string& name) {
    open(name);
    neutral_ = scalars_.neutral(map_.operation, map_.type);
    if (!neutral_) return failUnsupported("a prefix sum without a neutral element");
    placeBlock();
    fetch();
    emitBarrier(b);
    std::vector<Val> own;
    Val total;
    for (unsigned j = 0; j < kEach; ++j) {
      own.push_back(scalars_.fromMemory(map_.type, {b.CreateLoad(held_, sharedAt(ownPlace(j)))}));
      total = j == 0 ? own[0] : join(total, own.back());
    }
    Val running = beforeThread(total);
    for (unsigned j = 0; j < kEach; ++j) {
      const Val next = join(running, own[j]);
      b.CreateStore(scalars_.toMemory(map_.type, map_.isExclusive ? running : next).re, sharedAt(ownPlace(j)));
      running = next;
    }
    emitBarrier(b);
    put();
    b.CreateRetVoid();
    return {};
  }

 private:
  Val join(Val a, Val c) { return scalars_.binary(map_.operation, map_.type, a, c); }
  Value* int64(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

  void open(const std::string& name) {
    llvm::LLVMContext& context = module_.getContext();
    const std::vector<llvm::Type*> types(3, llvm::PointerType::get(context, kGlobalSpace));
    function_ = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                       llvm::Function::ExternalLinkage, name, module_);
    markAsGridKernel(*function_, map_.threads);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
    held_ = scalars_.memoryType(map_.type);
    padding_ = kBankBytes / static_cast<unsigned>(byteWidth(map_.type));
    const uint64_t count = map_.threads * kEach;
    shared_ = makeSharedArray(module_, held_, count + count / padding_, name + "_piece");
  }

  void placeBlock() {
    thread_ = emitThreadNumber(b, map_.threads);
    lane_ = b.CreateAnd(thread_, kWarpThreads - 1);
    block_ = b.CreateZExt(emitBlockNumber(b), b.getInt64Ty());
    line_ = map_.pieces() == 1 ? block_ : b.CreateUDiv(block_, int64(map_.pieces()));
    Value* piece = map_.pieces() == 1 ? int64(0) : b.CreateURem(block_, int64(map_.pieces()));
    first_ = b.CreateMul(piece, int64(map_.piece()));
  }

  // An unused element after each row of banks, so that the elements of different threads are in different banks.
  Value* sharedAt(Value* place) {
    return b.CreateGEP(held_, shared_, b.CreateAdd(place, b.CreateUDiv(place, b.getInt32(padding_))));
  }
  Value* ownPlace(unsigned j) { return b.CreateAdd(b.CreateMul(thread_, b.getInt32(kEach)), b.getInt32(j)); }
  Value* stridedPlace(unsigned j) { return b.CreateAdd(thread_, b.getInt32(j * map_.threads)); }

  // The element of the line at a place of the piece; past the end the last one.
  struct Element {
    Value *index, *isThere;  // isThere null: always
  };
  Element elementAt(Value* place) {
    Value* at = b.CreateAdd(first_, b.CreateZExt(place, b.getInt64Ty()));
    Value* isThere = nullptr;
    if (map_.length % map_.piece() != 0) {
      isThere = b.CreateICmpULT(at, int64(map_.length));
      at = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, int64(map_.length - 1));
    }
    if (map_.isReversed) at = b.CreateSub(int64(map_.length - 1), at);
    return {b.CreateAdd(b.CreateMul(line_, int64(map_.length)), at), isThere};
  }

  void fetch() {
    Value* none = scalars_.toMemory(map_.type, neutral_).re;
    for (unsigned j = 0; j < kEach; ++j) {
      const Element element = elementAt(stridedPlace(j));
      Value* value = b.CreateLoad(held_, b.CreateGEP(held_, function_->getArg(0), element.index));
      if (element.isThere) value = b.CreateSelect(element.isThere, value, none);
      b.CreateStore(value, sharedAt(stridedPlace(j)));
    }
  }

  void put() {
    for (unsigned j = 0; j < kEach; ++j) {
      const Element element = elementAt(stridedPlace(j));
      const auto store = [&] {
        b.CreateStore(b.CreateLoad(held_, sharedAt(stridedPlace(j))),
                      b.CreateGEP(held_, function_->getArg(2), element.index));
      };
      if (element.isThere)
        emitIf(b, element.isThere, store);
      else
        store();
    }
  }

  // The sum of all elements before those of the thread.
  Val beforeThread(Val total) {
    Value* at = map_.pieces() == 1 ? int64(0) : block_;
    Val running = scalars_.fromMemory(map_.type, {b.CreateLoad(held_, b.CreateGEP(held_, function_->getArg(1), at))});
    Val inclusive = total;
    for (unsigned distance = 1; distance < kWarpThreads; distance *= 2) {
      const Val joined = join({emitShuffleUp(b, inclusive.re, distance)}, inclusive);
      inclusive = {b.CreateSelect(b.CreateICmpUGE(lane_, b.getInt32(distance)), joined.re, inclusive.re)};
    }
    if (map_.threads > kWarpThreads) running = joinWarpsBefore(running, inclusive);
    Value* neighbours = emitShuffleUp(b, inclusive.re, 1);
    return join(running, {b.CreateSelect(b.CreateICmpEQ(lane_, b.getInt32(0)), neutral_.re, neighbours)});
  }

  Val joinWarpsBefore(Val running, Val inclusive) {
    const unsigned warps = map_.threads / kWarpThreads;
    auto* totals = makeSharedArray(module_, held_, warps, function_->getName().str() + "_warps");
    Value* warp = b.CreateLShr(thread_, uint64_t{5});
    emitIf(b, b.CreateICmpEQ(lane_, b.getInt32(kWarpThreads - 1)),
           [&] { b.CreateStore(scalars_.toMemory(map_.type, inclusive).re, b.CreateGEP(held_, totals, warp)); });
    emitBarrier(b);
    for (unsigned w = 0; w + 1 < warps; ++w) {
      const Val other = scalars_.fromMemory(
          map_.type, {b.CreateLoad(held_, b.CreateGEP(held_, totals, static_cast<Value*>(b.getInt32(w))))});
      const Val joined = join(running, other);
      running = {b.CreateSelect(b.CreateICmpUGT(warp, b.getInt32(w)), joined.re, running.re)};
    }
    return running;
  }

  llvm::Module& module_;
  llvm::IRBuilder<> b;
  ScalarEmitter scalars_;
  const ScanMap& map_;
  llvm::Function* function_ = nullptr;
  llvm::Type* held_ = nullptr;
  llvm::GlobalVariable* shared_ = nullptr;
  unsigned padding_ = 1;
  Val neutral_;
  Value *thread_ = nullptr, *lane_ = nullptr, *block_ = nullptr, *line_ = nullptr, *first_ = nullptr;
};

}  // namespace

bool ScanMap::fits(ElementType type, int64_t length) {
  const int64_t width = byteWidth(type);
  return !isComplex(type) && (width == 4 || width == 8) && length >= int64_t{kWarpThreads};
}

unsigned ScanMap::threadsFor(int64_t length) {
  const int64_t warps = (length + int64_t{kWarpThreads} * kEach - 1) / (int64_t{kWarpThreads} * kEach);
  return static_cast<unsigned>(std::clamp<int64_t>(warps * kWarpThreads, kWarpThreads, kMostThreads));
}

std::string ScanMap::text() const {
  return fmt::format("prefix sums, a block of {} threads for {} elements of {} lines", threads, piece(), lines);
}

std::string ScanMap::key() const {
  return fmt::format("scan {} {} {} {} {} {} {}", static_cast<int>(operation), static_cast<int>(type), length, lines,
                     isReversed, isExclusive, threads);
}

Status emitScanKernel(llvm::Module& module, const std::string& name, const ScanMap& map) {
  return ScanEmission(module, map).emit(name);
}

}  // namespace tessera::codegen
