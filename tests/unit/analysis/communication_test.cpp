// What devices exchanged: kinds, groups and axes, pairs as one span, what computation hides, skew; and the report page.
#include <gtest/gtest.h>

#include "core/analysis/report_page.h"
#include "core/formats/hlo_text.h"
#include "core/profile/sources/values.h"

namespace tessera {
namespace {

constexpr const char* kCommunicationProgram =
    R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"x\"=2, \"y\"=2]>}"}

sum {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY main {
  a = f32[1000]{0} parameter(0)
  ar = f32[1000]{0} all-reduce(a), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum
  begin = (f32[1000]{0}, f32[2000]{0}) all-gather-start(ar), channel_id=2, replica_groups={{0,2},{1,3}},
    use_global_device_ids=true, dimensions={0}
  work = f32[1000]{0} negate(ar)
  end = f32[2000]{0} all-gather-done(begin)
  ROOT out = (f32[1000]{0}, f32[2000]{0}) tuple(work, end)
})";

struct TwoDevices {
  std::shared_ptr<const Module> module = std::make_shared<const Module>(*readHloText(kCommunicationProgram).module);
  Timeline timeline;
  OpTimes times;
  TwoDevices() {
    for (const char* name : {"ar", "begin", "work", "end"}) timeline.names.push_back({name, "instruction", name});
    // Device 1 begins 30 later; the transfer lasts from 200 to 600, of which 150 are hidden.
    timeline.addTrack("/device:GPU:0", "stream", {{0, 100, 0}, {200, 210, 1}, {250, 400, 2}, {590, 600, 3}});
    timeline.addTrack("/device:GPU:1", "stream", {{30, 100, 0}, {200, 210, 1}, {250, 400, 2}, {590, 600, 3}});
    timeline.finish();
    timeline.link(module);
    times.runs = 1;
  }
  const CollectiveUse& use(const CommunicationTimes& found, const char* kind) const {
    for (const CollectiveUse& each : found.uses)
      if (each.kind == kind) return each;
    ADD_FAILURE() << kind;
    return found.uses.front();
  }
};

TEST(Communication, APairIsOneSpanAndComputationHidesAPart) {
  TwoDevices run;
  const CommunicationTimes found = communicationOf(*run.module, run.times, &run.timeline);
  ASSERT_EQ(found.uses.size(), 2u);
  EXPECT_EQ(found.devices, 2u);
  const CollectiveUse& gather = run.use(found, "all-gather");
  EXPECT_DOUBLE_EQ(gather.ns, 400);
  EXPECT_DOUBLE_EQ(gather.exposedNs, 250);
  EXPECT_DOUBLE_EQ(gather.bytes, 8000);
  EXPECT_EQ(gather.groups, "2 groups of 2");
  EXPECT_EQ(gather.axis, "x");
  EXPECT_DOUBLE_EQ(gather.rate(), 20);
  EXPECT_DOUBLE_EQ(gather.busRate(), 10);
  const CollectiveUse& reduce = run.use(found, "all-reduce");
  EXPECT_EQ(reduce.axis, "y");
  EXPECT_DOUBLE_EQ(reduce.ns, 85);
  EXPECT_DOUBLE_EQ(reduce.skewNs, 30);
  EXPECT_DOUBLE_EQ(reduce.busRate(), reduce.rate());  // 2 (n - 1) / n of two
  EXPECT_EQ(found.uses[0].kind, "all-gather");        // exposed longest
  const Overlay exposed = exposedOverlay(found);
  EXPECT_DOUBLE_EQ(exposed.find(gather.instruction)->value, 250);
}

// XLA:CPU's devices share the threads of one pool.
TEST(Communication, EventsThatSayTheirDeviceAreTakenByIt) {
  TwoDevices run;
  Timeline timeline;
  timeline.names = run.timeline.names;
  timeline.addTrack("/host:CPU", "one", {{0, 100, 0, 0}, {300, 340, 0, 1}});
  timeline.addTrack("/host:CPU", "two", {{30, 100, 0, 1}, {310, 400, 0, 0}});
  timeline.addTrack("/host:CPU", "three", {{20, 60, 2, 0}});
  timeline.finish();
  timeline.link(run.module);
  run.times.runs = 2;
  const CommunicationTimes found = communicationOf(*run.module, run.times, &timeline);
  EXPECT_EQ(found.devices, 2u);
  const CollectiveUse& reduce = run.use(found, "all-reduce");
  EXPECT_DOUBLE_EQ(reduce.count, 1);
  EXPECT_DOUBLE_EQ(reduce.ns, (100 + 40 + 70 + 90) / 4.0);
  EXPECT_DOUBLE_EQ(reduce.exposedNs, reduce.ns - 40 / 4.0);
  EXPECT_DOUBLE_EQ(reduce.skewNs, 30);
}

TEST(Communication, WithoutEventsNothingIsKnownToBeHidden) {
  TwoDevices run;
  OpUnit unit;
  unit.facts.instruction = run.module->findInstruction("ar").value();
  unit.selfNs = 90, unit.count = 3;
  run.times.units = {unit};
  const CommunicationTimes found = communicationOf(*run.module, run.times, nullptr);
  ASSERT_EQ(found.uses.size(), 1u);
  EXPECT_FALSE(found.uses[0].exposedKnown);
  EXPECT_DOUBLE_EQ(found.uses[0].ns, 90);
  EXPECT_EQ(found.notes.size(), 1u);
  EXPECT_TRUE(exposedOverlay(found).entries.empty());
}

TEST(Report, HasASectionForAllThatIsKnownAndEscapesNames) {
  TwoDevices run;
  OpProfile profile = *readCsvValues("name,time_us\nwork,30\nar,10\n<b>evil</b>,5\n", run.module, "t.csv");
  profile.timeline = std::make_shared<Timeline>(run.timeline);
  ReportInput input{"a <title>", &profile, run.module, opTimesOf(profile, run.module), nullptr};
  auto device = std::make_shared<DevicePeaks>(*findDevice("NVIDIA H100 SXM"));
  holdAgainst(input.times, *device);
  input.device = device;
  const std::string page = reportPage(input);
  for (const char* wanted : {"a &lt;title&gt;", "<h2>Graph</h2>", "srcdoc=", "<h2>Kernels</h2>", "<h2>Memory</h2>",
                             "<h2>Roofline</h2>", "<h2>Communication</h2>", "<h2>Not placed</h2>", "&lt;b&gt;evil"})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted;
  EXPECT_EQ(page.find("<b>evil"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  const std::string bare = reportPage({"t", &profile, nullptr, opTimesOf(profile, nullptr), nullptr});
  EXPECT_EQ(bare.find("<h2>Graph</h2>"), std::string::npos);
  EXPECT_NE(bare.find("<h2>Kernels</h2>"), std::string::npos);
}

}  // namespace
}  // namespace tessera
