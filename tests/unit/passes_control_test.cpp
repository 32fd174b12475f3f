// Loops, branches, sorts and batch norms: what the passes over them make of small programs, and that values stay.
#include <algorithm>

#include "core/passes/buffers/copy_insertion.h"
#include "core/passes/control/hoist_invariants.h"
#include "core/passes/control/move_out_of_branches.h"
#include "core/passes/control/simplify_conditionals.h"
#include "core/passes/control/simplify_loops.h"
#include "core/passes/control/unroll_loops.h"
#include "core/passes/dead_code.h"
#include "core/passes/expand/expand_batch_norm.h"
#include "core/passes/expand/expand_random_bits.h"
#include "core/passes/expand/expand_scan.h"
#include "core/passes/simplify/fold_constants.h"
#include "core/passes/simplify/simplify.h"
#include "core/passes/simplify/simplify_sorts.h"
#include "core/passes/simplify/sorts_to_top_k.h"
#include "tests/unit/passes_text.h"

namespace tessera::test {
namespace {

using Run = Result<bool> (*)(Module&);

struct Changed {
  Module source, result;
  bool changed = false;
};
Changed after(const std::string& text, std::initializer_list<Run> passes, double tolerance = 0) {
  Changed out{moduleFrom("HloModule m\n" + text), Module()};
  out.result = derive(out.source);
  for (Run pass : passes) {
    const auto changed = pass(out.result);
    EXPECT_TRUE(changed.has_value()) << (changed ? "" : changed.error().toString());
    out.changed |= changed.value_or(false);
  }
  EXPECT_TRUE(removeDeadCode(out.result).has_value());
  expectSameValues(out.source, out.result, tolerance);
  return out;
}

// A loop over (counter, x, y) that counts from `start` to below `bound`; `step` gives the new x from i, x, y.
std::string loopText(int start, int bound, const std::string& step,
                     const std::string& read = "r = f32[4] get-tuple-element(l), index=1") {
  return "c { s = (s32[], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] "
         "constant(" +
         std::to_string(bound) +
         ")\n ROOT p = pred[] compare(i, n), direction=LT }\n"
         "b { s = (s32[], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n x = f32[4] "
         "get-tuple-element(s), index=1\n"
         " y = f32[4] get-tuple-element(s), index=2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
         step +
         "\n ROOT t = (s32[], f32[4], f32[4]) tuple(j, z, y) }\n"
         "ENTRY e { a = f32[4] parameter(0)\n d = f32[4] parameter(1)\n i = s32[] constant(" +
         std::to_string(start) +
         ")\n t = (s32[], f32[4], f32[4]) tuple(i, a, d)\n l = (s32[], f32[4], f32[4]) while(t), condition=c, body=b\n "
         "ROOT " +
         read + " }\n";
}

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

TEST(PassesLoops, ShortOnesAreWrittenOut) {
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
TEST(PassesLoops, ElementwiseStepsOnLongArraysAreWrittenOut) {
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

TEST(PassesLoops, InvariantProductsMoveOut) {
  const std::string text = loopText(0, 3, "a = f32[4] tanh(y)\n z = f32[4] add(x, a)");
  const Changed c = after(text, {hoistInvariants});
  EXPECT_TRUE(c.changed);
  int outside = 0;
  for (InstructionId id : c.result.entryComputation().instructions) outside += c.result.at(id).opcode == Opcode::Tanh;
  EXPECT_EQ(outside, 1);
  EXPECT_EQ(countOf(c.result, Opcode::Tanh), 1);
}

TEST(PassesLoops, CheapAndSpreadValuesStayInside) {
  EXPECT_FALSE(after(loopText(0, 3, "a = f32[4] negate(y)\n z = f32[4] add(x, a)"), {hoistInvariants}).changed);
  const std::string spread = R"(
c { s = (s32[], f32[64,64], f32[64]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT p = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[64,64], f32[64]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[64,64] get-tuple-element(s), index=1
 y = f32[64] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 e = f32[64] exponential(y)
 w = f32[64,64] broadcast(e), dimensions={1}
 z = f32[64,64] add(x, w)
 ROOT t = (s32[], f32[64,64], f32[64]) tuple(j, z, y) }
ENTRY e { a = f32[64,64] parameter(0)
 d = f32[64] parameter(1)
 i = s32[] constant(0)
 t = (s32[], f32[64,64], f32[64]) tuple(i, a, d)
 l = (s32[], f32[64,64], f32[64]) while(t), condition=c, body=b
 ROOT r = f32[64,64] get-tuple-element(l), index=1 }
)";
  const Changed c = after(spread, {hoistInvariants});
  int inEntry = 0;
  for (InstructionId id : c.result.entryComputation().instructions) {
    inEntry += c.result.at(id).opcode == Opcode::Exponential;
    EXPECT_NE(c.result.at(id).opcode, Opcode::Broadcast);
  }
  EXPECT_EQ(inEntry, 1);
}

// A loop over (counter, x: f32[n,n], y: f32[n]); `step` gives z, the new x, from x and y.
std::string matrixLoop(int n, const std::string& step) {
  const std::string all = "f32[" + std::to_string(n) + "," + std::to_string(n) + "]",
                    row = "f32[" + std::to_string(n) + "]", state = "(s32[], " + all + ", " + row + ")";
  std::string text =
      "c { s = STATE parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(3)\n "
      "ROOT p = pred[] compare(i, n), direction=LT }\nb { s = STATE parameter(0)\n i = s32[] "
      "get-tuple-element(s), index=0\n x = ALL get-tuple-element(s), index=1\n y = ROW "
      "get-tuple-element(s), index=2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
      step +
      "\n ROOT t = STATE tuple(j, z, y) }\nENTRY e { a = ALL parameter(0)\n d = ROW parameter(1)\n i = "
      "s32[] constant(0)\n t = STATE tuple(i, a, d)\n l = STATE while(t), condition=c, body=b\n ROOT r = "
      "ALL get-tuple-element(l), index=1 }\n";
  for (const auto& [word, type] : {std::pair<std::string, std::string>{"STATE", state}, {"ALL", all}, {"ROW", row}})
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), type);
  return text;
}
int inEntry(const Module& m, Opcode opcode) {
  return static_cast<int>(std::ranges::count_if(m.entryComputation().instructions,
                                                [&](InstructionId id) { return m.at(id).opcode == opcode; }));
}
const std::string kMask =
    " p = s32[] constant(0)\n k = INDEX iota(), iota_dimension=0\n l = INDEX iota(), iota_dimension=1\n g = MASK "
    "compare(k, l), direction=GE\n m = ALL convert(g)\n";
std::string maskLoop(int n, const std::string& step) {
  const std::string dims = "[" + std::to_string(n) + "," + std::to_string(n) + "]";
  std::string text = kMask + step;
  for (const auto& [word, type] : {std::pair<std::string, std::string>{"INDEX", "s32"}, {"MASK", "pred"}})
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), type + dims);
  return matrixLoop(n, text);
}

