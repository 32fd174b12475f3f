// See kernel_emission.h: the value of each node, for one place or for all lanes.
#include <algorithm>
#include <utility>

#include "backends/codegen/kernel_emission.h"

namespace tessera::codegen {

using llvm::Value;

void KernelEmission::unsupported(NodeId id) {
  if (failure_) return;
  failure_ = {.kind = ErrorKind::Unsupported,
              .message = "no code for element operation " + std::to_string(static_cast<int>(body_.at(id).op)) + " on " +
                         std::string(nameOf(body_.at(id).type))};
}

// Nodes whose values are stored, or known, where they stand.
std::vector<bool> KernelEmission::unmoved() const {
  std::vector<bool> out(body_.nodes.size(), guards_.counter >= 0);
  for (size_t n = 0; n < out.size(); ++n)
    if (rows_.keptIn[n] >= 0 || rows_.readFrom[n] >= 0 || rows_.idle[n]) out[n] = true;
  for (const AxisSegments::Condition& condition : segments_.conditions) out[condition.node] = true;
  // What threads join, they all must come to.
  for (size_t n = 0; grid_ && n < out.size(); ++n)
    if (body_.nodes[n].op == NodeOp::LoopResult && grid_->sharedLoops[body_.nodes[n].bits0]) out[n] = true;
  return out;
}

// A branch around what no lane may need. Everything that it reads is computed before it.
void KernelEmission::emitRare(int32_t number) {
  const RareSides::Side& side = rare_.sides[static_cast<size_t>(number)];
  for (uint32_t n : side.nodes)
    for (NodeId input : body_.inputsOf(NodeId{n}))
      if (!rare_.contains(number, input)) (void)narrowValue(input);
  Value* condition = value(side.condition).re;
  if (!side.whenTrue) condition = b.CreateNot(condition);
  if (condition->getType()->isVectorTy()) condition = b.CreateOrReduce(condition);
  auto* before = b.GetInsertBlock();
  llvm::BasicBlock* end = nullptr;
  const int32_t outer = std::exchange(openSide_, number);
  emitIf(b, condition, [&] {
    for (uint32_t n : side.nodes)
      if (rare_.sideOf[n] == number) (void)narrowValue(NodeId{n});
    end = b.GetInsertBlock();
  });
  openSide_ = outer;
  const auto join = [&](Value* made) {
    return made ? joinPaths(b, made, end, llvm::Constant::getNullValue(made->getType()), before) : nullptr;
  };
  for (uint32_t root : side.roots) memo_[root] = {join(memo_[root].re), join(memo_[root].im)};
}

Val KernelEmission::narrowValue(NodeId id) {
  if (guardHolds_ && guards_.settled[id.value].valid()) id = guards_.settled[id.value];
  if (const int32_t side = rare_.sideOf[id.value]; !done_[id.value] && side != RareSides::kNone && side != openSide_)
    emitRare(side);
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

Val KernelEmission::value(NodeId id) {
  Val v = narrowValue(id);
  if (body_.at(id).type != ElementType::S64 || !analysis_.narrow[id.value]) return v;
  auto* wide = v.re->getType()->getWithNewType(b.getInt64Ty());
  return {b.CreateSExt(v.re, wide)};
}

void KernelEmission::unify(std::initializer_list<Val*> values) {
  bool vector = false;
  for (Val* v : values) vector = vector || v->isVector();
  if (vector)
    for (Val* v : values) *v = scalars_.splat(*v, nest_.lanes);
}

Val KernelEmission::emitIndex(NodeId id) {
  int32_t counter = analysis_.counterOf(body_, id);
  Value* v = counter < 0 ? int64(0) : counterValue_[static_cast<size_t>(counter)];
  bool narrow = analysis_.narrow[id.value];
  if (narrow) v = b.CreateTrunc(v, b.getInt32Ty());
  if (counter < 0 || counter != axis_) return {v};
  return {b.CreateAdd(scalars_.splat(v, nest_.lanes), memory_.iota(narrow ? b.getInt32Ty() : b.getInt64Ty()))};
}

// S64 arithmetic whose values fit 32 bits runs in 32-bit lanes; signs are known, so nothing is guarded.
Val KernelEmission::emitIntegerIndexOp(NodeId id) {
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

Val KernelEmission::emitUnaryOrBinary(NodeId id) {
  const Node& node = body_.at(id);
  auto inputs = body_.inputsOf(id);
  ElementType from = body_.at(inputs[0]).type;
  if (inputs.size() == 1) return scalars_.arithmetic(node, from, value(inputs[0]), {});
  const bool isNarrow = node.op == NodeOp::Compare && from == ElementType::S64 &&
                        std::ranges::all_of(inputs, [&](NodeId input) { return analysis_.narrow[input.value]; });
  Val a = isNarrow ? narrowValue(inputs[0]) : value(inputs[0]),
      c = isNarrow ? narrowValue(inputs[1]) : value(inputs[1]);
  unify({&a, &c});
  return scalars_.arithmetic(node, isNarrow ? ElementType::S32 : from, a, c);
}

Val KernelEmission::emitNode(NodeId id) {
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

}  // namespace tessera::codegen
