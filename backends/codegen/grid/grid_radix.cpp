// See grid_radix.h.
#include "backends/codegen/grid/grid_radix.h"

#include <functional>
#include <vector>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "backends/codegen/grid/grid_emitter.h"
#include "backends/codegen/grid/grid_map.h"
#include "backends/codegen/kernel_function.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kRadixWarps = RadixMap::kThreads / kWarpThreads;
constexpr uint32_t kRadixDigits = RadixMap::kDigits, kWholeWarp = ~uint32_t{0};

class RadixEmission {
 public:
  RadixEmission(llvm::Module& module, const RadixMap& map) : module_(module), b(module.getContext()), map_(map) {}

  void emitCount(const std::string& name);
  void emitPlaces(const std::string& name);

 private:
  // A key of this thread: its place in the line; past the end the line's last one, which is not the thread's.
  struct Key {
    Value *place, *value, *digit;
    Value* isThere;  // null: always
  };

  Value* int64(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  llvm::Type* keyType() { return b.getIntNTy(map_.keyBits); }
  Value* array(unsigned number) { return function_->getArg(number); }
  Value* element(llvm::Type* type, Value* array, Value* at) { return b.CreateGEP(type, array, at); }
  Value* inLine(Value* place) { return b.CreateAdd(b.CreateMul(line_, int64(map_.length)), place); }

  void open(const std::string& name, unsigned arrays);
  std::vector<Key> readKeys();
  Value* countAt(Value* digit);
  void whereThere(const Key& key, const std::function<void()>& body) {
    key.isThere ? emitIf(b, key.isThere, body) : body();
  }
  Value* rankInWarp(const Key& key, llvm::GlobalVariable* counts);
  void addWhatComesBefore(llvm::GlobalVariable* counts, Value* own, Value* prefix);
  Value* ofWarp(llvm::GlobalVariable* counts, Value* warp, Value* digit) {
    return element(b.getInt32Ty(), counts, b.CreateAdd(b.CreateMul(warp, b.getInt32(kRadixDigits)), digit));
  }

  llvm::Module& module_;
  llvm::IRBuilder<> b;
  const RadixMap& map_;
  llvm::Function* function_ = nullptr;
  Value *thread_ = nullptr, *lane_ = nullptr, *warp_ = nullptr, *line_ = nullptr, *tile_ = nullptr;
};

void RadixEmission::open(const std::string& name, unsigned arrays) {
  llvm::LLVMContext& context = module_.getContext();
  const std::vector<llvm::Type*> types(arrays, llvm::PointerType::get(context, kGlobalSpace));
  function_ = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                     llvm::Function::ExternalLinkage, name, module_);
  markAsGridKernel(*function_, RadixMap::kThreads);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
  thread_ = emitThreadNumber(b, RadixMap::kThreads);
  lane_ = b.CreateAnd(thread_, kWarpThreads - 1);
  warp_ = b.CreateLShr(thread_, uint64_t{5});
  Value* block = b.CreateZExt(emitBlockNumber(b), b.getInt64Ty());
  line_ = b.CreateUDiv(block, int64(map_.tiles()));
  tile_ = b.CreateURem(block, int64(map_.tiles()));
}

// A warp has neighbouring keys, a round after the other, so that earlier rounds come before later ones.
std::vector<RadixEmission::Key> RadixEmission::readKeys() {
  std::vector<Key> out;
  Value* first = b.CreateAdd(b.CreateMul(warp_, b.getInt32(kWarpThreads * RadixMap::kEach)), lane_);
  for (unsigned round = 0; round < RadixMap::kEach; ++round) {
    Value* within = b.CreateAdd(first, b.getInt32(round * kWarpThreads));
    Value* place = b.CreateAdd(b.CreateMul(tile_, int64(RadixMap::kTile)), b.CreateZExt(within, b.getInt64Ty()));
    Value* isThere = nullptr;
    if (map_.length % RadixMap::kTile != 0) {
      isThere = b.CreateICmpULT(place, int64(map_.length));
      place = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, place, int64(map_.length - 1));
    }
    Value* value = b.CreateLoad(keyType(), element(keyType(), array(0), inLine(place)));
    Value* digit = b.CreateTrunc(b.CreateLShr(value, uint64_t{map_.shift}), b.getInt32Ty());
    out.push_back({place, value, b.CreateAnd(digit, b.getInt32(kRadixDigits - 1)), isThere});
  }
  return out;
}

// Where counts and prefixes have a digit of this block's tile.
Value* RadixEmission::countAt(Value* digit) {
  Value* row = b.CreateAdd(b.CreateMul(line_, int64(kRadixDigits)), b.CreateZExt(digit, b.getInt64Ty()));
  return b.CreateAdd(b.CreateMul(row, int64(map_.tiles())), tile_);
}

