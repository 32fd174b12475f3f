// See kernel_emitter.h. Nodes are emitted in their own scope: before the axis loop when they do not see the axis, in
// it when they do, in the body of the innermost element loop that they see; so nothing is computed more often than
// it must be. Accumulators live in stack slots that a pass turns into registers.
#include "backends/codegen/kernel_emitter.h"

#include <functional>
#include <unordered_set>

#include <llvm/IR/Function.h>

#include "backends/codegen/guard_lanes.h"
#include "backends/codegen/kernel_function.h"
#include "backends/codegen/kernel_memory.h"
#include "backends/codegen/row_cache.h"
#include "backends/codegen/row_tile_emitter.h"
#include "backends/codegen/scalar_emitter.h"

namespace tessera::codegen {

namespace {

using llvm::Value;

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest, const SourceLines& lines)
      : module_(module), program_(program), body_(program.body), analysis_(analysis), nest_(nest), rows_(RowCache::of(program, analysis, nest)),
        guards_(GuardLanes::of(program, analysis, nest)),
        b(module.getContext()), scalars_(module, b), memory_(b, scalars_, nest.lanes),
        tiles_(b, scalars_, memory_, nest), lines_(lines) {
    LineScope::setLine(b, lines_, kOwnLine);
  }

  Status emit(const std::string& name);
  Result<llvm::BasicBlock*> emitInto(llvm::BasicBlock& block, std::span<Value* const> bases);

 private:
  struct LoopState {
    bool emitted = false;
    std::vector<Val> accumulators;  // stack slots (re, im)
    std::vector<llvm::Type*> types;
    std::vector<Val> results;
  };

  void openFunction(const std::string& name);
  void prepare();
  void sortNodesByScope();
  void emitItem(Value* item);
  void emitAxis(Value* begin, Value* end);
  void emitSequential(size_t depth, Value* begin, Value* end);
  void emitGuarded();
  void emitStores();
  void forRange(Value* from, Value* to, int64_t step, const std::function<void(Value*)>& body) { emitRange(b, from, to, step, body); }
  Value* int64(int64_t v) { return b.getInt64(static_cast<uint64_t>(v)); }

  void emitScope(const std::vector<uint32_t>& nodes);
  void openRows();
  Value* rowPlace(int32_t buffer);
  void fillTiles();
  void emitVector();
  Val value(NodeId id);      // S64: i64 lanes
  Val narrowValue(NodeId id);  // S64: i32 lanes when the node is narrow
  Val emitNode(NodeId id);
  Val emitIndex(NodeId id);
  Val emitRead(NodeId id);
  Val emitReadIf(NodeId id);
  Val emitUnaryOrBinary(NodeId id);
  Val emitIntegerIndexOp(NodeId id);
  Val branchedLoad(ElementType type, const Place& place, Value* condition, Val otherwise);
  Place placeOf(const Address& address, Value* base);
  void unify(std::initializer_list<Val*> values);
  void unsupported(NodeId id);

  void emitLoop(size_t loop);
  void runLoop(size_t loop, bool overLanes);
  void runCounters(const std::vector<int32_t>& counters, size_t depth, bool overLanes, const std::function<void()>& body);
  void stepAccumulators(size_t loop);
  bool variesOverAxis(size_t loop) const;
  Val makeSlot(bool vector, Val initial);
  Val loadSlot(const LoopState& state, size_t k);

  llvm::Module& module_;
  const LoopProgram& program_;
  const ElementProgram& body_;
  const ProgramAnalysis& analysis_;
  const KernelNest& nest_;
  const RowCache rows_;
  const GuardLanes guards_;
  llvm::IRBuilder<> b;
  ScalarEmitter scalars_;
  KernelMemory memory_;
  RowTileEmitter tiles_;
  const SourceLines lines_;

  llvm::Function* function_ = nullptr;
  std::vector<Value*> operandBase_, outputBase_, rowBase_;
  std::vector<Value*> counterValue_;       // i64 by counter; of the axis: lane 0
  int32_t axis_ = -1;                      // the counter that runs over lanes at this point
  Value *innerBegin_ = nullptr, *innerEnd_ = nullptr;  // of nest.inner, in this item
  Value* mask_ = nullptr;                  // lanes in range; null: all
  bool guardHolds_ = false;                // as guards_ have told
  std::vector<Val> memo_;
  std::vector<bool> done_;
  std::vector<LoopState> loops_;
  std::vector<uint32_t> outerScope_, axisScope_;
  std::vector<std::vector<uint32_t>> loopScope_;
  std::optional<Diagnostic> failure_;
};

