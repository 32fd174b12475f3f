// Values of graphs that are being edited: what does not fit does not run, and what is complete beside it has its
// values.
#include <gtest/gtest.h>

#include "core/evaluate/feed_arrays.h"
#include "core/evaluate/trace.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

// A loop whose body is in the middle of an edit: one of its instructions takes what it cannot.
constexpr const char* kBroken = R"(HloModule m

%body (p: (s32[], f32[4])) -> (s32[], f32[4]) {
  %p = (s32[], f32[4]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %a = f32[4] get-tuple-element(%p), index=1
  %none = f32[0] constant({})
  %yes = pred[] constant(true)
  %bad = f32[4] select(%yes, %none, %a)
  ROOT %t = (s32[], f32[4]) tuple(%i, %bad)
}

%condition (q: (s32[], f32[4])) -> pred[] {
  %q = (s32[], f32[4]) parameter(0)
  %n = s32[] get-tuple-element(%q), index=0
  %three = s32[] constant(3)
  ROOT %less = pred[] compare(%n, %three), direction=LT
}

ENTRY %main () -> (s32[], f32[4]) {
  %zero = s32[] constant(0)
  %start = f32[4] constant({1, 2, 3, 4})
  %state = (s32[], f32[4]) tuple(%zero, %start)
  ROOT %loop = (s32[], f32[4]) while(%state), condition=%condition, body=%body
}
)";

TEST(Trace, ALoopThatIsBeingEditedDoesNotRun) {
  const ReadResult read = readHloText(kBroken);
  ASSERT_TRUE(read.module);
  const Module& module = *read.module;
  const InstructionId loop = *module.findInstruction("loop");
  for (const char* called : {"body", "condition"}) {
    const auto trace = traceModule(module, {}, {{loop, *module.findComputation(called), 0}});
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_TRUE(trace->find(*module.findInstruction("state")));
    EXPECT_FALSE(trace->find(loop));
    EXPECT_FALSE(trace->find(*module.findInstruction("bad")));
    EXPECT_TRUE(trace->find(*module.findInstruction(std::string(called) == "body" ? "a" : "less"))) << called;
  }
}

// A body that takes another size than its caller gives has no values, and the caller's stay.
TEST(Trace, ABodyThatTakesOtherValuesHasNone) {
  std::string text = kBroken;
  for (size_t at = text.find("f32[4]"); at < text.find("%condition (q"); at = text.find("f32[4]", at + 1))
    text.replace(at, 6, "f32[9]");
  const ReadResult read = readHloText(text);
  ASSERT_TRUE(read.module);
  const Module& module = *read.module;
  const auto trace = traceModule(module, {}, {{*module.findInstruction("loop"), *module.findComputation("body"), 0}});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_TRUE(trace->find(*module.findInstruction("state")));
  EXPECT_FALSE(trace->find(*module.findInstruction("a")));
}

TEST(Trace, WhatNeedsAnUnknownValueIsLeftOut) {
  const ReadResult read = readHloText(R"(HloModule m
double {
  p = f32[] parameter(0)
  ROOT d = f32[] add(p, p)
}
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  a = f32[] negate(x)
  b = f32[] negate(y)
  called = f32[] call(b), to_apply=double
  ROOT c = f32[] add(a, called)
})");
  ASSERT_TRUE(read.module);
  const Module& module = *read.module;
  const auto id = [&](const char* name) { return *module.findInstruction(name); };
  const std::vector<Literal> arguments(2, Literal::scalar(ElementType::F32, 1.0F));
  const CallPath path = pathTo(module, *module.findComputation("double"));
  const auto trace = traceModule(module, arguments, path, nullptr, std::vector{id("y")});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_TRUE(trace->find(id("x")) && trace->find(id("a")));
  for (const char* name : {"y", "b", "called", "c", "d"}) EXPECT_FALSE(trace->find(id(name))) << name;
  ASSERT_EQ(trace->calls.size(), 1u);
  EXPECT_EQ(trace->calls[0].applications, 0);
}

// A call that is looked at reads from where the run has come to: one array before the loop, one in each iteration.
TEST(Trace, InfeedsGoOnInCalls) {
  const ReadResult read = readHloText(R"(HloModule m
body {
  p = (s32[], f32[], token[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  sum = f32[] get-tuple-element(p), index=1
  t = token[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  in = (f32[], token[]) infeed(t)
  x = f32[] get-tuple-element(in), index=0
  u = token[] get-tuple-element(in), index=1
  more = f32[] add(sum, x)
  ROOT q = (s32[], f32[], token[]) tuple(next, more, u)
}
condition {
  c = (s32[], f32[], token[]) parameter(0)
  k = s32[] get-tuple-element(c), index=0
  three = s32[] constant(3)
  ROOT less = pred[] compare(k, three), direction=LT
}
ENTRY main {
  t0 = token[] after-all()
  first = (f32[], token[]) infeed(t0)
  start = f32[] get-tuple-element(first), index=0
  t1 = token[] get-tuple-element(first), index=1
  zero = s32[] constant(0)
  state = (s32[], f32[], token[]) tuple(zero, start, t1)
  loop = (s32[], f32[], token[]) while(state), condition=condition, body=body
  ROOT result = f32[] get-tuple-element(loop), index=1
})");
  ASSERT_TRUE(read.module);
  const Module& module = *read.module;
  const auto scalar = [](float value) { return Literal::scalar(ElementType::F32, value); };
  FeedArrays feeds(NamedArrays{{"feed0", scalar(1)}, {"feed1", scalar(2)}, {"feed2", scalar(4)}, {"feed3", scalar(8)}},
                   true);
  for (const auto& [iteration, fed] : std::vector<std::pair<int64_t, float>>{{0, 2}, {1, 4}, {2, 8}}) {
    const CallPath path{{*module.findInstruction("loop"), *module.findComputation("body"), iteration}};
    const auto trace = traceModule(module, {}, path, nullptr, {}, &feeds);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->find(*module.findInstruction("result"))->data<float>()[0], 15);
    EXPECT_EQ(trace->find(*module.findInstruction("x"))->data<float>()[0], fed);
  }
  const auto unfed = traceModule(module, {});
  ASSERT_FALSE(unfed);
  EXPECT_EQ(unfed.error().instruction, *module.findInstruction("first"));
}

// The studio asks for it, on a stack of a few megabytes.
TEST(Trace, APathThroughAHundredThousandCalls) {
  constexpr int kCalls = 100'000;
  std::string text = "HloModule deep\nc0 {\n  p = f32[] parameter(0)\n  ROOT r = f32[] negate(p)\n}\n";
  const auto body = [](int calls) {
    return "{\n  p = f32[] parameter(0)\n  n = f32[] negate(p)\n  ROOT r = f32[] call(n), to_apply=c" +
           std::to_string(calls) + "\n}\n";
  };
  for (int k = 1; k < kCalls; ++k) text += "c" + std::to_string(k) + " " + body(k - 1);
  const ReadResult read = readHloText(text + "ENTRY main " + body(kCalls - 1));
  ASSERT_TRUE(read.module);
  const Module& module = *read.module;
  const CallPath path = pathTo(module, *module.findComputation("c0"));
  ASSERT_EQ(path.size(), static_cast<size_t>(kCalls));
  EXPECT_EQ(path.front().caller, module.entryComputation().root);
  EXPECT_EQ(path.back().computation, *module.findComputation("c0"));
  EXPECT_TRUE(pathTo(module, module.entry()).empty());
}

}  // namespace
}  // namespace tessera
