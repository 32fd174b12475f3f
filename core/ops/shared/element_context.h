// What an op's `element` and `loops` functions see: the builder, the result's indices, and readers of the operands
// that compose: an operand may be a buffer or another op of the same fusion whose own `element` then describes it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/element/element_builder.h"
#include "core/hlo/module.h"

namespace tessera {

// One op instance being described. Created by core/compose/compose.cpp.
class ElementContext {
 public:
  // Element `leaf` (0 for arrays) of an operand at indices known to be in bounds.
  using ReadFn = std::function<Result<NodeId>(size_t operand, size_t leaf, std::span<const NodeId> indices)>;
  using ReadIfFn = std::function<Result<NodeId>(NodeId condition, size_t operand, size_t leaf,
                                                std::span<const NodeId> indices, NodeId otherwise)>;
  using CallFn = std::function<Result<std::vector<NodeId>>(size_t callee, std::span<const NodeId> scalars)>;

  ElementBuilder& builder;
  const Module& module;
  const Instruction& instruction;
  std::vector<NodeId> indices;  // of the result element to describe
  ReadFn readFn;
  ReadIfFn readIfFn;
  CallFn callFn;
  std::vector<NodeId> results;  // to be filled: one per array leaf of the result

  const Shape& shape() const { return *instruction.shape; }
  const Shape& operandShape(size_t i) const { return module.shapeOf(instruction.operands[i]); }
  const AttributeSet& attributes() const { return *instruction.attributes; }
  Result<NodeId> read(size_t operand, std::span<const NodeId> at) { return readFn(operand, 0, at); }
  Result<NodeId> readIf(NodeId condition, size_t operand, std::span<const NodeId> at, NodeId otherwise) {
    return readIfFn(condition, operand, 0, at, otherwise);
  }
  // Applies a called computation (index in attribute order) to scalars, inlined; one scalar per leaf of its root.
  Result<std::vector<NodeId>> call(size_t callee, std::span<const NodeId> scalars) { return callFn(callee, scalars); }
};

// For ops of kind Loops: choose the iteration space first, then read, compute and store. Operands are buffers.
class LoopContext {
 public:
  const Module& module;
  const Instruction& instruction;
  ElementContext::CallFn callFn;
  // Set when operands are computed in the same kernel (a fusion whose root has loops); empty: they are buffers.
  std::function<NodeId(size_t operand, std::span<const NodeId> at)> readFn;
  LoopProgram program;  // outputs, initialOperand, stores and parallelDims are filled by the op
  std::unique_ptr<ElementBuilder> builder;

  const Shape& shape() const { return *instruction.shape; }
  const Shape& operandShape(size_t i) const { return module.shapeOf(instruction.operands[i]); }
  const AttributeSet& attributes() const { return *instruction.attributes; }
  // Once, before anything is described.
  void setIterationSpace(std::vector<int64_t> dims);
  NodeId read(size_t operand, std::span<const NodeId> at);
  NodeId readOutput(size_t output, std::span<const NodeId> at);
  void store(size_t output, std::vector<NodeId> at, NodeId value, NodeId guard = {});
  Result<std::vector<NodeId>> call(size_t callee, std::span<const NodeId> scalars) { return callFn(callee, scalars); }
};

}  // namespace tessera
