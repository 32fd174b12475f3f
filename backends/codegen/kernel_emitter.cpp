// See kernel_emitter.h, kernel_emission.h: the function, its items, and the scopes in them.
#include "backends/codegen/kernel_emitter.h"

#include <algorithm>

#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

void KernelEmission::openFunction(const std::string& name) {
  auto* ptr = b.getPtrTy();
  function_ = makeKernelFunction(module_, name);
  b.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  const std::vector<MemoryScope> scopes = scopesOf(module_.getContext(), program_);
  size_t operands = body_.operands.size();
  for (size_t i = 0; i < operands + program_.outputs.size(); ++i) {
    Value* at = b.CreateConstGEP1_64(ptr, function_->getArg(0), i);
    (i < operands ? operandBase_ : outputBase_).push_back({b.CreateLoad(ptr, at), scopes[i]});
  }
}

void KernelEmission::sortNodesByScope() {
  loopScope_.resize(body_.loops.size());
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    if (!analysis_.needed[n] || rows_.idle[n]) continue;
    const Dependence& dep = analysis_.dependence[n];
    auto sees = [](const Dependence& d, int32_t counter) { return counter >= 0 && (d.counters >> counter & 1); };
    if (analysis_.homeLoop[n] >= 0)
      loopScope_[static_cast<size_t>(analysis_.homeLoop[n])].push_back(n);
    else if (sees(dep, nest_.axis) || sees(dep, nest_.inner) || sees(dep, neighbours()) ||
             (grid_ && std::ranges::any_of(grid_->inner, [&](int32_t c) { return sees(dep, c); })))
      axisScope_.push_back(n);
    else
      outerScope_.push_back(n);
  }
}

void KernelEmission::prepare() {
  sortNodesByScope();
  openRows();
  std::vector<ElementType> types;
  for (const RowTile& tile : nest_.tiles) types.push_back(body_.nodes[tile.node].type);
  tiles_.open(types);
  counterValue_.assign(analysis_.counters.size(), nullptr);
  memo_.resize(body_.nodes.size());
  done_.assign(body_.nodes.size(), false);
  loops_.resize(body_.loops.size());
}

Status KernelEmission::emit(const std::string& name) {
  openFunction(name);
  prepare();
  openStreams();
  forRange(function_->getArg(1), function_->getArg(2), 1, [&](Value* item) { emitItem(item); });
  // Streamed lines are seen by all before the kernel is over.
  if (std::ranges::any_of(streams_, [](const Value* aligned) { return aligned != nullptr; }))
    b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

void KernelEmission::bind(llvm::BasicBlock& block, std::span<const ArrayBase> bases) {
  function_ = block.getParent();
  b.SetInsertPoint(&block);
  operandBase_.assign(bases.begin(), bases.begin() + static_cast<ptrdiff_t>(body_.operands.size()));
  outputBase_.assign(bases.begin() + static_cast<ptrdiff_t>(body_.operands.size()), bases.end());
  prepare();
  streams_.assign(program_.stores.size(), nullptr);
}

Result<llvm::BasicBlock*> KernelEmission::emitInto(llvm::BasicBlock& block, std::span<const ArrayBase> bases) {
  bind(block, bases);
  if (nest_.parallelCount == 1)
    emitItem(int64(0));
  else
    forRange(int64(0), int64(nest_.parallelCount), 1, [&](Value* item) { emitItem(item); });
  if (failure_) return fail(*failure_);
  return b.GetInsertBlock();
}

void KernelEmission::emitItem(Value* item) {
  Value* rest = item;
  Value* block = nullptr;
  auto split = [&](int64_t size) {
    Value* digit = b.CreateURem(rest, int64(size));
    rest = b.CreateUDiv(rest, int64(size));
    return digit;
  };
  if (nest_.axis >= 0 && nest_.blocks > 1) block = nest_.outer.empty() && nest_.inner < 0 ? rest : split(nest_.blocks);
  if (nest_.inner >= 0) {
    const int64_t size = analysis_.counters[static_cast<size_t>(nest_.inner)].size;
    innerBegin_ = b.CreateMul(split(nest_.innerBlocks), int64(nest_.innerBlock));
    Value* end = b.CreateAdd(innerBegin_, int64(nest_.innerBlock));
    innerEnd_ = b.CreateSelect(b.CreateICmpSLT(end, int64(size)), end, int64(size));
  }
  for (size_t i = nest_.outer.size(); i-- > 0;) {
    size_t c = static_cast<size_t>(nest_.outer[i]);
    const int64_t size = analysis_.counters[c].size;
    counterValue_[c] = i == 0 ? rest : split(nest_.outer[i] == neighbours() ? size / grid_->each : size);
  }
  if (nest_.axis < 0 && grid_) return emitGroupItem();
  if (nest_.axis < 0) return emitSequential(0, nullptr, nullptr);
  int64_t size = analysis_.counters[static_cast<size_t>(nest_.axis)].size;
  if (!block) return emitSequential(0, int64(0), int64(size));
  Value* begin = b.CreateMul(block, int64(nest_.block));
  Value* end = b.CreateAdd(begin, int64(nest_.block));
  emitSequential(0, begin, b.CreateSelect(b.CreateICmpSLT(end, int64(size)), end, int64(size)));
}

void KernelEmission::forVectors(Value* begin, Value* end, const std::function<void(Value*)>& body) {
  const auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin), *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (!nest_.isStraight || !first || !last) return forRange(begin, end, nest_.lanes, body);
  const std::vector<bool> doneBefore = done_;
  for (int64_t i = first->getSExtValue(); i < last->getSExtValue() && !failure_; i += nest_.lanes) {
    done_ = doneBefore;
    body(int64(i));
  }
}

