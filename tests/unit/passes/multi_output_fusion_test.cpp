// Sibling fusion: what becomes one nest, what must stay apart, and that values stay.
#include <fmt/format.h>

#include "core/ops/inference/infer.h"
#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/fusion/instruction_fusion.h"
#include "core/passes/fusion/multi_output_fusion.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

Module merged(const std::string& entry) {
  const Module source = moduleFrom(
      "HloModule m\nless { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT c = pred[] compare(p, q), "
      "direction=LT }\nsum { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT c = f32[] add(p, q) }\nmost { p = "
      "f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT c = f32[] maximum(p, q) }\nENTRY e {\n" +
      entry + "\n}\n");
  Module out = derive(source);
  EXPECT_TRUE(fuseInstructions(out).has_value());
  EXPECT_TRUE(fuseMultiOutput(out).has_value());
  expectSameValues(source, out);
  EXPECT_TRUE(insertCopies(out).has_value());
  EXPECT_TRUE(assignBuffers(out).has_value());
  expectSameValues(source, out);
  return out;
}
int nests(const Module& m) {
  int n = 0;
  for (InstructionId id : m.entryComputation().instructions) {
    const Opcode opcode = m.at(id).opcode;
    n += opcode != Opcode::Parameter && opcode != Opcode::Constant && opcode != Opcode::Tuple &&
         opcode != Opcode::GetTupleElement && opcode != Opcode::Copy;
  }
  return n;
}

TEST(PassesSiblings, ReadersOfOneArrayBecomeOne) {
  const Module m = merged(R"(g = f32[64] parameter(0)
 m = f32[64] parameter(1)
 v = f32[64] parameter(2)
 a = f32[64] add(g, m)
 s = f32[64] multiply(g, g)
 b = f32[64] add(s, v)
 c = pred[64] compare(g, v), direction=LT
 ROOT r = (f32[64], f32[64], pred[64]) tuple(a, b, c))");
  EXPECT_EQ(nests(m), 1);
}

TEST(PassesSiblings, WhatNobodyReadsStaysOut) {
  const Module source = moduleFrom(R"(HloModule m
ENTRY e {
 x = s32[10] parameter(0)
 y = s32[10] parameter(1)
 dead = s32[10] add(x, y)
 a = s32[10] negate(x)
 b = s32[10] sign(x)
 ROOT r = (s32[10], s32[10]) tuple(a, b)
}
)");
  Module out = derive(source);
  ASSERT_TRUE(fuseMultiOutput(out).has_value());
  EXPECT_TRUE(verify(out).empty());
  EXPECT_EQ(nests(out), 1);
  expectSameValues(source, out);
}

TEST(PassesSiblings, OneThatNeedsTheOtherStaysApart) {
  // z needs a, through a sort: not at the same index.
  const Module m = merged(R"(x = f32[64] parameter(0)
 a = f32[64] exponential(x)
 b = f32[64] sort(a), dimensions={0}, to_apply=less
 z = f32[64] add(x, b)
 ROOT r = (f32[64], f32[64]) tuple(a, z))");
  EXPECT_EQ(nests(m), 3);
}

TEST(PassesSiblings, MergesCannotCloseACycleTogether) {
  // a, b share x; c, d share y. c comes of a, b of d: both pairs together would be a cycle.
  const Module m = merged(R"(x = f32[64] parameter(0)
 y = f32[64] parameter(1)
 a = f32[64] tanh(x)
 d = f32[64] tanh(y)
 sa = f32[64] sort(a), dimensions={0}, to_apply=less
 sd = f32[64] sort(d), dimensions={0}, to_apply=less
 c = f32[64] add(y, sa)
 b = f32[64] add(x, sd)
 ROOT r = (f32[64], f32[64], f32[64], f32[64]) tuple(a, b, c, d))");
  EXPECT_GE(nests(m), 5);
}

TEST(PassesSiblings, OtherSpacesStayApart) {
  const Module m = merged(R"(x = f32[64] parameter(0)
 a = f32[64] tanh(x)
 b = f32[2,64] broadcast(x), dimensions={1}
 c = f32[2,64] parameter(1)
 d = f32[2,64] add(b, c)
 ROOT r = (f32[64], f32[2,64]) tuple(a, d))");
  EXPECT_EQ(nests(m), 2);
}

TEST(PassesSiblings, ReductionsOfOneArrayBecomeOne) {
  const Module m = merged(R"(x = f32[32,8] parameter(0)
 z = f32[] constant(0)
 low = f32[] constant(-inf)
 s = f32[8] reduce(x, z), dimensions={0}, to_apply=sum
 xx = f32[32,8] multiply(x, x)
 q = f32[8] reduce(xx, z), dimensions={0}, to_apply=sum
 h = f32[8] reduce(x, low), dimensions={0}, to_apply=most
 ROOT r = (f32[8], f32[8], f32[8]) tuple(s, q, h))");
  EXPECT_EQ(nests(m), 1);
}

