// Two modules run in turn, and values watched over steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backends/side_by_side.h"
#include "backends/watch.h"
#include "core/ops/inference/infer.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

Module net(const char* op, const char* shape = "f32[8]{0}") {
  return test::moduleOf(fmt::format(
      "HloModule m\n\nENTRY main {{\n  x = {1} parameter(0)\n  y = {1} {0}(x)\n  ROOT z = {1} add(y, x)\n}}\n", op,
      shape));
}

Literal ramp(int count) {
  Literal out = *Literal::zeros(Shape::arrayRowMajor(ElementType::F32, {count}));
  for (int i = 0; i < count; ++i) out.mutableData<float>()[i] = static_cast<float>(i) / 8;
  return out;
}

TEST(SideBySide, EqualOnesAreEqualAndBothAreTimed) {
  const auto same = runSideBySide(net("negate"), net("negate"), {ramp(8)}, {.leastRuns = 5, .seconds = 0});
  ASSERT_TRUE(same) << same.error().toString();
  EXPECT_TRUE(same->values.equal);
  EXPECT_EQ(same->before.ms.size(), 5u);
  EXPECT_EQ(same->after.ms.size(), 5u);
  const auto other = runSideBySide(net("negate"), net("sine"), {ramp(8)}, {.leastRuns = 1, .seconds = 0});
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->values.equal);
  EXPECT_FALSE(other->values.firstMismatch.empty());
}

TEST(SideBySide, WhatIsUnfinishedOrWrongIsToldAndNotRun) {
  for (const char* line : {"ROOT y = ? add(x, ?)", "ROOT y = f32[4]{0} negate(x)"}) {
    const Module after =
        *readHloText(fmt::format("HloModule m\nENTRY main {{\n  x = f32[8] parameter(0)\n  {}\n}}", line), "test")
             .module;
    const auto found = runSideBySide(net("negate"), after, {ramp(8)}, {.leastRuns = 1, .seconds = 0});
    ASSERT_FALSE(found) << line;
    EXPECT_NE(found.error().message.find("y"), std::string::npos) << found.error().message;
  }
}

// The same program twice was 2 % quicker, with spreads of 1.5 and 1.8 %.
TEST(SideBySide, WhatTheSpreadExplainsIsNoDifference) {
  SideBySide found;
  found.before.ms = {3.39, 3.40, 3.42, 3.45, 3.46};
  found.after.ms = {3.31, 3.32, 3.35, 3.38, 3.40};
  EXPECT_FALSE(found.isTold());
}

TEST(SideBySide, TimesAreJudgedByTheirMiddleHalves) {
  SideBySide found;
  found.before.ms = {10, 11, 10, 12, 30};
  found.after.ms = {5, 5, 6, 5, 40};
  EXPECT_TRUE(found.isTold());
  EXPECT_NEAR(found.change(), -6.0 / 11, 1e-9);
  found.after.ms = {9, 12, 10, 11, 10};
  EXPECT_FALSE(found.isTold());
}

TEST(Watch, StatisticsLeaveOutWhatIsNoNumber) {
  Literal value = ramp(5);
  value.mutableData<float>()[0] = NAN;
  value.mutableData<float>()[1] = -INFINITY;
  const ValueStats stats = statsOf(value);
  EXPECT_EQ(stats.nans, 1);
  EXPECT_EQ(stats.infinities, 1);
  EXPECT_DOUBLE_EQ(stats.mean, 0.375);
  EXPECT_DOUBLE_EQ(stats.least, 0.25);
  EXPECT_DOUBLE_EQ(stats.most, 0.5);
  EXPECT_EQ(stats.finite, 3);
}

TEST(Watch, ATableHasARowAStepAndNoNumbersWhereNoneIsFinite) {
  const std::vector<std::string> names = {"a", "b"};
  const ValueStats fine{.least = 1, .most = 3, .mean = 2, .deviation = 0.5, .finite = 4};
  const ValueStats lost{.nans = 3, .infinities = 1};
  EXPECT_EQ(toCsv({{fine, lost}, {fine, fine}}, names),
            "step,name,mean,least,most,deviation,finite,nan,infinite\n"
            "1,a,2,1,3,0.5,4,0,0\n1,b,2,1,3,0.5,4,0,0\n2,a,,,,,0,3,1\n2,b,2,1,3,0.5,4,0,0\n");
}

TEST(Watch, WhatHasNoOrderIsRefused) {
  const Module module =
      test::moduleOf("HloModule m\n\nENTRY main {\n  x = c64[2]{0} parameter(0)\n  ROOT t = (c64[2]{0}) tuple(x)\n}\n");
  for (const char* name : {"x", "t"}) {
    const Status found = checkWatched(module, *module.findInstruction(name));
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().toString().find("real numbers"), std::string::npos) << found.error().toString();
  }
}

// x becomes 2 x each step; the watched value is exp(x).
TEST(Watch, OutputsBecomeInputsOfTheNextStep) {
  const Module module = test::moduleOf(
      "HloModule m\n\nENTRY main {\n  x = f32[2]{0} parameter(0)\n  w = f32[2]{0} exponential(x)\n  ROOT z = f32[2]{0} "
      "add(x, x)\n}\n");
  Literal start = *Literal::zeros(Shape::arrayRowMajor(ElementType::F32, {2}));
  start.mutableData<float>()[0] = start.mutableData<float>()[1] = 0.25F;
  int64_t told = 0;
  WatchRequest request{.watched = {*module.findInstruction("w")}, .arguments = {start}, .feedback = {{0, 0}}};
  request.steps = 4;
  request.progress = [&](int64_t step) { told = step; };
  const auto series = watchValues(module, request);
  ASSERT_TRUE(series) << series.error().toString();
  ASSERT_EQ(series->size(), 1u);
  ASSERT_EQ((*series)[0].size(), 4u);
  for (int step = 0; step < 4; ++step)
    EXPECT_NEAR((*series)[0][static_cast<size_t>(step)].mean, std::exp(0.25 * (1 << step)), 1e-4);
  EXPECT_EQ(told, 4);
  std::atomic<bool> cancel = true;
  request.cancel = &cancel;
  const auto none = watchValues(module, request);
  EXPECT_TRUE(!none || (*none)[0].empty());
  request.cancel = nullptr;
  request.watched = {InstructionId(77)};
  EXPECT_FALSE(watchValues(module, request));
}

}  // namespace
}  // namespace tessera
