// Joined loops: which become one, which stay apart, and that values stay the same.
#include <gtest/gtest.h>

#include "core/element/element_builder.h"
#include "core/element/horizontal_loop_fusion.h"
#include "core/element/interpret.h"
#include "core/evaluate/evaluate.h"

namespace tessera {
namespace {

constexpr int64_t kRows = 5, kColumns = 7;

Shape matrix() { return Shape::arrayRowMajor(ElementType::F32, {kRows, kColumns}); }

// The sum over `range` rounds of f(element of the output's row).
NodeId sumOf(ElementBuilder& b, int64_t range, const std::function<NodeId(NodeId)>& f, NodeOp op = NodeOp::Add) {
  auto made =
      b.loop({range}, {b.zero(ElementType::F32)},
             [&](std::span<const NodeId> indices, std::span<const NodeId> accumulators) -> Result<std::vector<NodeId>> {
               const NodeId place[] = {b.outputIndex(0), indices[0]};
               return std::vector<NodeId>{b.binary(op, accumulators[0], f(b.read(0, place)))};
             });
  return made.value()[0];
}

void expectJoined(const ElementProgram& program, size_t loops) {
  const ElementProgram joined = fuseLoopsHorizontally(program);
  EXPECT_EQ(joined.loops.size(), loops) << toString(joined);
  const Literal values[] = {fillParameter(matrix(), 0, FillRule{3, 1.0, 8}).value()};
  const auto before = interpret(program, values), after = interpret(joined, values);
  ASSERT_TRUE(before && after);
  ASSERT_EQ(before->size(), after->size());
  for (size_t k = 0; k < before->size(); ++k) EXPECT_TRUE((*before)[k].identical((*after)[k])) << toString(joined);
}

TEST(JoinLoops, SumsOverTheSameRangeBecomeOneThatReadsOnce) {
  ElementBuilder b({matrix()}, {kRows});
  const NodeId sum = sumOf(b, kColumns, [](NodeId x) { return x; });
  const NodeId squares = sumOf(b, kColumns, [&](NodeId x) { return b.multiply(x, x); });
  const NodeId most = sumOf(
      b, kColumns, [](NodeId x) { return x; }, NodeOp::Maximum);
  const ElementProgram program = b.finish({sum, b.subtract(squares, sum), most});
  expectJoined(program, 1);
  const ElementProgram joined = fuseLoopsHorizontally(program);
  size_t reads = 0;
  for (const Node& node : joined.nodes) reads += node.op == NodeOp::Read;
  EXPECT_EQ(reads, 1u);
}

TEST(JoinLoops, WhatNeedsTheOtherStaysApart) {
  ElementBuilder b({matrix()}, {kRows});
  const NodeId sum = sumOf(b, kColumns, [](NodeId x) { return x; });
  const NodeId rest = sumOf(b, kColumns, [&](NodeId x) { return b.subtract(x, sum); });
  expectJoined(b.finish({rest}), 2);
}

TEST(JoinLoops, TwoPairsThatCrossCloseNoCycle) {
  // b needs a, d needs c: a and c join, b and d join, and nothing else.
  ElementBuilder b({matrix()}, {kRows});
  const NodeId first = sumOf(b, kColumns, [](NodeId x) { return x; });
  const NodeId second = sumOf(b, kColumns, [&](NodeId x) { return b.multiply(x, first); });
  const NodeId third = sumOf(b, kColumns, [&](NodeId x) { return b.multiply(x, x); });
  const NodeId fourth = sumOf(b, kColumns, [&](NodeId x) { return b.add(x, third); });
  expectJoined(b.finish({second, fourth}), 2);
}

TEST(JoinLoops, OtherRangesStayApart) {
  ElementBuilder b({matrix()}, {kRows});
  const NodeId all = sumOf(b, kColumns, [](NodeId x) { return x; });
  const NodeId some = sumOf(b, kColumns - 1, [](NodeId x) { return x; });
  expectJoined(b.finish({all, some}), 2);
}

TEST(JoinLoops, LoopsInLoopsAreCopied) {
  ElementBuilder b({matrix()}, {kRows});
  auto nested = [&](NodeId x) {
    auto made =
        b.loop({3}, {b.zero(ElementType::F32)},
               [&](std::span<const NodeId>, std::span<const NodeId> accumulators) -> Result<std::vector<NodeId>> {
                 return std::vector<NodeId>{b.add(accumulators[0], x)};
               });
    return made.value()[0];
  };
  const NodeId thrice = sumOf(b, kColumns, nested);
  const NodeId sum = sumOf(b, kColumns, [](NodeId x) { return x; });
  expectJoined(b.finish({thrice, sum}), 3 /* one joined only where levels agree: the outer sum needs its inner loop */);
}

}  // namespace
}  // namespace tessera
