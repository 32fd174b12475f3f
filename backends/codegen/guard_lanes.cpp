// See guard_lanes.h.
#include "backends/codegen/guard_lanes.h"

#include <algorithm>

namespace tessera::codegen {

namespace {

constexpr size_t kMostNodes = 64;

// Whether the node is arithmetic, or read from neighbours by the lanes of the counter.
bool runsInLanes(const LoopProgram& program, const ProgramAnalysis& analysis, uint32_t n, int32_t counter) {
  const Node& node = program.body.nodes[n];
  switch (node.op) {
    case NodeOp::ReadIf: case NodeOp::ReadOutput: case NodeOp::LoopResult: case NodeOp::Accumulator: case NodeOp::LoopIndex: return false;
    default: break;
  }
  if (isComplex(node.type)) return false;
  if (!analysis.addresses[n]) return true;
  const int64_t step = analysis.addresses[n]->coefficientOf(counter);
  return analysis.addresses[n]->others.empty() && (step == 0 || step == 1);
}

}  // namespace

GuardLanes GuardLanes::of(const LoopProgram& program, const ProgramAnalysis& analysis, const KernelNest& nest) {
  if (nest.axis >= 0 || nest.sequential.empty() || program.stores.empty()) return {};
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
    if (!runsInLanes(program, analysis, n, out.counter) || out.nodes.size() > kMostNodes) return {};
    if (analysis.addresses[n]) continue;
    for (NodeId input : program.body.inputsOf(NodeId{n}))
      if (std::ranges::find(out.nodes, input.value) == out.nodes.end()) out.nodes.push_back(input.value);
  }
  return out;
}

}  // namespace tessera::codegen
