// Values followed across calls, loops, fusions, conditionals and tuples; the tree of computations.
#include <algorithm>

#include "core/tools/find_instruction.h"
#include "core/tools/flow/call_tree.h"
#include "core/tools/flow/value_flow.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

using test::moduleOf;

InstructionId at(const Module& module, const char* name) { return instructionNamed(module, name).value(); }

std::string namesOf(const Module& module, const std::vector<InstructionId>& ids) {
  std::string out;
  for (InstructionId id : ids) out += (out.empty() ? "" : " ") + std::string(module.at(id).name);
  return out;
}

std::string pathText(const Module& module, const std::vector<FlowStep>& steps) {
  const char* marks[] = {"", " ", " >", " <", " ^"};
  std::string out;
  for (const FlowStep& step : steps)
    out += marks[static_cast<int>(step.how)] + std::string(module.at(step.instruction).name);
  return out;
}

class FlowOf {
 public:
  explicit FlowOf(const char* text) : module(moduleOf(text)), flow(module) {}
  std::string up(const char* name) const { return cone(name, FlowDirection::Up); }
  std::string down(const char* name) const { return cone(name, FlowDirection::Down); }
  std::string path(const char* from, const char* to) const {
    return pathText(module, flow.path(at(module, from), at(module, to)));
  }
  const Module module;
  const ValueFlow flow;

 private:
  std::string cone(const char* name, FlowDirection direction) const {
    const InstructionId id = at(module, name);
    return namesOf(module, flow.cone(std::span(&id, 1), direction));
  }
};

const char* kTwoCalls = R"(HloModule calls

swap {
  first = f32[] parameter(0)
  second = f32[] parameter(1)
  n = f32[] negate(first)
  m = f32[] tanh(second)
  ROOT swapped = (f32[], f32[]) tuple(m, n)
}

ENTRY main {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  one = (f32[], f32[]) call(a, b), to_apply=swap
  two = (f32[], f32[]) call(b, c), to_apply=swap
  one0 = f32[] get-tuple-element(one), index=0
  two1 = f32[] get-tuple-element(two), index=1
  x = f32[] sine(one0)
  y = f32[] cosine(two1)
  ROOT out = (f32[], f32[]) tuple(x, y)
}
)";

TEST(Flow, ACallHandsOnWhatItsComputationDoes) {
  const FlowOf f(kTwoCalls);
  // one0 is tanh(b): neither a nor what the other call does is in it.
  EXPECT_EQ(f.up("x"), "second m swapped b one one0 x");
  EXPECT_EQ(f.down("a"), "first n swapped a one");  // nobody takes element 1 of the first call
  EXPECT_EQ(f.down("c"), "second m swapped c two");
  EXPECT_EQ(f.down("b"), "first second n m swapped b one two one0 two1 x y out");
  EXPECT_EQ(f.path("b", "x"), "b one one0 x");
  EXPECT_EQ(f.path("a", "x"), "");
  EXPECT_EQ(f.path("x", "b"), "");
}
TEST(Flow, IntoACallAndOutOfIt) {
  const FlowOf f(kTwoCalls);
  EXPECT_EQ(f.path("b", "m"), "b >second m");
  EXPECT_EQ(f.path("n", "y"), "n swapped <two two1 y");
  EXPECT_EQ(f.path("n", "x"), "");  // element 0 is m
  EXPECT_EQ(f.path("n", "n"), "n");
  EXPECT_EQ(f.up("n"), "first n a b");
  EXPECT_EQ(f.down("m"), "m swapped one two one0 x out");
}

const char* kLoop = R"(HloModule loop

square {
  p = f32[8] parameter(0)
  ROOT pp = f32[8] multiply(p, p)
}

body {
  state = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  u = f32[8] get-tuple-element(state), index=1
  v = f32[8] get-tuple-element(state), index=2
  w = f32[8] get-tuple-element(state), index=3
  step = s32[] constant(1)
  next = s32[] add(i, step)
  squared = f32[8] fusion(v), kind=kLoop, calls=square
  ROOT state2 = (s32[], f32[8], f32[8], f32[8]) tuple(next, squared, v, w)
}

condition {
  s = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  j = s32[] get-tuple-element(s), index=0
  limit = s32[] constant(3)
  ROOT more = pred[] compare(j, limit), direction=LT
}