// Where there is anything in [begin, end); loops of forRange run once at least.
void KernelEmission::emitUnlessEmpty(Value* begin, Value* end, const std::function<void()>& body) {
  Value* holds = b.CreateICmpSLT(begin, end);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds);
  if (!known) return emitIf(b, holds, body);
  if (known->isOne()) body();
}

// Vectors of [begin, end). lanesAtEnd: of the last one, 0 where that is whole; nothing where it is known as it runs.
void KernelEmission::forLanes(Value* begin, Value* end, std::optional<int64_t> lanesAtEnd,
                              const std::function<void(Value* place, Value* mask)>& body) {
  if (lanesAtEnd == 0) return forVectors(begin, end, [&](Value* i) { body(i, nullptr); });
  if (nest_.masks || !lanesAtEnd)
    return forVectors(begin, end, [&](Value* i) { body(i, memory_.firstLanes(b.CreateSub(end, i))); });
  Value* whole = b.CreateSub(end, b.CreateURem(b.CreateSub(end, begin), int64(nest_.lanes)));
  const std::vector<bool> doneBefore = done_;
  const std::vector<LoopState> loopsBefore = loops_;
  emitUnlessEmpty(begin, whole, [&] { forVectors(begin, whole, [&](Value* i) { body(i, nullptr); }); });
  done_ = doneBefore;
  loops_ = loopsBefore;
  emitUnlessEmpty(whole, end, [&] {
    lanesInRange_ = static_cast<unsigned>(*lanesAtEnd);
    body(whole, memory_.firstLanes(int64(*lanesAtEnd)));
    lanesInRange_ = 0;
  });
}

void KernelEmission::emitVectorAt(Value* place, Value* mask) {
  axis_ = nest_.axis;
  mask_ = mask;
  counterValue_[static_cast<size_t>(axis_)] = place;
  fillTiles();
  if (nest_.inner < 0)
    emitVector();
  else
    forRange(innerBegin_, innerEnd_, 1, [&](Value* inner) {
      counterValue_[static_cast<size_t>(nest_.inner)] = inner;
      emitVector();
    });
  axis_ = -1;
  mask_ = nullptr;
}

void KernelEmission::emitAxis(Value* begin, Value* end, std::optional<int64_t> lanesAtEnd) {
  forLanes(begin, end, lanesAtEnd, [&](Value* place, Value* mask) { emitVectorAt(place, mask); });
}