void KernelEmitter::unsupported(NodeId id) {
  if (failure_) return;
  Diagnostic d;
  d.fault = Fault::Unsupported;
  d.message = "no code for element operation " + std::to_string(static_cast<int>(body_.at(id).op)) + " on " +
              std::string(nameOf(body_.at(id).type));
  failure_ = std::move(d);
}

void KernelEmitter::openFunction(const std::string& name) {
  auto* ptr = b.getPtrTy();
  function_ = makeKernelFunction(module_, name);
  b.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  size_t operands = body_.operands.size();
  for (size_t i = 0; i < operands + program_.outputs.size(); ++i) {
    Value* at = b.CreateConstGEP1_64(ptr, function_->getArg(0), i);
    (i < operands ? operandBase_ : outputBase_).push_back(b.CreateLoad(ptr, at));
  }
}

void KernelEmitter::sortNodesByScope() {
  loopScope_.resize(body_.loops.size());
  for (uint32_t n = 0; n < body_.nodes.size(); ++n) {
    if (!analysis_.needed[n] || rows_.idle[n]) continue;
    const Dependence& dep = analysis_.dependence[n];
    auto sees = [](const Dependence& d, int32_t counter) { return counter >= 0 && (d.counters >> counter & 1); };
    if (analysis_.homeLoop[n] >= 0) loopScope_[static_cast<size_t>(analysis_.homeLoop[n])].push_back(n);
    else if (sees(dep, nest_.axis) || sees(dep, nest_.inner)) axisScope_.push_back(n);
    else outerScope_.push_back(n);
  }
}

void KernelEmitter::prepare() {
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

Status KernelEmitter::emit(const std::string& name) {
  openFunction(name);
  prepare();
  forRange(function_->getArg(1), function_->getArg(2), 1, [&](Value* item) { emitItem(item); });
  b.CreateRetVoid();
  if (failure_) return fail(*failure_);
  return {};
}

Result<llvm::BasicBlock*> KernelEmitter::emitInto(llvm::BasicBlock& block, std::span<Value* const> bases) {
  function_ = block.getParent();
  b.SetInsertPoint(&block);
  operandBase_.assign(bases.begin(), bases.begin() + static_cast<ptrdiff_t>(body_.operands.size()));
  outputBase_.assign(bases.begin() + static_cast<ptrdiff_t>(body_.operands.size()), bases.end());
  prepare();
  if (nest_.parallelCount == 1) emitItem(int64(0));
  else forRange(int64(0), int64(nest_.parallelCount), 1, [&](Value* item) { emitItem(item); });
  if (failure_) return fail(*failure_);
  return b.GetInsertBlock();
}

void KernelEmitter::emitItem(Value* item) {
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
    counterValue_[c] = i == 0 ? rest : split(analysis_.counters[c].size);
  }
  if (nest_.axis < 0) return emitSequential(0, nullptr, nullptr);
  int64_t size = analysis_.counters[static_cast<size_t>(nest_.axis)].size;
  if (!block) return emitSequential(0, int64(0), int64(size));
  Value* begin = b.CreateMul(block, int64(nest_.block));
  Value* end = b.CreateAdd(begin, int64(nest_.block));
  emitSequential(0, begin, b.CreateSelect(b.CreateICmpSLT(end, int64(size)), end, int64(size)));
}

void KernelEmitter::emitAxis(Value* begin, Value* end) {
  int64_t size = analysis_.counters[static_cast<size_t>(nest_.axis)].size;
  forRange(begin, end, nest_.lanes, [&](Value* i) {
    axis_ = nest_.axis;
    counterValue_[static_cast<size_t>(axis_)] = i;
    if (size % nest_.lanes != 0) mask_ = memory_.firstLanes(b.CreateSub(int64(size), i));
    fillTiles();
    if (nest_.inner < 0) emitVector();
    else forRange(innerBegin_, innerEnd_, 1, [&](Value* inner) {
      counterValue_[static_cast<size_t>(nest_.inner)] = inner;
      emitVector();
    });
    axis_ = -1;
    mask_ = nullptr;
  });
}

void KernelEmitter::emitVector() {
  emitScope(axisScope_);
  emitStores();
}

