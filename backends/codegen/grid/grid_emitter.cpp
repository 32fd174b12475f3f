// See grid_emitter.h, kernel_emission.h: which items and which rounds of a loop a thread of a GPU takes, and how
// threads join what they have: by shuffles within a warp, then through shared memory, always in the same order.
#include "backends/codegen/grid/grid_emitter.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

namespace {

constexpr unsigned kSharedSpace = 3;
// Of what each thread of a group has of a row or of a loop's rounds: at most so many are unrolled, and nodes of all.
constexpr int64_t kMostUnrolled = 32, kMostUnrolledNodes = 1024;

// Asks LLVM to unroll the loop before the block that it leads to.
void unrollLoopBefore(llvm::BasicBlock& exit) {
  llvm::BasicBlock* latch = exit.getSinglePredecessor();
  if (!latch) return;
  llvm::LLVMContext& context = exit.getContext();
  auto* how = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.full"));
  llvm::MDNode* note = llvm::MDNode::getDistinct(context, {nullptr, how});
  note->replaceOperandWith(0, note);
  latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, note);
}

Value* readSpecial(llvm::IRBuilder<>& b, llvm::Intrinsic::ID which, uint32_t limit) {
  auto* call = b.CreateIntrinsic(which, {}, {});
  call->setMetadata(llvm::LLVMContext::MD_range,
                    llvm::MDBuilder(b.getContext()).createRange(llvm::APInt(32, 0), llvm::APInt(32, limit)));
  return call;
}

// Words of 32 bits, one or two.
Value* shuffle(llvm::IRBuilder<>& b, llvm::Intrinsic::ID how, Value* own, unsigned distance, unsigned bound) {
  const auto word = [&](Value* v) -> Value* {
    return b.CreateIntrinsic(how, {}, {b.getInt32(~0u), v, b.getInt32(distance), b.getInt32(bound)});
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

}  // namespace

Value* emitShuffleAcross(llvm::IRBuilder<>& b, Value* own, unsigned distance) {
  return shuffle(b, llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, own, distance, kWarpThreads - 1);
}
Value* emitShuffleUp(llvm::IRBuilder<>& b, Value* own, unsigned distance) {
  return shuffle(b, llvm::Intrinsic::nvvm_shfl_sync_up_i32, own, distance, 0);
}

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

void emitCopyAsync(llvm::IRBuilder<>& b, Value* shared, Value* from, unsigned bytes, Value* inside) {
  const auto which = bytes == 16  ? llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s
                     : bytes == 8 ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s
                                  : llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s;
  b.CreateIntrinsic(which, {}, {shared, from, b.CreateSelect(inside, b.getInt32(bytes), b.getInt32(0))});
}
void emitCommitCopies(llvm::IRBuilder<>& b) { b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {}, {}); }
void emitWaitForCopies(llvm::IRBuilder<>& b, unsigned left) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {}, {b.getInt32(left)});
}

llvm::GlobalVariable* makeSharedArray(llvm::Module& module, llvm::Type* element, uint64_t count,
                                      const std::string& name) {
  auto* type = llvm::ArrayType::get(element, count);
  auto* out =
      new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
                               name, nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
  out->setAlignment(llvm::Align(16));
  return out;
}

llvm::GlobalVariable* dynamicSharedMemory(llvm::Module& module) {
  constexpr const char* kName = "dynamic_shared";
  if (llvm::GlobalVariable* known = module.getGlobalVariable(kName)) return known;
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* out = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                       llvm::GlobalValue::NotThreadLocal, kSharedSpace);
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

