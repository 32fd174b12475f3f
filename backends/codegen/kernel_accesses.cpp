// See kernel_emission.h: where arrays are read and written, and the rows and tiles that are kept on the stack.
#include <algorithm>

#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

// Transposes the rows of the lanes that come next.
void KernelEmission::fillTiles() {
  const auto axis = static_cast<size_t>(nest_.axis);
  for (size_t t = 0; t < nest_.tiles.size(); ++t) {
    const RowTile& tile = nest_.tiles[t];
    const Node& read = body_.nodes[tile.node];
    Address start = *analysis_.addresses[tile.node];  // of row 0
    std::erase_if(start.terms,
                  [&](const CounterTerm& term) { return term.counter == tile.along || term.counter == nest_.axis; });
    const LaneAddress place = laneAddressOf(start, operandBase_[read.bits0]);
    tiles_.fill(t, {b.CreateGEP(scalars_.memoryType(read.type), place.base.pointer, place.scalar), place.base.scope},
                counterValue_[axis], analysis_.counters[axis].size);
  }
}

// Buffers of rows are on the stack, opened once, whatever loop this program is in.
void KernelEmission::openRows() {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  for (ElementType type : rows_.buffers)
    rowBase_.push_back(entry.CreateAlloca(scalars_.registerType(type), int64(rows_.length + nest_.lanes)));
}

Value* KernelEmission::rowPlace(int32_t buffer) {
  const auto at = static_cast<size_t>(buffer);
  return b.CreateGEP(scalars_.registerType(rows_.buffers[at]), rowBase_[at], counterValue_[static_cast<size_t>(axis_)]);
}

LaneAddress KernelEmission::laneAddressOf(const Address& address, const ArrayBase& base) {
  LaneAddress place{base, int64(address.constant), 0, nullptr};
  for (const CounterTerm& term : address.terms) {
    const bool isAmongNeighbours = firstNeighbour_ && term.counter == along_;
    Value* counter = isAmongNeighbours ? firstNeighbour_ : counterValue_[static_cast<size_t>(term.counter)];
    if (isAmongNeighbours) place.multiple = std::max(grid_->each, grid_->rowEach), place.after = neighbour_;
    place.scalar =
        b.CreateAdd(place.scalar, term.coefficient == 1 ? counter : b.CreateMul(counter, int64(term.coefficient)));
    if (term.counter == axis_) place.step = term.coefficient;
  }
  for (const auto& [node, stride] : address.others) {
    Val v = value(node);
    auto* t = v.re->getType();
    Value* part = stride == 1 ? v.re : b.CreateMul(v.re, llvm::ConstantInt::get(t, static_cast<uint64_t>(stride)));
    if (v.isVector())
      place.lanes = place.lanes ? b.CreateAdd(place.lanes, part) : part;
    else
      place.scalar = b.CreateAdd(place.scalar, part);
  }
  return place;
}

Val KernelEmission::emitRead(NodeId id) {
  const Node& node = body_.at(id);
  for (size_t t = 0; t < nest_.tiles.size(); ++t)
    if (nest_.tiles[t].node == id.value)
      return tiles_.load(t, counterValue_[static_cast<size_t>(nest_.tiles[t].along)]);
  const ArrayBase& base = node.op == NodeOp::ReadOutput ? outputBase_[node.bits0] : operandBase_[node.bits0];
  LaneAddress place = laneAddressOf(*analysis_.addresses[id.value], base);
  return memory_.load(node.type, place, place.varies() ? mask_ : nullptr);
}

// A branch, so that nothing is touched when the condition, one for all lanes, is false.
Val KernelEmission::branchedLoad(bool vector, Value* condition, Val otherwise, const std::function<Val()>& load) {
  if (vector) otherwise = scalars_.splat(otherwise, nest_.lanes);
  auto* before = b.GetInsertBlock();
  auto* then = llvm::BasicBlock::Create(module_.getContext(), "read", function_);
  auto* after = llvm::BasicBlock::Create(module_.getContext(), "readDone", function_);
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  Val loaded = load();
  if (vector) loaded = scalars_.splat(loaded, nest_.lanes);
  auto* end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  auto join = [&](Value* yes, Value* no) { return yes ? joinPaths(b, yes, end, no, before) : nullptr; };
  Value* re = join(loaded.re, otherwise.re);
  return {re, join(loaded.im, otherwise.im)};
}

