// A program that is copied node by node is the same program: every operation that copyNode tells apart keeps its
// inputs in their order, its type and its attributes.
#include <gtest/gtest.h>

#include "core/element/copy_node.h"

namespace tessera {
namespace {

constexpr auto kF32 = ElementType::F32;

ElementProgram copied(const ElementProgram& program) {
  ElementBuilder b(program.operands, program.outputDims);
  std::vector<NodeId> made;
  for (uint32_t n = 0; n < program.nodes.size(); ++n) {
    std::vector<NodeId> in;
    for (NodeId input : program.inputsOf({n})) in.push_back(made[input.value]);
    made.push_back(copyNode(b, program.nodes[n], in));
  }
  std::vector<NodeId> results;
  for (NodeId id : program.results) results.push_back(made[id.value]);
  return b.finish(std::move(results));
}

TEST(CopyNode, KeepsEveryOperation) {
  Shape dynamic = Shape::arrayRowMajor(kF32, {8});
  dynamic.dynamic = {true};
  ElementBuilder b({Shape::arrayRowMajor(kF32, {4, 9}), dynamic}, {4});
  const NodeId i = b.outputIndex(0), size = b.dimensionSize(1, 0);
  const auto x = [&](int64_t column) {
    const NodeId at[] = {i, b.index(column)};
    return b.read(0, at);
  };
  const NodeId place[] = {i};
  const NodeId guarded = b.readIf(b.compare(CompareDirection::Lt, i, size), 1, place, x(0));
  const NodeId chosen = b.select(b.compare(CompareDirection::Ge, x(1), x(2), true), x(3), guarded);
  const NodeId rounded = b.reducePrecision(b.subtract(x(4), chosen), 5, 10);
  const NodeId fused = b.fma(x(5), x(6), rounded);
  const NodeId complex = b.makeComplex(fused, b.unary(NodeOp::Exp, x(7)));
  const NodeId bits = b.bitcastConvert(ElementType::S32, b.convert(kF32, b.convert(ElementType::F64, x(8))));
  const ElementProgram program = b.finish({complex, bits, b.multiply(fused, b.constant(kF32, 3))});
  EXPECT_EQ(toString(copied(program)), toString(program));
}

}  // namespace
}  // namespace tessera