// Turns the rows of the lanes that come next.
void KernelEmitter::fillTiles() {
  const auto axis = static_cast<size_t>(nest_.axis);
  for (size_t t = 0; t < nest_.tiles.size(); ++t) {
    const RowTile& tile = nest_.tiles[t];
    const Node& read = body_.nodes[tile.node];
    Address start = *analysis_.addresses[tile.node];  // of row 0
    std::erase_if(start.terms, [&](const CounterTerm& term) { return term.counter == tile.along || term.counter == nest_.axis; });
    const Place place = placeOf(start, operandBase_[read.bits0]);
    tiles_.fill(t, b.CreateGEP(scalars_.memoryType(read.type), place.base, place.scalar), counterValue_[axis], analysis_.counters[axis].size);
  }
}

// The counters that run in order, then [begin, end) of the axis, if there is one.
void KernelEmitter::emitSequential(size_t depth, Value* begin, Value* end) {
  if (depth == nest_.sequential.size()) {
    emitScope(outerScope_);
    return begin ? emitAxis(begin, end) : emitStores();
  }
  if (guards_.counter >= 0 && depth + 1 == nest_.sequential.size()) return emitGuarded();
  size_t c = static_cast<size_t>(nest_.sequential[depth]);
  forRange(int64(0), int64(analysis_.counters[c].size), 1, [&](Value* i) {
    counterValue_[c] = i;
    emitSequential(depth + 1, begin, end);
  });
}

