// See horizontal_loop_fusion.h. Outermost loops alone are joined. A loop stands one level above the loops that it
// needs; only loops of one level join, so that needs still point from level to lower level and no cycle can arise.
#include "core/element/horizontal_loop_fusion.h"

#include <algorithm>
#include <optional>

#include "core/base/tuning.h"
#include "core/element/copy_node.h"
#include "core/element/loop_nest.h"

namespace tessera {

namespace {

// By loop: 0 where it needs no other loop's result, else one more than the highest level that it needs.
std::vector<int32_t> levelsOf(const ElementProgram& program) {
  std::vector<int32_t> levels(program.loops.size(), 0),
      above(program.nodes.size(), 0);  // above: levels that a node needs
  for (uint32_t n = 0; n < program.nodes.size(); ++n) {
    const Node& node = program.nodes[n];
    for (NodeId input : program.inputsOf(NodeId{n})) above[n] = std::max(above[n], above[input.value]);
    if (node.op != NodeOp::LoopResult) continue;
    const Loop& loop = program.loops[node.bits0];
    for (NodeId id : loop.inits) above[n] = std::max(above[n], above[id.value]);
    for (NodeId id : loop.next) above[n] = std::max(above[n], above[id.value]);
    levels[node.bits0] = above[n]++;
  }
  return levels;
}

// By loop: the members of its group, itself first among equals; loops inside others are alone.
std::vector<std::vector<uint32_t>> groupsOf(const ElementProgram& program, const LoopNest& nest) {
  const std::vector<int32_t> levels = levelsOf(program);
  std::vector<std::vector<uint32_t>> groups(program.loops.size());
  std::vector<size_t> accumulators(program.loops.size(), 0);
  for (uint32_t l = 0; l < program.loops.size(); ++l) {
    const Loop& loop = program.loops[l];
    auto takes = [&](uint32_t first) {
      const Loop& other = program.loops[first];
      return !groups[first].empty() && groups[first][0] == first && nest.parent[first] < 0 &&
             levels[first] == levels[l] && other.ranges == loop.ranges && other.associative == loop.associative &&
             accumulators[first] + loop.inits.size() <= tuning().codegen.maxAccumulators;
    };
    uint32_t home = l;
    for (uint32_t first = 0; first < l && home == l && nest.parent[l] < 0; ++first)
      if (takes(first)) home = first;
    groups[home].push_back(l);
    accumulators[home] += loop.inits.size();
  }
  return groups;
}

class Joiner {
 public:
  Joiner(const ElementProgram& program, const LoopNest& nest, std::vector<std::vector<uint32_t>> groups)
      : program_(program),
        nest_(nest),
        groups_(std::move(groups)),
        b_(program.operands, program.outputDims),
        renamed_(program.nodes.size()),
        results_(program.loops.size()),
        groupOf_(program.loops.size()) {
    for (uint32_t g = 0; g < groups_.size(); ++g)
      for (uint32_t member : groups_[g]) groupOf_[member] = g;
  }

  std::optional<ElementProgram> run() {
    std::vector<NodeId> results = at(program_.results);
    if (failed_) return std::nullopt;
    return b_.finish(std::move(results));
  }

 private:
  std::vector<NodeId> at(std::span<const NodeId> ids) {
    std::vector<NodeId> out;
    for (NodeId id : ids) out.push_back(valueOf(id));
    return out;
  }

  NodeId valueOf(NodeId id) {
    if (renamed_[id.value].valid()) return renamed_[id.value];
    const Node& node = program_.at(id);
    NodeId made;
    if (node.op == NodeOp::LoopResult)
      made = loopResult(node);
    else
      made = copyNode(b_, node, at(program_.inputsOf(id)));
    return renamed_[id.value] = made;
  }

  NodeId loopResult(const Node& node) {
    if (results_[node.bits0].empty()) emitGroup(groups_[groupOf_[node.bits0]]);
    if (failed_) return b_.zero(node.type);
    return results_[node.bits0][node.bits1];
  }

  // What the bodies take from outside is described outside.
  void describeOutside(const std::vector<uint32_t>& group) {
    for (uint32_t l : group)
      for (NodeId id : nest_.bodyOf(static_cast<int32_t>(l)))
        for (NodeId input : program_.inputsOf(id))
          if (nest_.home[input.value] != static_cast<int32_t>(l)) valueOf(input);
  }

  void emitGroup(const std::vector<uint32_t>& group) {
    std::vector<NodeId> inits;
    for (uint32_t l : group)
      for (NodeId id : program_.loops[l].inits) inits.push_back(valueOf(id));
    describeOutside(group);
    auto describe = [&](std::span<const NodeId> indices,
                        std::span<const NodeId> accumulators) -> Result<std::vector<NodeId>> {
      std::vector<NodeId> next;
      for (size_t first = 0; uint32_t l : group) {
        bind(l, indices, accumulators.subspan(first));
        first += program_.loops[l].inits.size();
        for (NodeId id : nest_.bodyOf(static_cast<int32_t>(l))) valueOf(id);
        for (NodeId id : program_.loops[l].next) next.push_back(valueOf(id));
      }
      return next;
    };
    const Loop& like = program_.loops[group[0]];
    auto made = b_.loop(like.ranges, std::move(inits), describe, like.associative);
    failed_ = failed_ || !made;
    if (failed_) return;
    for (size_t first = 0; uint32_t l : group) {
      const size_t count = program_.loops[l].inits.size();
      results_[l].assign(made->begin() + static_cast<std::ptrdiff_t>(first),
                         made->begin() + static_cast<std::ptrdiff_t>(first + count));
      first += count;
    }
  }

  void bind(uint32_t loop, std::span<const NodeId> indices, std::span<const NodeId> accumulators) {
    for (NodeId id : nest_.bodyOf(static_cast<int32_t>(loop))) {
      const Node& node = program_.at(id);
      if (node.op == NodeOp::LoopIndex && node.bits0 == loop) renamed_[id.value] = indices[node.bits1];
      if (node.op == NodeOp::Accumulator && node.bits0 == loop) renamed_[id.value] = accumulators[node.bits1];
    }
  }

  const ElementProgram& program_;
  const LoopNest& nest_;
  const std::vector<std::vector<uint32_t>> groups_;  // by first member; empty: joined another
  ElementBuilder b_;
  std::vector<NodeId> renamed_;
  std::vector<std::vector<NodeId>> results_;  // by loop
  std::vector<uint32_t> groupOf_;
  bool failed_ = false;
};

}  // namespace

ElementProgram fuseLoopsHorizontally(ElementProgram program) {
  if (program.loops.size() < 2) return program;
  const LoopNest nest = loopNest(program);
  auto groups = groupsOf(program, nest);
  if (std::ranges::none_of(groups, [](const auto& group) { return group.size() > 1; })) return program;
  auto joined = Joiner(program, nest, std::move(groups)).run();
  return joined ? std::move(*joined) : program;
}

}  // namespace tessera
