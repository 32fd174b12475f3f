// See guard_lanes.h.
#include "backends/codegen/nest/guard_lanes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "core/base/tuning.h"

namespace tessera::codegen {

namespace {

// Whether the node is arithmetic, or read from neighbours by the lanes of the counter.
bool runsInLanes(const LoopProgram& program, const ProgramAnalysis& analysis, uint32_t n, int32_t counter) {
  const Node& node = program.body.nodes[n];
  switch (node.op) {
    case NodeOp::ReadIf:
    case NodeOp::ReadOutput:
    case NodeOp::LoopResult:
    case NodeOp::Accumulator:
    case NodeOp::LoopIndex: return false;
    default: break;
  }
  if (isComplex(node.type)) return false;
  if (!analysis.addresses[n]) return true;
  const int64_t step = analysis.addresses[n]->coefficientOf(counter);
  return analysis.addresses[n]->others.empty() && (step == 0 || step == 1);
}

// Bounds that hold where the guard does: comparisons with constants, joined by `and`.
struct Bounds {
  std::map<uint32_t, int64_t> low, high;

  void take(const ElementProgram& body, NodeId id) {
    const Node& node = body.at(id);
    const auto inputs = body.inputsOf(id);
    if (node.op == NodeOp::And) {
      for (NodeId input : inputs) take(body, input);
    } else if (node.op == NodeOp::Compare && body.at(inputs[0]).type == ElementType::S64 &&
               body.at(inputs[1]).op == NodeOp::Constant) {
      const auto value = static_cast<int64_t>(body.at(inputs[1]).bits0);
      const auto direction = static_cast<CompareDirection>(node.bits0);
      if (direction == CompareDirection::Ge) low[inputs[0].value] = value;
      if (direction == CompareDirection::Le) high[inputs[0].value] = value;
      if (direction == CompareDirection::Lt && value != INT64_MIN) high[inputs[0].value] = value - 1;
    }
  }
};

// Of a minimum or maximum with a constant: the other input, where the bounds make the two equal.
NodeId settledInput(const ElementProgram& body, const Bounds& bounds, const std::vector<NodeId>& settled, NodeId id) {
  const Node& node = body.at(id);
  if ((node.op != NodeOp::Maximum && node.op != NodeOp::Minimum) || node.type != ElementType::S64) return {};
  for (size_t k : {0u, 1u}) {
    const Node& limit = body.at(body.inputsOf(id)[k]);
    NodeId other = body.inputsOf(id)[1 - k];
    if (settled[other.value].valid()) other = settled[other.value];
    const auto& known = node.op == NodeOp::Maximum ? bounds.low : bounds.high;
    const auto bound = known.find(other.value);
    if (limit.op != NodeOp::Constant || bound == known.end()) continue;
    const auto value = static_cast<int64_t>(limit.bits0);
    if (node.op == NodeOp::Maximum ? value <= bound->second : value >= bound->second) return other;
  }
  return {};
}

// Invalid: some store has another one, or none.
NodeId guardOfAllStores(const LoopProgram& program) {
  const NodeId guard = program.stores.empty() ? NodeId{} : program.stores[0].guard;
  const bool isCommon = std::ranges::all_of(program.stores, [&](const Store& store) { return store.guard == guard; });
  return isCommon ? guard : NodeId{};
}

// What the guard is made of, where lanes can take the counter's values; nothing where they cannot.
std::vector<uint32_t> nodesInLanes(const LoopProgram& program, const ProgramAnalysis& analysis, NodeId guard,
                                   int32_t counter) {
  std::vector<uint32_t> nodes{guard.value};
  for (size_t next = 0; next < nodes.size(); ++next) {
    const uint32_t n = nodes[next];
    if (!runsInLanes(program, analysis, n, counter) || nodes.size() > tuning().codegen.maxGuardNodes) return {};
    if (analysis.addresses[n]) continue;
    for (NodeId input : program.body.inputsOf(NodeId{n}))
      if (std::ranges::find(nodes, input.value) == nodes.end()) nodes.push_back(input.value);
  }
  return nodes;
}

std::vector<NodeId> settledBy(const LoopProgram& program, const ProgramAnalysis& analysis, NodeId guard) {
  Bounds bounds;
  bounds.take(program.body, guard);
  std::vector<NodeId> settled(program.body.nodes.size());
  for (uint32_t n = 0; n < settled.size(); ++n) {
    const NodeId other = settledInput(program.body, bounds, settled, NodeId{n});
    if (other.valid() && analysis.narrow[other.value] == analysis.narrow[n]) settled[n] = other;
  }
  return settled;
}

}  // namespace

GuardLanes GuardLanes::of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  const NodeId guard = guardOfAllStores(program);
  if (!guard.valid() || nest.lanes < 2 || nest.sequential.empty()) return {};
  const auto sees = [&](int32_t counter) { return (analysis.dependence[guard.value].counters >> counter & 1) != 0; };
  GuardLanes out;
  if (nest.axis >= 0) {
    if (sees(nest.axis)) return {};
  } else {
    out.counter = nest.sequential.back();
    const int64_t size = analysis.counters[static_cast<size_t>(out.counter)].size;
    if (size < 2 * static_cast<int64_t>(nest.lanes) || !sees(out.counter)) return {};
    out.nodes = nodesInLanes(program, analysis, guard, out.counter);
    if (out.nodes.empty()) return {};
  }
  out.guard = guard;
  out.settled = settledBy(program, analysis, guard);
  return out;
}

}  // namespace tessera::codegen
