// Loops: those that run never or once, elements of their state that are constant, unchanged or dead, and unrolling.
#include "core/ops/inference/trip_count.h"
#include "core/passes/control/simplify_loops.h"
#include "core/passes/control/unroll_loops.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

TEST(PassesLoops, ThatNeverRunDisappear) {
  const Changed c = after(loopText(5, 5, "z = f32[4] add(x, y)"), {simplifyLoops});
  EXPECT_TRUE(c.changed);
  EXPECT_EQ(countOf(c.result, Opcode::While), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Add), 0);
}

TEST(PassesLoops, ThatRunOnceAreTheirBody) {
  const Changed c = after(loopText(4, 5, "z = f32[4] add(x, y)"), {simplifyLoops});
  EXPECT_EQ(countOf(c.result, Opcode::While), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Add), 2);
}

TEST(PassesLoops, UnchangedElementsAreReadFromBefore) {
  const Changed c =
      after(loopText(0, 100, "z = f32[4] multiply(x, y)", "r = f32[4] get-tuple-element(l), index=2"), {simplifyLoops});
  EXPECT_EQ(c.result.entryComputation().root, c.result.entryComputation().parameters[1]);
}

TEST(PassesLoops, DeadElementsAreDropped) {
  const std::string text = loopText(0, 3, "z = f32[4] negate(x)", "r = s32[] get-tuple-element(l), index=0");
  const Changed c = after(text, {simplifyLoops});
  EXPECT_EQ(countOf(c.result, Opcode::Negate), 0);
  for (ComputationId computation : c.result.order())
    for (InstructionId id : c.result.at(computation).instructions)
      if (c.result.at(id).opcode == Opcode::While) {
        EXPECT_EQ(c.result.shapeOf(id).elements.size(), 1u);
      }
}

TEST(PassesLoops, ElementsThatOthersNeedStay) {
  // Nobody reads y after the loop, but x is computed from it.
  const Changed c = after(loopText(0, 3, "z = f32[4] add(x, y)"), {simplifyLoops});
  EXPECT_EQ(countOf(c.result, Opcode::While), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Add), 2);
}

