// The k-th application of a reducer over a window and of a sort's comparator, through the trace of a call.
#include <gtest/gtest.h>

#include "core/evaluate/trace.h"
#include "core/formats/hlo_text.h"
#include "core/hlo/numbers.h"

namespace tessera {
namespace {

constexpr const char* kWindow = R"(HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4] constant({1, 2, 4, 8})
  zero = f32[] constant(0)
  ROOT w = f32[4] reduce-window(x, zero), window={size=3 pad=1_1}, to_apply=add
})";

constexpr const char* kSort = R"(HloModule m

less {
  p0 = f32[] parameter(0)
  p1 = f32[] parameter(1)
  q0 = s32[] parameter(2)
  q1 = s32[] parameter(3)
  ROOT lt = pred[] compare(p0, p1), direction=LT
}

ENTRY main {
  x = f32[3] constant({3, 1, 2})
  i = s32[3] constant({0, 1, 2})
  ROOT s = (f32[3], s32[3]) sort(x, i), dimensions={0}, to_apply=less
})";

constexpr const char* kSelect = R"(HloModule m

ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  x = f32[4] constant({1, 5, 2, 9})
  source = f32[2] constant({10, 20})
  zero = f32[] constant(0)
  ROOT g = f32[4] select-and-scatter(x, source, zero), window={size=2 stride=2}, select=ge, scatter=add
})";

CallTrace called(const Module& module, const char* caller, const char* computation, int64_t application) {
  const auto trace =
      traceModule(module, {}, {{*module.findInstruction(caller), *module.findComputation(computation), application}});
  EXPECT_TRUE(trace) << trace.error().toString();
  return trace && !trace->calls.empty() ? trace->calls[0] : CallTrace();
}
double number(const Literal& value) { return loadDouble(value.shape().type, value.bytes().data()); }

TEST(EvaluateApplications, AWindowLeavesThePaddingOut) {
  const Module module = *readHloText(kWindow).module;
  const CallTrace first = called(module, "w", "add", 0);
  EXPECT_EQ(first.applications, 2 + 3 + 3 + 2);
  ASSERT_EQ(first.arguments.size(), 2u);
  EXPECT_EQ(number(first.arguments[0]), 0);
  EXPECT_EQ(number(first.arguments[1]), 1);
  const CallTrace fifth = called(module, "w", "add", 4);  // the second result's third
  EXPECT_EQ(number(fifth.arguments[0]), 3);
  EXPECT_EQ(number(fifth.arguments[1]), 4);
  EXPECT_EQ(number(fifth.values.at(module.at(*module.findComputation("add")).root)), 7);
  const CallTrace last = called(module, "w", "add", 1000);
  EXPECT_EQ(last.application, 9);
  EXPECT_EQ(number(last.arguments[1]), 8);
}

TEST(EvaluateApplications, AComparatorSeesPairsOfEveryOperand) {
  const Module module = *readHloText(kSort).module;
  const CallTrace first = called(module, "s", "less", 0);  // 1 before 3?
  EXPECT_EQ(first.applications, 3);
  ASSERT_EQ(first.arguments.size(), 4u);
  EXPECT_EQ(number(first.arguments[0]), 1);
  EXPECT_EQ(number(first.arguments[1]), 3);
  EXPECT_EQ(number(first.arguments[2]), 1);
  EXPECT_EQ(number(first.arguments[3]), 0);
  const CallTrace last = called(module, "s", "less", 2);  // 2 before 3?
  EXPECT_EQ(number(last.arguments[0]), 2);
  EXPECT_EQ(number(last.arguments[1]), 3);
  EXPECT_EQ(number(last.values.at(module.at(*module.findComputation("less")).root)), 1);
}

TEST(EvaluateApplications, SelectAndScatterShowsBothComputations) {
  const Module module = *readHloText(kSelect).module;
  const CallTrace select = called(module, "g", "ge", 1);
  EXPECT_EQ(select.applications, 2);
  EXPECT_EQ(number(select.arguments[1]), 9);
  EXPECT_EQ(called(module, "g", "ge", 77).application, 1);
  const CallTrace scatter = called(module, "g", "add", 1);
  EXPECT_EQ(scatter.applications, 2);
  EXPECT_EQ(number(scatter.arguments[0]), 0);
  EXPECT_EQ(number(scatter.arguments[1]), 20);
}

TEST(EvaluateApplications, EmptyArraysHaveNone) {
  std::string text = kWindow;
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"f32[4] constant({1, 2, 4, 8})", "f32[0] constant({})"},
        {"f32[4] reduce-window(x, zero), window={size=3 pad=1_1}",
         "f32[0] reduce-window(x, zero), window={size=3 pad=1_1}"}})
    text.replace(text.find(from), from.size(), to);
  const auto read = readHloText(text);
  ASSERT_TRUE(read.module);
  EXPECT_EQ(called(*read.module, "w", "add", 0).applications, 0);
}

constexpr const char* kElements = R"(HloModule m

twice {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT t = f32[] multiply(a, b)
}

sum {
  old = f32[] parameter(0)
  new = f32[] parameter(1)
  ROOT s = f32[] add(old, new)
}

ENTRY main {
  x = f32[2,2] constant({{1, 2}, {3, 4}})
  y = f32[2,2] constant({{5, 6}, {7, 8}})
  m = f32[2,2] map(x, y), dimensions={0,1}, to_apply=twice
  z = f32[3] constant({100, 200, 300})
  at = s32[4,1] constant({{1}, {9}, {1}, {2}})
  u = f32[4] constant({10, 20, 30, 40})
  g = f32[3] scatter(z, at, u), update_window_dims={}, inserted_window_dims={0}, )"
                                  R"(scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  ROOT all = (f32[2,2], f32[3]) tuple(m, g)
})";

TEST(EvaluateApplications, AMapGoesElementByElement) {
  const Module module = *readHloText(kElements).module;
  const CallTrace third = called(module, "m", "twice", 2);
  EXPECT_EQ(third.applications, 4);
  ASSERT_EQ(third.arguments.size(), 2u);
  EXPECT_EQ(number(third.arguments[0]), 3);
  EXPECT_EQ(number(third.arguments[1]), 7);
  EXPECT_EQ(number(third.values.at(module.at(*module.findComputation("twice")).root)), 21);
  EXPECT_EQ(called(module, "m", "twice", 99).application, 3);
}

// The second update is outside and is none; the third goes where the first went.
TEST(EvaluateApplications, AScatterGoesUpdateByUpdate) {
  const Module module = *readHloText(kElements).module;
  const CallTrace second = called(module, "g", "sum", 1);
  EXPECT_EQ(second.applications, 3);
  ASSERT_EQ(second.arguments.size(), 2u);
  EXPECT_EQ(number(second.arguments[0]), 210);
  EXPECT_EQ(number(second.arguments[1]), 30);
  EXPECT_EQ(number(called(module, "g", "sum", 99).arguments[0]), 300);
}

}  // namespace
}  // namespace tessera