// exp(m * y) of a mask m from two iotas is the same in every round.
TEST(PassesLoops, DearValuesOfIotasMoveOut) {
  const Changed c = after(maskLoop(8,
                                   " w = ALL broadcast(y), dimensions={0}\n h = ALL multiply(m, w)\n e = ALL "
                                   "exponential(h)\n z = ALL add(x, e)"),
                          {hoistInvariants});
  EXPECT_EQ(inEntry(c.result, Opcode::Exponential), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Exponential), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Iota), 2);
}

// Outside the loop an iota, or what costs little to compute from one, would only be read from memory.
TEST(PassesLoops, CheapValuesOfIotasStayInside) {
  EXPECT_FALSE(after(maskLoop(8, " z = ALL multiply(x, m)"), {hoistInvariants}).changed);
  const std::string parity =
      " q = s32[] constant(2)\n w = INDEX broadcast(q), dimensions={}\n o = INDEX remainder(k, w)\n f = ALL "
      "convert(o)\n z = ALL multiply(x, f)";
  EXPECT_FALSE(after(maskLoop(8, parity), {hoistInvariants}).changed) << "a remainder by a constant is a few products";
}

// Only what is expensive moves: the mask around it would be eight times its size.
TEST(PassesLoops, OfValuesOfIotasOnlyTheDearPartMovesOut) {
  const Changed c = after(maskLoop(8,
                                   " v = ROW iota(), iota_dimension=0\n u = ROW exponential(v)\n w = ALL broadcast(u), "
                                   "dimensions={1}\n h = ALL multiply(m, w)\n z = ALL add(x, h)"),
                          {hoistInvariants});
  EXPECT_EQ(inEntry(c.result, Opcode::Exponential), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Multiply), 0);
  EXPECT_EQ(inEntry(c.result, Opcode::Compare), 0);
}

