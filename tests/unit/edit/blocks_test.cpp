// Blocks: what was selected becomes a call of what was saved, with the same values; own computations have names of the
// block's own; a call that refuses a size is resized with all that goes with it.
#include "core/edit/palette/blocks.h"
#include "core/edit/wiring/wiring.h"
#include "tests/unit/edit/palette_run.h"

namespace tessera {
namespace {

using palette_run::expectNear;
using palette_run::Numbers;
using palette_run::Palette;

// Members by name, saved and replaced; the values stay what they were.
void replaced(Palette& p, std::initializer_list<const char*> names, const std::string& name) {
  const Numbers before = p.result();
  std::vector<InstructionId> ids;
  for (const char* each : names) {
    const auto id = p.module().findInstruction(each);
    ASSERT_TRUE(id) << each;
    ids.push_back(*id);
  }
  const auto block = blockOf(p.module(), ids, name, "");
  ASSERT_TRUE(block) << block.error().toString();
  const auto edit = replacingByBlock(p.module(), ids, *block);
  ASSERT_TRUE(edit) << edit.error().toString();
  const auto done = p.history.perform(*edit);
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  for (const char* each : names) EXPECT_FALSE(p.module().findInstruction(each)) << each;
  expectNear(p.result(), before);
}

Palette fromText(const char* text) {
  Palette p;
  p.history = History(*readHloText(text, "test").module);
  return p;
}

constexpr const char* kSoftmaxText = R"(HloModule m
largest {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT most = f32[] maximum(a, b)
}
ENTRY main {
  x = f32[2,3] parameter(0)
  low = f32[] constant(-inf)
  top = f32[2] reduce(x, low), dimensions={1}, to_apply=largest
  wide = f32[2,3] broadcast(top), dimensions={0}
  shifted = f32[2,3] subtract(x, wide)
  ROOT out = f32[2,3] exponential(shifted)
})";

TEST(Blocks, ASelectionIsReplacedByACallOfTheSameValues) {
  Palette p = fromText(kSoftmaxText);
  replaced(p, {"top", "wide", "shifted"}, "shift");
  EXPECT_FALSE(p.module().findInstruction("low"));  // nothing else read it
  size_t calls = 0;
  for (InstructionId id : p.module().entryComputation().instructions)
    calls += p.module().at(id).opcode == Opcode::Call && blockUseOf(p.module(), id).name == "shift";
  EXPECT_EQ(calls, 1u);
}

TEST(Blocks, TheResultOfThePageMayBeAmongThem) {
  Palette p = fromText(kSoftmaxText);
  replaced(p, {"shifted", "out"}, "powers");
}

TEST(Blocks, SeveralResultsAreElementsOfTheCall) {
  Palette p = fromText(R"(HloModule m
ENTRY main {
  x = f32[3] parameter(0)
  a = f32[3] exponential(x)
  b = f32[3] negate(x)
  ROOT sum = f32[3] add(a, b)
})");
  replaced(p, {"a", "b"}, "both");
}

TEST(Blocks, WhatIsReadInsideAndOutsideRefuses) {
  Palette p = fromText(R"(HloModule m
ENTRY main {
  x = f32[3] parameter(0)
  a = f32[3] exponential(x)
  b = f32[3] negate(a)
  ROOT sum = f32[3] add(a, b)
})");
  const std::vector<InstructionId> ids{*p.module().findInstruction("a"), *p.module().findInstruction("b")};
  const auto block = blockOf(p.module(), ids, "pair", "");
  ASSERT_TRUE(block) << block.error().toString();
  const auto edit = replacingByBlock(p.module(), ids, *block);
  ASSERT_FALSE(edit);
  EXPECT_NE(edit.error().toString().find("read inside and outside"), std::string::npos);
}

TEST(Blocks, OwnComputationsBelongToTheBlockAlone) {
  Palette p = fromText(kSoftmaxText);
  replaced(p, {"top", "wide", "shifted"}, "shift");
  for (InstructionId id : p.module().entryComputation().instructions)
    for (ComputationId called : p.module().callees(p.module().at(id)))
      for (InstructionId inner : p.module().at(called).instructions)
        for (ComputationId own : p.module().callees(p.module().at(inner)))
          EXPECT_TRUE(std::string(p.module().at(own).name).starts_with("block.shift.")) << p.module().at(own).name;
}

TEST(Blocks, ACallThatRefusesASizeIsResized) {
  Palette p;
  const auto x = p.place("f32[4,8]"), wider = p.place("f32[6,8]");
  const auto y = p.place("linear 2", {x});
  ASSERT_FALSE(fitOf(p.module(), wider, y, 0).fits());
  const auto repairs = repairsOf(p.module(), wider, y, 0);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs[0].title, "resize the block to f32[6,8]");
  const auto done = p.history.perform(repairs[0].edit);
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  EXPECT_EQ(p.shape(y), "f32[6,2]");
}

// What a block takes is known while others of its inputs are open.
TEST(Blocks, ACallWithAnOpenInputRefusesASizeToo) {
  Palette p;
  const auto x = p.place("f32[4,8]"), wider = p.place("f32[6,8]");
  const auto y = p.place("linear 2", {x});
  ASSERT_TRUE(p.history.perform({"Open", {SetOperand{y, 0, {}}, SetOperand{y, 2, {}}}}));
  EXPECT_TRUE(fitOf(p.module(), x, y, 0).fits());
  ASSERT_FALSE(fitOf(p.module(), wider, y, 0).fits());
  const auto repairs = repairsOf(p.module(), wider, y, 0);
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs[0].title, "resize the block to f32[6,8]");
}

}  // namespace
}  // namespace tessera
