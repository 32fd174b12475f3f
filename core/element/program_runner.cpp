// See program_runner.h.
#include "core/element/program_runner.h"

#include <algorithm>

namespace tessera {

bool nextIndex(std::vector<int64_t>& index, std::span<const int64_t> dims) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

ProgramRunner::ProgramRunner(const ElementProgram& program, ReadFn read, SizeFn size)
    : program_(program),
      nest_(loopNest(program)),
      read_(std::move(read)),
      size_(std::move(size)),
      values_(program.nodes.size()),
      accumulators_(program.loops.size()),
      loopIndices_(program.loops.size()) {}

std::optional<int64_t> ProgramRunner::indexOf(NodeId id) const {
  const Value& value = values_[id.value];
  if (!value) return std::nullopt;
  return scalarAsInt({program_.at(id).type, *value});
}

void ProgramRunner::run(std::span<const int64_t> outputIndex) {
  outputIndex_ = outputIndex;
  for (auto& accumulators : accumulators_) accumulators.clear();  // marks loops that have not run
  runBody(-1);
}

void ProgramRunner::runBody(int32_t loop) {
  for (NodeId id : nest_.bodyOf(loop)) {
    if (stopped_) return;
    values_[id.value] = compute(id);
  }
}

void ProgramRunner::runLoop(size_t number) {
  const Loop& loop = program_.loops[number];
  std::vector<Value> values;
  for (NodeId id : loop.inits) values.push_back(values_[id.value]);
  loopIndices_[number].assign(loop.ranges.size(), 0);
  do {
    accumulators_[number] = values;
    for (size_t inner = number + 1; inner < nest_.parent.size(); ++inner)
      if (nest_.parent[inner] == static_cast<int32_t>(number)) accumulators_[inner].clear();
    runBody(static_cast<int32_t>(number));
    for (size_t i = 0; i < values.size(); ++i) values[i] = values_[loop.next[i].value];
  } while (!stopped_ && nextIndex(loopIndices_[number], loop.ranges));
  accumulators_[number] = std::move(values);
}

ProgramRunner::Value ProgramRunner::compute(NodeId id) {
  const Node& node = program_.at(id);
  const auto index = [](int64_t value) { return Value(ScalarBits{static_cast<uint64_t>(value), 0}); };
  switch (node.op) {
    case NodeOp::Constant: return ScalarBits{node.bits0, node.bits1};
    case NodeOp::OutputIndex: return index(outputIndex_[node.bits0]);
    case NodeOp::LoopIndex: return index(loopIndices_[node.bits0][node.bits1]);
    case NodeOp::Accumulator: return accumulators_[node.bits0][node.bits1];
    case NodeOp::DimensionSize: return size_(node);
    case NodeOp::Read:
    case NodeOp::ReadIf:
    case NodeOp::ReadOutput: return computeRead(node, program_.inputsOf(id));
    case NodeOp::LoopResult:
      if (accumulators_[node.bits0].empty()) runLoop(node.bits0);
      return accumulators_[node.bits0][node.bits1];
    default: return computeScalar(node, program_.inputsOf(id));
  }
}

ProgramRunner::Value ProgramRunner::computeRead(const Node& node, std::span<const NodeId> inputs) {
  bool certain = true;
  if (node.op == NodeOp::ReadIf) {
    const Value& condition = values_[inputs[0].value];
    if (condition && !condition->low) return values_[inputs[1].value];
    certain = condition.has_value();
    inputs = inputs.subspan(2);
  }
  at_.clear();
  for (NodeId input : inputs) {
    auto index = indexOf(input);
    if (!index) return std::nullopt;
    at_.push_back(*index);
  }
  Value value = read_(node, at_, certain);
  return certain ? value : std::nullopt;
}

ProgramRunner::Value ProgramRunner::computeScalar(const Node& node, std::span<const NodeId> inputs) {
  if (node.op == NodeOp::Select && values_[inputs[0].value])
    return values_[inputs[values_[inputs[0].value]->low ? 1 : 2].value];
  scratch_.clear();
  for (NodeId input : inputs) {
    const Value& value = values_[input.value];
    if (!value) return std::nullopt;
    scratch_.push_back({program_.at(input).type, *value});
  }
  return applyScalar(node, scratch_);
}

}  // namespace tessera
