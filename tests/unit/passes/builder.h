// Helpers that build modules in the tests of the passes.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/passes/pipeline.h"

namespace tessera::test {

inline Shape f32(std::vector<int64_t> dims) { return Shape::arrayRowMajor(ElementType::F32, std::move(dims)); }
inline Shape s32(std::vector<int64_t> dims = {}) { return Shape::arrayRowMajor(ElementType::S32, std::move(dims)); }
inline Shape pred(std::vector<int64_t> dims = {}) { return Shape::arrayRowMajor(ElementType::Pred, std::move(dims)); }

class Graph {
 public:
  Graph(Module& module, const std::string& name) : module(module), computation(module.addComputation(name)) {}

  InstructionId parameter(const Shape& shape) {
    Instruction in;
    in.opcode = Opcode::Parameter;
    in.parameterNumber = static_cast<int32_t>(module.at(computation).parameters.size());
    std::string name = "p" + std::to_string(module.instructionSlots());
    in.name = name;
    return module.add(computation, std::move(in), shape);
  }
  InstructionId op(Opcode opcode, const Shape& shape, std::vector<InstructionId> operands,
                   AttributeSet attributes = {}) {
    return module.add(computation, opcode, shape, operands, std::move(attributes));
  }
  InstructionId constant(float value) { return literal(Literal::scalar<float>(ElementType::F32, value)); }
  InstructionId constant(int32_t value) { return literal(Literal::scalar<int32_t>(ElementType::S32, value)); }
  InstructionId literal(Literal value) {
    Shape shape = value.shape();
    InstructionId id = op(Opcode::Constant, shape, {});
    module.edit(id).literal = std::make_shared<const Literal>(std::move(value));
    return id;
  }
  InstructionId dims(Opcode opcode, const Shape& shape, InstructionId operand, std::vector<int64_t> dimensions) {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::move(dimensions));
    return op(opcode, shape, {operand}, attributes);
  }
  InstructionId element(InstructionId tuple, int64_t index) {
    AttributeSet attributes;
    attributes.set(Attr::index, index);
    Shape shape = module.shapeOf(tuple).elements[static_cast<size_t>(index)];
    return op(Opcode::GetTupleElement, shape, {tuple}, attributes);
  }
  InstructionId tuple(std::vector<InstructionId> elements) {
    std::vector<Shape> shapes;
    for (InstructionId id : elements) shapes.push_back(module.shapeOf(id));
    return op(Opcode::Tuple, Shape::tuple(std::move(shapes)), std::move(elements));
  }
  InstructionId reduce(const Shape& shape, InstructionId operand, InstructionId init, std::vector<int64_t> dimensions,
                       ComputationId reducer) {
    AttributeSet attributes;
    attributes.set(Attr::dimensions, std::move(dimensions));
    attributes.set(Attr::to_apply, reducer);
    return op(Opcode::Reduce, shape, {operand, init}, attributes);
  }
  InstructionId loop(InstructionId init, ComputationId condition, ComputationId body) {
    AttributeSet attributes;
    attributes.set(Attr::condition, condition);
    attributes.set(Attr::body, body);
    return op(Opcode::While, module.shapeOf(init), {init}, attributes);
  }
  ComputationId root(InstructionId id) {
    module.setRoot(computation, id);
    return computation;
  }
  void entry(InstructionId id) { module.setEntry(root(id)); }

  Module& module;
  ComputationId computation;
};

inline ComputationId adder(Module& module, const std::string& name = "adder") {
  Graph g(module, name);
  InstructionId a = g.parameter(f32({})), b = g.parameter(f32({}));
  return g.root(g.op(Opcode::Add, f32({}), {a, b}));
}
// i < limit, where i is element 0 of the state.
inline ComputationId below(Module& module, const Shape& state, int32_t limit) {
  Graph g(module, "condition");
  InstructionId i = g.element(g.parameter(state), 0);
  AttributeSet attributes;
  attributes.set(Attr::direction, std::string("LT"));
  return g.root(g.op(Opcode::Compare, pred(), {i, g.constant(limit)}, attributes));
}

inline int count(const Module& module, ComputationId computation, Opcode opcode) {
  int n = 0;
  for (InstructionId id : module.at(computation).instructions) n += module.at(id).opcode == opcode;
  return n;
}

}  // namespace tessera::test
