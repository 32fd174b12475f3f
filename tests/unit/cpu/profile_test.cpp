// Profiles of the CPU backend: what a step counts, whose time it is, and that runs add up.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

constexpr const char* kProfiledText =
    "HloModule m\n\nENTRY e {\n  a = f32[64,32] parameter(0)\n  b = f32[32,48] parameter(1)\n"
    "  d = f32[64,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  x = f32[64,48] exponential(d)\n  ROOT y = f32[64,48] add(x, d)\n}\n";

struct Measured {
  Module module;
  Profile profile;
};

Measured measure(const char* text, int runs) {
  auto read = readHloText(text);
  std::vector<Literal> arguments;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, leaf++, FillRule{}).value());
  auto executable = makeBackend("cpu").value()->compile(*read.module).value();
  Measured out{*read.module, {}};
  for (int i = 0; i < runs; ++i) EXPECT_TRUE(executable->run(arguments, {}, &out.profile));
  return out;
}

const SourceProfile* sourceOf(const Measured& measured, std::string_view name) {
  for (const SourceProfile& source : measured.profile.sources)
    if (measured.module.at(source.instruction).name == name) return &source;
  return nullptr;
}

TEST(CpuProfile, CountsFlopsAndBytesOfStepsAndSources) {
  Measured m = measure(kProfiledText, 3);
  EXPECT_EQ(m.profile.runs, 3);
  auto dot = std::ranges::find_if(m.profile.steps, [](const StepProfile& s) { return s.what.starts_with("dot"); });
  ASSERT_NE(dot, m.profile.steps.end());
  EXPECT_EQ(dot->count, 3);
  EXPECT_DOUBLE_EQ(dot->flops, 3 * 2.0 * 64 * 32 * 48);
  EXPECT_DOUBLE_EQ(dot->bytes, 3 * 4.0 * (64 * 32 + 32 * 48 + 64 * 48));
  const SourceProfile *d = sourceOf(m, "d"), *x = sourceOf(m, "x"), *y = sourceOf(m, "y");
  ASSERT_TRUE(d && x && y);
  EXPECT_TRUE(d->measured);
  EXPECT_DOUBLE_EQ(d->flops, 3 * 2.0 * 64 * 32 * 48);
  EXPECT_FALSE(x->measured);  // fused with y
  EXPECT_DOUBLE_EQ(x->flops, 3.0 * 64 * 48);
  EXPECT_GT(x->timeNs, y->timeNs);  // an exponential costs more than an addition
}

TEST(CpuProfile, TimesAddUp) {
  Measured m = measure(kProfiledText, 5);
  double steps = 0, sources = 0;
  for (const StepProfile& step : m.profile.steps) {
    steps += static_cast<double>(step.totalNs);
    EXPECT_LE(step.minNs * step.count, step.totalNs);
  }
  for (const SourceProfile& source : m.profile.sources) sources += source.timeNs;
  EXPECT_NEAR(sources, steps, 1.0);
  EXPECT_LE(steps, static_cast<double>(m.profile.totalNs));
  for (const TimelineEvent& event : m.profile.timeline) {
    EXPECT_LE(event.beginNs, event.endNs);
    EXPECT_LT(static_cast<size_t>(event.step), m.profile.steps.size());
  }
}

// However many pieces its threads take of a step.
TEST(CpuProfile, TheCallingThreadHasOneEventOfAStepAndRun) {
  const Measured m = measure(
      "HloModule m\n\nENTRY e {\n  a = f32[1048576] parameter(0)\n  x = f32[1048576] exponential(a)\n"
      "  ROOT y = f32[1048576] sine(x)\n}\n",
      3);
  ASSERT_FALSE(m.profile.steps.empty());
  for (size_t step = 0; step < m.profile.steps.size(); ++step) {
    const auto isOwn = [&](const TimelineEvent& e) { return e.thread == 0 && e.step == static_cast<int32_t>(step); };
    EXPECT_EQ(std::ranges::count_if(m.profile.timeline, isOwn), m.profile.steps[step].count);
  }
}

TEST(CpuProfile, LoopsAreExclusiveOfTheirBodies) {
  Measured m = measure(
      "HloModule m\n\nc {\n  p = (s32[], f32[4096]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = "
      "s32[] constant(10)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nb {\n  p = (s32[], f32[4096]) parameter(0)\n  i = s32[] "
      "get-tuple-element(p), index=0\n"
      "  v = f32[4096] get-tuple-element(p), index=1\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  w = "
      "f32[4096] sine(v)\n"
      "  ROOT t = (s32[], f32[4096]) tuple(j, w)\n}\n\nENTRY e {\n  z = s32[] constant(0)\n  a = f32[4096] "
      "parameter(0)\n"
      "  t = (s32[], f32[4096]) tuple(z, a)\n  ROOT w = (s32[], f32[4096]) while(t), condition=c, body=b\n}\n",
      1);
  auto loop = std::ranges::find(m.profile.steps, "while", &StepProfile::what);
  ASSERT_NE(loop, m.profile.steps.end());
  EXPECT_EQ(loop->count, 1);
  const SourceProfile* sine = nullptr;
  for (const SourceProfile& source : m.profile.sources)
    if (m.module.at(source.instruction).opcode == Opcode::Sine) sine = &source;
  ASSERT_TRUE(sine);
  EXPECT_DOUBLE_EQ(sine->flops, 10.0 * 4096);
  double steps = 0;
  for (const StepProfile& step : m.profile.steps) steps += static_cast<double>(step.totalNs);
  EXPECT_LE(steps, static_cast<double>(m.profile.totalNs));
}

}  // namespace
}  // namespace tessera
