// Constants of loops, branches, reductions and sorts that come from outside: the graph is right, computes the same
// values, and goes back.
#include <gtest/gtest.h>

#include "tests/unit/edit/edited_graph.h"

namespace tessera {
namespace {

struct WideningGraph : test::EditedGraph {
  using EditedGraph::EditedGraph;
  // Done, without a kind, the same values, readable text; undone exactly and done again.
  void promote(const char* name) {
    const auto before = values();
    const std::string text = printHloText(module());
    const auto done = history.perform({"Promote", {PromoteConstant{at(name)}}});
    ASSERT_TRUE(done) << done.error().toString();
    ASSERT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString() << "\n" << printHloText(module());
    const std::string after = printHloText(module());
    const ReadResult again = readHloText(after);
    ASSERT_TRUE(again.module) << after;
    EXPECT_FALSE(again.diagnostics.hasErrors()) << after;
    expectValues(before);
    history.undo();
    EXPECT_EQ(printHloText(module()), text);
    history.redo();
    EXPECT_EQ(printHloText(module()), after);
  }
};

constexpr const char* kOneValueLoop = R"(HloModule m

less { s = s32[] parameter(0) limit = s32[] constant(4) ROOT c = pred[] compare(s, limit), direction=LT }
next { t = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(t, one) }

ENTRY main {
  zero = s32[] constant(0)
  ROOT loop = s32[] while(zero), condition=less, body=next
})";

TEST(EditWidening, ALoopOfOneValueCarriesATuple) {
  WideningGraph g(kOneValueLoop);
  g.promote("one");
  EXPECT_TRUE(g.module().shapeOf(g.at("loop")).isTuple());
  EXPECT_EQ(g.module().shapeOf(g.at("loop")).elements.size(), 2u);
  EXPECT_EQ(g.module().at(g.at("one")).opcode, Opcode::GetTupleElement);
  EXPECT_EQ(g.module().shapeOf(g.module().entryComputation().root), Shape::arrayRowMajor(ElementType::S32, {}));
  g.promote("limit");
  EXPECT_EQ(g.module().shapeOf(g.at("loop")).elements.size(), 3u);
}

TEST(EditWidening, ATupleIsExtendedAndItsReadersStay) {
  WideningGraph g(R"(HloModule m

cond { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(3) )"
                  R"(ROOT c = pred[] compare(i, n), direction=LT }
body {
  q = (s32[], f32[4]) parameter(0)
  j = s32[] get-tuple-element(q), index=0
  one = s32[] constant(1)
  k = s32[] add(j, one)
  x = f32[4] get-tuple-element(q), index=1
  factor = f32[4] constant({1, 2, 3, 4})
  y = f32[4] multiply(x, factor)
  ROOT r = (s32[], f32[4]) tuple(k, y)
}

ENTRY main {
  zero = s32[] constant(0)
  v = f32[4] parameter(0)
  init = (s32[], f32[4]) tuple(zero, v)
  loop = (s32[], f32[4]) while(init), condition=cond, body=body
  a = f32[4] get-tuple-element(loop), index=1
  b = (s32[], f32[4]) copy(loop)
  c = f32[4] get-tuple-element(b), index=1
  ROOT s = f32[4] add(a, c)
})");
  g.promote("factor");
  EXPECT_EQ(g.module().at(g.at("init")).operands.size(), 3u);  // the same tuple, one longer
  EXPECT_EQ(g.module().at(g.at("r")).operands.size(), 3u);
  EXPECT_EQ(g.module().shapeOf(g.at("b")).elements.size(), 2u);  // what read the whole reads what it was
  EXPECT_EQ(g.module().at(g.at("a")).operands[0], g.at("loop"));
  g.promote("n");
  g.promote("one");
  EXPECT_EQ(g.module().shapeOf(g.at("loop")).elements.size(), 5u);
}

// The second loop begins with the first one's result and runs the same body under another condition.
TEST(EditWidening, LoopsThatShareABodyAreWidenedTogether) {
  WideningGraph g(R"(HloModule m

low { s = s32[] parameter(0) four = s32[] constant(4) ROOT c = pred[] compare(s, four), direction=LT }
high { u = s32[] parameter(0) nine = s32[] constant(9) ROOT d = pred[] compare(u, nine), direction=LT }
next { t = s32[] parameter(0) two = s32[] constant(2) ROOT n = s32[] add(t, two) }

ENTRY main {
  zero = s32[] constant(0)
  first = s32[] while(zero), condition=low, body=next
  second = s32[] while(first), condition=high, body=next
  ROOT out = (s32[], s32[]) tuple(first, second)
})");
  g.promote("two");
  EXPECT_TRUE(g.module().shapeOf(g.at("first")).isTuple() && g.module().shapeOf(g.at("second")).isTuple());
  g.promote("nine");
}

TEST(EditWidening, ABodyThatReturnsWhatItIsGiven) {
  WideningGraph g(R"(HloModule m

cond { p = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(-3) )"
                  R"(ROOT c = pred[] compare(i, n), direction=LT }
body { ROOT q = (s32[], s32[]) parameter(0) }

ENTRY main {
  v = (s32[], s32[]) parameter(0)
  ROOT loop = (s32[], s32[]) while(v), condition=cond, body=body
})");
  g.promote("n");
}

TEST(EditWidening, ABranchIsGivenATuple) {
  WideningGraph g(R"(HloModule m

up { a = f32[4] parameter(0) two = f32[] constant(2) w = f32[4] broadcast(two), dimensions={} ROOT m = )"
                  R"(f32[4] multiply(a, w) }
down { b = (f32[4], s32[]) parameter(0) e = f32[4] get-tuple-element(b), index=0 half = f32[4] )"
                  R"(constant({0.5, 0.5, 0.25, 0.25}) ROOT h = f32[4] multiply(e, half) }

ENTRY main {
  which = pred[] constant(true)
  x = f32[4] parameter(0)
  i = s32[] constant(1)
  t = (f32[4], s32[]) tuple(x, i)
  first = f32[4] conditional(which, x, t), true_computation=up, false_computation=down
  n = s32[] constant(0)
  again = f32[4] conditional(n, first, first), branch_computations={up, up}
  ROOT s = f32[4] add(first, again)
})");
  g.promote("two");
  EXPECT_EQ(g.module().shapeOf(g.module().at(g.at("first")).operands[1]).elements.size(), 2u);
  EXPECT_EQ(g.module().shapeOf(g.module().at(g.at("again")).operands[2]).elements.size(), 2u);
  g.promote("half");
  EXPECT_EQ(g.module().shapeOf(g.at("t")).elements.size(), 3u);
}

TEST(EditWidening, AReductionTakesOneMoreArray) {
  WideningGraph g(R"(HloModule m

damped { a = f32[] parameter(0) b = f32[] parameter(1) limit = f32[] constant(0.75) s = f32[] )"
                  R"(maximum(a, b) ROOT r = f32[] minimum(s, limit) }

ENTRY main {
  x = f32[3,4] parameter(0)
  zero = f32[] constant(0)
  rows = f32[3] reduce(x, zero), dimensions={1}, to_apply=damped
  ROOT all = f32[] reduce(rows, zero), dimensions={0}, to_apply=damped
})");
  g.promote("limit");
  EXPECT_EQ(g.module().at(g.at("rows")).operands.size(), 4u);
  EXPECT_EQ(g.module().at(g.at("limit")).parameterNumber, 3);
  EXPECT_TRUE(g.module().shapeOf(g.at("all")).isTuple());
}

TEST(EditWidening, AReductionOfSeveralKeepsItsOrder) {
  WideningGraph g(R"(HloModule m

most { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  scale = f32[] constant(1) c = f32[] multiply(b, scale) k = pred[] compare(a, c), direction=GE v = )"
                  R"(f32[] select(k, a, c) w = s32[] select(k, i, j)
  ROOT r = (f32[], s32[]) tuple(v, w) }

ENTRY main {
  x = f32[5] parameter(0)
  n = s32[5] iota(), iota_dimension=0
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  pair = (f32[], s32[]) reduce(x, n, low, zero), dimensions={0}, to_apply=most
  v = f32[] get-tuple-element(pair), index=0
  ROOT w = (f32[], (f32[], s32[])) tuple(v, pair)
})");
  g.promote("scale");
  const auto& operands = g.module().at(g.at("pair")).operands;
  ASSERT_EQ(operands.size(), 6u);
  EXPECT_EQ(operands[1], g.at("n"));
  EXPECT_EQ(operands[3], g.at("low"));
}

