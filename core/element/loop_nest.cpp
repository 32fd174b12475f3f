// See loop_nest.h. Loops are numbered from outside in, so the innermost loop that a node sees has the largest number.
#include "core/element/loop_nest.h"

namespace tessera {
namespace {

using LoopSet = std::vector<uint64_t>;

void insert(LoopSet& set, size_t loop) {
  if (set.size() <= loop / 64) set.resize(loop / 64 + 1);
  set[loop / 64] |= uint64_t{1} << (loop % 64);
}

void erase(LoopSet& set, size_t loop) {
  if (loop / 64 < set.size()) set[loop / 64] &= ~(uint64_t{1} << (loop % 64));
}

void unite(LoopSet& set, const LoopSet& other) {
  if (set.size() < other.size()) set.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) set[i] |= other[i];
}

int32_t innermost(const LoopSet& set) {
  for (size_t i = set.size(); i-- > 0;)
    if (set[i]) return static_cast<int32_t>(i * 64 + 63 - static_cast<size_t>(__builtin_clzll(set[i])));
  return -1;
}

}  // namespace

LoopNest loopNest(const ElementProgram& program) {
  LoopNest out;
  out.home.resize(program.nodes.size(), -1);
  out.parent.resize(program.loops.size(), -1);
  out.bodies.resize(program.loops.size() + 1);
  std::vector<LoopSet> seen(program.nodes.size());
  for (uint32_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    for (NodeId input : program.inputsOf(NodeId{i})) unite(seen[i], seen[input.value]);
    if (node.op == NodeOp::LoopIndex || node.op == NodeOp::Accumulator) insert(seen[i], node.bits0);
    if (node.op == NodeOp::LoopResult) {
      for (NodeId id : program.loops[node.bits0].inits) unite(seen[i], seen[id.value]);
      for (NodeId id : program.loops[node.bits0].next) unite(seen[i], seen[id.value]);
      erase(seen[i], node.bits0);
    }
    out.home[i] = innermost(seen[i]);
    if (node.op == NodeOp::LoopResult) out.parent[node.bits0] = out.home[i];
    out.bodies[static_cast<size_t>(out.home[i] + 1)].push_back(NodeId{i});
  }
  return out;
}

}  // namespace tessera