// The grid holds a group for each item, and a part of a block more; or fewer, whose threads take several.
Status KernelEmission::emitGrid(const std::string& name) {
  openGridKernel(name);
  prepare();
  streams_.assign(program_.stores.size(), nullptr);
  const unsigned groups = grid_->blockThreads / grid_->groupThreads;
  Value* item = emitItemNumber();
  if (grid_->isStrided()) {
    forRange(item, int64(grid_->takers()), grid_->blocks() * groups, [&](Value* each) { emitItem(each); });
  } else if (grid_->takers() % groups == 0) {
    emitItem(item);
  } else if (grid_->isByColumns) {
    // All threads come to the barriers; the items behind the last one are the last one again.
    isOwnItem_ = b.CreateICmpULT(item, int64(grid_->items));
    emitItem(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, item, int64(grid_->items - 1)));
  } else {
    emitIf(b, b.CreateICmpULT(item, int64(grid_->takers())), [&] { emitItem(item); });
  }
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

Result<llvm::BasicBlock*> KernelEmission::emitInBlock(llvm::BasicBlock& block, std::span<const ArrayBase> bases,
                                                      bool byAll) {
  bind(block, bases);
  isByAll_ = byAll;
  const unsigned group = grid_->groupThreads, groups = grid_->blockThreads / group;
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  if (group > 1) member_ = b.CreateAnd(thread, group - 1);
  Value* first = b.CreateZExt(b.CreateLShr(thread, static_cast<uint64_t>(llvm::Log2_32(group))), b.getInt64Ty());
  const auto items = static_cast<int64_t>(grid_->items);
  const auto emitEach = [&](Value* item) { emitItem(item); };
  if (byAll)
    forRange(int64(0), int64(items), 1, emitEach);
  else if (items > groups)
    forRange(first, int64(items), groups, emitEach);
  else
    emitIf(b, b.CreateICmpULT(first, int64(items)), [&] { emitItem(first); });
  if (failure_) return fail(*failure_);
  return b.GetInsertBlock();
}

// The item of this thread, and in member_ which of its group the thread is.
Value* KernelEmission::emitItemNumber() {
  const unsigned group = grid_->groupThreads, groups = grid_->blockThreads / group;
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  Value* item = emitBlockNumber(b);
  Value* own = nullptr;
  if (grid_->isByColumns) {
    member_ = b.CreateLShr(thread, uint64_t{5});
    own = b.CreateAnd(thread, kWarpThreads - 1);
  } else {
    if (group > 1) member_ = groups == 1 ? thread : b.CreateAnd(thread, group - 1);
    own = group == 1 ? thread : b.CreateLShr(thread, static_cast<uint64_t>(llvm::Log2_32(group)));
  }
  if (groups == 1) return b.CreateZExt(item, b.getInt64Ty());
  const bool isSmall = grid_->blocks() * groups < INT32_MAX;
  if (!isSmall) item = b.CreateZExt(item, b.getInt64Ty()), own = b.CreateZExt(own, b.getInt64Ty());
  auto* count = llvm::ConstantInt::get(item->getType(), groups);
  item = b.CreateAdd(b.CreateMul(item, count, "", true, true), own, "", true, true);
  return b.CreateZExt(item, b.getInt64Ty());
}

// The counters of the item are known. A row's results are its threads', any other's the first one's.
void KernelEmission::emitGroupItem() {
  if (!nest_.sequential.empty()) return emitSequential(0, nullptr, nullptr);
  emitScope(outerScope_);
  if (!grid_->inner.empty()) return emitRow();
  if (grid_->each > 1) return emitNeighbours();
  if (!member_ || isByAll_) return emitStores();
  Value* isFirst = b.CreateICmpEQ(member_, b.getInt32(0));
  emitIf(b, isOwnItem_ ? b.CreateAnd(isFirst, isOwnItem_) : isFirst, [&] { emitStores(); });
}

// How many of `count` steps each thread has, where these are unrolled. nodes: of a step.
std::optional<int64_t> KernelEmission::unrolledSteps(int64_t count, size_t nodes) const {
  const auto threads = static_cast<int64_t>(grid_->groupThreads);
  const int64_t each = count / threads;
  const bool isFew = each <= kMostUnrolled && each * static_cast<int64_t>(nodes) <= kMostUnrolledNodes;
  return count % threads == 0 && isFew ? std::optional(each) : std::nullopt;
}

