// What the colours of nodes say: measures of times, of counted work, of memory; the hottest, the critical path.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/measure.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

// Two branches of different length, a fusion and a loop of ten rounds.
constexpr const char* kMeasuredProgram = R"(HloModule m

fused {
  a = f32[64]{0} parameter(0)
  square = f32[64]{0} multiply(a, a)
  ROOT grown = f32[64]{0} exponential(square)
}

body {
  s = (s32[], f32[64]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[64]{0} get-tuple-element(s), index=1
  turned = f32[64]{0} negate(v)
  ROOT both = (s32[], f32[64]{0}) tuple(next, turned)
}

more {
  t = (s32[], f32[64]{0}) parameter(0)
  at = s32[] get-tuple-element(t), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(at, ten), direction=LT
}

ENTRY main {
  x = f32[64]{0} parameter(0)
  f = f32[64]{0} fusion(x), kind=kLoop, calls=fused
  zero = s32[] constant(0)
  start = (s32[], f32[64]{0}) tuple(zero, x)
  loop = (s32[], f32[64]{0}) while(start), condition=more, body=body
  out = f32[64]{0} get-tuple-element(loop), index=1
  ROOT sum = f32[64]{0} add(f, out)
})";

struct MeasuredProgram {
  std::shared_ptr<const Module> module = std::make_shared<const Module>(*readHloText(kMeasuredProgram).module);
  OpTimes times;
  InstructionId id(const char* name) const { return module->findInstruction(name).value(); }
  OpUnit& unit(const char* name, double selfNs, double totalNs) {
    OpUnit out;
    out.facts.instruction = id(name);
    out.facts.name = name;
    out.selfNs = selfNs, out.totalNs = totalNs;
    times.units.push_back(out);
    return times.units.back();
  }
  MeasuredProgram() {
    OpUnit& fusion = unit("f", 400, 400);
    for (const auto& [name, ns] : {std::pair("square", 100.0), std::pair("grown", 300.0)})
      fusion.members.push_back({{.instruction = id(name), .name = name}, ns});
    unit("loop", 50, 1050);
    unit("turned", 1000, 1000).count = 10;
    unit("sum", 20, 20);
    times.totalNs = 1470;
  }
  Overlay make(Measure measure) {
    MeasuredTimes all{.times = std::make_shared<const OpTimes>(times)};
    return *MeasureMaker(module).make(measure, all);
  }
};

TEST(Measures, TheTitleTellsTheRunAndWhatRanAtTheSameTime) {
  MeasuredProgram program;
  EXPECT_EQ(program.make(Measure::SelfTime).title, "self time · 1.47 µs in all");
  MeasuredTimes four{.times = std::make_shared<const OpTimes>(program.times), .runNs = 400};
  EXPECT_EQ(MeasureMaker(program.module).make(Measure::SelfTime, four)->title,
            "self time · a run takes 400 ns, 1.47 µs of threads and devices together");
}

TEST(Measures, WhatIsPreparedIsTheSame) {
  MeasuredProgram program;
  MeasureMaker maker(program.module);
  maker.prepare();
  const Overlay prepared = *maker.make(Measure::Flops, {}), made = program.make(Measure::Flops);
  EXPECT_EQ(prepared.title, made.title);
  EXPECT_EQ(prepared.entries.size(), made.entries.size());
}

TEST(Measures, TheTableIsWholeAndFoundByName) {
  for (const MeasureInfo& info : allMeasures()) {
    EXPECT_EQ(measureNamed(info.name), info.measure);
    EXPECT_FALSE(info.about.empty());
  }
  EXPECT_FALSE(measureNamed("warmth"));
  EXPECT_TRUE(isAvailable(Measure::Flops, {}, false));
  EXPECT_FALSE(isAvailable(Measure::SelfTime, {}, true));
  EXPECT_FALSE(isAvailable(Measure::Bound, {.times = std::make_shared<const OpTimes>()}, false));
}

TEST(Measures, AFusionIsMeasuredAndItsMembersShareIt) {
  MeasuredProgram m;
  const Overlay self = m.make(Measure::SelfTime);
  EXPECT_DOUBLE_EQ(self.find(m.id("f"))->value, 400);
  EXPECT_TRUE(self.find(m.id("f"))->measured);
  EXPECT_DOUBLE_EQ(self.find(m.id("grown"))->value, 300);
  EXPECT_FALSE(self.find(m.id("grown"))->measured);
  EXPECT_DOUBLE_EQ(self.find(m.id("loop"))->value, 50);
  EXPECT_FALSE(self.find(m.id("x")));
  EXPECT_NE(self.title.find("1.47 µs"), std::string::npos) << self.title;
}

