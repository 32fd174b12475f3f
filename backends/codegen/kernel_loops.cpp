// See kernel_emission.h: the loops of the element program, in order or over lanes, and their accumulators.
#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

bool KernelEmission::variesOverAxis(size_t loop) const {
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

Val KernelEmission::makeSlot(bool vector, Val initial) {
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

Val KernelEmission::loadSlot(const LoopState& state, size_t k) {
  auto load = [&](Value* at) -> Value* { return at ? b.CreateLoad(state.types[k], at) : nullptr; };
  return {load(state.accumulators[k].re), load(state.accumulators[k].im)};
}

void KernelEmission::runCounters(const std::vector<int32_t>& counters, size_t depth, bool overLanes,
                                 const std::function<void()>& body) {
  if (depth == counters.size()) return body();
  const auto c = static_cast<size_t>(counters[depth]);
  const int64_t size = analysis_.counters[c].size;
  const auto runAt = [&](Value* i) {
    counterValue_[c] = i;
    runCounters(counters, depth + 1, overLanes, body);
  };
  if (!overLanes || depth + 1 != counters.size()) return forRange(int64(0), int64(size), 1, runAt);
  forLanes(int64(0), int64(size), size % nest_.lanes, [&](Value* i, Value* mask) {
    axis_ = counters[depth];
    mask_ = mask;
    runAt(i);
    axis_ = -1;
    mask_ = nullptr;
  });
}

void KernelEmission::stepAccumulators(size_t loop) {
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

void KernelEmission::runLoop(size_t loop, bool overLanes) {
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
    if (overLanes)
      out = scalars_.binary(next.op, next.type, value(description.inits[k]),
                            scalars_.joinLanes(next.op, next.type, out, nest_.lanes));
    state.results.push_back(out);
  }
}

void KernelEmission::emitLoop(size_t loop) {
  LoopState& state = loops_[loop];
  if (state.emitted) return;
  state.emitted = true;
  for (int64_t range : body_.loops[loop].ranges) {
    if (range != 0) continue;
    for (NodeId init : body_.loops[loop].inits) state.results.push_back(value(init));
    return;
  }
  if (grid_ && grid_->sharedLoops[loop]) return runLoopByGroup(loop);
  bool overLanes = axis_ < 0 && runsOverLanes(program_, analysis_, loop, nest_.lanes);
  runLoop(loop, overLanes);
}

}  // namespace tessera::codegen
