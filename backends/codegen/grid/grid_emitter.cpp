// See grid_emitter.h, kernel_emission.h: which items and which rounds of a loop a thread of a GPU takes, and how
// threads join what they have: by shuffles within a warp, then through shared memory, always in the same order.
#include "backends/codegen/grid/grid_emitter.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

Value* readSpecial(llvm::IRBuilder<>& b, llvm::Intrinsic::ID which, uint32_t limit) {
  auto* call = b.CreateIntrinsic(which, {}, {});
  call->setMetadata(llvm::LLVMContext::MD_range,
                    llvm::MDBuilder(b.getContext()).createRange(llvm::APInt(32, 0), llvm::APInt(32, limit)));
  return call;
}

}  // namespace

void markAsGridKernel(llvm::Function& function, unsigned blockThreads) {
  llvm::LLVMContext& context = function.getContext();
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr(llvm::Attribute::NoUnwind);
  auto number = [&](unsigned value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  };
  auto* notes = function.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  auto note = [&](const char* name, unsigned value) {
    notes->addOperand(llvm::MDNode::get(
        context, {llvm::ConstantAsMetadata::get(&function), llvm::MDString::get(context, name), number(value)}));
  };
  note("kernel", 1);
  note("maxntidx", blockThreads);
}

Value* emitThreadNumber(llvm::IRBuilder<>& b, unsigned blockThreads) {
  return readSpecial(b, llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, blockThreads);
}
Value* emitBlockNumber(llvm::IRBuilder<>& b) {
  return readSpecial(b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0x7fffffff);
}
void emitBarrier(llvm::IRBuilder<>& b) { b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

llvm::GlobalVariable* makeSharedArray(llvm::Module& module, llvm::Type* element, uint64_t count,
                                      const std::string& name) {
  auto* type = llvm::ArrayType::get(element, count);
  auto* out =
      new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
                               name, nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  out->setAlignment(llvm::Align(16));
  return out;
}

void KernelEmission::openGridKernel(const std::string& name) {
  llvm::LLVMContext& context = module_.getContext();
  const size_t operands = body_.operands.size(), arrays = operands + program_.outputs.size();
  const std::vector<llvm::Type*> types(arrays, llvm::PointerType::get(context, kGlobalSpace));
  function_ = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                                     llvm::Function::ExternalLinkage, name, module_);
  markAsGridKernel(*function_, grid_->blockThreads);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
  const std::vector<MemoryScope> scopes = scopesOf(context, program_);
  for (size_t i = 0; i < arrays; ++i)
    (i < operands ? operandBase_ : outputBase_).push_back({function_->getArg(static_cast<unsigned>(i)), scopes[i]});
}

