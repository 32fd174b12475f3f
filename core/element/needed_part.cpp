// See needed_part.h.
#include "core/element/needed_part.h"

#include <utility>

namespace tessera {
namespace {

// Marks what the results need, through loops too.
class Reachable {
 public:
  explicit Reachable(const ElementProgram& program)
      : nodes(program.nodes.size()), loops(program.loops.size()), program_(program) {}

  void mark(std::span<const NodeId> ids) {
    for (NodeId id : ids) push(id);
    while (!work_.empty()) {
      NodeId id = work_.back();
      work_.pop_back();
      for (NodeId input : program_.inputsOf(id)) push(input);
      const Node& node = program_.at(id);
      if (node.op == NodeOp::LoopResult || node.op == NodeOp::LoopIndex || node.op == NodeOp::Accumulator)
        markLoop(node.bits0);
    }
  }

  std::vector<bool> nodes, loops;

 private:
  void push(NodeId id) {
    if (nodes[id.value]) return;
    nodes[id.value] = true;
    work_.push_back(id);
  }
  void markLoop(size_t loop) {
    if (loops[loop]) return;
    loops[loop] = true;
    for (NodeId id : program_.loops[loop].inits) push(id);
    for (NodeId id : program_.loops[loop].next) push(id);
  }

  const ElementProgram& program_;
  std::vector<NodeId> work_;
};

}  // namespace

ElementProgram neededPart(const ElementProgram& program, std::vector<NodeId> results) {
  Reachable reachable(program);
  reachable.mark(results);
  ElementProgram out;
  out.operands = program.operands;
  out.outputDims = program.outputDims;
  std::vector<uint64_t> loopNumber(program.loops.size());
  uint64_t loopCount = 0;
  for (size_t i = 0; i < program.loops.size(); ++i)
    if (reachable.loops[i]) loopNumber[i] = loopCount++;
  std::vector<NodeId> renamed(program.nodes.size());
  const auto rename = [&](std::vector<NodeId> ids) {
    for (NodeId& id : ids) id = renamed[id.value];
    return ids;
  };
  for (uint32_t i = 0; i < program.nodes.size(); ++i) {
    if (!reachable.nodes[i]) continue;
    Node node = program.nodes[i];
    if (node.op == NodeOp::LoopResult || node.op == NodeOp::LoopIndex || node.op == NodeOp::Accumulator)
      node.bits0 = loopNumber[node.bits0];
    node.firstInput = static_cast<uint32_t>(out.inputs.size());
    for (NodeId input : program.inputsOf(NodeId{i})) out.inputs.push_back(renamed[input.value]);
    renamed[i] = NodeId{static_cast<uint32_t>(out.nodes.size())};
    out.nodes.push_back(node);
  }
  for (size_t i = 0; i < program.loops.size(); ++i) {
    const Loop& loop = program.loops[i];
    if (reachable.loops[i]) out.loops.push_back({loop.ranges, rename(loop.inits), rename(loop.next), loop.associative});
  }
  out.results = rename(std::move(results));
  return out;
}

}  // namespace tessera
