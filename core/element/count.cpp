// Counting: every node of data runs once a point of the iteration space and of the loops around it. Index arithmetic
// is free. Bytes: an operand is read at most once as a whole (what comes from memory; caches serve the rest).
#include "core/element/count.h"

#include <algorithm>

#include "core/element/loop_nest.h"

namespace tessera {
namespace {

bool isTranscendental(NodeOp op) {
  switch (op) {
    case NodeOp::Power:
    case NodeOp::Atan2:
    case NodeOp::Sqrt:
    case NodeOp::Rsqrt:
    case NodeOp::Cbrt:
    case NodeOp::Exp:
    case NodeOp::Expm1:
    case NodeOp::Log:
    case NodeOp::Log1p:
    case NodeOp::Logistic:
    case NodeOp::Tanh:
    case NodeOp::Tan:
    case NodeOp::Sin:
    case NodeOp::Cos:
    case NodeOp::Erf:
    case NodeOp::Acos:
    case NodeOp::Acosh:
    case NodeOp::Asin:
    case NodeOp::Asinh:
    case NodeOp::Atanh:
    case NodeOp::Sinh:
    case NodeOp::Cosh: return true;
    default: return false;
  }
}

double product(std::span<const int64_t> dims) {
  double out = 1;
  for (int64_t d : dims) out *= static_cast<double>(d);
  return out;
}

// Iterations of a loop's body in one run of the program.
double tripsOf(const ElementProgram& program, const LoopNest& nest, int32_t loop) {
  double trips = product(program.outputDims);
  for (; loop >= 0; loop = nest.parent[static_cast<size_t>(loop)])
    trips *= product(program.loops[static_cast<size_t>(loop)].ranges);
  return trips;
}

// Nodes that see data: everything else is index arithmetic.
std::vector<bool> dataNodes(const ElementProgram& program) {
  std::vector<bool> out(program.nodes.size());
  for (uint32_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    out[i] = node.op == NodeOp::Read || node.op == NodeOp::ReadIf || node.op == NodeOp::ReadOutput ||
             node.op == NodeOp::Accumulator || node.op == NodeOp::LoopResult || isFloat(node.type) ||
             isComplex(node.type);
    for (NodeId input : program.inputsOf(NodeId{i})) out[i] = out[i] || out[input.value];
  }
  return out;
}

}  // namespace

ElementCounts countProgram(const ElementProgram& program) {
  ElementCounts counts;
  const LoopNest nest = loopNest(program);
  const std::vector<bool> data = dataNodes(program);
  std::vector<double> read(program.operands.size());
  for (uint32_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    const double trips = tripsOf(program, nest, nest.home[i]);
    if (node.op == NodeOp::Read || node.op == NodeOp::ReadIf) read[node.bits0] += trips * byteWidth(node.type);
    if (!data[i]) continue;
    if (isTranscendental(node.op))
      counts.transcendentals += trips;
    else if (node.op == NodeOp::Fma)
      counts.flops += 2 * trips;
    else if (node.op >= NodeOp::Add || node.op == NodeOp::Compare || node.op == NodeOp::Select)
      counts.flops += trips;
  }
  for (size_t i = 0; i < read.size(); ++i) {
    const auto bytes = program.operands[i].denseBytes();
    counts.bytesRead += bytes ? std::min(read[i], static_cast<double>(*bytes)) : read[i];
  }
  for (NodeId id : program.results) counts.bytesWritten += product(program.outputDims) * byteWidth(program.at(id).type);
  return counts;
}

}  // namespace tessera
