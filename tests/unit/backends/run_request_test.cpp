// The one way to run a module: devices, feeds, warm-ups, profiles and arguments by rule, as `tessera run` and the
// studio ask for them.
#include "backends/run_request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

Module requestModule(const char* text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module);
  inferModule(*read.module);
  return *std::move(read.module);
}

Literal requestFloats(std::vector<float> values) {
  return *Literal::fromBytes(Shape::arrayRowMajor(ElementType::F32, {static_cast<int64_t>(values.size())}),
                             std::as_bytes(std::span(values)));
}

std::vector<float> valuesOf(const Literal& literal) {
  const auto data = literal.data<float>();
  return {data.begin(), data.end()};
}

constexpr const char* kNegate = "HloModule m\n\nENTRY e {\n  x = f32[3] parameter(0)\n  ROOT n = f32[3] negate(x)\n}\n";
constexpr const char* kTwoReplicas =
    "HloModule m, replica_count=2\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] "
    "add(a, "
    "b)\n}\n\nENTRY e {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] all-reduce(x), replica_groups={{0,1}}, "
    "to_apply=add\n}\n";
constexpr const char* kFeeds =
    "HloModule m\n\nENTRY e {\n  t = token[] after-all()\n  in = ((f32[2], f32[2]), token[]) infeed(t)\n  p = (f32[2], "
    "f32[2]) get-tuple-element(in), index=0\n  a = f32[2] get-tuple-element(p), index=0\n  b = f32[2] "
    "get-tuple-element(p), index=1\n  s = f32[2] subtract(a, b)\n  u = token[] get-tuple-element(in), index=1\n  o = "
    "token[] outfeed(p, u), outfeed_shape=(f32[2], f32[2])\n  ROOT r = (f32[2], token[]) tuple(s, o)\n}\n";

class RunRequestTest : public testing::TestWithParam<const char*> {
 protected:
  RunRequest request() const {
    RunRequest out;
    out.backend = GetParam();
    return out;
  }
};

TEST_P(RunRequestTest, RunsAreCountedAndTheFirstGivesTheOutputs) {
  RunRequest asked = request();
  asked.arguments.given["arg0"] = requestFloats({1, 2, 3});
  asked.warmUps = 1;
  asked.runs = 3;
  asked.profiledRuns = 2;
  const auto ran = runModule(requestModule(kNegate), asked);
  ASSERT_TRUE(ran) << ran.error().toString();
  EXPECT_EQ(valuesOf(ran->outputs[0][0]), (std::vector<float>{-1, -2, -3}));
  EXPECT_EQ(ran->runMs.size(), 3u);
  EXPECT_EQ(ran->profiledMs.size(), 2u);
  EXPECT_EQ(ran->profile.runs, 2);
  ASSERT_EQ(ran->profile.runNs.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_DOUBLE_EQ(ran->profiledMs[i] * 1e6, static_cast<double>(ran->profile.runNs[i]));
  EXPECT_FALSE(ran->profile.steps.empty());
  EXPECT_GT(ran->peakBytes, 0);
  EXPECT_EQ(ran->argumentBytes, 12);
  EXPECT_EQ(ran->outputBytes, 12);
  EXPECT_GE(ran->medianMs(), ran->quickestMs());
}

TEST_P(RunRequestTest, TheQuickestProfileIsOfOneRun) {
  RunRequest asked = request();
  asked.warmUps = 1;
  asked.runs = 0;
  asked.profiledRuns = 4;
  asked.quickestProfile = true;
  const auto ran = runModule(requestModule(kNegate), asked);
  ASSERT_TRUE(ran) << ran.error().toString();
  EXPECT_EQ(ran->profile.runs, 1);
  EXPECT_EQ(ran->quickestMs(), *std::ranges::min_element(ran->profiledMs));
  asked.longRunMs = 1e-9;
  const auto once = runModule(requestModule(kNegate), asked);
  ASSERT_TRUE(once);
  EXPECT_EQ(once->profiledMs.size(), 1u);
}

TEST_P(RunRequestTest, SeveralDevicesHaveOneProfile) {
  RunRequest asked = request();
  asked.arguments.given["arg0"] = requestFloats({1, 2, 4});
  asked.profiledRuns = 2;
  const auto ran = runModule(requestModule(kTwoReplicas), asked);
  ASSERT_TRUE(ran) << ran.error().toString();
  ASSERT_EQ(ran->outputs.size(), 2u);
  for (const auto& device : ran->outputs) EXPECT_EQ(valuesOf(device[0]), (std::vector<float>{2, 4, 8}));
  EXPECT_EQ(ran->profile.runs, 2);
  ASSERT_FALSE(ran->profile.steps.empty());
  for (const StepProfile& step : ran->profile.steps) EXPECT_EQ(step.count, 4) << step.name;
  for (const TimelineEvent& event : ran->profile.timeline)
    EXPECT_LT(static_cast<size_t>(event.step), ran->profile.steps.size());
  EXPECT_TRUE(std::ranges::is_sorted(ran->profile.sources, {}, &SourceProfile::instruction));
}

TEST_P(RunRequestTest, FeedsBeginAnewWithEachRun) {
  RunRequest asked = request();
  asked.infeed = NamedArrays{{"feed0", requestFloats({5, 7})}, {"feed1", requestFloats({1, 2})}};
  asked.keepsOutfeed = true;
  asked.warmUps = 1;
  asked.runs = 2;
  asked.profiledRuns = 1;
  const auto ran = runModule(requestModule(kFeeds), asked);
  ASSERT_TRUE(ran) << ran.error().toString();
  EXPECT_EQ(valuesOf(ran->outputs[0][0]), (std::vector<float>{4, 5}));
  ASSERT_EQ(ran->outfeed.size(), 2u);
  EXPECT_EQ(valuesOf(ran->outfeed.at("feed1")), (std::vector<float>{1, 2}));
  EXPECT_EQ(ran->profile.runs, 1);
}

TEST_P(RunRequestTest, WrongFeedsAreNamed) {
  RunRequest asked = request();
  asked.keepsOutfeed = true;
  asked.infeed = NamedArrays{{"feed0", requestFloats({5, 7, 9})}, {"feed1", requestFloats({1, 2})}};
  auto ran = runModule(requestModule(kFeeds), asked);
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().message.find("feed0"), std::string::npos) << ran.error().toString();
  asked.infeed = NamedArrays{{"feed0", requestFloats({5, 7})}};
  ran = runModule(requestModule(kFeeds), asked);
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().message.find("feed1"), std::string::npos) << ran.error().toString();
  asked.infeed.reset();
  EXPECT_FALSE(runModule(requestModule(kFeeds), asked));
}

