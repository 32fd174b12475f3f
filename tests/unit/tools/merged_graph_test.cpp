// Both graphs of a comparison as one.
#include "core/tools/diff/merged_graph.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

TEST(MergedGraph, HasWhatEitherHas) {
  const Module before = test::moduleOf(
      "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  old = f32[4] sine(x)\n  old2 = f32[4] tan(old)\n  y = "
      "f32[4] add(x, old2)\n  ROOT z = f32[4] negate(y)\n}\n");
  const Module after = test::moduleOf(
      "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  y = f32[4] add(x, x)\n  new = f32[4] floor(y)\n  ROOT "
      "z = f32[4] negate(new)\n}\n");
  const DiffResult found = diff(before, after);
  const MergedGraph merged = mergedGraph(before, after, found);
  const auto stateOf = [&](const char* name) {
    const auto id = merged.module.findInstruction(name);
    for (const auto& [each, state] : merged.states)
      if (id && each == *id) return state;
    return DiffState::Matched;
  };
  EXPECT_EQ(stateOf("old"), DiffState::Removed);
  EXPECT_EQ(stateOf("old2"), DiffState::Removed);
  EXPECT_EQ(stateOf("new"), DiffState::Added);
  EXPECT_EQ(merged.module.instructionCount(), after.instructionCount() + found.removed.size());
  const InstructionId old = *merged.module.findInstruction("old"), old2 = *merged.module.findInstruction("old2");
  EXPECT_EQ(merged.module.at(old2).operands[0], old);
  EXPECT_EQ(merged.module.at(old).operands[0], *merged.module.findInstruction("x"));
}

// A called computation that is gone comes along whole.
TEST(MergedGraph, KeepsComputationsThatAreGone) {
  const Module before = test::moduleOf(
      "HloModule m\n\nsum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] add(p, "
      "q)\n}\n\nENTRY main {\n  x = f32[4] parameter(0)\n  zero = f32[] constant(0)\n  ROOT r = f32[] reduce(x, zero), "
      "dimensions={0}, to_apply=sum\n}\n");
  const Module after = test::moduleOf(
      "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT r = f32[1] slice(x), slice={[0:1]}\n}\n");
  const MergedGraph merged = mergedGraph(before, after, diff(before, after));
  EXPECT_TRUE(merged.module.findComputation("sum"));
  EXPECT_GE(merged.module.order().size(), 2u);
}

}  // namespace
}  // namespace tessera
