// See same_computation.h.
#include "backends/codegen/grid/same_computation.h"

namespace tessera::codegen {

bool SameComputation::operator()(NodeId first, NodeId second) {
  const auto [known, isNew] = known_.emplace(std::pair(first, second), true);
  if (isNew) known->second = compare(first, second);
  return known_.at({first, second});
}

bool SameComputation::compare(NodeId first, NodeId second) {
  const Node &a = body_.at(first), &b = body_.at(second);
  if (a.op != b.op || a.type != b.type || a.inputCount != b.inputCount || a.bits1 != b.bits1) return false;
  const bool isOfLoop = a.op == NodeOp::LoopIndex || a.op == NodeOp::Accumulator || a.op == NodeOp::LoopResult;
  if (isOfLoop ? !sameLoop(a.bits0, b.bits0) : a.bits0 != b.bits0) return false;
  const auto inputs = body_.inputsOf(first), others = body_.inputsOf(second);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!(*this)(inputs[i], others[i])) return false;
  return true;
}

bool SameComputation::sameLoop(size_t first, size_t second) {
  const auto [known, isNew] = loops_.emplace(first, second);
  if (!isNew) return known->second == second;
  if (first == second) return true;
  const Loop &a = body_.loops[first], &b = body_.loops[second];
  if (a.ranges != b.ranges || a.next.size() != b.next.size()) return false;
  for (size_t k = 0; k < a.next.size(); ++k)
    if (!(*this)(a.inits[k], b.inits[k]) || !(*this)(a.next[k], b.next[k])) return false;
  return true;
}

}  // namespace tessera::codegen