// The body at each of the neighbours of a step along the row. nodes: what it computes anew.
void KernelEmission::forRowNeighbours(const std::vector<int32_t>& counters, Value* step,
                                      const std::vector<uint32_t>& nodes, const std::function<void()>& body) {
  const auto begin = [&] {
    for (const uint32_t n : nodes) done_[n] = false;
  };
  if (grid_->rowEach == 1) {
    begin();
    setCounters(counters, step);
    return body();
  }
  setCounters(counters, b.CreateMul(step, int64(grid_->rowEach), "", true, true));
  const auto along = static_cast<size_t>(counters.back());
  Value* first = counterValue_[along];
  along_ = counters.back();
  firstNeighbour_ = first;
  for (unsigned i = 0; i < grid_->rowEach && !failure_; ++i) {
    begin();
    counterValue_[along] = b.CreateAdd(first, int64(i), "", true, true);
    neighbour_ = i;
    body();
  }
  firstNeighbour_ = nullptr;
}

// The elements of the row. All of a step, or of all steps where a thread has few, are computed before the first is
// stored: accesses are joined, and what was read for the row's loops stays in registers.
void KernelEmission::emitRow() {
  const int64_t steps = grid_->innerCount / grid_->rowEach;
  const size_t nodes = axisScope_.size() * grid_->rowEach;
  const bool isPlain = interleaved_.empty() &&
                       std::ranges::all_of(program_.stores, [](const Store& store) { return !store.guard.valid(); }) &&
                       std::ranges::none_of(axisScope_, [&](uint32_t n) {
                         return body_.nodes[n].op == NodeOp::LoopResult || rare_.sideOf[n] != RareSides::kNone;
                       });
  if (!isPlain)
    return emitStrided(steps, nodes,
                       [&](Value* step) { forRowNeighbours(grid_->inner, step, axisScope_, [&] { emitVector(); }); });
  std::vector<std::function<void()>> stores;
  const auto compute = [&](Value* step) {
    forRowNeighbours(grid_->inner, step, axisScope_, [&] { computeElement(stores); });
  };
  const auto storeAll = [&] {
    for (const auto& store : stores) store();
    stores.clear();
  };
  const auto unrolled = unrolledSteps(steps, nodes);
  if (!unrolled) return emitStrided(steps, nodes, [&](Value* step) { compute(step), storeAll(); });
  Value* first = member_ ? b.CreateZExt(member_, b.getInt64Ty()) : int64(0);
  for (int64_t i = 0; i < *unrolled && !failure_; ++i)
    compute(b.CreateAdd(first, int64(i * static_cast<int64_t>(grid_->groupThreads))));
  storeAll();
}

// Of the counters' point; `stores` will store it.
void KernelEmission::computeElement(std::vector<std::function<void()>>& stores) {
  emitScope(axisScope_);
  for (size_t s = 0; s < program_.stores.size() && !failure_; ++s) {
    const Store& store = program_.stores[s];
    const LaneAddress place = laneAddressOf(analysis_.storeAddresses[s], outputBase_[store.output]);
    stores.push_back([this, type = program_.outputs[store.output].type, place, made = value(store.value)] {
      memory_.store(type, place, made, nullptr, false);
    });
  }
}

// The counter of the neighbours has the number of the thread among those along it. Where the last ones are fewer, they
// are taken one by one.
void KernelEmission::emitNeighbours() {
  const auto along = static_cast<size_t>(neighbours());
  const int64_t each = grid_->each, size = analysis_.counters[along].size;
  Value* first = b.CreateMul(counterValue_[along], int64(each), "", true, true);
  if (size % each == 0) return emitWholeNeighbours(first);
  const std::vector<bool> doneBefore = done_;
  emitIf(
      b, b.CreateICmpULT(first, int64(size - size % each)), [&] { emitWholeNeighbours(first); },
      [&] {
        done_ = doneBefore;
        for (int64_t i = size - size % each; i < size; ++i) {
          for (const uint32_t n : axisScope_) done_[n] = false;
          counterValue_[along] = int64(i);
          emitStores();
        }
      });
}