TEST_P(RunRequestTest, WrongArgumentsAreErrors) {
  RunRequest asked = request();
  asked.arguments.givenFrom = "inputs.npz";
  asked.arguments.given["arg0"] = requestFloats({1, 2});
  auto ran = runModule(requestModule(kNegate), asked);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind, ErrorKind::Input);
  EXPECT_EQ(ran.error().message, "inputs.npz: arg0 has shape f32[2], the program's is f32[3]");
  ran = runModule(requestModule("HloModule m\n\nENTRY e {\n  ROOT a = bf16[2] parameter(0)\n}\n"), asked);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message,
            "inputs.npz: arg0 has shape f32[2], the program's is bf16[2]; an array of its bits is named "
            "arg0__bfloat16");
  asked.arguments.given = {{"weights", requestFloats({1, 2, 3})}};
  ran = runModule(requestModule(kNegate), asked);
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().message.find("found weights"), std::string::npos);
}

TEST_P(RunRequestTest, WordsGoOverArraysAndArraysOverTheRule) {
  RunRequest asked = request();
  asked.arguments.given["arg0"] = requestFloats({1, 2, 3});
  asked.arguments.sources[0] = "constant 4";
  const auto ran = runModule(requestModule(kNegate), asked);
  ASSERT_TRUE(ran) << ran.error().toString();
  EXPECT_EQ(valuesOf(ran->outputs[0][0]), (std::vector<float>{-4, -4, -4}));
  asked.arguments.sources[1] = "constant 4";
  EXPECT_FALSE(runModule(requestModule(kNegate), asked));
}

TEST_P(RunRequestTest, IsCancelled) {
  std::atomic<bool> cancel = true;
  RunRequest asked = request();
  asked.compile.cancel = &cancel;
  for (const char* text : {kNegate, kTwoReplicas}) {
    const auto ran = runModule(requestModule(text), asked);
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().kind, ErrorKind::Runtime) << ran.error().toString();
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, RunRequestTest, testing::Values("cpu", "evaluator"));

}  // namespace
}  // namespace tessera
