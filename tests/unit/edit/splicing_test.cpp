// Nodes into wires and out of them, cuts, swaps, and what surrounds the graph in the same history.
#include <gtest/gtest.h>

#include "core/edit/structure/fragment.h"
#include "core/edit/wiring/splicing.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

struct Fixture {
  History history;
  Fixture()
      : history(*readHloText(R"(HloModule m
ENTRY main {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  n = f32[4]{0} negate(x)
  lone = f32[4]{0} exponential(y)
  ROOT s = f32[4]{0} subtract(n, y)
}
)")
                     .module) {}
  const Module& module() const { return history.current(); }
  InstructionId named(const char* name) const { return module().findInstruction(name).value(); }
  std::string line(const char* name) const { return printInstruction(module(), named(name)); }
  bool reads(const char* user, size_t k, const char* value) const {
    return module().at(named(user)).operands[k] == named(value);
  }
};

TEST(Splicing, InsertsIntoAWire) {
  Fixture f;
  const auto edit = inserting(f.module(), f.named("lone"), {f.named("s"), 0});
  ASSERT_TRUE(edit) << edit.error().message;
  ASSERT_TRUE(f.history.perform(*edit));
  EXPECT_TRUE(f.reads("lone", 0, "n"));
  EXPECT_TRUE(f.reads("s", 0, "lone"));
  f.history.undo();
  EXPECT_TRUE(f.reads("lone", 0, "y"));
}

// A node that has no shape yet takes the wire's.
TEST(Splicing, InsertsWhatIsStillOpen) {
  Fixture f;
  ASSERT_TRUE(f.history.perform(
      {"Add", {AddInstruction{f.module().entry(), Opcode::Tanh, "", {InstructionId()}, {}, {}, ""}}}));
  ASSERT_TRUE(f.history.perform(
      {"Add", {AddInstruction{f.module().entry(), Opcode::Transpose, "turn", {InstructionId()}, {}, {}, ""}}}));
  const auto edit = inserting(f.module(), f.named("tanh"), {f.named("s"), 0});
  ASSERT_TRUE(edit) << edit.error().message;
  ASSERT_TRUE(f.history.perform(*edit));
  EXPECT_EQ(toString(f.module().shapeOf(f.named("tanh")), false), "f32[4]");
  ASSERT_TRUE(f.history.perform(
      {"Convert",
       {AddInstruction{
           f.module().entry(), Opcode::Convert, "", {f.named("x")}, {}, Shape::array(ElementType::S32, {4}), ""}}}));
  EXPECT_FALSE(inserting(f.module(), f.named("convert"), {f.named("s"), 0}));  // the subtraction would no longer agree
}

TEST(Splicing, RefusesItsOwnWireAndCycles) {
  Fixture f;
  EXPECT_FALSE(inserting(f.module(), f.named("s"), {f.named("s"), 0}));
  EXPECT_FALSE(inserting(f.module(), f.named("n"), {f.named("s"), 0}));
  EXPECT_FALSE(inserting(f.module(), f.named("lone"), {f.named("s"), 7}));
}

TEST(Splicing, PullsOutAndHeals) {
  Fixture f;
  ASSERT_TRUE(f.history.perform(*pullingOut(f.module(), f.named("n"))));
  EXPECT_TRUE(f.reads("s", 0, "x"));
  EXPECT_FALSE(f.module().at(f.named("n")).operands[0].valid());
  EXPECT_FALSE(pullingOut(f.module(), f.named("n")));
}

TEST(Splicing, CutsAndSwaps) {
  Fixture f;
  ASSERT_TRUE(f.history.perform(*swapping(f.module(), f.named("s"), 0, 1)));
  EXPECT_TRUE(f.reads("s", 0, "y") && f.reads("s", 1, "n"));
  EXPECT_FALSE(swapping(f.module(), f.named("n"), 0, 1));
  const InputSpot inputs[] = {{f.named("s"), 0}, {f.named("s"), 1}, {f.named("s"), 5}};
  const Edit cut = cutting(f.module(), inputs);
  EXPECT_EQ(cut.actions.size(), 2u);
  ASSERT_TRUE(f.history.perform(cut));
  EXPECT_FALSE(f.module().at(f.named("s")).operands[1].valid());
  EXPECT_TRUE(cutting(f.module(), inputs).actions.empty());
}

TEST(Splicing, MutedNodesArePassedBy) {
  Fixture f;
  const InstructionId muted[] = {f.named("n"), f.named("s")};
  const Module runs = withoutMuted(f.module(), muted);
  EXPECT_EQ(runs.entryComputation().root, f.named("x"));
  EXPECT_TRUE(f.reads("s", 0, "n"));
}

// A wire was cut in a body; what calls it is copied all the same.
TEST(Fragment, ACallOfAnUnfinishedBody) {
  History history(*readHloText(R"(HloModule m
body {
  p = f32[4]{0} parameter(0)
  ROOT t = f32[4]{0} tanh(p)
}
ENTRY main {
  x = f32[4]{0} parameter(0)
  ROOT c = f32[4]{0} call(x), to_apply=body
}
)")
                       .module);
  const InstructionId inner = history.current().findInstruction("t").value(),
                      call = history.current().findInstruction("c").value();
  ASSERT_TRUE(history.perform({"Unwire", {SetOperand{inner, 0, {}}}}));
  const std::string text = fragmentText(history.current(), std::span(&call, 1));
  EXPECT_NE(text.find("tanh(?)"), std::string::npos) << text;
  EXPECT_TRUE(pasting(history.current(), history.current().entry(), text, false));
}

TEST(History, PlacesFollowNamesAndAreUndone) {
  Fixture f;
  Project placed;
  ProjectPage& page = placed.page("main");
  page.instructions["n"] = {10, 20};
  page.muted = {"n"};
  page.reroutes[{"s", 0}] = {{1, 2}};
  const uint64_t graph = f.history.graph();
  f.history.arrange([&](Project& project) { project = placed; }, "Move");
  EXPECT_EQ(f.history.graph(), graph);
  EXPECT_EQ(f.history.undoTitle(), "Move");
  ASSERT_TRUE(f.history.perform({"Rename", {Rename{f.named("n"), "minus"}, Rename{f.named("s"), "difference"}}}));
  const ProjectPage* now = f.history.project().find("main");
  EXPECT_EQ(now->instructions.at("minus").y, 20);
  EXPECT_TRUE(now->muted.contains("minus"));
  EXPECT_TRUE((now->reroutes.contains({"difference", 0})));
  ASSERT_TRUE(f.history.perform({"Delete", {RemoveInstruction{f.named("minus")}}}));
  EXPECT_TRUE(f.history.project().find("main")->instructions.empty());
  EXPECT_TRUE(f.history.project().find("main")->muted.empty());
  while (f.history.canUndo()) f.history.undo();
  EXPECT_EQ(f.history.project().find("main"), nullptr);
  EXPECT_EQ(f.history.graph(), graph);
}

TEST(History, AnEditPlacesWhatItAdds) {
  Fixture f;
  Edit edit{"Add", {AddInstruction{f.module().entry(), Opcode::Tanh, "", {f.named("x")}, {}, {}, ""}}};
  edit.places.push_back({newInstruction(0), {5, 6}});
  ASSERT_TRUE(f.history.perform(edit));
  EXPECT_EQ(f.history.project().find("main")->instructions.at("tanh").x, 5);
}

}  // namespace
}  // namespace tessera
