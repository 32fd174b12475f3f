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
constexpr int64_t kGroup = kWarpThreads;          // pieces that look back no further than the group before theirs
constexpr uint64_t kIsThere = uint64_t{1} << 32;  // of a word of the state, beside 32 bits of a value

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
      b.CreateStore(scalars_.toMemory(map_.type, next).re, sharedAt(ownPlace(j)));
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
    const std::vector<llvm::Type*> types(map_.hasState() ? 4 : 3, llvm::PointerType::get(context, kGlobalSpace));
    function_ = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                       llvm::Function::ExternalLinkage, name, module_);
    markAsGridKernel(*function_, map_.threads);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
    held_ = scalars_.memoryType(map_.type);
    padding_ = kBankBytes / static_cast<unsigned>(byteWidth(map_.type));
    const uint64_t count = map_.threads * kEach;
    shared_ = makeSharedArray(module_, held_, count + count / padding_, name + "_piece");
    totals_ = makeSharedArray(module_, held_, map_.threads / kWarpThreads, name + "_warps");
  }

  void placeBlock() {
    thread_ = emitThreadNumber(b, map_.threads);
    lane_ = b.CreateAnd(thread_, kWarpThreads - 1);
    Value* block = b.CreateZExt(map_.hasState() ? takeTicket() : emitBlockNumber(b), b.getInt64Ty());
    line_ = map_.hasState() ? b.CreateUDiv(block, int64(map_.pieces())) : block;
    piece_ = map_.hasState() ? b.CreateURem(block, int64(map_.pieces())) : int64(0);
    first_ = b.CreateMul(piece_, int64(map_.piece()));
  }

  // How many blocks have begun before this one: their pieces are those that it waits for.
  Value* takeTicket() {
    auto* shared = makeSharedArray(module_, b.getInt32Ty(), 1, function_->getName().str() + "_ticket");
    emitIf(b, b.CreateICmpEQ(thread_, b.getInt32(0)), [&] {
      b.CreateStore(b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, function_->getArg(3), b.getInt32(1), llvm::Align(4),
                                      llvm::AtomicOrdering::Monotonic),
                    shared);
    });
    emitBarrier(b);
    return b.CreateLoad(b.getInt32Ty(), shared);
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
    const Val inclusive = joinLanesUpTo(total);
    if (map_.threads > kWarpThreads) shareTotal(inclusive);
    Val running = map_.hasState() ? lookBack() : firstValue();
    if (map_.threads > kWarpThreads) running = joinWarpsBefore(running);
    Value* neighbours = emitShuffleUp(b, inclusive.re, 1);
    return join(running, {b.CreateSelect(b.CreateICmpEQ(lane_, b.getInt32(0)), neutral_.re, neighbours)});
  }

  Val firstValue() { return scalars_.fromMemory(map_.type, {b.CreateLoad(held_, function_->getArg(1))}); }

  // Of a warp: each lane's value and those of the lanes before it.
  Val joinLanesUpTo(Val own) {
    for (unsigned distance = 1; distance < kWarpThreads; distance *= 2) {
      const Val joined = join({emitShuffleUp(b, own.re, distance)}, own);
      own = {b.CreateSelect(b.CreateICmpUGE(lane_, b.getInt32(distance)), joined.re, own.re)};
    }
    return own;
  }

  Value* isLastLane() { return b.CreateICmpEQ(lane_, b.getInt32(kWarpThreads - 1)); }
  Val totalOfWarp(unsigned warp) {
    Value* at = b.CreateGEP(held_, totals_, static_cast<Value*>(b.getInt32(warp)));
    return scalars_.fromMemory(map_.type, {b.CreateLoad(held_, at)});
  }
  void shareTotal(Val inclusive) {
    Value* warp = b.CreateLShr(thread_, uint64_t{5});
    emitIf(b, isLastLane(),
           [&] { b.CreateStore(scalars_.toMemory(map_.type, inclusive).re, b.CreateGEP(held_, totals_, warp)); });
    emitBarrier(b);
  }
  Val joinWarpsBefore(Val running) {
    Value* warp = b.CreateLShr(thread_, uint64_t{5});
    for (unsigned w = 0; w + 1 < map_.threads / kWarpThreads; ++w) {
      const Val joined = join(running, totalOfWarp(w));
      running = {b.CreateSelect(b.CreateICmpUGT(warp, b.getInt32(w)), joined.re, running.re)};
    }
    return running;
  }

  // The sum of all elements before the piece, which the first warp finds and tells the others. Lane 0 has the prefix of
  // the group before, the others have the totals of the pieces before this one in its group.
  Val lookBack() {
    auto* shared = makeSharedArray(module_, held_, 1, function_->getName().str() + "_before");
    emitIf(b, b.CreateICmpULT(thread_, b.getInt32(kWarpThreads)), [&] {
      Val total = totalOfWarp(0);
      for (unsigned w = 1; w < map_.threads / kWarpThreads; ++w) total = join(total, totalOfWarp(w));
      emitIf(b, b.CreateICmpEQ(lane_, b.getInt32(0)), [&] { publish(total, wordOfTotal(piece_)); });
      const Val before = joinLanesUpTo(awaitLane());
      emitIf(b, isLastLane(), [&] {
        b.CreateStore(scalars_.toMemory(map_.type, before).re, shared);
        Value* isLastOfGroup = b.CreateICmpEQ(b.CreateURem(piece_, int64(kGroup)), int64(kGroup - 1));
        emitIf(b, isLastOfGroup,
               [&] { publish(join(before, total), wordOfPrefix(b.CreateUDiv(piece_, int64(kGroup)))); });
      });
    });
    emitBarrier(b);
    return scalars_.fromMemory(map_.type, {b.CreateLoad(held_, shared)});
  }

  // Where the state holds a value: the ticket, the totals of all pieces, the prefixes behind all whole groups.
  Value* wordOf(Value* value) { return b.CreateAdd(b.CreateMul(value, int64(valueWords())), int64(1)); }
  Value* wordOfTotal(Value* piece) { return wordOf(b.CreateAdd(b.CreateMul(line_, int64(map_.pieces())), piece)); }
  Value* wordOfPrefix(Value* group) {
    Value* first = b.CreateMul(line_, int64(map_.pieces() / kGroup));
    return wordOf(b.CreateAdd(b.CreateAdd(first, group), int64(map_.lines * map_.pieces())));
  }
  int64_t valueWords() const { return byteWidth(map_.type) / 4; }
  Value* stateAt(Value* word, int64_t part) {
    return b.CreateGEP(b.getInt64Ty(), function_->getArg(3), b.CreateAdd(word, int64(part)));
  }

  void publish(Val value, Value* word) {
    Value* bits = b.CreateBitCast(scalars_.toMemory(map_.type, value).re, b.getIntNTy(bitsOfValue()));
    bits = b.CreateZExt(bits, b.getInt64Ty());
    for (int64_t part = 0; part < valueWords(); ++part) {
      Value* half = b.CreateAnd(b.CreateLShr(bits, static_cast<uint64_t>(32 * part)), b.getInt64(kIsThere - 1));
      b.CreateAlignedStore(b.CreateOr(half, b.getInt64(kIsThere)), stateAt(word, part), llvm::Align(8), true);
    }
  }
  unsigned bitsOfValue() const { return static_cast<unsigned>(8 * byteWidth(map_.type)); }

  // What the lane looks back at, once it is there; of lanes without a piece the neutral element.
  Val awaitLane() {
    Value *lane = b.CreateZExt(lane_, b.getInt64Ty()), *group = b.CreateUDiv(piece_, int64(kGroup));
    Value *isFirst = b.CreateICmpEQ(lane, int64(0)), *isFirstGroup = b.CreateICmpEQ(group, int64(0));
    Value* other = b.CreateAdd(b.CreateMul(group, int64(kGroup)), b.CreateSub(lane, int64(1)));
    Value* waits = b.CreateSelect(isFirst, b.CreateNot(isFirstGroup), b.CreateICmpULT(other, piece_));
    Value* word = b.CreateSelect(isFirst, wordOfPrefix(b.CreateSub(group, int64(1))), wordOfTotal(other));
    const Val initial = firstValue();
    Value* otherwise = b.CreateSelect(isFirst, initial.re, neutral_.re);
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::BasicBlock* poll = llvm::BasicBlock::Create(b.getContext(), "poll", function_);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(b.getContext(), "there", function_);
    b.CreateCondBr(waits, poll, done);
    b.SetInsertPoint(poll);
    Value *bits = b.getInt64(0), *areThere = b.getInt64(kIsThere);
    for (int64_t part = 0; part < valueWords(); ++part) {
      Value* read = b.CreateAlignedLoad(b.getInt64Ty(), stateAt(word, part), llvm::Align(8), true);
      areThere = b.CreateAnd(areThere, read);
      Value* half = b.CreateAnd(read, b.getInt64(kIsThere - 1));
      bits = b.CreateOr(bits, b.CreateShl(half, static_cast<uint64_t>(32 * part)));
    }
    bits = b.CreateBitCast(b.CreateTrunc(bits, b.getIntNTy(bitsOfValue())), held_);
    const Val found = scalars_.fromMemory(map_.type, {bits});
    b.CreateCondBr(b.CreateICmpNE(areThere, b.getInt64(0)), done, poll);
    b.SetInsertPoint(done);
    return {joinPaths(b, found.re, poll, otherwise, before)};
  }

  llvm::Module& module_;
  llvm::IRBuilder<> b;
  ScalarEmitter scalars_;
  const ScanMap& map_;
  llvm::Function* function_ = nullptr;
  llvm::Type* held_ = nullptr;
  llvm::GlobalVariable *shared_ = nullptr, *totals_ = nullptr;
  unsigned padding_ = 1;
  Val neutral_;
  Value *thread_ = nullptr, *lane_ = nullptr, *line_ = nullptr, *piece_ = nullptr, *first_ = nullptr;
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

int64_t ScanMap::stateWords() const { return 1 + lines * (pieces() + pieces() / kGroup) * (byteWidth(type) / 4); }

std::string ScanMap::text() const {
  return fmt::format("prefix sums{}, a block of {} threads for {} elements of {} lines",
                     hasState() ? " in one pass" : "", threads, piece(), lines);
}

std::string ScanMap::key() const {
  return fmt::format("scan {} {} {} {} {} {}", static_cast<int>(operation), static_cast<int>(type), length, lines,
                     isReversed, threads);
}

Status emitScanKernel(llvm::Module& module, const std::string& name, const ScanMap& map) {
  return ScanEmission(module, map).emit(name);
}

}  // namespace tessera::codegen