// A loop a segment, in which its conditions are constants.
void KernelEmission::emitSegments(Value* begin, Value* end) {
  const std::vector<bool> doneBefore = done_;
  for (size_t s = 0; s + 1 < segments_.bounds.size() && !failure_; ++s) {
    const int64_t from = segments_.bounds[s], to = segments_.bounds[s + 1];
    done_ = doneBefore;
    for (const AxisSegments::Condition& condition : segments_.conditions) {
      memo_[condition.node] = {b.getInt1(condition.holds[s])};
      done_[condition.node] = true;
    }
    if (nest_.blocks == 1) {
      emitAxis(int64(from), int64(to), (to - from) % nest_.lanes);
      continue;
    }
    Value* first = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, begin, int64(from));
    Value* last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, int64(to));
    emitUnlessEmpty(first, last, [&] { emitAxis(first, last, {}); });
  }
}

void KernelEmission::emitVector() {
  emitScope(axisScope_);
  emitStores();
}

void KernelEmission::emitColumns(Value* begin, Value* end) {
  if (!segments_.bounds.empty()) return emitSegments(begin, end);
  const bool endsAlike = nest_.blocks == 1 || nest_.block % nest_.lanes == 0;
  const int64_t size = analysis_.counters[static_cast<size_t>(nest_.axis)].size;
  emitAxis(begin, end, endsAlike ? std::optional(size % nest_.lanes) : std::nullopt);
}

// The counters that run in order, then [begin, end) of the axis, if there is one.
void KernelEmission::emitSequential(size_t depth, Value* begin, Value* end) {
  if (depth == nest_.sequential.size()) {
    emitScope(outerScope_);
    if (!begin) return emitStores();
    if (!guards_.guard.valid()) return emitColumns(begin, end);
    return emitIf(b, value(guards_.guard).re, [&] {
      guardHolds_ = true;
      emitColumns(begin, end);
      guardHolds_ = false;
    });
  }
  if (guards_.counter >= 0 && depth + 1 == nest_.sequential.size()) return emitGuarded();
  size_t c = static_cast<size_t>(nest_.sequential[depth]);
  forRange(int64(0), int64(analysis_.counters[c].size), 1, [&](Value* i) {
    counterValue_[c] = i;
    emitSequential(depth + 1, begin, end);
  });
}

// The guards of some iterations in lanes, then those that store.
void KernelEmission::emitGuarded() {
  const auto c = static_cast<size_t>(guards_.counter);
  const int64_t size = analysis_.counters[c].size;
  forRange(int64(0), int64(size), nest_.lanes, [&](Value* first) {
    axis_ = guards_.counter;
    counterValue_[c] = first;
    if (size % nest_.lanes != 0) mask_ = memory_.firstLanes(b.CreateSub(int64(size), first));
    Value* holds = scalars_.splat(value(guards_.guard), nest_.lanes).re;
    if (mask_) holds = b.CreateAnd(holds, mask_);
    axis_ = -1;
    mask_ = nullptr;
    for (uint32_t n : guards_.nodes) done_[n] = false;
    guardHolds_ = true;
    emitSetBits(b, b.CreateZExt(b.CreateBitCast(holds, b.getIntNTy(nest_.lanes)), b.getInt64Ty()), [&](Value* lane) {
      counterValue_[c] = b.CreateAdd(first, lane);
      emitScope(outerScope_);
      emitStores();
    });
    guardHolds_ = false;
  });
}

void KernelEmission::emitScope(const std::vector<uint32_t>& nodes) {
  for (uint32_t n : nodes) {
    if (failure_) return;
    if (rare_.sideOf[n] != RareSides::kNone) continue;
    Val v = narrowValue(NodeId{n});
    if (rows_.keptIn[n] >= 0)
      b.CreateAlignedStore(scalars_.splat(v, nest_.lanes).re, rowPlace(rows_.keptIn[n]), llvm::Align(4));
  }
}

Status emitKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                  const ProgramAnalysis& analysis, const KernelNest& nest, const SourceLines& lines) {
  return KernelEmission(module, program, analysis, nest, lines).emit(name);
}

Result<llvm::BasicBlock*> emitKernelInto(llvm::BasicBlock& block, std::span<const ArrayBase> bases,
                                         const LoopProgram& program, const ProgramAnalysis& analysis,
                                         const KernelNest& nest, const SourceLines& lines) {
  return KernelEmission(*block.getModule(), program, analysis, nest, lines).emitInto(block, bases);
}

}  // namespace tessera::codegen