// 32768 * 32768 exponentials would take 4 GiB for as long as the loop runs.
TEST(PassesLoops, ValuesOfIotasThatNeedTooMuchMemoryStayInside) {
  const std::string text = maskLoop(32768, " h = ALL multiply(m, m)\n e = ALL exponential(h)\n z = ALL add(x, e)");
  Module m = derive(moduleFrom("HloModule m\n" + text));
  EXPECT_FALSE(hoistInvariants(m).value());
}

// A product reads its operands from memory: what is the same in each round is stored once.
TEST(PassesLoops, InvariantOperandsOfProductsMoveOut) {
  const Changed c =
      after(maskLoop(8, " w = ALL negate(m)\n z = ALL dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            {hoistInvariants});
  EXPECT_EQ(inEntry(c.result, Opcode::Negate), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Negate), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Dot), 0);
}

std::string branches(const std::string& chooser, const std::string& yes, const std::string& no,
                     const std::string& root) {
  return "y { p = (f32[4], f32[100]) parameter(0)\n a = f32[4] get-tuple-element(p), index=0\n b = f32[100] "
         "get-tuple-element(p), index=1\n" +
         yes +
         "}\nn { p = (f32[4], f32[100]) parameter(0)\n a = f32[4] get-tuple-element(p), index=0\n b = f32[100] "
         "get-tuple-element(p), index=1\n" +
         no + "}\nENTRY e { a = f32[4] parameter(0)\n b = f32[100] parameter(1)\n " + chooser +
         "\n t = (f32[4], f32[100]) tuple(a, b)\n" + root + " }\n";
}

TEST(PassesConditionals, KnownBranchesAreInlined) {
  const std::string root = " ROOT r = f32[4] conditional(c, t, t), true_computation=y, false_computation=n";
  const Changed c =
      after(branches("c = pred[] constant(false)", "ROOT r = f32[4] negate(a)\n", "ROOT r = f32[4] abs(a)\n", root),
            {simplifyConditionals});
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Abs), 1);
  const std::string byIndex = " ROOT r = f32[4] conditional(c, t, t), branch_computations={y, n}";
  const Changed d =
      after(branches("c = s32[] constant(-7)", "ROOT r = f32[4] negate(a)\n", "ROOT r = f32[4] abs(a)\n", byIndex),
            {simplifyConditionals});
  EXPECT_EQ(countOf(d.result, Opcode::Abs), 1) << "an index out of range takes the last";
}

TEST(PassesConditionals, SmallOnesBecomeSelects) {
  const std::string root =
      " r = (f32[4], f32[4]) conditional(c, t, t), true_computation=y, false_computation=n\n ROOT q = f32[4] "
      "get-tuple-element(r), index=1";
  const Changed c =
      after(branches("c = pred[] parameter(2)", "n = f32[4] negate(a)\n ROOT r = (f32[4], f32[4]) tuple(a, n)\n",
                     "n = f32[4] exponential(a)\n ROOT r = (f32[4], f32[4]) tuple(n, a)\n", root),
            {simplifyConditionals, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Select), 1);
}