ENTRY main {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  z = f32[8] parameter(2)
  zero = s32[] constant(0)
  start = (s32[], f32[8], f32[8], f32[8]) tuple(zero, x, y, z)
  loop = (s32[], f32[8], f32[8], f32[8]) while(start), condition=condition, body=body
  u.1 = f32[8] get-tuple-element(loop), index=1
  w.1 = f32[8] get-tuple-element(loop), index=3
  left = f32[8] tanh(u.1)
  right = f32[8] tanh(w.1)
  ROOT both = (f32[8], f32[8]) tuple(left, right)
}
)";

TEST(Flow, ALoopKeepsTheElementsOfItsStateApart) {
  const FlowOf f(kLoop);
  // u becomes v squared; w stays what it is. How often decides the counter, of either.
  EXPECT_EQ(f.path("y", "left"), "y start loop u.1 left");
  EXPECT_EQ(f.path("x", "left"), "x start loop u.1 left");
  EXPECT_EQ(f.path("y", "right"), "");
  EXPECT_EQ(f.path("z", "right"), "z start loop w.1 right");
  EXPECT_EQ(f.path("zero", "right"), "zero start loop w.1 right");
  EXPECT_EQ(f.down("z"), "state w state2 s z start loop w.1 right both");
  const std::string up = f.up("left");
  for (const char* in : {"pp", "squared", "limit", "step", "y", "x", "zero"})
    EXPECT_NE((" " + up + " ").find(std::string(" ") + in + " "), std::string::npos) << in << ": " << up;
  for (const char* out : {"z", "w", "w.1"})
    EXPECT_EQ((" " + up + " ").find(std::string(" ") + out + " "), std::string::npos) << out << ": " << up;
}
TEST(Flow, AStepSaysWhichElementOfATupleItIs) {
  const FlowOf f(kLoop);
  const std::vector<FlowStep> path = f.flow.path(at(f.module, "z"), at(f.module, "right"));
  ASSERT_EQ(path.size(), 5u);  // z start loop w.1 right
  EXPECT_TRUE(path[0].element.empty() && path[3].element.empty());
  EXPECT_EQ(path[1].element, std::vector<int64_t>{3});
  EXPECT_EQ(path[2].element, std::vector<int64_t>{3});
}
TEST(Flow, IntoLoopsFusionsAndTheNextIteration) {
  const FlowOf f(kLoop);
  EXPECT_EQ(f.path("y", "squared"), "y start >state v squared");
  EXPECT_EQ(f.path("y", "pp"), "y start >state v >p pp");
  EXPECT_EQ(f.path("step", "more"), "step next state2 ^s j more");
  EXPECT_EQ(f.path("limit", "both"), "limit more <loop u.1 left both");
  EXPECT_EQ(f.path("pp", "u"), "pp <squared state2 ^state u");
}

TEST(Flow, ConditionalsChooseAndTakeOneOperandEach) {
  const FlowOf f(R"(HloModule branches

yes {
  t = f32[] parameter(0)
  ROOT ty = f32[] negate(t)
}

no {
  e = f32[] parameter(0)
  ROOT ey = f32[] constant(1)
}

ENTRY main {
  which = pred[] parameter(0)
  a = f32[] parameter(1)
  b = f32[] parameter(2)
  chosen = f32[] conditional(which, a, b), true_computation=yes, false_computation=no
  ROOT r = f32[] tanh(chosen)
}
)");
  EXPECT_EQ(f.path("a", "r"), "a chosen r");
  EXPECT_EQ(f.path("b", "r"), "");  // that branch does not read it
  EXPECT_EQ(f.path("which", "r"), "which chosen r");
  EXPECT_EQ(f.path("a", "ty"), "a >t ty");
  EXPECT_EQ(f.up("r"), "t ty ey which a chosen r");
}

TEST(Flow, WhatIsAppliedIsPassedByAndComesOut) {
  const FlowOf f(test::kMeanSquares);
  EXPECT_EQ(f.down("x"), "x difference square total wave both");
  EXPECT_EQ(f.up("wave"), "x y difference square zero total wave");
  EXPECT_EQ(f.path("c", "wave"), "c <total wave");
  EXPECT_EQ(f.up("sum/a"), "a x y difference square zero");
}

