// Copies that a loop needs say what they are for.
#include "core/passes/buffers/copy_insertion.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

TEST(PassesCopies, SayWhatTheyAreFor) {
  const std::string text = R"(HloModule m
c { s = (s32[], f32[4], f32[4]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT p = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[4], f32[4]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[4] get-tuple-element(s), index=1
 y = f32[4] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 ROOT t = (s32[], f32[4], f32[4]) tuple(j, y, x) }
ENTRY e { a = f32[4] parameter(0)
 d = f32[4] parameter(1)
 i = s32[] constant(0)
 t = (s32[], f32[4], f32[4]) tuple(i, a, d)
 ROOT l = (s32[], f32[4], f32[4]) while(t), condition=c, body=b }
)";
  const Module source = moduleFrom(text);
  Module m = derive(source);
  ASSERT_TRUE(insertCopies(m).value());
  expectSameValues(source, m);
  int forLoop = 0, forSwap = 0;
  for (ComputationId computation : m.order())
    for (InstructionId id : m.at(computation).instructions) {
      if (m.at(id).opcode != Opcode::Copy) continue;
      ASSERT_TRUE(m.at(id).provenance && m.at(id).provenance->insertion);
      const Insertion& why = *m.at(id).provenance->insertion;
      forLoop += m.at(why.user).name == "l" && why.reason.starts_with("the loop changes its state");
      forSwap += why.reason.find("changes places") != std::string::npos;
    }
  EXPECT_EQ(forLoop, 3);
  EXPECT_GE(forSwap, 1);
}

}  // namespace
}  // namespace tessera::test