// Two branches over (x, y); `yes` and `no` give their results.
std::string branchesOverMatrices(const std::string& yes, const std::string& no, const std::string& result) {
  const std::string head =
      " { p = (f32[8,8], f32[8,8]) parameter(0)\n x = f32[8,8] get-tuple-element(p), index=0\n y = f32[8,8] "
      "get-tuple-element(p), index=1\n";
  return "sum { u = f32[] parameter(0)\n v = f32[] parameter(1)\n ROOT w = f32[] add(u, v) }\nyes" + head + yes +
         "}\nno" + head + no +
         "}\nENTRY e { a = f32[8,8] parameter(0)\n b = f32[8,8] parameter(1)\n c = pred[] parameter(2)\n t = "
         "(f32[8,8], f32[8,8]) tuple(a, b)\n ROOT r = " +
         result + " conditional(c, t, t), true_computation=yes, false_computation=no }\n";
}
constexpr const char* kProduct = "d = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

TEST(PassesBranches, DearBeginningsStandOnceOutside) {
  const Changed c = after(branchesOverMatrices(kProduct + std::string(" ROOT r = f32[8,8] negate(d)\n"),
                                               kProduct + std::string(" ROOT r = f32[8,8] tanh(d)\n"), "f32[8,8]"),
                          {moveOutOfBranches});
  EXPECT_EQ(inEntry(c.result, Opcode::Dot), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Dot), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 1);
  for (InstructionId id : c.result.entryComputation().instructions)
    EXPECT_TRUE(c.result.at(id).opcode != Opcode::Dot || c.result.at(id).provenance->sources.size() == 2);
}

TEST(PassesBranches, ChainsOfCommonWorkMoveWhole) {
  const std::string chain = kProduct + std::string(
                                           " z = f32[] constant(0)\n e = f32[8,8] exponential(d)\n s = f32[8] "
                                           "reduce(e, z), dimensions={1}, to_apply=sum\n");
  const Changed c = after(
      branchesOverMatrices(chain + " ROOT r = f32[8] negate(s)\n", chain + " ROOT r = f32[8] cosine(s)\n", "f32[8]"),
      {moveOutOfBranches});
  EXPECT_EQ(inEntry(c.result, Opcode::Reduce), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Dot), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Exponential), 1);
}

TEST(PassesBranches, CheapOrDifferentBeginningsStay) {
  const Changed cheap = after(branchesOverMatrices(" d = f32[8,8] add(x, y)\n ROOT r = f32[8,8] negate(d)\n",
                                                   " d = f32[8,8] add(x, y)\n ROOT r = f32[8,8] tanh(d)\n", "f32[8,8]"),
                              {moveOutOfBranches});
  EXPECT_FALSE(cheap.changed);
  const Changed other = after(
      branchesOverMatrices(
          kProduct + std::string(" ROOT r = f32[8,8] negate(d)\n"),
          " d = f32[8,8] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT r = f32[8,8] tanh(d)\n",
          "f32[8,8]"),
      {moveOutOfBranches});
  EXPECT_FALSE(other.changed);
}

TEST(PassesBranches, WideningEndsStandOnceOutside) {
  const std::string rows =
      " z = f32[] constant(0)\n s = f32[8] reduce(NAME, z), dimensions={1}, to_apply=sum\n m = s32[8] convert(s)\n n = "
      "s8[8] convert(m)\n k = f32[8] convert(n)\n w = f32[8,8] broadcast(k), dimensions={1}\n";
  auto of = [&](const char* name) {
    std::string text = rows;
    return text.replace(text.find("NAME"), 4, name) + " ROOT r = (f32[8,8], f32[8,8]) tuple(w, " + name + ")\n";
  };
  const Changed c = after(branchesOverMatrices(of("x"), of("y"), "(f32[8,8], f32[8,8])"), {moveOutOfBranches});
  EXPECT_EQ(inEntry(c.result, Opcode::Broadcast), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Broadcast), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Convert), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Convert), 5);
}

TEST(PassesBranches, EndsThatGrowNothingStay) {
  const Changed c =
      after(branchesOverMatrices(" ROOT r = f32[8,8] tanh(x)\n", " ROOT r = f32[8,8] tanh(y)\n", "f32[8,8]"),
            {moveOutOfBranches});
  EXPECT_FALSE(c.changed);
}

