// Wires by hand: what fits, what a broadcast makes fit, why not, and repairs; values typed into inputs; fragments as
// text.
#include <gtest/gtest.h>

#include "core/edit/palette/palette.h"
#include "core/edit/structure/fragment.h"
#include "core/edit/wiring/field.h"
#include "core/edit/wiring/wiring.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

struct Bench {
  History history{emptyModule()};
  const Module& module() const { return history.current(); }
  EditResult perform(const Edit& edit) {
    auto done = history.perform(edit);
    EXPECT_TRUE(done) << done.error().toString();
    return done ? *done : EditResult{module(), {}, {}, {}};
  }
  InstructionId place(const std::string& line, std::vector<InstructionId> sources = {}) {
    return perform(placing(module(), module().entry(), searchPalette(line).at(0), sources)).added.back();
  }
  std::string shape(InstructionId id) const { return toString(module().shapeOf(id), false); }
  InstructionId operand(InstructionId user, size_t i) const { return module().at(user).operands[i]; }
};

TEST(EditWiring, WhatFitsIsWiredAsItIs) {
  Bench b;
  const auto x = b.place("f32[2,3]"), y = b.place("f32[2,3]"), sum = b.place("add", {x});
  const ConnectionCheck fit = fitOf(b.module(), y, sum, 1);
  ASSERT_EQ(fit.ways.size(), 1u);
  EXPECT_EQ(toString(fit.ways[0].result, false), "f32[2,3]");
  EXPECT_TRUE(b.perform(fit.ways[0].edit).diagnostics.empty());
  EXPECT_EQ(b.operand(sum, 1), y);
}

TEST(EditWiring, OneBroadcastIsImpliedSeveralAreAChoice) {
  Bench b;
  const auto x = b.place("f32[2,3]"), row = b.place("f32[3]"), sum = b.place("add", {x});
  const ConnectionCheck fit = fitOf(b.module(), row, sum, 1);
  ASSERT_EQ(fit.ways.size(), 1u);
  EXPECT_TRUE(b.perform(fit.ways[0].edit).diagnostics.empty());
  EXPECT_EQ(b.module().at(b.operand(sum, 1)).opcode, Opcode::Broadcast);
  const auto square = b.place("f32[3,3]"), both = b.place("multiply", {square});
  EXPECT_EQ(fitOf(b.module(), row, both, 1).ways.size(), 2u);
}

// Of equal sizes those are meant that are the same dimension: what a reduction leaves of x goes back along x.
TEST(EditWiring, WhatBothAreComputedOfTellsWhichDimensionsAreMeant) {
  for (const auto& [reduced, left] :
       std::map<std::string, std::vector<int64_t>>{{"0", {1, 2}}, {"1", {0, 2}}, {"2", {0, 1}}}) {
    Bench b;
    const auto x = b.place("f32[4,4,4]"), sums = b.place("reduce sum axis=" + reduced, {x}),
               mean = b.place("sqrt", {sums});
    const auto exact = b.place("exp", {x}), placed = b.place("subtract", {exact, mean});
    const InstructionId wide = b.operand(placed, 1);
    ASSERT_EQ(b.module().at(wide).opcode, Opcode::Broadcast) << reduced;
    EXPECT_EQ(b.module().at(wide).attributes->ints(Attr::dimensions), left);
    const auto open = b.place("divide", {exact});
    const ConnectionCheck fit = fitOf(b.module(), mean, open, 1);
    ASSERT_EQ(fit.ways.size(), 3u);
    ASSERT_TRUE(b.perform(fit.ways[0].edit).diagnostics.empty());
    EXPECT_EQ(b.module().at(b.operand(open, 1)).attributes->ints(Attr::dimensions), left);
  }
  Bench b;
  const auto x = b.place("f32[4,4]"), row = b.place("f32[4]"), sum = b.place("subtract", {x, row});
  EXPECT_EQ(b.operand(sum, 1), row) << "nothing tells which";
}

TEST(EditWiring, WhatIsComputedOfAnUnfinishedInstructionIsStillTried) {
  Bench b;
  const auto x = b.place("f32[4,4]"), row = b.place("f32[4]"), broken = b.place("add", {x, x});
  b.perform({"cut", {SetOperand{broken, 1, {}}}});
  ASSERT_TRUE(b.module().shapeOf(broken).isArray()) << "it keeps its shape";
  const auto open = b.place("divide", {broken});
  EXPECT_EQ(fitOf(b.module(), row, open, 1).ways.size(), 2u);
}

TEST(EditWiring, TheSmallerOneThatIsThereIsWidened) {
  Bench b;
  const auto row = b.place("f32[3]"), x = b.place("f32[2,3]"), sum = b.place("add", {row});
  const ConnectionCheck fit = fitOf(b.module(), x, sum, 1);
  ASSERT_EQ(fit.ways.size(), 1u);
  EXPECT_TRUE(b.perform(fit.ways[0].edit).diagnostics.empty());
  EXPECT_EQ(b.shape(sum), "f32[2,3]");
}