// The grid holds a group for each item, and a part of a block more.
Status KernelEmission::emitGrid(const std::string& name) {
  openGridKernel(name);
  prepare();
  streams_.assign(program_.stores.size(), nullptr);
  const unsigned group = grid_->groupThreads, groups = grid_->blockThreads / group;
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  Value* item = emitBlockNumber(b);
  if (group > 1) member_ = groups == 1 ? thread : b.CreateAnd(thread, group - 1);
  if (groups > 1) {
    Value* own = group == 1 ? thread : b.CreateLShr(thread, static_cast<uint64_t>(llvm::Log2_32(group)));
    const bool isSmall = grid_->blocks() * groups < INT32_MAX;
    if (!isSmall) item = b.CreateZExt(item, b.getInt64Ty()), own = b.CreateZExt(own, b.getInt64Ty());
    auto* count = llvm::ConstantInt::get(item->getType(), groups);
    item = b.CreateAdd(b.CreateMul(item, count, "", true, true), own, "", true, true);
  }
  item = b.CreateZExt(item, b.getInt64Ty());
  if (grid_->items % groups == 0)
    emitItem(item);
  else
    emitIf(b, b.CreateICmpULT(item, int64(grid_->items)), [&] { emitItem(item); });
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

// The counters of the item are known. A row's results are its threads', any other's the first one's.
void KernelEmission::emitGroupItem() {
  if (!nest_.sequential.empty()) return emitSequential(0, nullptr, nullptr);
  emitScope(outerScope_);
  if (!grid_->inner.empty()) return emitStrided(grid_->innerCount, grid_->inner, [&] { emitVector(); });
  if (!member_) return emitStores();
  emitIf(b, b.CreateICmpEQ(member_, b.getInt32(0)), [&] { emitStores(); });
}

// The points of the counters, of which each thread of the group takes every so many'th.
void KernelEmission::emitStrided(int64_t count, const std::vector<int32_t>& counters,
                                 const std::function<void()>& body) {
  const auto at = [&](Value* point) {
    setCounters(counters, point);
    body();
  };
  const auto threads = static_cast<int64_t>(grid_->groupThreads);
  Value* first = member_ ? b.CreateZExt(member_, b.getInt64Ty()) : int64(0);
  if (count == threads) return at(first);
  if (count > threads) return forRange(first, int64(count), threads, at);
  emitIf(b, b.CreateICmpULT(first, int64(count)), [&] { at(first); });
}

void KernelEmission::runLoopByGroup(size_t loop) {
  const Loop& description = body_.loops[loop];
  LoopState& state = loops_[loop];
  int64_t rounds = 1;
  for (int32_t c : analysis_.spaceCounters[1 + loop]) rounds *= analysis_.counters[static_cast<size_t>(c)].size;
  for (NodeId next : description.next) {
    const Val initial = scalars_.neutral(body_.at(next).op, body_.at(next).type);
    if (!initial) return unsupported(next);
    state.accumulators.push_back(makeSlot(false, initial));
    state.types.push_back(initial.re->getType());
  }
  emitStrided(rounds, analysis_.spaceCounters[1 + loop], [&] {
    emitScope(loopScope_[loop]);
    stepAccumulators(loop);
  });
  for (size_t k = 0; k < description.next.size() && !failure_; ++k) {
    const Node& next = body_.at(description.next[k]);
    const Val joined = joinGroup(next.op, next.type, loadSlot(state, k));
    state.results.push_back(scalars_.binary(next.op, next.type, value(description.inits[k]), joined));
  }
}

// Every thread gets the same: a pair of lanes combines the same two values.
Val KernelEmission::joinGroup(NodeOp op, ElementType type, Val own) {
  for (unsigned distance = kWarpThreads / 2; distance > 0; distance /= 2)
    own = scalars_.binary(op, type, own, {shuffled(own.re, distance)});
  return grid_->groupThreads > kWarpThreads ? joinWarps(op, type, own) : own;
}

Value* KernelEmission::shuffled(Value* own, unsigned distance) {
  const auto word = [&](Value* v) -> Value* {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                             {b.getInt32(~0u), v, b.getInt32(distance), b.getInt32(kWarpThreads - 1)});
  };
  auto* type = own->getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  Value* raw = b.CreateBitCast(own, b.getIntNTy(bits));
  if (bits <= 32) {
    raw = b.CreateTrunc(word(b.CreateZExt(raw, b.getInt32Ty())), b.getIntNTy(bits));
  } else {
    Value *low = word(b.CreateTrunc(raw, b.getInt32Ty())),
          *high = word(b.CreateTrunc(b.CreateLShr(raw, uint64_t{32}), b.getInt32Ty()));
    raw = b.CreateOr(b.CreateZExt(low, raw->getType()), b.CreateShl(b.CreateZExt(high, raw->getType()), uint64_t{32}));
  }
  return b.CreateBitCast(raw, type);
}

// The warps' values in order, by every thread. The array serves this join alone, so one barrier does.
Val KernelEmission::joinWarps(NodeOp op, ElementType type, Val own) {
  const unsigned warps = grid_->groupThreads / kWarpThreads;
  llvm::Type* held = own.re->getType()->isIntegerTy(1) ? b.getInt8Ty() : own.re->getType();
  auto* shared = makeSharedArray(module_, held, warps, fmt::format("{}_join", function_->getName().str()));
  const auto place = [&](Value* warp) { return b.CreateGEP(held, shared, warp); };
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  emitIf(b, b.CreateICmpEQ(b.CreateAnd(thread, kWarpThreads - 1), b.getInt32(0)), [&] {
    Value* value = held == own.re->getType() ? own.re : b.CreateZExt(own.re, held);
    b.CreateStore(value, place(b.CreateLShr(thread, uint64_t{5})));
  });
  emitBarrier(b);
  Val out;
  for (unsigned warp = 0; warp < warps; ++warp) {
    Value* loaded = b.CreateLoad(held, place(b.getInt32(warp)));
    if (held != own.re->getType()) loaded = b.CreateTrunc(loaded, own.re->getType());
    out = warp == 0 ? Val{loaded} : scalars_.binary(op, type, out, {loaded});
  }
  return out;
}

Status emitGridKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                      const ProgramAnalysis& analysis, const GridMap& map) {
  return KernelEmission(module, program, analysis, map.nest, {}, &map).emitGrid(name);
}

}  // namespace tessera::codegen
