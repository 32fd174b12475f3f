// See store_program.h.
#include "backends/cuda/plan/store_program.h"

#include "core/element/approximations/approximations.h"
#include "core/element/copy_node.h"

namespace tessera::cuda {

LoopProgram storeProgram(ElementBuilder& builder, std::vector<Shape> outputs, std::vector<Store> stores,
                         int64_t parallel) {
  std::vector<NodeId> needed;
  for (const Store& store : stores) {
    needed.insert(needed.end(), store.indices.begin(), store.indices.end());
    needed.push_back(store.value);
    if (store.guard.valid()) needed.push_back(store.guard);
  }
  LoopProgram out;
  out.body = builder.finish(std::move(needed));
  size_t next = 0;
  for (Store& store : stores) {
    for (NodeId& index : store.indices) index = out.body.results[next++];
    store.value = out.body.results[next++];
    if (store.guard.valid()) store.guard = out.body.results[next++];
  }
  out.body.results.clear();
  out.initialOperand.assign(outputs.size(), -1);
  out.outputs = std::move(outputs);
  out.stores = std::move(stores);
  out.parallelDims = parallel;
  return expandApproximations(out, WideFunctions::Expanded);
}

Result<NodeId> applyScalarProgram(ElementBuilder& builder, const ElementProgram& program,
                                  std::span<const NodeId> values) {
  if (!program.loops.empty()) return failUnsupported("its computation holds loops");
  std::vector<NodeId> made(program.nodes.size());
  for (uint32_t n = 0; n < made.size(); ++n) {
    const Node& node = program.nodes[n];
    if (node.op == NodeOp::Read) {
      made[n] = values[node.bits0];
      continue;
    }
    std::vector<NodeId> inputs;
    for (NodeId input : program.inputsOf(NodeId{n})) inputs.push_back(made[input.value]);
    made[n] = copyNode(builder, node, inputs);
  }
  return made[program.results.at(0).value];
}

}  // namespace tessera::cuda