TEST(EditWiring, SizesOfOneAreStretched) {
  Bench b;
  const auto x = b.place("f32[2,3]"), column = b.place("f32[2,1]"), sum = b.place("add", {x});
  const ConnectionCheck fit = fitOf(b.module(), column, sum, 1);
  ASSERT_EQ(fit.ways.size(), 1u);
  EXPECT_TRUE(b.perform(fit.ways[0].edit).diagnostics.empty());
}

TEST(EditWiring, ARefusalNamesTheDimensionAndRepairsFit) {
  Bench b;
  const auto x = b.place("f32[2,3]"), y = b.place("f32[3,2]"), sum = b.place("add", {x});
  const ConnectionCheck fit = fitOf(b.module(), y, sum, 1);
  EXPECT_FALSE(fit.fits());
  EXPECT_EQ(fit.reason, "dimension 0 is 3 here, 2 there");
  const std::vector<ConnectionOption> repairs = repairsOf(b.module(), y, sum, 1);
  ASSERT_GE(repairs.size(), 3u);
  EXPECT_EQ(repairs[0].title, "transpose {1,0}");
  for (const ConnectionOption& way : repairs) {
    const auto done = apply(b.module(), way.edit);
    ASSERT_TRUE(done) << way.title;
    EXPECT_TRUE(done->diagnostics.empty()) << way.title;
    EXPECT_TRUE(sameIgnoringLayout(done->module.shapeOf(sum), way.result)) << way.title;
  }
}

TEST(EditWiring, AnotherTypeIsConverted) {
  Bench b;
  const auto x = b.place("f32[2,3]"), n = b.place("s32[2,3]"), sum = b.place("add", {x});
  EXPECT_EQ(fitOf(b.module(), n, sum, 1).reason, "this is s32, the other input is f32");
  const auto repairs = repairsOf(b.module(), n, sum, 1);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs[0].title, "convert to f32");
}

TEST(EditWiring, ACycleAndAWrongTypeAreRefused) {
  Bench b;
  const auto x = b.place("f32[2]"), minus = b.place("negate", {x}), sum = b.place("add", {minus}),
             both = b.place("and");
  EXPECT_NE(fitOf(b.module(), sum, minus, 0).reason.find("cycle"), std::string::npos);
  EXPECT_FALSE(fitOf(b.module(), x, both, 0).fits());
  EXPECT_EQ(firstFittingInput(b.module(), x, sum), 1);
}

TEST(EditWiring, ADotSaysWhatDoesNotContractAndIsMended) {
  Bench b;
  const auto x = b.place("f32[4,8]"), w = b.place("f32[3,8]"), dot = b.place("dot", {x, w});
  EXPECT_FALSE(fitOf(b.module(), w, dot, 1).fits());
  const auto repairs = repairsOf(b.module(), w, dot, 1);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs[0].title, "transpose {1,0}");
  EXPECT_EQ(toString(repairs[0].result, false), "f32[4,3]");
}

TEST(EditField, ANumberBecomesConstantAndBroadcast) {
  Bench b;
  const auto x = b.place("f32[2,3]"), sum = b.place("multiply", {x});
  const auto edit = filling(b.module(), sum, 1, "0.5");
  ASSERT_TRUE(edit) << edit.error().toString();
  EXPECT_TRUE(b.perform(*edit).diagnostics.empty());
  EXPECT_EQ(fieldText(b.module(), sum, 1), "0.5");
  const size_t count = b.module().instructionCount();
  b.perform(filling(b.module(), sum, 1, "2").value());
  EXPECT_EQ(b.module().instructionCount(), count);  // the old constant went
  EXPECT_EQ(fieldText(b.module(), sum, 1), "2");
  EXPECT_NE(printHloText(b.module()).find("%constant = "), std::string::npos);
}

TEST(EditField, AnArrayAndAnIotaFillToo) {
  Bench b;
  const auto x = b.place("s32[3]"), sum = b.place("add", {x});
  EXPECT_TRUE(b.perform(filling(b.module(), sum, 1, "{1, 2, 3}").value()).diagnostics.empty());
  EXPECT_TRUE(b.perform(filling(b.module(), sum, 1, "iota").value()).diagnostics.empty());
  EXPECT_EQ(b.module().at(b.operand(sum, 1)).opcode, Opcode::Iota);
  for (const char* wrong : {"{1,2}", "{{1},{2,3}}", "junk", "", "{", "1.5.5"})
    EXPECT_FALSE(filling(b.module(), sum, 1, wrong)) << wrong;
}

TEST(EditField, AConstantIsSetInItsPlace) {
  Bench b;
  const auto c = b.place("3.5");
  b.perform(resetting(b.module(), c, "4").value());
  EXPECT_NE(printHloText(b.module()).find("constant(4)"), std::string::npos);
  EXPECT_FALSE(resetting(b.module(), c, "{1,2}"));
}