// The guards of some iterations in lanes, then those that store.
void KernelEmitter::emitGuarded() {
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

void KernelEmitter::emitStores() {
  for (size_t s = 0; s < program_.stores.size() && !failure_; ++s) {
    const Store& store = program_.stores[s];
    const LineScope line(b, lines_, store.value.value);
    ElementType type = program_.outputs[store.output].type;
    Place place = placeOf(analysis_.storeAddresses[s], outputBase_[store.output]);
    Val v = value(store.value);
    if (!v) return;
    bool overLanes = axis_ >= 0;
    Value* guard = store.guard.valid() && !guardHolds_ ? value(store.guard).re : nullptr;
    if (!guard || overLanes) {
      Value* mask = mask_;
      if (guard) {
        guard = scalars_.splat(guard, nest_.lanes);
        mask = mask ? b.CreateAnd(mask, guard) : guard;
      }
      memory_.store(type, place, v, mask, overLanes);
      continue;
    }
    emitIf(b, guard, [&] { memory_.store(type, place, v, nullptr, false); });
  }
}

void KernelEmitter::emitScope(const std::vector<uint32_t>& nodes) {
  for (uint32_t n : nodes) {
    if (failure_) return;
    Val v = narrowValue(NodeId{n});
    if (rows_.keptIn[n] >= 0) b.CreateAlignedStore(scalars_.splat(v, nest_.lanes).re, rowPlace(rows_.keptIn[n]), llvm::Align(4));
  }
}

// Buffers of rows lie on the stack, opened once, whatever loop this program stands in.
void KernelEmitter::openRows() {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  for (ElementType type : rows_.buffers)
    rowBase_.push_back(entry.CreateAlloca(scalars_.registerType(type), int64(rows_.length + nest_.lanes)));
}

Value* KernelEmitter::rowPlace(int32_t buffer) {
  const auto at = static_cast<size_t>(buffer);
  return b.CreateGEP(scalars_.registerType(rows_.buffers[at]), rowBase_[at], counterValue_[static_cast<size_t>(axis_)]);
}

Val KernelEmitter::narrowValue(NodeId id) {
  if (guardHolds_ && guards_.settled[id.value].valid()) id = guards_.settled[id.value];
  if (!done_[id.value]) {
    const LineScope line(b, lines_, id.value);
    memo_[id.value] = emitNode(id);
    done_[id.value] = true;
    if (!memo_[id.value]) {
      unsupported(id);
      memo_[id.value] = scalars_.constant(body_.at(id).type, 0, 0);
    }
  }
  return memo_[id.value];
}

Val KernelEmitter::value(NodeId id) {
  Val v = narrowValue(id);
  if (body_.at(id).type != ElementType::S64 || !analysis_.narrow[id.value]) return v;
  auto* wide = v.re->getType()->getWithNewType(b.getInt64Ty());
  return {b.CreateSExt(v.re, wide)};
}

void KernelEmitter::unify(std::initializer_list<Val*> values) {
  bool vector = false;
  for (Val* v : values) vector = vector || v->isVector();
  if (vector)
    for (Val* v : values) *v = scalars_.splat(*v, nest_.lanes);
}

Val KernelEmitter::emitIndex(NodeId id) {
  int32_t counter = analysis_.counterOf(body_, id);
  Value* v = counter < 0 ? int64(0) : counterValue_[static_cast<size_t>(counter)];
  bool narrow = analysis_.narrow[id.value];
  if (narrow) v = b.CreateTrunc(v, b.getInt32Ty());
  if (counter < 0 || counter != axis_) return {v};
  return {b.CreateAdd(scalars_.splat(v, nest_.lanes), memory_.iota(narrow ? b.getInt32Ty() : b.getInt64Ty()))};
}

Place KernelEmitter::placeOf(const Address& address, Value* base) {
  Place place{base, int64(address.constant), 0, nullptr};
  for (const CounterTerm& term : address.terms) {
    Value* counter = counterValue_[static_cast<size_t>(term.counter)];
    place.scalar = b.CreateAdd(place.scalar, term.coefficient == 1 ? counter : b.CreateMul(counter, int64(term.coefficient)));
    if (term.counter == axis_) place.step = term.coefficient;
  }
  for (const auto& [node, stride] : address.others) {
    Val v = value(node);
    auto* t = v.re->getType();
    Value* part = stride == 1 ? v.re : b.CreateMul(v.re, llvm::ConstantInt::get(t, static_cast<uint64_t>(stride)));
    if (v.isVector()) place.lanes = place.lanes ? b.CreateAdd(place.lanes, part) : part;
    else place.scalar = b.CreateAdd(place.scalar, part);
  }
  return place;
}

Val KernelEmitter::emitRead(NodeId id) {
  const Node& node = body_.at(id);
  for (size_t t = 0; t < nest_.tiles.size(); ++t)
    if (nest_.tiles[t].node == id.value) return tiles_.load(t, counterValue_[static_cast<size_t>(nest_.tiles[t].along)]);
  Value* base = node.op == NodeOp::ReadOutput ? outputBase_[node.bits0] : operandBase_[node.bits0];
  Place place = placeOf(*analysis_.addresses[id.value], base);
  return memory_.load(node.type, place, place.varies() ? mask_ : nullptr);
}

// One condition for all lanes: a branch, so that nothing is touched when it is false.
Val KernelEmitter::branchedLoad(ElementType type, const Place& place, Value* condition, Val otherwise) {
  bool vector = place.varies() || otherwise.isVector();
  if (vector) otherwise = scalars_.splat(otherwise, nest_.lanes);
  auto* before = b.GetInsertBlock();
  auto* then = llvm::BasicBlock::Create(module_.getContext(), "read", function_);
  auto* after = llvm::BasicBlock::Create(module_.getContext(), "readDone", function_);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  Val loaded = memory_.load(type, place, place.varies() ? mask_ : nullptr);
  if (vector) loaded = scalars_.splat(loaded, nest_.lanes);
  auto* end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  auto join = [&](Value* yes, Value* no) { return yes ? joinPaths(b, yes, end, no, before) : nullptr; };
  Value* re = join(loaded.re, otherwise.re);
  return {re, join(loaded.im, otherwise.im)};
}

Val KernelEmitter::emitReadIf(NodeId id) {
  const Node& node = body_.at(id);
  auto inputs = body_.inputsOf(id);
  Val condition = value(inputs[0]), otherwise = value(inputs[1]);
  Place place = placeOf(*analysis_.addresses[id.value], operandBase_[node.bits0]);
  if (!condition.isVector()) return branchedLoad(node.type, place, condition.re, otherwise);
  Value* mask = mask_ ? b.CreateAnd(mask_, condition.re) : condition.re;
  // Where no lane reads, the place may be no memory at all, and even a masked access to such is slow.
  if (place.step == 1 && !place.lanes)
    place.scalar = b.CreateSelect(b.CreateOrReduce(mask), place.scalar, int64(0));
  Val loaded = memory_.load(node.type, place, mask);
  unify({&loaded, &otherwise});
  return scalars_.select(condition, loaded, otherwise);
}

// S64 arithmetic whose values fit 32 bits runs in 32-bit lanes; signs are known, so nothing is guarded.
Val KernelEmitter::emitIntegerIndexOp(NodeId id) {
  const Node& node = body_.at(id);
  auto inputs = body_.inputsOf(id);
  if (node.op == NodeOp::Constant) return {b.getInt32(static_cast<uint32_t>(node.bits0))};
  if (node.op == NodeOp::Convert) {
    Val a = narrowValue(inputs[0]);
    ElementType from = body_.at(inputs[0]).type;
    return from == ElementType::S64 ? a : scalars_.convert(ElementType::S32, from, a);
  }
  if (node.op == NodeOp::Select) {
    Val c = narrowValue(inputs[0]), x = narrowValue(inputs[1]), y = narrowValue(inputs[2]);
    unify({&x, &y});
    if (c.isVector()) unify({&c, &x, &y});
    return scalars_.select(c, x, y);
  }
  Val x = narrowValue(inputs[0]), y = narrowValue(inputs[1]);
  unify({&x, &y});
  if (node.op == NodeOp::Divide) return {b.CreateSDiv(x.re, y.re)};
  if (node.op == NodeOp::Remainder) return {b.CreateSRem(x.re, y.re)};
  return scalars_.binary(node.op, ElementType::S32, x, y);
}

Val KernelEmitter::emitUnaryOrBinary(NodeId id) {
  const Node& node = body_.at(id);
  auto inputs = body_.inputsOf(id);
  ElementType from = body_.at(inputs[0]).type;
  Val a = value(inputs[0]);
  if (inputs.size() == 1) return scalars_.arithmetic(node, from, a, {});
  Val c = value(inputs[1]);
  unify({&a, &c});
  return scalars_.arithmetic(node, from, a, c);
}

Val KernelEmitter::emitNode(NodeId id) {
  const Node& node = body_.at(id);
  auto inputs = body_.inputsOf(id);
  if (const int32_t row = rows_.readFrom[id.value]; row >= 0) {
    auto* lanes = llvm::FixedVectorType::get(scalars_.registerType(node.type), nest_.lanes);
    return {b.CreateAlignedLoad(lanes, rowPlace(row), llvm::Align(4))};
  }
  switch (node.op) {
    case NodeOp::OutputIndex:
    case NodeOp::LoopIndex: return emitIndex(id);
    case NodeOp::Accumulator: return loadSlot(loops_[node.bits0], node.bits1);
    case NodeOp::LoopResult:
      emitLoop(node.bits0);
      return failure_ ? scalars_.constant(node.type, 0, 0) : loops_[node.bits0].results[node.bits1];
    case NodeOp::DimensionSize: return {int64(body_.operands[node.bits0].dimensions[node.bits1])};
    case NodeOp::Read:
    case NodeOp::ReadOutput: return emitRead(id);
    case NodeOp::ReadIf: return emitReadIf(id);
    default: break;
  }
  if (node.type == ElementType::S64 && analysis_.narrow[id.value]) return emitIntegerIndexOp(id);
  if (node.op == NodeOp::Constant) return scalars_.constant(node.type, node.bits0, node.bits1);
  if (node.op == NodeOp::Select) {
    Val c = value(inputs[0]), x = value(inputs[1]), y = value(inputs[2]);
    unify({&x, &y});
    if (c.isVector()) unify({&c, &x, &y});
    return scalars_.select(c, x, y);
  }
  if (node.op == NodeOp::Fma) {
    Val x = value(inputs[0]), y = value(inputs[1]), z = value(inputs[2]);
    unify({&x, &y, &z});
    return scalars_.fma(node.type, x, y, z);
  }
  return inputs.empty() ? Val{} : emitUnaryOrBinary(id);
}

// --- loops of the element program

bool KernelEmitter::variesOverAxis(size_t loop) const {
  if (axis_ < 0) return false;
  int32_t space = analysis_.counters[static_cast<size_t>(axis_)].space;
  auto sees = [&](NodeId id) {
    const Dependence& dep = analysis_.dependence[id.value];
    return space == 0 ? (dep.counters >> axis_ & 1) != 0 : dep.loops.test(static_cast<size_t>(space - 1));
  };
  for (NodeId id : body_.loops[loop].inits)
    if (sees(id)) return true;
  for (NodeId id : body_.loops[loop].next)
    if (sees(id)) return true;
  return false;
}

Val KernelEmitter::makeSlot(bool vector, Val initial) {
  if (vector) initial = scalars_.splat(initial, nest_.lanes);
  auto slot = [&](Value* v) -> Value* {
    if (!v) return nullptr;
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    Value* at = entry.CreateAlloca(v->getType());
    b.CreateStore(v, at);
    return at;
  };
  return {slot(initial.re), slot(initial.im)};
}

Val KernelEmitter::loadSlot(const LoopState& state, size_t k) {
  auto load = [&](Value* at) -> Value* { return at ? b.CreateLoad(state.types[k], at) : nullptr; };
  return {load(state.accumulators[k].re), load(state.accumulators[k].im)};
}

void KernelEmitter::runCounters(const std::vector<int32_t>& counters, size_t depth, bool overLanes,
                                const std::function<void()>& body) {
  if (depth == counters.size()) return body();
  size_t c = static_cast<size_t>(counters[depth]);
  int64_t size = analysis_.counters[c].size;
  bool lanes = overLanes && depth + 1 == counters.size();
  forRange(int64(0), int64(size), lanes ? nest_.lanes : 1, [&](Value* i) {
    counterValue_[c] = i;
    if (lanes) {
      axis_ = counters[depth];
      if (size % nest_.lanes != 0) mask_ = memory_.firstLanes(b.CreateSub(int64(size), i));
    }
    runCounters(counters, depth + 1, overLanes, body);
    if (lanes) {
      axis_ = -1;
      mask_ = nullptr;
    }
  });
}

void KernelEmitter::stepAccumulators(size_t loop) {
  LoopState& state = loops_[loop];
  std::vector<Val> next;
  for (size_t k = 0; k < state.accumulators.size() && !failure_; ++k) {
    Val v = value(body_.loops[loop].next[k]);
    if (state.types[k]->isVectorTy()) v = scalars_.splat(v, nest_.lanes);
    next.push_back(v);
  }
  int32_t space = axis_ < 0 ? 0 : analysis_.counters[static_cast<size_t>(axis_)].space;
  bool ownLanes = space == static_cast<int32_t>(loop) + 1;
  for (size_t k = 0; k < next.size(); ++k) {
    if (ownLanes && mask_) next[k] = scalars_.select({mask_}, next[k], loadSlot(state, k));
    b.CreateStore(next[k].re, state.accumulators[k].re);
    if (next[k].im) b.CreateStore(next[k].im, state.accumulators[k].im);
  }
}

void KernelEmitter::runLoop(size_t loop, bool overLanes) {
  const Loop& description = body_.loops[loop];
  LoopState& state = loops_[loop];
  bool vector = overLanes || variesOverAxis(loop);
  for (size_t k = 0; k < description.inits.size(); ++k) {
    const Node& next = body_.at(description.next[k]);
    Val initial = overLanes ? scalars_.neutral(next.op, next.type) : value(description.inits[k]);
    if (overLanes && next.type != body_.at(description.inits[k]).type) initial = {};
    if (!initial) return unsupported(description.next[k]);
    state.accumulators.push_back(makeSlot(vector, initial));
    auto* scalar = initial.re->getType()->getScalarType();
    state.types.push_back(vector ? llvm::FixedVectorType::get(scalar, nest_.lanes) : scalar);
  }
  runCounters(analysis_.spaceCounters[1 + loop], 0, overLanes, [&] {
    emitScope(loopScope_[loop]);
    stepAccumulators(loop);
  });
  if (failure_) return;
  for (size_t k = 0; k < description.inits.size(); ++k) {
    Val out = loadSlot(state, k);
    const Node& next = body_.at(description.next[k]);
    if (overLanes) out = scalars_.binary(next.op, next.type, value(description.inits[k]), scalars_.joinLanes(next.op, next.type, out, nest_.lanes));
    state.results.push_back(out);
  }
}

void KernelEmitter::emitLoop(size_t loop) {
  LoopState& state = loops_[loop];
  if (state.emitted) return;
  state.emitted = true;
  for (int64_t range : body_.loops[loop].ranges) {
    if (range != 0) continue;
    for (NodeId init : body_.loops[loop].inits) state.results.push_back(value(init));
    return;
  }
  bool overLanes = axis_ < 0 && runsOverLanes(program_, analysis_, loop, nest_.lanes);
  runLoop(loop, overLanes);
}

}  // namespace

Status emitKernel(llvm::Module& module, const std::string& name, const LoopProgram& program,
                  const ProgramAnalysis& analysis, const KernelNest& nest, const SourceLines& lines) {
  return KernelEmitter(module, program, analysis, nest, lines).emit(name);
}

Result<llvm::BasicBlock*> emitKernelInto(llvm::BasicBlock& block, std::span<Value* const> bases, const LoopProgram& program,
                                         const ProgramAnalysis& analysis, const KernelNest& nest, const SourceLines& lines) {
  return KernelEmitter(*block.getModule(), program, analysis, nest, lines).emitInto(block, bases);
}

}  // namespace tessera::codegen
