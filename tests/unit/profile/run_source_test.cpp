// Runs of ours as a profile, groups and comparison.
#include <gtest/gtest.h>

#include "core/profile/sources/run_source.h"
#include "core/profile/timeline.h"
#include "tests/unit/profile/source_hand.h"

namespace tessera {
namespace {

TEST(ProfileSources, ARunOfOursWithAndWithoutItsModule) {
  const auto module = smallModule();
  Profile run;
  run.module = "jit_f";
  run.runs = 2;
  run.totalNs = 1000;
  run.steps = {{InstructionId(0), "fused", "kernel", 2, 800, 390, 64, 128}};
  run.timeline = {{0, 0, 0, 390}, {0, 0, 500, 910}};
  const InstructionId negate = *module->findInstruction("fusion.3"), exponential = *module->findInstruction("exp.2");
  run.sources = {{negate, 300, 16, 64, false}, {exponential, 500, 48, 64, true}};
  const OpProfile steps = sourceOf(toChromeTrace(run));
  EXPECT_EQ(steps.totalNs, 1000);
  EXPECT_EQ(steps.placedNs, 800);
  EXPECT_EQ(steps.unmatchedNs, 200);  // between the steps
  EXPECT_EQ(steps.steps, 2);
  EXPECT_EQ(steps.instructions.at(0).times.maxNs, 410);
  const OpProfile sources = sourceOf(toChromeTrace(run), module);
  EXPECT_EQ(rowNamed(sources, "exp.2")->times.totalNs, 500);
  EXPECT_EQ(rowNamed(sources, "exp.2")->computation, "main");
  EXPECT_FALSE(rowNamed(sources, "fusion.3")->measured);
  EXPECT_EQ(sources.totalNs, 1000);
}

// A step that computes one instruction has its name; one of several names none.
TEST(ProfileSources, TheTraceOfOurTimelineLandsAgain) {
  const auto module = smallModule();
  const InstructionId negate = *module->findInstruction("fusion.3"), exponential = *module->findInstruction("exp.2");
  Profile run;
  run.module = module->name;
  run.steps = {{InstructionId(0), "exponential.t7", "kernel"}, {InstructionId(1), "fused.t9", "kernel"}};
  run.shares = {{0, exponential}, {1, negate}, {1, exponential}};
  run.timeline = {{0, 0, 0, 300}, {0, 1, 300, 1000}};
  const OpProfile back = sourceOf(toChromeTrace(*timelineOf(run, module)), module);
  ASSERT_TRUE(rowNamed(back, "exp.2"));
  EXPECT_EQ(rowNamed(back, "exp.2")->times.totalNs, 300);
  EXPECT_EQ(back.placedNs, 300);
}

TEST(ProfileSources, ASourceOfARunThatTookAbsurdlyLongHasTimesInRange) {
  const auto module = smallModule();
  Profile run;
  run.module = module->name;
  run.runs = 1;
  run.sources.push_back({.instruction = module->entryComputation().root, .timeNs = 1e300});
  const OpProfile profile = fromRun(run, module);
  ASSERT_EQ(profile.instructions.size(), 1u);
  EXPECT_EQ(profile.instructions[0].times.totalNs, INT64_MAX);
}

TEST(ProfileSources, ARunOfAbsurdTimesHasSumsInRange) {
  Profile run;
  run.module = "m";
  run.totalNs = 10;
  for (const char* name : {"a", "b"}) run.steps.push_back({.name = name, .count = 1, .totalNs = INT64_MAX});
  const OpProfile profile = fromRun(run, nullptr);
  EXPECT_EQ(profile.placedNs, INT64_MAX);
  EXPECT_EQ(profile.totalNs, INT64_MAX);
}

TEST(ProfileSources, GroupsAndComparison) {
  const OpProfile profile = sourceOf("name,total_ns\nfusion.3,40\nexp.2,60\n", smallModule());
  const auto byScope = groupedBy(profile, ProfileGroup::Scope);
  ASSERT_EQ(byScope.size(), 1u);
  EXPECT_EQ(byScope[0].name, "jit(f)/layer");
  EXPECT_EQ(byScope[0].selfNs, 100);
  EXPECT_EQ(groupedBy(profile, ProfileGroup::Source)[0].name, "a.py:9");
  const OpProfile slower = sourceOf("name,total_ns\nfusion.3,40\nexp.2,70\n", smallModule());
  const ProfileComparison found = compareProfiles(profile, slower);
  EXPECT_NEAR(found.change(), 0.10, 1e-9);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].name, "exp.2");
  const Profile overlay = toProfile(profile, *smallModule());
  EXPECT_EQ(overlay.sources.size(), 2u);
}