TEST(EditFragment, WhatIsCopiedPastesWithItsWiresAndReducers) {
  Bench b;
  const auto x = b.place("f32[2,3]"), most = b.place("reduce max", {x}), power = b.place("exp", {most});
  const std::string text = fragmentText(b.module(), {{most, power}});
  const auto edit = pasting(b.module(), b.module().entry(), text, true);
  ASSERT_TRUE(edit) << edit.error().toString() << text;
  const size_t computations = b.module().order().size();
  const EditResult done = b.perform(*edit);
  EXPECT_TRUE(done.diagnostics.empty());
  EXPECT_EQ(b.module().order().size(), computations);  // the reducer is shared
  const InstructionId pasted = done.added.back();
  EXPECT_EQ(b.module().at(pasted).opcode, Opcode::Exponential);
  EXPECT_EQ(b.operand(b.operand(pasted, 0), 0), x);
  const auto open = apply(b.module(), pasting(b.module(), b.module().entry(), text, false).value());
  ASSERT_TRUE(open);
  EXPECT_FALSE(open->diagnostics.empty());  // its input is open
}

TEST(EditFragment, IntoAnotherDocumentComesWhatIsCalled) {
  Bench from, to;
  const auto x = from.place("f32[2,3]"), sum = from.place("reduce sum", {x});
  const auto done =
      to.perform(pasting(to.module(), to.module().entry(), fragmentText(from.module(), {{x, sum}}), false).value());
  EXPECT_TRUE(done.diagnostics.empty());
  EXPECT_EQ(to.module().order().size(), 2u);
  EXPECT_TRUE(readHloText(printHloText(to.module())).module);
}

TEST(EditFragment, AnotherComputationOfTheSameNameGetsANumber) {
  Bench from, to;
  const auto x = from.place("f32[2,3]"), sum = from.place("reduce sum", {x});
  to.perform({"", {AddReducer{"add.f32", Opcode::Maximum, ElementType::F32}}});
  EXPECT_TRUE(
      to.perform(pasting(to.module(), to.module().entry(), fragmentText(from.module(), {{x, sum}}), false).value())
          .diagnostics.empty());
  EXPECT_NE(printHloText(to.module()).find("to_apply=%add.f32.1"), std::string::npos);
}

TEST(EditFragment, JunkIsExplained) {
  Bench b;
  for (const char* junk :
       {"hello", "", "HloModule x", "%a = f32[2] add(%b, %c)", "{}", "ENTRY e { ROOT x = f32[ parameter(0) }"})
    EXPECT_FALSE(pasting(b.module(), b.module().entry(), junk, false)) << junk;
  const auto lines =
      pasting(b.module(), b.module().entry(), "a = f32[2] parameter(0)\nROOT b = f32[2] negate(a)", false);
  EXPECT_TRUE(lines) << lines.error().toString();
}

TEST(EditFragment, OpenInputsStayOpen) {
  Bench b;
  const auto x = b.place("f32[2]"), sum = b.place("add", {x});
  const auto done = b.perform(pasting(b.module(), b.module().entry(), fragmentText(b.module(), {{sum}}), true).value());
  EXPECT_EQ(b.operand(done.added.back(), 0), x);
  EXPECT_FALSE(b.operand(done.added.back(), 1).valid());
}

// A computation that comes in and calls one that is there already follows it, or the text would not read.
TEST(EditImport, WhatIsSharedStandsBeforeItsCallers) {
  const std::string reducer =
      "most {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] maximum(a, b)\n}\n\n";
  const auto body = [](const std::string& dims) {
    return "block {\n  x = f32[" + dims +
           "] parameter(0)\n  z = f32[] constant(-inf)\n  ROOT r = f32[2] reduce(x, z), dimensions={1}, "
           "to_apply=most\n}\n\n";
  };
  const std::string entry = "ENTRY e {\n  ROOT a = f32[] parameter(0)\n}\n";
  Bench b;
  for (const char* dims : {"2,3", "2,4"})
    b.perform({"paste", {AddComputations{"HloModule m\n\n" + reducer + body(dims) + entry}}});
  EXPECT_EQ(b.module().order().size(), 4u);
  const ReadResult back = readHloText(printHloText(b.module()));
  EXPECT_TRUE(back.module) << back.diagnostics.items().front().toString();
}

TEST(EditHistory, UndoingGoesBackToTheSameState) {
  Bench b;
  const uint64_t first = b.history.state();
  b.place("f32[2]");
  const uint64_t second = b.history.state();
  EXPECT_NE(first, second);
  b.history.undo();
  EXPECT_EQ(b.history.state(), first);
  b.place("f32[2]");
  EXPECT_NE(b.history.state(), second);
}

}  // namespace
}  // namespace tessera