// Everything is read before anything else, and computed before the first store, so that LLVM joins the accesses.
void KernelEmission::emitWholeNeighbours(Value* first) {
  const auto along = static_cast<size_t>(neighbours());
  std::vector<std::vector<std::pair<uint32_t, Val>>> read(grid_->each);
  const auto moveTo = [&](unsigned i) {
    for (const uint32_t n : axisScope_) done_[n] = false;
    counterValue_[along] = b.CreateAdd(first, int64(i), "", true, true);
    neighbour_ = i;
    for (const auto& [n, value] : read[i]) memo_[n] = value, done_[n] = true;
  };
  along_ = neighbours();
  firstNeighbour_ = first;
  for (const uint32_t n : axisScope_) {
    if (body_.nodes[n].op == NodeOp::ReadIf) {
      const std::vector<Val> values = readNeighboursIf(NodeId{n}, moveTo);
      for (unsigned i = 0; i < grid_->each; ++i) read[i].emplace_back(n, values[i]);
    } else if (body_.nodes[n].op == NodeOp::Read) {
      for (unsigned i = 0; i < grid_->each; ++i) {
        moveTo(i);
        read[i].emplace_back(n, narrowValue(NodeId{n}));
      }
    }
  }
  std::vector<std::function<void()>> stores;
  for (unsigned i = 0; i < grid_->each && !failure_; ++i) {
    moveTo(i);
    computeElement(stores);
  }
  firstNeighbour_ = nullptr;
  if (failure_) return;
  for (const auto& store : stores) store();
}

// The node at each of the neighbours, for all of which the condition is the same.
std::vector<Val> KernelEmission::readNeighboursIf(NodeId id, const std::function<void(unsigned)>& moveTo) {
  const Node& node = body_.at(id);
  const auto inputs = body_.inputsOf(id);
  std::vector<Val> others;
  std::vector<LaneAddress> places;
  Value* condition = nullptr;
  for (unsigned i = 0; i < grid_->each; ++i) {
    moveTo(i);
    if (!condition) condition = value(inputs[0]).re;
    others.push_back(value(inputs[1]));
    places.push_back(laneAddressOf(*analysis_.addresses[id.value], operandBase_[node.bits0]));
  }
  auto* before = b.GetInsertBlock();
  auto* then = llvm::BasicBlock::Create(module_.getContext(), "read", function_);
  auto* after = llvm::BasicBlock::Create(module_.getContext(), "readDone", function_);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  std::vector<Val> out;
  for (const LaneAddress& place : places) out.push_back(memory_.load(node.type, place, nullptr));
  auto* end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  const auto join = [&](Value* yes, Value* no) { return yes ? joinPaths(b, yes, end, no, before) : nullptr; };
  for (unsigned i = 0; i < grid_->each; ++i) out[i] = {join(out[i].re, others[i].re), join(out[i].im, others[i].im)};
  return out;
}