void RadixEmission::emitCount(const std::string& name) {
  open(name, 2);
  auto* counts = makeSharedArray(module_, b.getInt32Ty(), kRadixDigits, name + "_counts");
  Value* own = element(b.getInt32Ty(), counts, thread_);
  b.CreateStore(b.getInt32(0), own);
  emitBarrier(b);
  for (const Key& key : readKeys())
    whereThere(key, [&] {
      b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, element(b.getInt32Ty(), counts, key.digit), b.getInt32(1),
                        llvm::Align(4), llvm::AtomicOrdering::Monotonic);
    });
  emitBarrier(b);
  b.CreateStore(b.CreateLoad(b.getInt32Ty(), own), element(b.getInt32Ty(), array(1), countAt(thread_)));
  b.CreateRetVoid();
}

// How many keys of the digit the warp has had before this one; counts, a row a warp, learn of this round's.
Value* RadixEmission::rankInWarp(const Key& key, llvm::GlobalVariable* counts) {
  Value* digit = key.isThere ? b.CreateSelect(key.isThere, key.digit, b.getInt32(kRadixDigits)) : key.digit;
  Value* equal = b.CreateIntrinsic(llvm::Intrinsic::nvvm_match_any_sync_i32, {}, {b.getInt32(kWholeWarp), digit});
  Value* earlier = b.CreateSub(b.CreateShl(b.getInt32(1), lane_), b.getInt32(1));
  Value* rank = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, b.CreateAnd(equal, earlier));
  Value* at = ofWarp(counts, warp_, key.digit);
  Value* before = b.CreateLoad(b.getInt32Ty(), at);
  const auto meet = [&] { b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b.getInt32(kWholeWarp)}); };
  meet();
  Value* isFirst = b.CreateICmpEQ(rank, b.getInt32(0));
  emitIf(b, key.isThere ? b.CreateAnd(isFirst, key.isThere) : isFirst,
         [&] { b.CreateStore(b.CreateAdd(before, b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, equal)), at); });
  meet();
  return b.CreateAdd(before, rank);
}

// A thread a digit: the counts of each warp become the place of its first key.
void RadixEmission::addWhatComesBefore(llvm::GlobalVariable* counts, Value* own, Value* prefix) {
  const auto read = [&](Value* array) {
    return b.CreateLoad(b.getInt32Ty(), element(b.getInt32Ty(), array, countAt(thread_)));
  };
  Value* sum = b.CreateSub(read(prefix), read(own));
  for (unsigned warp = 0; warp < kRadixWarps; ++warp) {
    Value* at = ofWarp(counts, b.getInt32(warp), thread_);
    Value* count = b.CreateLoad(b.getInt32Ty(), at);
    b.CreateStore(sum, at);
    sum = b.CreateAdd(sum, count);
  }
}

void RadixEmission::emitPlaces(const std::string& name) {
  const unsigned behindOrder = map_.isFirst ? 1 : 2, results = behindOrder + 2;
  open(name, results + (map_.isLast ? 1 : 2));
  auto* counts = makeSharedArray(module_, b.getInt32Ty(), uint64_t{kRadixWarps} * kRadixDigits, name + "_counts");
  for (unsigned warp = 0; warp < kRadixWarps; ++warp)
    b.CreateStore(b.getInt32(0), ofWarp(counts, b.getInt32(warp), thread_));
  const std::vector<Key> keys = readKeys();
  std::vector<Value*> orders, ranks;
  for (const Key& key : keys)
    orders.push_back(map_.isFirst ? b.CreateTrunc(key.place, b.getInt32Ty())
                                  : b.CreateLoad(b.getInt32Ty(), element(b.getInt32Ty(), array(1), inLine(key.place))));
  emitBarrier(b);
  for (const Key& key : keys) ranks.push_back(rankInWarp(key, counts));
  emitBarrier(b);
  addWhatComesBefore(counts, array(behindOrder), array(behindOrder + 1));
  emitBarrier(b);
  for (size_t k = 0; k < keys.size(); ++k)
    whereThere(keys[k], [&] {
      Value* first = b.CreateLoad(b.getInt32Ty(), ofWarp(counts, warp_, keys[k].digit));
      Value* to = inLine(b.CreateZExt(b.CreateAdd(first, ranks[k]), b.getInt64Ty()));
      if (!map_.isLast) b.CreateStore(keys[k].value, element(keyType(), array(results), to));
      b.CreateStore(orders[k], element(b.getInt32Ty(), array(map_.isLast ? results : results + 1), to));
    });
  b.CreateRetVoid();
}

std::string radixText(const char* what, const RadixMap& map) {
  return fmt::format("radix sort, bits {} to {}: {}, a block of {} threads for {} keys of {} lines", map.shift,
                     map.shift + 7, what, RadixMap::kThreads, RadixMap::kTile, map.lines);
}

}  // namespace

std::string RadixMap::countText() const { return radixText("counts", *this); }
std::string RadixMap::placeText() const { return radixText("places", *this); }
std::string RadixMap::key() const {
  return fmt::format("radix {} {} {} {} {} {}", keyBits, shift, length, lines, isFirst, isLast);
}

Status emitRadixCount(llvm::Module& module, const std::string& name, const RadixMap& map) {
  RadixEmission(module, map).emitCount(name);
  return {};
}

Status emitRadixPlaces(llvm::Module& module, const std::string& name, const RadixMap& map) {
  RadixEmission(module, map).emitPlaces(name);
  return {};
}

}  // namespace tessera::codegen
