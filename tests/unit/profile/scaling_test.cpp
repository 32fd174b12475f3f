// The model of links and the prediction of a step on hand-made cases: every expected time follows from the rule.
#include "core/scaling/prediction.h"

#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

constexpr LinkTier kSwitch{Topology::Switch, 100, 0.5};  // 100 bytes a second, half a second
constexpr LinkTier kTorus{Topology::Torus2, 100, 0.5};

TEST(CollectiveTime, OneDeviceMovesNothing) {
  for (const Movement movement : {Movement::AllReduce, Movement::AllGather, Movement::AllToAll, Movement::Permute})
    EXPECT_EQ(secondsOf(movement, 1000, 1, kSwitch), 0);
}

TEST(CollectiveTime, OnASwitchBytesAndStepsCount) {
  // 8 devices: 3 steps; each moves 7/8 of 1000 bytes at 100 a second.
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllGather, 1000, 8, kSwitch), 3 * 0.5 + 8.75);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::ReduceScatter, 1000, 8, kSwitch), 3 * 0.5 + 8.75);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllReduce, 1000, 8, kSwitch), 2 * (3 * 0.5 + 8.75));
  EXPECT_DOUBLE_EQ(secondsOf(Movement::Permute, 1000, 8, kSwitch), 0.5 + 10);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::Broadcast, 1000, 8, kSwitch), 3 * 0.5 + 10);
  // Nothing to move: an all-reduce is log2 p steps, an all-to-all as well.
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllReduce, 0, 8, kSwitch), 3 * 0.5);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllToAll, 0, 8, kSwitch), 3 * 0.5);
  // Much to move: an all-to-all goes pair by pair.
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllToAll, 1000, 8, kSwitch), 7 * 0.5 + 8.75);
  // 5 devices take the steps of 8.
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllGather, 0, 5, kSwitch), 3 * 0.5);
}

TEST(CollectiveTime, OnATorusHopsAndLinksCount) {
  // 16 devices, 4 along each of 2 dimensions: 2 · 2 hops, 15/16 of the bytes over 4 links.
  const double gather = 4 * 0.5 + 15.0 / 16 * 10 / 4;
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllGather, 1000, 16, kTorus), gather);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllReduce, 1000, 16, kTorus), 2 * gather);
  // 4/8 of the bytes over a link.
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllToAll, 1000, 16, kTorus), 4 * 0.5 + 5);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::Permute, 1000, 16, kTorus), 0.5 + 10);
}

TEST(CollectiveTime, NodesGoInsideFirst) {
  const Links links{"test", "", "", 4, {Topology::Switch, 1000, 0.1}, kSwitch};
  const GroupExtent group{4, 2};
  // Inside: 2 steps of 0.1, 3/4 of 800 bytes at 1000; between: 1 step of 0.5, 1/2 of a quarter at 100.
  const double inside = 2 * 0.1 + 0.6, between = 0.5 + 1;
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllGather, 800, group, links), inside + between);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::AllReduce, 800, group, links), 2 * inside + std::min(2 * between, 0.5 + 2));
  EXPECT_DOUBLE_EQ(secondsOf(Movement::Permute, 800, group, links), 0.5 + 8);
  EXPECT_DOUBLE_EQ(secondsOf(Movement::Permute, 800, GroupExtent{2, 1}, links), 0.1 + 0.8);
}

TEST(Links, AreNamedWithSources) {
  EXPECT_GE(knownLinks().size(), 5u);
  for (const Links& links : knownLinks()) {
    EXPECT_GT(links.outer.bytesPerSecond, 0) << links.name;
    EXPECT_GT(links.outer.seconds, 0) << links.name;
    EXPECT_EQ(links.nodeDevices > 1, links.inner.bytesPerSecond > 0) << links.name;
    EXPECT_FALSE(links.source.empty()) << links.name;
  }
  const auto unknown = linksNamed("string");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::Usage);
  EXPECT_NE(unknown.error().message.find("dgx-h100"), std::string::npos);
}

// --- a step

const Links kFlat{"flat", "", "", 1, {}, kSwitch};