// The body at steps 0 to count, of which each thread of the group takes every so many'th. nodes: of a step.
void KernelEmission::emitStrided(int64_t count, size_t nodes, const std::function<void(Value*)>& body) {
  const auto threads = static_cast<int64_t>(grid_->groupThreads);
  Value* first = member_ ? b.CreateZExt(member_, b.getInt64Ty()) : int64(0);
  if (count == threads) return body(first);
  if (const auto steps = unrolledSteps(count, nodes)) {
    forRange(int64(0), int64(*steps), 1, [&](Value* i) { body(b.CreateAdd(first, b.CreateMul(i, int64(threads)))); });
    return unrollLoopBefore(*b.GetInsertBlock());
  }
  if (count > threads) return forRange(first, int64(count), threads, body);
  emitIf(b, b.CreateICmpULT(first, int64(count)), [&] { body(first); });
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
  const auto& counters = analysis_.spaceCounters[1 + loop];
  const std::vector<uint32_t>& nodes = loopScope_[loop];
  emitStrided(rounds / grid_->rowEach, nodes.size() * grid_->rowEach, [&](Value* step) {
    forRowNeighbours(counters, step, nodes, [&] {
      emitScope(nodes);
      stepAccumulators(loop);
    });
  });
  for (size_t k = 0; k < description.next.size() && !failure_; ++k) {
    const Node& next = body_.at(description.next[k]);
    const Val joined = joinGroup(next.op, next.type, loadSlot(state, k));
    state.results.push_back(scalars_.binary(next.op, next.type, value(description.inits[k]), joined));
  }
}

// Every thread gets the same: a pair of lanes combines the same two values.
Val KernelEmission::joinGroup(NodeOp op, ElementType type, Val own) {
  if (grid_->isByColumns) return joinThroughMemory(op, type, own, kWarpThreads);
  for (unsigned distance = std::min(grid_->groupThreads, kWarpThreads) / 2; distance > 0; distance /= 2)
    own = scalars_.binary(op, type, own, {emitShuffleAcross(b, own.re, distance)});
  return grid_->groupThreads > kWarpThreads ? joinThroughMemory(op, type, own, 1) : own;
}

// The warps' values in order, by every thread: one a warp, or one a lane of each. The array serves this join alone, so
// one barrier does.
Val KernelEmission::joinThroughMemory(NodeOp op, ElementType type, Val own, unsigned lanes) {
  const unsigned warps = grid_->blockThreads / kWarpThreads;
  llvm::Type* held = own.re->getType()->isIntegerTy(1) ? b.getInt8Ty() : own.re->getType();
  auto* shared =
      makeSharedArray(module_, held, uint64_t{warps} * lanes, fmt::format("{}_join", function_->getName().str()));
  const auto place = [&](Value* at) { return b.CreateGEP(held, shared, at); };
  Value* thread = emitThreadNumber(b, grid_->blockThreads);
  Value* lane = b.CreateAnd(thread, kWarpThreads - 1);
  const auto put = [&](Value* at) {
    b.CreateStore(held == own.re->getType() ? own.re : b.CreateZExt(own.re, held), place(at));
  };
  if (lanes > 1)
    put(thread);
  else
    emitIf(b, b.CreateICmpEQ(lane, b.getInt32(0)), [&] { put(b.CreateLShr(thread, uint64_t{5})); });
  emitBarrier(b);
  Val out;
  for (unsigned warp = 0; warp < warps; ++warp) {
    Value* at = b.getInt32(warp * lanes);
    Value* loaded = b.CreateLoad(held, place(lanes > 1 ? b.CreateAdd(at, lane) : at));
    if (held != own.re->getType()) loaded = b.CreateTrunc(loaded, own.re->getType());
    out = warp == 0 ? Val{loaded} : scalars_.binary(op, type, out, {loaded});
  }
  return out;
}

Status emitGridKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                      const ProgramAnalysis& analysis, const GridMap& map) {
  return KernelEmission(module, program, analysis, map.nest, {}, &map).emitGrid(name);
}

Result<llvm::BasicBlock*> emitInGridBlock(llvm::BasicBlock& block, std::span<const ArrayBase> bases,
                                          const LoopProgram& program, const ProgramAnalysis& analysis,
                                          const GridMap& map, bool byAll) {
  return KernelEmission(*block.getModule(), program, analysis, map.nest, {}, &map).emitInBlock(block, bases, byAll);
}

}  // namespace tessera::codegen