TEST(PassesLoops, ConstantElementsBecomeConstantsInside) {
  const std::string text = R"(
c { s = (s32[], f32[], f32[4]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT p = pred[] compare(n, i), direction=GT }
b { s = (s32[], f32[], f32[4]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 k = f32[] get-tuple-element(s), index=1
 x = f32[4] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(one, i)
 kk = f32[4] broadcast(k), dimensions={}
 z = f32[4] multiply(x, kk)
 ROOT t = (s32[], f32[], f32[4]) tuple(j, k, z) }
ENTRY e { a = f32[4] parameter(0)
 i = s32[] constant(0)
 k = f32[] constant(1)
 t = (s32[], f32[], f32[4]) tuple(i, k, a)
 l = (s32[], f32[], f32[4]) while(t), condition=c, body=b
 ROOT r = f32[4] get-tuple-element(l), index=2 }
)";
  const Changed c = after(text, {simplifyLoops, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::Multiply), 0) << "x * 1 is seen once the 1 stands in the body\n"
                                                    << printHloText(c.result);
}

TEST(PassesLoops, SharedBodiesAreNotChangedForOneLoop) {
  const std::string text = R"(
c { s = (s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT p = pred[] compare(i, n), direction=LT }
b { s = (s32[], s32[]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 k = s32[] get-tuple-element(s), index=1
 j = s32[] add(i, k)
 ROOT t = (s32[], s32[]) tuple(j, k) }
ENTRY e { i = s32[] constant(0)
 one = s32[] constant(1)
 two = s32[] constant(2)
 t = (s32[], s32[]) tuple(i, one)
 u = (s32[], s32[]) tuple(i, two)
 l = (s32[], s32[]) while(t), condition=c, body=b
 m = (s32[], s32[]) while(u), condition=c, body=b
 x = s32[] get-tuple-element(l), index=0
 y = s32[] get-tuple-element(m), index=0
 ROOT r = (s32[], s32[]) tuple(x, y) }
)";
  after(text, {simplifyLoops});
}

struct Count {
  const char* direction;
  const char* operation;
  int start, step, bound, trips;  // trips -1: unknown, or more than are unrolled
};

TEST(PassesLoops, TripCounts) {
  const Count cases[] = {
      {"LT", "add", 0, 1, 4, 4},       {"LT", "add", 0, 3, 4, 2},  {"LE", "add", 0, 2, 4, 3},
      {"NE", "add", 0, 2, 8, 4},       {"GT", "add", 9, -3, 0, 3}, {"GE", "subtract", 8, 2, 0, 5},
      {"LT", "subtract", 0, 1, 4, -1}, {"GT", "add", 3, 1, 2, -1}, {"LT", "add", 120, 5, 126, -1},
  };
  for (const Count& k : cases) {
    SCOPED_TRACE(std::string(k.direction) + " " + k.operation + " " + std::to_string(k.start) + " by " +
                 std::to_string(k.step) + " to " + std::to_string(k.bound));
    const std::string type = k.start == 120 ? "s8[]" : "s32[]", state = "(" + type + ", s32[])";
    const std::string text = "c { s = " + state + " parameter(0)\n i = " + type +
                             " get-tuple-element(s), index=0\n n = " + type + " constant(" + std::to_string(k.bound) +
                             ")\n ROOT p = pred[] compare(i, n), direction=" + k.direction + " }\nb { s = " + state +
                             " parameter(0)\n i = " + type +
                             " get-tuple-element(s), index=0\n k = s32[] get-tuple-element(s), index=1\n h = " + type +
                             " constant(" + std::to_string(k.step) + ")\n j = " + type + " " + k.operation +
                             "(i, h)\n o = s32[] constant(1)\n z = s32[] add(k, o)\n ROOT t = " + state +
                             " tuple(j, z) }\n" + "ENTRY e { i = " + type + " constant(" + std::to_string(k.start) +
                             ")\n z = s32[] parameter(0)\n t = " + state + " tuple(i, z)\n l = " + state +
                             " while(t), condition=c, body=b\n ROOT r = s32[] get-tuple-element(l), index=1 }\n";
    Module m = derive(moduleFrom("HloModule m\n" + text));
    ASSERT_TRUE(unrollLoops(m).has_value());
    ASSERT_TRUE(simplify(m).has_value());
    ASSERT_TRUE(removeDeadCode(m).has_value());
    if (k.trips < 0) {
      EXPECT_EQ(countOf(m, Opcode::While), 1);
      continue;
    }
    EXPECT_EQ(countOf(m, Opcode::While), 0);
    const auto out = evaluateModule(m, std::vector{Literal::scalar<int32_t>(ElementType::S32, 100)});
    ASSERT_TRUE(out.has_value());
    EXPECT_EQ((*out)[0].data<int32_t>()[0], 100 + k.trips);
  }
}

TEST(PassesLoops, ShortOnesAreUnrolled) {
  const Changed c = after(loopText(0, 4,
                                   "k = f32[] convert(i)\n q = f32[4] broadcast(k), dimensions={}\n w = f32[4] add(x, "
                                   "q)\n z = f32[4] subtract(w, y)"),
                          {unrollLoops, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::While), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Subtract), 4);
  const Changed long_ = after(loopText(0, 100, "z = f32[4] subtract(x, y)"), {unrollLoops});
  EXPECT_FALSE(long_.changed);
}

// Fifty instructions a step on long arrays: five passes over memory in a loop, one unrolled kernel. Short arrays
// stay in a loop, and so does what is not elementwise.
TEST(PassesLoops, ElementwiseStepsOnLongArraysAreUnrolled) {
  const auto loopOf = [](const std::string& shape, const std::string& last) {
    std::string body = "a0 = f32[4] add(x, y)\n";
    for (int i = 1; i < 50; ++i)
      body += "a" + std::to_string(i) + " = f32[4] multiply(a" + std::to_string(i - 1) + ", y)\n";
    std::string text = loopText(0, 5, body + "z = f32[4] " + last);
    for (size_t at = 0; (at = text.find("f32[4]", at)) != std::string::npos;) text.replace(at, 6, shape);
    return text;
  };
  const Changed c = after(loopOf("f32[1024]", "negate(a49)"), {unrollLoops, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::While), 0);
  EXPECT_FALSE(after(loopOf("f32[1023]", "negate(a49)"), {unrollLoops}).changed);
  EXPECT_FALSE(after(loopOf("f32[1024]", "reverse(a49), dimensions={0}"), {unrollLoops}).changed);
}

// As the passes leave a loop: its counter is copied, and counted in fusions.
TEST(TripCounts, AreFoundThroughCopiesAndFusions) {
  const auto tripsOf = [](const std::string& step) {
    const auto read = readHloText(R"(HloModule m
compared {
  i = s32[] parameter(0)
  n = s32[] constant(7)
  ROOT r = pred[] compare(i, n), direction=LT
}
advanced {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  s = s32[] parameter(2)
  j = s32[] )" + step + R"(
  y = f32[] negate(x)
  ROOT r = (f32[], s32[]) tuple(y, j)
}
condition {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ROOT r = pred[] fusion(i), kind=kLoop, calls=compared
}
body {
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  two = s32[] constant(2)
  f = (f32[], s32[]) fusion(x, i, two), kind=kLoop, calls=advanced
  y = f32[] get-tuple-element(f), index=0
  j = s32[] get-tuple-element(f), index=1
  k = s32[] copy(j)
  ROOT r = (s32[], f32[]) tuple(k, y)
}
ENTRY e {
  x = f32[] parameter(0)
  z = s32[] constant(0)
  c = s32[] copy(z)
  t = (s32[], f32[]) tuple(c, x)
  w = (s32[], f32[]) while(t), condition=condition, body=body
  ROOT r = f32[] get-tuple-element(w), index=1
}
)");
    EXPECT_TRUE(read.module);
    for (InstructionId id : read.module->entryComputation().instructions)
      if (read.module->at(id).opcode == Opcode::While) return countedTrips(*read.module, read.module->at(id));
    return std::optional<int64_t>();
  };
  EXPECT_EQ(tripsOf("add(i, s)"), 4);
  EXPECT_EQ(tripsOf("subtract(i, s)"), std::nullopt);
  EXPECT_EQ(tripsOf("add(s, s)"), std::nullopt);
}

}  // namespace
}  // namespace tessera::test