TEST(StepPrediction, AddsWhatNoWorkHides) {
  DeviceWork work{{4, 1}, 2.0, {}};
  work.communications.push_back({"%a", Movement::AllGather, 400, 1, 4, 1, 0});
  work.communications.push_back({"%b", Movement::AllGather, 400, 3, 4, 1, 1.0});
  const StepPrediction step = predictStep(work, kFlat, {8, 1});
  const double each = 3 * 0.5 + 3.5;
  EXPECT_DOUBLE_EQ(step.communicationSeconds, 4 * each);
  EXPECT_DOUBLE_EQ(step.exposedSeconds, each + 3 * (each - 1));
  EXPECT_DOUBLE_EQ(step.stepSeconds(), 2 + each + 3 * (each - 1));
  EXPECT_DOUBLE_EQ(step.efficiency(), 2 / step.stepSeconds());
  // Long work hides all.
  work.communications[1].hiddenSeconds = 100;
  EXPECT_DOUBLE_EQ(predictStep(work, kFlat, {8, 1}).exposedSeconds, each);
}

// 2 replicas of 4 partitions: which groups grow.
TEST(StepPrediction, GroupsOverAllDevicesGrow) {
  const auto seconds = [](int64_t size, int64_t stride, DeviceGrid grid) {
    DeviceWork work{{2, 4}, 0, {}};
    work.communications.push_back({"%a", Movement::AllGather, 0, 1, size, stride, 0});
    return predictStep(work, kFlat, grid).stepSeconds() / kSwitch.seconds;  // steps
  };
  EXPECT_EQ(seconds(8, 1, {2, 4}), 3);   // all 8 devices
  EXPECT_EQ(seconds(8, 1, {16, 4}), 6);  // all 64
  EXPECT_EQ(seconds(2, 4, {16, 4}), 4);  // from replica to replica: 16
  EXPECT_EQ(seconds(4, 1, {16, 4}), 2);  // the partitions of a replica stay 4
  EXPECT_EQ(seconds(4, 1, {2, 32}), 5);  // or become 32
  EXPECT_EQ(seconds(2, 1, {2, 32}), 1);  // neighbours stay neighbours
  EXPECT_EQ(seconds(2, 2, {2, 32}), 4);  // every second partition: 16
  EXPECT_EQ(seconds(2, 4, {2, 32}), 1);  // both replicas, as before
}

TEST(StepPrediction, GridsGrowAlongOneAxis) {
  const DeviceWork work{{2, 4}, 0, {}};
  EXPECT_EQ(grownGrid(work, GridAxis::Replicas, 64)->replicas, 16);
  EXPECT_EQ(grownGrid(work, GridAxis::Partitions, 64)->partitions, 32);
  const auto wrong = grownGrid(work, GridAxis::Replicas, 10);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "10 devices are no multiple of 4 partitions");
}

Module readModule(const char* text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module && !inferModule(*read.module).hasErrors());
  return std::move(*read.module);
}

TEST(DeviceWork, ComesFromAProfile) {
  const Module module = readModule(R"(HloModule m, replica_count=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

ENTRY main {
  x = f32[100] parameter(0)
  start = f32[100] all-reduce-start(x), replica_groups={{0,1},{2,3}}, to_apply=add
  work = f32[100] negate(x)
  sum = f32[100] all-reduce-done(start)
  whole = f32[400] all-gather(work), replica_groups={}, dimensions={0}
  ROOT t = (f32[100], f32[400]) tuple(sum, whole)
}
)");
  const auto& order = module.entryComputation().instructions;
  const auto idOf = [&](std::string_view name) {
    for (InstructionId id : order)
      if (module.at(id).name == name) return id;
    return InstructionId();
  };
  Profile profile;
  profile.runs = 2;
  const auto step = [&](std::string_view name, int64_t totalNs) {
    profile.steps.push_back({idOf(name), std::string(name), "", 2, totalNs, 0, 0, 0});
  };
  step("start", 5000);
  step("work", 2000000);  // two runs of a millisecond
  step("sum", 7000);
  step("whole", 9000);
  const DeviceWork work = workOf(module, profile, {4, 1});
  EXPECT_DOUBLE_EQ(work.computeSeconds, 1e-3);
  ASSERT_EQ(work.communications.size(), 2u);
  const Communication &reduce = work.communications[0], &gather = work.communications[1];
  EXPECT_EQ(reduce.movement, Movement::AllReduce);
  EXPECT_EQ(reduce.bytes, 400);
  EXPECT_EQ(reduce.times, 1);
  EXPECT_EQ(reduce.groupSize, 2);
  EXPECT_EQ(reduce.stride, 1);
  EXPECT_DOUBLE_EQ(reduce.hiddenSeconds, 1e-3);
  EXPECT_EQ(gather.bytes, 1600);
  EXPECT_EQ(gather.groupSize, 4);
  EXPECT_EQ(gather.hiddenSeconds, 0);
  EXPECT_EQ(likelyAxis(work), GridAxis::Replicas);
}

}  // namespace
}  // namespace tessera
