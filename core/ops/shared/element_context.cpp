// See element_context.h: the parts of LoopContext that need a body.
#include "core/ops/shared/element_context.h"

namespace tessera {

void LoopContext::setIterationSpace(std::vector<int64_t> dims) {
  builder = std::make_unique<ElementBuilder>(program.body.operands, std::move(dims));
}

NodeId LoopContext::read(size_t operand, std::span<const NodeId> at) {
  return readFn ? readFn(operand, at) : builder->read(operand, at);
}

NodeId LoopContext::readOutput(size_t output, std::span<const NodeId> at) {
  return builder->readOutput(output, program.outputs[output].type, at);
}

void LoopContext::store(size_t output, std::vector<NodeId> at, NodeId value, NodeId guard) {
  program.stores.push_back(Store{output, std::move(at), guard, value});
}

}  // namespace tessera
