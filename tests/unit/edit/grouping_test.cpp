// Groups made and undone by edits: what is cut out, what is refused and why, and that the graph means the same.
#include <gtest/gtest.h>

#include "core/edit/structure/grouping.h"
#include "tests/unit/edit/edited_graph.h"

namespace tessera {
namespace {

constexpr const char* kDiamond = R"(HloModule m

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] add(x, y), metadata={op_name="jit(f)/layer/add"}
  b = f32[4] exponential(a), metadata={op_name="jit(f)/layer/exp"}
  c = f32[4] negate(a), metadata={op_name="jit(f)/layer/neg"}
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  d = f32[4] multiply(b, c), metadata={op_name="jit(f)/layer/mul"}
  ROOT e = f32[4] add(d, ones)
})";

struct GroupingGraph : test::EditedGraph {
  using EditedGraph::EditedGraph;
  std::vector<InstructionId> ids(std::initializer_list<const char*> names) const {
    std::vector<InstructionId> out;
    for (const char* name : names) out.push_back(at(name));
    return out;
  }
  Result<EditResult> group(std::initializer_list<const char*> names, Opcode caller = Opcode::Call,
                           std::string kind = {}) {
    return history.perform({"Group", {GroupInstructions{ids(names), "part", caller, std::move(kind)}}});
  }
};

TEST(EditGrouping, OneResultIsTheCallItself) {
  GroupingGraph g(kDiamond);
  const auto before = g.values();
  const auto done = g.group({"b", "c", "d"});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  ASSERT_EQ(done->added.size(), 1u);
  const Instruction& call = g.module().at(done->added[0]);
  EXPECT_EQ(call.opcode, Opcode::Call);
  EXPECT_EQ(call.operands.size(), 1u);
  ASSERT_TRUE(call.metadata);
  EXPECT_EQ(call.metadata->opName, "jit(f)/layer/part");
  EXPECT_NE(g.module().at(g.at("d")).computation, g.module().entry());  // ids stay, in the new computation
  g.expectValues(before);
  const std::string text = printHloText(g.module());
  const ReadResult again = readHloText(text);
  ASSERT_TRUE(again.module) << text;
}

TEST(EditGrouping, WhatLiesBetweenIsFound) {
  const GroupingGraph g(kDiamond);
  const auto found = [&](std::initializer_list<const char*> names) {
    std::string out;
    for (InstructionId id : withBetween(g.module(), g.ids(names))) out += std::string(g.module().at(id).name) + " ";
    return out;
  };
  EXPECT_EQ(found({"a", "d"}), "a d b c ");
  EXPECT_EQ(found({"d", "b"}), "d b ");
  EXPECT_EQ(found({"b", "c"}), "b c ");
  EXPECT_EQ(found({}), "");
}

TEST(EditGrouping, SeveralResultsAreATuple) {
  GroupingGraph g(kDiamond);
  const auto before = g.values();
  const auto done = g.group({"b", "c"});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_EQ(done->added.size(), 3u);
  EXPECT_TRUE(g.module().shapeOf(done->added[0]).isTuple());
  EXPECT_TRUE(done->diagnostics.empty());
  g.expectValues(before);
}

TEST(EditGrouping, NumbersThatOnlyMembersReadComeAlong) {
  GroupingGraph g(kDiamond);
  const auto before = g.values();
  const auto done = g.group({"d", "e"});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_EQ(g.module().at(done->added[0]).operands.size(), 2u);
  EXPECT_NE(g.module().at(g.at("one")).computation, g.module().entry());
  EXPECT_EQ(g.module().entryComputation().root, done->added[0]);
  g.expectValues(before);
}

TEST(EditGrouping, APathThatComesBackIsNamed) {
  GroupingGraph g(kDiamond);
  const auto done = g.group({"a", "c", "d"});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().instruction, g.at("b"));
  EXPECT_NE(done.error().message.find("%b lies between"), std::string::npos) << done.error().message;
  EXPECT_NE(done.error().message.find("%d"), std::string::npos);
}

TEST(EditGrouping, ParametersAloneAreNoGroup) {
  GroupingGraph g(kDiamond);
  ASSERT_FALSE(g.group({"x", "y"}));
  const auto withOne = g.group({"x", "a"});
  ASSERT_TRUE(withOne);
  EXPECT_EQ(g.module().at(g.at("x")).computation, g.module().entry());
}

TEST(EditGrouping, AFusionHoldsNoCall) {
  GroupingGraph g(kDiamond);
  const auto fused = g.group({"b", "c", "d"}, Opcode::Fusion, "kLoop");
  ASSERT_TRUE(fused) << fused.error().toString();
  EXPECT_TRUE(fused->diagnostics.empty());
  const std::string name(g.module().at(fused->added[0]).name);
  const auto again =
      g.history.perform({"Group", {GroupInstructions{{fused->added[0]}, "outer", Opcode::Fusion, "kLoop"}}});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find(name), std::string::npos);
}

TEST(EditGrouping, InliningGivesTheSameGraphBack) {
  for (const auto& names : {std::initializer_list<const char*>{"b", "c"}, {"b", "c", "d"}, {"a", "b", "c", "d", "e"}}) {
    GroupingGraph g(kDiamond);
    const auto values = g.values();
    const size_t count = g.module().instructionCount(), computations = g.module().order().size();
    const auto done = g.group(names);
    ASSERT_TRUE(done) << done.error().toString();
    const auto back = g.history.perform({"Inline", {InlineCall{done->added[0]}}});
    ASSERT_TRUE(back) << back.error().toString();
    EXPECT_TRUE(back->diagnostics.empty()) << back->diagnostics.items()[0].toString();
    EXPECT_EQ(g.module().instructionCount(), count) << printHloText(g.module());
    EXPECT_EQ(g.module().order().size(), computations);
    EXPECT_EQ(g.module().at(g.at("b")).computation, g.module().entry());
    g.expectValues(values);
  }
}

