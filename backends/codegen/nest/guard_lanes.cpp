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

}  // namespace

GuardLanes GuardLanes::of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  if (nest.lanes < 2 || nest.axis >= 0 || nest.sequential.empty() || program.stores.empty()) return {};
  GuardLanes out;
  out.guard = program.stores[0].guard;
  out.counter = nest.sequential.back();
  auto sees = [&](NodeId id) { return (analysis.dependence[id.value].counters >> out.counter & 1) != 0; };
  const bool isLong = analysis.counters[static_cast<size_t>(out.counter)].size >= 2 * static_cast<int64_t>(nest.lanes);
  if (!isLong || !out.guard.valid() || !sees(out.guard)) return {};
  if (!std::ranges::all_of(program.stores, [&](const Store& store) { return store.guard == out.guard; })) return {};
  out.nodes = {out.guard.value};
  for (size_t next = 0; next < out.nodes.size(); ++next) {
    const uint32_t n = out.nodes[next];
    if (!runsInLanes(program, analysis, n, out.counter) || out.nodes.size() > tuning().codegen.maxGuardNodes) return {};
    if (analysis.addresses[n]) continue;
    for (NodeId input : program.body.inputsOf(NodeId{n}))
      if (std::ranges::find(out.nodes, input.value) == out.nodes.end()) out.nodes.push_back(input.value);
  }
  Bounds bounds;
  bounds.take(program.body, out.guard);
  out.settled.resize(program.body.nodes.size());
  for (uint32_t n = 0; n < program.body.nodes.size(); ++n) {
    const NodeId other = settledInput(program.body, bounds, out.settled, NodeId{n});
    if (other.valid() && analysis.narrow[other.value] == analysis.narrow[n]) out.settled[n] = other;
  }
  return out;
}

}  // namespace tessera::codegen