TEST(PassesConditionals, UnreadResultsAreDropped) {
  const std::string root =
      " r = (f32[100], f32[100], f32[4]) conditional(c, t, t), true_computation=y, false_computation=n\n q = f32[100] "
      "get-tuple-element(r), index=1\n w = f32[4] get-tuple-element(r), index=2\n ROOT z = (f32[100], f32[4]) tuple(q, "
      "w)";
  const Changed c =
      after(branches("c = pred[] parameter(2)",
                     "n = f32[100] negate(b)\n ROOT r = (f32[100], f32[100], f32[4]) tuple(n, b, a)\n",
                     "n = f32[100] exponential(b)\n ROOT r = (f32[100], f32[100], f32[4]) tuple(b, n, a)\n", root),
            {simplifyConditionals, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Negate), 0);
  const Instruction& root_ = c.result.at(c.result.entryComputation().root);
  EXPECT_EQ(root_.operands[1], c.result.entryComputation().parameters[0]) << "both branches hand it through";
}

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

TEST(PassesFoldConstants, SumsAndSortsOfConstantsWithinTheLimit) {
  const std::string text = R"(
sum { a = s32[] parameter(0)
 b = s32[] parameter(1)
 ROOT c = s32[] add(a, b) }
ENTRY e { x = s32[2,3] constant({{1,2,3},{4,5,6}})
 z = s32[] constant(10)
 s = s32[2] reduce(x, z), dimensions={1}, to_apply=sum
 p = s32[2] parameter(0)
 ROOT r = s32[2] add(s, p) }
)";
  const Changed c = after(text, {foldConstants});
  EXPECT_EQ(countOf(c.result, Opcode::Reduce), 0);
  const std::string spread =
      "ENTRY e { z = s32[] constant(10)\n b = s32[100000] broadcast(z), dimensions={}\n ROOT r = s32[100000] negate(b) "
      "}\n";
  EXPECT_FALSE(after(spread, {foldConstants}).changed);
}

// A constant of ones with these dimensions.
std::string ones(const std::string& name, const std::vector<int64_t>& dims) {
  std::string shape, value = "1";
  for (size_t d = dims.size(); d-- > 0;) {
    shape = std::to_string(dims[d]) + (shape.empty() ? "" : "," + shape);
    std::string row = "{" + value;
    for (int64_t i = 1; i < dims[d]; ++i) row += "," + value;
    value = row + "}";
  }
  return name + " = f32[" + shape + "] constant(" + value + ")\n";
}