TEST(Measures, TotalHoldsWhatALoopRuns) {
  MeasuredProgram m;
  EXPECT_DOUBLE_EQ(m.make(Measure::TotalTime).find(m.id("loop"))->value, 1050);
  EXPECT_DOUBLE_EQ(m.make(Measure::TotalTime).find(m.id("sum"))->value, 20);
}

TEST(Measures, BoundsUtilisationAndWasteComeFromTheDevice) {
  MeasuredProgram m;
  m.times.units[0].flops = 4000, m.times.units[0].bytes = 10, m.times.units[0].type = "f32";
  m.times.units[2].bytes = 900;
  holdAgainst(m.times, {.name = "d", .flopsPerSecond = {{"f32", 20e9}}, .bytesPerSecond = 1e9});
  const Overlay bound = m.make(Measure::Bound);
  EXPECT_EQ(bound.textOf(*bound.find(m.id("f"))), "compute");
  EXPECT_EQ(bound.textOf(*bound.find(m.id("turned"))), "memory");
  const Overlay share = m.make(Measure::Utilisation);
  EXPECT_DOUBLE_EQ(share.numberOf(*share.find(m.id("f"))), 0.5);
  EXPECT_DOUBLE_EQ(share.numberOf(*share.find(m.id("turned"))), 0.9);
  EXPECT_DOUBLE_EQ(m.make(Measure::WastedTime).find(m.id("turned"))->value, 100);
}

TEST(Measures, WorkIsThatOfAWholeRun) {
  MeasuredProgram m;
  const Overlay flops = m.make(Measure::Flops);
  EXPECT_DOUBLE_EQ(flops.find(m.id("turned"))->value, 640);
  EXPECT_DOUBLE_EQ(flops.find(m.id("f"))->value, 128);
  EXPECT_DOUBLE_EQ(flops.find(m.id("square"))->value, 64);
  EXPECT_DOUBLE_EQ(m.make(Measure::Bytes).find(m.id("sum"))->value, 768);
  EXPECT_DOUBLE_EQ(m.make(Measure::Count).find(m.id("turned"))->value, 10);
  const Overlay intensity = m.make(Measure::Intensity);
  EXPECT_DOUBLE_EQ(intensity.numberOf(*intensity.find(m.id("sum"))), 64.0 / 768);
  EXPECT_GE(m.make(Measure::PeakMemory).find(m.id("x"))->value, 256);
}

TEST(Measures, ADifferenceHasWhatCameAndWhatWent) {
  MeasuredProgram m;
  MeasuredProgram before;
  before.times.units.pop_back();        // sum is new
  before.times.units[2].selfNs = 1500;  // turned was slower
  MeasuredTimes all{.times = std::make_shared<const OpTimes>(m.times),
                    .baseline = std::make_shared<const Overlay>(selfTimesOf(before.times, *m.module)),
                    .baselineName = "the run before"};
  const Overlay out = *MeasureMaker(m.module).make(Measure::Difference, all);
  EXPECT_EQ(out.textOf(*out.find(m.id("turned"))), "−500 ns");
  EXPECT_EQ(out.textOf(*out.find(m.id("sum"))), "+20 ns");
  EXPECT_DOUBLE_EQ(out.find(m.id("f"))->value, 0);
  EXPECT_NE(out.title.find("the run before"), std::string::npos);
}

TEST(Measures, WhatDoesNotVerifyIsNotCounted) {
  Module broken =
      *readHloText("HloModule b\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[5] negate(x)\n}\n").module;
  MeasureMaker maker(std::make_shared<const Module>(std::move(broken)));
  EXPECT_FALSE(maker.make(Measure::Flops, {}).has_value());
}

TEST(Measures, TheHottestComeFirstAndAFusionStandsForItsMembers) {
  MeasuredProgram m;
  EXPECT_EQ(hottestFirst(m.make(Measure::SelfTime), *m.module),
            (std::vector{m.id("turned"), m.id("f"), m.id("loop"), m.id("sum")}));
  const auto bySize = hottestFirst(m.make(Measure::TotalTime), *m.module);
  EXPECT_EQ(bySize.front(), m.id("loop"));
}

TEST(Measures, TheCriticalPathIsTheLongestChain) {
  MeasuredProgram m;
  const CriticalPath path = criticalPathOf(*m.module, m.module->entry(), m.make(Measure::TotalTime));
  EXPECT_DOUBLE_EQ(path.ns, 1070);
  EXPECT_EQ(path.instructions.back(), m.id("sum"));
  EXPECT_NE(std::ranges::find(path.instructions, m.id("loop")), path.instructions.end());
  EXPECT_EQ(std::ranges::find(path.instructions, m.id("f")), path.instructions.end());
}

}  // namespace
}  // namespace tessera