TEST(PassesSiblings, ReductionsOfOtherDimensionsStayApart) {
  const Module m = merged(R"(x = f32[8,8] parameter(0)
 z = f32[] constant(0)
 s = f32[8] reduce(x, z), dimensions={0}, to_apply=sum
 q = f32[8] reduce(x, z), dimensions={1}, to_apply=sum
 ROOT r = (f32[8], f32[8]) tuple(s, q))");
  EXPECT_EQ(nests(m), 2);
}

TEST(PassesSiblings, AReductionThatNeedsTheOtherStaysApart) {
  const Module m = merged(R"(x = f32[32,8] parameter(0)
 z = f32[] constant(0)
 s = f32[8] reduce(x, z), dimensions={0}, to_apply=sum
 ss = f32[8] sort(s), dimensions={0}, to_apply=less
 sb = f32[32,8] broadcast(ss), dimensions={1}
 d = f32[32,8] subtract(x, sb)
 q = f32[8] reduce(d, z), dimensions={0}, to_apply=sum
 ROOT r = (f32[8], f32[8]) tuple(s, q))");
  EXPECT_EQ(nests(m), 3);
}

// y is a result and read, element by element and by rows, by what normalises it.
constexpr const char* kNormalised = R"(x = f32[32,256] parameter(0)
 w = f32[32,256] parameter(1)
 z = f32[] constant(0)
 e = f32[32,256] exponential(x)
 y = f32[32,256] multiply(e, w)
 s = f32[32] reduce(y, z), dimensions={1}, to_apply=sum
 sb = f32[32,256] broadcast(s), dimensions={0}
 n = f32[32,256] divide(y, sb)
)";

TEST(PassesSiblings, WhatIsStoredAndReadByRowsIsMadeByItsReader) {
  const Module m = merged(std::string(kNormalised) + " ROOT r = (f32[32,256], f32[32,256]) tuple(y, n)");
  EXPECT_EQ(nests(m), 1);
}

TEST(PassesSiblings, WhatOnlyMembersReadIsNoResult) {
  const Module m = merged(R"(x = f32[4096] parameter(0)
 w = f32[4096] parameter(1)
 a = f32[4096] power(x, w)
 b = f32[4096] power(a, x)
 c = f32[4096] power(b, w)
 d = f32[4096] power(b, x)
 ROOT r = (f32[4096], f32[4096]) tuple(c, d))");
  EXPECT_EQ(nests(m), 1);
  for (InstructionId id : m.entryComputation().instructions)
    EXPECT_TRUE(m.at(id).opcode != Opcode::Fusion || m.at(id).shape->elements.size() == 2);
}

// `count` expensive values of x, f32[size], that both results read: each is stored or made by their nest.
std::string dearValues(int size, int count) {
  std::string text = fmt::format(
      " x = f32[{0}] parameter(0)\n y = f32[{0}] parameter(1)\n t0 = f32[{0}] add(x, y)\n h0 = f32[{0}] subtract(x, "
      "y)\n",
      size);
  for (int k = 0; k < count; ++k)
    text += fmt::format(
        " c{1} = f32[] constant({2})\n b{1} = f32[{0}] broadcast(c{1}), dimensions={{}}\n m{1} = f32[{0}] add(x, "
        "b{1})\n a{1} = f32[{0}] atan2(m{1}, y)\n"
        " t{2} = f32[{0}] add(t{1}, a{1})\n h{2} = f32[{0}] maximum(h{1}, a{1})\n",
        size, k, k + 1);
  return text + fmt::format(" ROOT r = (f32[{0}], f32[{0}]) tuple(t{1}, h{1})", size, count);
}

TEST(PassesSiblings, WhatLaterMembersReadCountsAsNoResult) { EXPECT_EQ(nests(merged(dearValues(64, 5))), 1); }

TEST(PassesSiblings, LargeArraysAreWorthLargeNests) {
  EXPECT_EQ(nests(merged(dearValues(1 << 16, 20))), 1);
  EXPECT_GT(nests(merged(dearValues(64, 20))), 1);
}

TEST(PassesSiblings, WhatIsReadAtAnotherPlaceStaysApart) {
  const Module m = merged(R"(x = f32[256,256] parameter(0)
 y = f32[256,256] exponential(x)
 t = f32[256,256] broadcast(y), dimensions={1,0}
 n = f32[256,256] add(t, x)
 ROOT r = (f32[256,256], f32[256,256]) tuple(y, n))");
  EXPECT_EQ(nests(m), 2);
}

}  // namespace
}  // namespace tessera::test