// At most 2^20 operations a result.
TEST(PassesFoldConstants, ProductsAndWindowsWithinTheLimit) {
  const auto isFolded = [](const std::string& text) {
    Module m = moduleFrom(
        "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        " ROOT c = f32[] add(a, b) }\nENTRY e { " +
        text + " }\n");
    return foldConstants(m).value();
  };
  const auto product = [&](int64_t n) {
    const std::string size = std::to_string(n) + "," + std::to_string(n);
    return isFolded(ones("x", {n, n}) + " ROOT r = f32[" + size +
                    "] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  };
  EXPECT_TRUE(product(32));
  EXPECT_FALSE(product(33));
  const auto convolution = [&](int64_t n) {
    return isFolded(ones("x", {1, 1, n}) + ones("k", {1, 1, 3}) + " ROOT r = f32[1,1," + std::to_string(n - 2) +
                    "] convolution(x, k), window={size=3}, dim_labels=bf0_oi0->bf0");
  };
  EXPECT_TRUE(convolution(1025));
  EXPECT_FALSE(convolution(1026));
  const auto windows = [&](int64_t n, int64_t size) {
    return isFolded(ones("x", {n}) + " z = f32[] constant(0)\n ROOT r = f32[" + std::to_string(n - size + 1) +
                    "] reduce-window(x, z), window={size=" + std::to_string(size) + "}, to_apply=sum");
  };
  EXPECT_TRUE(windows(600, 300));
  EXPECT_FALSE(windows(2048, 1024));
}

TEST(PassesBatchNorm, AllThreeAreWrittenOut) {
  const std::string operands = "x = f32[3,4,2] parameter(0)\n s = f32[4] parameter(1)\n o = f32[4] parameter(2)\n";
  const std::string training =
      "ENTRY e { " + operands +
      " ROOT r = (f32[3,4,2], f32[4], f32[4]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1 }\n";
  EXPECT_EQ(countOf(after(training, {expandBatchNorms}, 1e-5).result, Opcode::BatchNormTraining), 0);
  const std::string inference = "ENTRY e { " + operands +
                                " m = f32[4] parameter(3)\n v = f32[4] parameter(4)\n w = f32[4] multiply(v, v)\n ROOT "
                                "r = f32[3,4,2] batch-norm-inference(x, s, o, m, w), epsilon=0.5, feature_index=1 }\n";
  EXPECT_EQ(countOf(after(inference, {expandBatchNorms}, 1e-5).result, Opcode::BatchNormInference), 0);
  const std::string gradient = "ENTRY e { " + operands +
                               " v = f32[4] multiply(o, o)\n d = f32[3,4,2] parameter(3)\n ROOT r = (f32[3,4,2], "
                               "f32[4], f32[4]) batch-norm-grad(x, s, o, v, d), epsilon=0.5, feature_index=1 }\n";
  EXPECT_EQ(countOf(after(gradient, {expandBatchNorms}, 1e-4).result, Opcode::BatchNormGrad), 0);
  const std::string narrow =
      "ENTRY e { x = bf16[3,4,2] parameter(0)\n s = bf16[4] parameter(1)\n o = bf16[4] parameter(2)\n r = "
      "(bf16[3,4,2], bf16[4], bf16[4]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1\n ROOT q = "
      "bf16[3,4,2] get-tuple-element(r), index=0 }\n";
  after(narrow, {expandBatchNorms}, 1e-2);
}

// States of the examples reach both ends of a word, so counters carry.
TEST(PassesRandomBits, AreWrittenOut) {
  const auto expanded = [](const std::string& state, const std::string& data, const std::string& algorithm) {
    const std::string text = "ENTRY e { s = " + state + " parameter(0)\n ROOT r = (" + state + ", " + data +
                             ") rng-bit-generator(s), algorithm=" + algorithm + " }\n";
    return countOf(after(text, {expandRandomBits}).result, Opcode::RngBitGenerator) == 0;
  };
  for (const std::string data :
       {"u32[]", "u32[9]", "s32[3,4]", "u32[3,5,7]", "u32[0]", "u8[5,3]", "s16[6]", "u64[7]", "s64[2,3]", "s4[5]"}) {
    EXPECT_TRUE(expanded("u64[2]", data, "rng_three_fry")) << data;
    EXPECT_TRUE(expanded("u64[2]", data, "rng_philox")) << data;
    EXPECT_TRUE(expanded("u64[3]", data, "rng_default")) << data;
  }
  for (const std::string data : {"f32[9]", "f64[5]", "bf16[3,3]", "f8e5m2[5]"})
    EXPECT_TRUE(expanded("u64[3]", data, "rng_philox")) << data;
  EXPECT_FALSE(expanded("u64[3]", "f4e2m1fn[4]", "rng_philox"));
}

TEST(PassesScans, WithoutStepsAreTheirBeginning) {
  const std::string text = R"(
f { x = f32[] parameter(0)
 c = f32[] parameter(1)
 s = f32[] add(x, c)
 ROOT t = (f32[], f32[]) tuple(s, s) }
ENTRY e { x = f32[0] parameter(0)
 c = f32[] parameter(1)
 ROOT r = (f32[0], f32[]) scan(x, c), dimensions={0}, num_carries=1, to_apply=f }
)";
  const Changed c = after(text, {expandScans});
  EXPECT_TRUE(c.changed);
  EXPECT_EQ(countOf(c.result, Opcode::While), 0);
}

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