TEST(Flow, NeighboursBetweenAndThrough) {
  const FlowOf f(test::kMeanSquares);
  const auto around = [&](const char* name, int64_t hops) {
    const InstructionId id = at(f.module, name);
    return namesOf(f.module, f.flow.neighbourhood(std::span(&id, 1), hops));
  };
  EXPECT_EQ(around("square", 0), "square");
  EXPECT_EQ(around("square", 1), "difference square total");
  EXPECT_EQ(around("wave", 2), "square zero total wave both");
  EXPECT_EQ(namesOf(f.module, f.flow.between(at(f.module, "difference"), at(f.module, "both"))),
            "difference square total wave both");
  EXPECT_TRUE(f.flow.between(at(f.module, "wave"), at(f.module, "x")).empty());
  const InstructionId through[] = {at(f.module, "x"), at(f.module, "wave"), at(f.module, "both")};
  EXPECT_EQ(f.path("x", "both"), "x difference square total both");
  EXPECT_EQ(pathText(f.module, f.flow.path(through)), "x difference square total wave both");
  const InstructionId wrong[] = {at(f.module, "x"), at(f.module, "zero"), at(f.module, "both")};
  EXPECT_TRUE(f.flow.path(wrong).empty());
}

// A chain of calls as deep as no stack is, and a tuple of thousands of elements taken apart.
TEST(Flow, DeepAndWideIsLinear) {
  std::string text = "HloModule deep\n\nc0 {\n  p = f32[] parameter(0)\n  ROOT r = f32[] negate(p)\n}\n\n";
  for (int k = 1; k < 3000; ++k)
    text += "c" + std::to_string(k) + " {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=c" +
            std::to_string(k - 1) + "\n}\n\n";
  text += "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=c2999\n}\n";
  const ReadResult deep = readHloText(text);
  ASSERT_TRUE(deep.module);
  const ValueFlow flow(*deep.module);
  const InstructionId x = at(*deep.module, "x");
  EXPECT_EQ(flow.cone(std::span(&x, 1), FlowDirection::Down).size(), deep.module->instructionCount());
  EXPECT_EQ(flow.path(x, at(*deep.module, "c0/r")).size(), 3002u);
  EXPECT_EQ(flow.path(x, at(*deep.module, "y")).size(), 2u);

  constexpr int kWide = 3000;
  std::string shapes, operands, parts;
  for (int k = 0; k < kWide; ++k) {
    shapes += (k ? ", f32[]" : "f32[]");
    operands += (k ? ", %a" : "%a") + std::to_string(k);
    text = "  %a" + std::to_string(k) + " = f32[] parameter(" + std::to_string(k) + ")\n";
    parts += text;
  }
  text = "HloModule wide\n\nENTRY e {\n" + parts + "  %all = (" + shapes + ") tuple(" + operands + ")\n";
  for (int k = 0; k < kWide; ++k)
    text += "  %g" + std::to_string(k) + " = f32[] get-tuple-element(%all), index=" + std::to_string(k) + "\n";
  text += "  ROOT %r = f32[] negate(%g7)\n}\n";
  const ReadResult wide = readHloText(text);
  ASSERT_TRUE(wide.module);
  const ValueFlow wideFlow(*wide.module);
  const InstructionId r = at(*wide.module, "r");
  EXPECT_EQ(namesOf(*wide.module, wideFlow.cone(std::span(&r, 1), FlowDirection::Up)), "a7 all g7 r");
}

TEST(CallTree, ByCallerOnceEach) {
  const Module module = moduleOf(kLoop);
  const CallTree tree(module);
  const auto id = [&](const char* name) { return computationNamed(module, name).value(); };
  ASSERT_EQ(tree.roots(), std::vector{module.entry()});
  ASSERT_EQ(tree.callees(id("main")).size(), 2u);
  EXPECT_EQ(module.at(tree.callees(id("main"))[0].instruction).name, "loop");
  EXPECT_EQ(tree.callers(id("square"))[0].computation, id("body"));
  EXPECT_EQ(tree.wayTo(id("square")), (std::vector{id("main"), id("body"), id("square")}));
  const Module twice = moduleOf(kTwoCalls);
  const CallTree calls(twice);
  ASSERT_EQ(calls.callees(twice.entry()).size(), 1u);
  EXPECT_EQ(calls.callees(twice.entry())[0].count, 2u);
}
TEST(CallTree, WhatNobodyCallsIsARoot) {
  const Module module = moduleOf(
      "HloModule m\n\nalone {\n  ROOT c = f32[] constant(1)\n}\n\nENTRY e {\n"
      "  ROOT p = f32[] parameter(0)\n}\n");
  const CallTree tree(module);
  EXPECT_EQ(tree.roots(), (std::vector{module.entry(), computationNamed(module, "alone").value()}));
}

}  // namespace
}  // namespace tessera