Val KernelEmission::emitReadIf(NodeId id) {
  const Node& node = body_.at(id);
  auto inputs = body_.inputsOf(id);
  Val condition = value(inputs[0]), otherwise = value(inputs[1]);
  LaneAddress place = laneAddressOf(*analysis_.addresses[id.value], operandBase_[node.bits0]);
  if (const auto* settled = llvm::dyn_cast<llvm::ConstantInt>(condition.re)) {
    if (settled->isZero()) return otherwise;
    return memory_.load(node.type, place, place.varies() ? mask_ : nullptr);
  }
  if (!condition.isVector())
    return branchedLoad(place.varies() || otherwise.isVector(), condition.re, otherwise,
                        [&] { return memory_.load(node.type, place, place.varies() ? mask_ : nullptr); });
  Value* mask = mask_ ? b.CreateAnd(mask_, condition.re) : condition.re;
  const auto maskedLoad = [&] {
    Val loaded = memory_.load(node.type, place, mask), other = otherwise;
    unify({&loaded, &other});
    return scalars_.select(condition, loaded, other);
  };
  // Pieces of a concatenate, of which a vector sees one or two.
  if (body_.at(inputs[1]).op == NodeOp::ReadIf)
    return branchedLoad(true, b.CreateOrReduce(mask), otherwise, maskedLoad);
  // Where no lane reads, the place may be no memory at all, and even a masked access to such is slow.
  if (place.isContiguous()) place.scalar = b.CreateSelect(b.CreateOrReduce(mask), place.scalar, int64(0));
  return maskedLoad();
}

// Whoever calls the kernel says where results lie.
void KernelEmission::openStreams() {
  streams_.assign(program_.stores.size(), nullptr);
  for (size_t s = 0; nest_.streams && s < streams_.size(); ++s) {
    if (!storesLines(program_, analysis_, nest_, s)) continue;
    Value* at = b.CreatePtrToInt(outputBase_[program_.stores[s].output].pointer, b.getInt64Ty());
    streams_[s] = b.CreateICmpEQ(b.CreateAnd(at, int64(kLineBytes - 1)), int64(0));
  }
}

// Over lanes; only whole vectors are streamed.
void KernelEmission::emitStore(size_t store, const LaneAddress& place, Val value, Value* mask) {
  const ElementType type = program_.outputs[program_.stores[store].output].type;
  if (mask && mask == mask_ && lanesInRange_ > 0 && place.isContiguous())
    return memory_.storeFirst(type, place, value, lanesInRange_);
  if (!streams_[store]) return memory_.store(type, place, value, mask, true);
  Value* whole = mask ? b.CreateAnd(streams_[store], b.CreateAndReduce(mask)) : streams_[store];
  emitIf(
      b, whole, [&] { memory_.stream(type, place, value); }, [&] { memory_.store(type, place, value, mask, true); });
}

// With the others of its group, at the first of them. False: it has none.
bool KernelEmission::emitWoven(size_t store) {
  const auto group = std::ranges::find_if(
      interleaved_, [&](const auto& each) { return std::ranges::find(each, store) != each.end(); });
  if (group == interleaved_.end() || axis_ != nest_.axis) return false;
  if (std::ranges::min(*group) != store) return true;
  std::vector<Val> values;
  for (size_t s : *group) {
    values.push_back(value(program_.stores[s].value));
    if (!values.back()) return true;
  }
  const size_t output = program_.stores[store].output;
  memory_.storeWoven(program_.outputs[output].type,
                     laneAddressOf(analysis_.storeAddresses[group->front()], outputBase_[output]), values, mask_);
  return true;
}

void KernelEmission::emitStores() {
  for (size_t s = 0; s < program_.stores.size() && !failure_; ++s) {
    if (emitWoven(s)) continue;
    const Store& store = program_.stores[s];
    const LineScope line(b, lines_, store.value.value);
    ElementType type = program_.outputs[store.output].type;
    LaneAddress place = laneAddressOf(analysis_.storeAddresses[s], outputBase_[store.output]);
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
      if (overLanes)
        emitStore(s, place, v, mask);
      else
        memory_.store(type, place, v, mask, false);
      continue;
    }
    emitIf(b, guard, [&] { memory_.store(type, place, v, nullptr, false); });
  }
}

}  // namespace tessera::codegen