TEST(EditWidening, ASortComparesWithAGivenNumber) {
  WideningGraph g(R"(HloModule m

near { a = f32[] parameter(0) b = f32[] parameter(1) goal = f32[] constant(0.5)
  da = f32[] subtract(a, goal) db = f32[] subtract(b, goal) fa = f32[] abs(da) fb = f32[] abs(db) ROOT )"
                  R"(c = pred[] compare(fa, fb), direction=LT }

ENTRY main {
  x = f32[7] parameter(0)
  ROOT s = f32[7] sort(x), dimensions={0}, to_apply=near, is_stable=true
})");
  g.promote("goal");
  EXPECT_EQ(g.module().at(g.at("s")).operands.size(), 2u);
}

TEST(EditWidening, WhatCannotBeWidenedSaysWhy) {
  WideningGraph g(R"(HloModule m

next { t = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(t, one) }
less { s = s32[] parameter(0) limit = s32[] constant(4) ROOT c = pred[] compare(s, limit), direction=LT }
sum { a = f32[] parameter(0) b = f32[] parameter(1) k = f32[] constant(0) d = f32[] add(a, b) ROOT e = )"
                  R"(f32[] add(d, k) }

ENTRY main {
  zero = s32[] constant(0)
  loop = s32[] while(zero), condition=less, body=next
  other = s32[] call(loop), to_apply=next
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  all = f32[4] all-reduce(x), replica_groups={}, to_apply=sum
  ROOT t = (s32[], f32[4]) tuple(other, all)
})");
  const std::string before = printHloText(g.module());
  auto refused = g.history.perform({"Promote", {PromoteConstant{g.at("one")}}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("in another way"), std::string::npos) << refused.error().message;
  refused = g.history.perform({"Promote", {PromoteConstant{g.at("k")}}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("decides itself"), std::string::npos) << refused.error().message;
  EXPECT_EQ(printHloText(g.module()), before);
}

}  // namespace
}  // namespace tessera
