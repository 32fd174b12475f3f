// Sorts: operands that nobody reads, and sorts of which only the first elements are read.
#include "core/passes/simplify/simplify.h"
#include "core/passes/simplify/simplify_sorts.h"
#include "core/passes/simplify/sorts_to_top_k.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

TEST(PassesSorts, UnreadOperandsAreDropped) {
  const std::string text = R"(
less { a = f32[] parameter(0)
 b = f32[] parameter(1)
 c = s32[] parameter(2)
 d = s32[] parameter(3)
 e = f32[] parameter(4)
 f = f32[] parameter(5)
 ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e { x = f32[9] parameter(0)
 y = s32[9] parameter(1)
 z = f32[9] parameter(2)
 s = (f32[9], s32[9], f32[9]) sort(x, y, z), dimensions={0}, is_stable=true, to_apply=less
 ROOT r = f32[9] get-tuple-element(s), index=2 }
)";
  const Changed c = after(text, {simplifySorts});
  EXPECT_TRUE(c.changed);
  for (InstructionId id : c.result.entryComputation().instructions)
    if (c.result.at(id).opcode == Opcode::Sort) {
      EXPECT_EQ(c.result.at(id).operands.size(), 2u);
    }
}

TEST(PassesSorts, OfWhichTheFirstAreReadLookForThoseAlone) {
  const auto left = [](const std::string& type, const std::string& compare, const std::string& attributes,
                       const std::string& places, int64_t k, bool isSecondWhole = false) {
    const std::string count = std::to_string(k), line = type + "[3,40]", few = "[3," + count + "]",
                      slice = ", slice={[0:3], [0:" + count + "]}\n ";
    const Changed c =
        after("first { a = " + type + "[] parameter(0)\n b = " + type +
                  "[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n ROOT r = pred[] compare(" +
                  compare + " }\n" + "ENTRY e { x = " + line +
                  " parameter(0)\n n = s32[40] iota(), iota_dimension=0\n y = s32[3,40] " + places + "\n s = (" + line +
                  ", s32[3,40]) sort(x, y), dimensions={1}, to_apply=first" + attributes + "\n v = " + line +
                  " get-tuple-element(s), index=0\n i = s32[3,40] get-tuple-element(s), index=1\n p = " + type + few +
                  " slice(v)" + slice + "q = s32" + few + " slice(i)" + slice +
                  "h = s32[3,1] slice(i), slice={[0:3], [0:1]}\n ROOT r = (" + type + few + ", s32" +
                  (isSecondWhole ? "[3,40]" : few) + ", s32[3,1]) tuple(p, " + (isSecondWhole ? "i" : "q") + ", h) }\n",
              {makeTopKOfSorts, removeDeadCode});
    return countOf(c.result, Opcode::Sort);
  };
  const std::string places = "broadcast(n), dimensions={1}", larger = "a, b), direction=GT",
                    stable = ", is_stable=true";
  EXPECT_EQ(left("s32", larger, stable, places, 5), 0);
  EXPECT_EQ(left("s32", "b, a), direction=GT", stable, places, 5), 0);
  EXPECT_EQ(left("s16", "a, b), direction=LT", stable, "iota(), iota_dimension=1", 10), 0);
  EXPECT_EQ(left("f32", larger + ", type=TOTALORDER", stable, places, 5), 0);
  EXPECT_EQ(left("f32", larger, stable, places, 5), 1) << "zeros are equal and keep their order";
  EXPECT_EQ(left("s32", larger, stable, places, 11), 1) << "too many are read";
  EXPECT_EQ(left("s32", larger, stable, places, 5, true), 1) << "all are read";
  EXPECT_EQ(left("s32", larger, stable, "iota(), iota_dimension=0", 5), 1) << "not places in the line";
  EXPECT_EQ(left("s32", "a, b), direction=GE", stable, places, 5), 1);
  EXPECT_EQ(left("s4", larger, stable, places, 5), 1) << "no kernel";
}

}  // namespace
}  // namespace tessera::test