TEST(EditGrouping, WhatIsCalledTwiceIsCopied) {
  GroupingGraph g(R"(HloModule m

square {
  p = f32[4] parameter(0)
  ROOT s = f32[4] multiply(p, p)
}

ENTRY main {
  x = f32[4] parameter(0)
  u = f32[4] call(x), to_apply=square
  ROOT v = f32[4] call(u), to_apply=square
})");
  const auto before = g.values();
  const auto done = g.history.perform({"Inline", {InlineCall{g.at("u")}}});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_EQ(done->added.size(), 1u);
  EXPECT_TRUE(g.module().findComputation("square").has_value());
  g.expectValues(before);
  ASSERT_TRUE(g.history.perform({"Inline", {InlineCall{g.at("v")}}}));
  EXPECT_FALSE(g.module().findComputation("square").has_value());
  g.expectValues(before);
  EXPECT_FALSE(g.history.perform({"Inline", {InlineCall{g.at("x")}}}));
}

TEST(EditGrouping, APromotedNumberIsStillGiven) {
  GroupingGraph g(kDiamond);
  const auto done = g.history.perform({"Promote", {PromoteConstant{g.at("one")}}});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty());
  ASSERT_EQ(g.module().entryComputation().parameters.size(), 3u);
  EXPECT_EQ(g.module().at(g.at("one")).parameterNumber, 2);
  EXPECT_EQ(g.history.project().run.sources.at(2), "constant 1");
  g.history.undo();
  EXPECT_TRUE(g.history.project().run.sources.empty());
  EXPECT_EQ(g.module().at(g.at("one")).opcode, Opcode::Constant);
  EXPECT_FALSE(g.history.perform({"Promote", {PromoteConstant{g.at("a")}}}));
}

// A constant of a called computation is given by every caller, and from there by the entry.
TEST(EditGrouping, AConstantOfACalledComputationIsGivenByItsCallers) {
  GroupingGraph g(R"(HloModule m

scale {
  a = f32[4] parameter(0)
  factor = f32[] constant(3)
  wide = f32[4] broadcast(factor), dimensions={}
  ROOT s = f32[4] multiply(a, wide)
}

shift {
  v = f32[] parameter(0)
  by = f32[] constant(2)
  ROOT w = f32[] add(v, by)
}

ENTRY main {
  x = f32[4] parameter(0)
  u = f32[4] call(x), to_apply=scale
  m = f32[4] map(u), dimensions={0}, to_apply=shift
  ROOT v = f32[4] fusion(m), kind=kLoop, calls=scale
})");
  const auto before = g.values();
  auto done = g.history.perform({"Promote", {PromoteConstant{g.at("factor")}}});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  EXPECT_EQ(done->added.size(), 2u);
  EXPECT_EQ(g.module().at(g.at("factor")).parameterNumber, 1);
  EXPECT_EQ(g.module().at(g.at("u")).operands.size(), 2u);
  EXPECT_TRUE(g.history.project().run.sources.empty());
  g.expectValues(before);
  done = g.history.perform({"Promote", {PromoteConstant{g.at("by")}}});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  g.expectValues(before);
  const InstructionId given = g.module().at(g.at("u")).operands[1];
  ASSERT_TRUE(g.history.perform({"Promote", {PromoteConstant{given}}}));
  EXPECT_EQ(g.history.project().run.sources.at(1), "constant 3");
  for (int k = 0; k < 3; ++k) g.history.undo();
  EXPECT_EQ(g.module().at(g.at("factor")).opcode, Opcode::Constant);
}

TEST(EditGrouping, ASelectionIsAModule) {
  GroupingGraph g(kDiamond);
  const auto cut = selectionAsModule(g.module(), g.ids({"b", "c"}), "piece");
  ASSERT_TRUE(cut) << cut.error().toString();
  EXPECT_EQ(cut->entryComputation().parameters.size(), 1u);
  EXPECT_EQ(cut->at(cut->entryComputation().root).operands.size(), 2u);
  const ReadResult again = readHloText(printHloText(*cut));
  ASSERT_TRUE(again.module);
  EXPECT_FALSE(again.diagnostics.hasErrors());
  EXPECT_FALSE(selectionAsModule(g.module(), g.ids({"a", "d"}), "piece"));
}

TEST(EditGrouping, PlacesGoAlongAndComeBack) {
  Project project;
  project.page("main").instructions["b"] = {10, 20};
  project.page("main").muted.insert("b");
  History history(*readHloText(kDiamond).module, project);
  const auto b = history.current().findInstruction("b").value();
  const auto done = history.perform({"Group", {GroupInstructions{{b}, "part", Opcode::Call, ""}}});
  ASSERT_TRUE(done);
  EXPECT_FALSE(history.project().find("main")->instructions.contains("b"));
  ASSERT_TRUE(history.project().find("part"));
  EXPECT_EQ(history.project().find("part")->instructions.at("b").y, 20);
  ASSERT_TRUE(history.perform({"Inline", {InlineCall{done->added[0]}}}));
  EXPECT_EQ(history.project().find("main")->instructions.at("b").x, 10);
  EXPECT_TRUE(history.project().find("main")->muted.contains("b"));
}

}  // namespace
}  // namespace tessera