TEST(ProfileSources, APreemptedRunOfOursIsNoSlowerProgram) {
  Profile before;
  before.module = "m";
  before.runs = 3;
  before.runNs = {100, 110, 120};
  before.totalNs = 330;
  before.steps.push_back({.name = "a", .count = 6, .totalNs = 300, .minNs = 40, .runNs = {90, 100, 110}});
  Profile after = before;
  after.runNs[2] = after.totalNs = 90'120;
  after.steps[0].runNs[2] = after.steps[0].totalNs = 90'110;
  const OpProfile one = fromRun(before, nullptr), other = fromRun(after, nullptr);
  EXPECT_EQ(one.stepTimes.medianNs, 110);
  EXPECT_EQ(other.instructions.at(0).times.medianNs, 50) << "it is executed twice a run";
  EXPECT_EQ(compareProfiles(one, other).change(), 0);
  EXPECT_TRUE(compareProfiles(one, other).rows.empty());
}

// What two kernels compute together has its part of each of them, run by run.
TEST(ProfileSources, APreemptedRunOfASourceInTwoKernelsIsNoSlowerProgram) {
  const auto module = smallModule();
  Profile before;
  before.module = module->name;
  before.runs = 3;
  before.runNs = {200, 220, 240};
  before.totalNs = 660;
  const InstructionId of = module->findInstruction("exp.2").value();
  for (int32_t step = 0; step < 2; ++step) {
    before.steps.push_back({.name = "k", .count = 3, .totalNs = 300, .minNs = 90, .runNs = {90, 100, 110}});
    before.shares.push_back({.step = step, .instruction = of, .timeNs = 150});
  }
  before.sources.push_back({.instruction = of, .timeNs = 300});
  Profile after = before;
  after.steps[1].runNs[2] = 90'110;
  after.steps[1].totalNs = 90'300;
  after.shares[1].timeNs = 45'150;
  after.sources[0].timeNs = 45'300;
  const OpProfile one = fromRun(before, module), other = fromRun(after, module);
  EXPECT_EQ(one.instructions.at(0).times.medianNs, 100);
  EXPECT_EQ(one.instructions.at(0).times.minNs, 90);
  EXPECT_EQ(one.instructions.at(0).times.totalNs, 300);
  EXPECT_TRUE(compareProfiles(one, other).rows.empty());
}

// What a preempted run met is not the hottest.
TEST(ProfileSources, TheMedianRunOfOursHasItsOwnOrder) {
  Profile run;
  run.module = "m";
  run.runs = 3;
  run.runNs = {110, 111, 9110};
  run.totalNs = 9331;
  run.steps.push_back({.name = "hot", .count = 3, .totalNs = 300, .minNs = 99, .runNs = {99, 101, 100}});
  run.steps.push_back({.name = "met", .count = 3, .totalNs = 9030, .minNs = 10, .runNs = {10, 10, 9010}});
  const OpProfile all = fromRun(run, nullptr);
  EXPECT_EQ(all.instructions.at(0).name, "met");
  const auto median = medianRunOf(all);
  ASSERT_TRUE(median);
  ASSERT_EQ(median->instructions.at(0).name, "hot");
  EXPECT_EQ(median->instructions[0].times.selfNs, 100);
  EXPECT_EQ(median->instructions[0].times.count, 1);
  EXPECT_EQ(median->instructions[0].times.minNs, 99);
  EXPECT_EQ(median->instructions[1].times.selfNs, 10);
  EXPECT_EQ(median->instructions[1].times.p99Ns, 9010);
  run.runs = 1;
  EXPECT_FALSE(medianRunOf(fromRun(run, nullptr)));
  EXPECT_FALSE(medianRunOf(sourceOf("name,ns\nexp.2,60\n", smallModule())));
}

// One preempted step of fifty is no slower program.
TEST(ProfileSources, ComparisonIsByMedians) {
  OpProfile before = sourceOf("name,total_ns\nexp.2,60\n", smallModule());
  before.steps = 50;
  before.stepTimes = {.count = 50, .totalNs = 5000, .selfNs = 5000, .minNs = 100, .medianNs = 100, .p99Ns = 100};
  before.instructions[0].times = {.count = 100, .totalNs = 5000, .selfNs = 5000, .medianNs = 50};
  OpProfile after = before;
  after.selfNs += 5000;
  after.stepTimes.totalNs = after.stepTimes.selfNs = after.instructions[0].times.totalNs =
      after.instructions[0].times.selfNs = 10000;
  EXPECT_EQ(compareProfiles(before, after).change(), 0);
  EXPECT_TRUE(compareProfiles(before, after).rows.empty());
  after.stepTimes.medianNs = 110;
  after.instructions[0].times.medianNs = 55;
  const ProfileComparison found = compareProfiles(before, after);
  EXPECT_NEAR(found.change(), 0.1, 1e-9);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].afterNs, 110);
}

}  // namespace
}  // namespace tessera
