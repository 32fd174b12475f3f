// The timeline: lanes of nested spans, what is seen at a zoom against a plain count, sums of a stretch, flows, a
// million spans, the trace that Perfetto opens, and the timelines of other programs' profiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "core/formats/hlo_text.h"
#include "core/profile/sources/profile_source.h"
#include "core/profile/sources/recorded_timeline.h"
#include "core/profile/sources/trace_events.h"
#include "core/profile/timeline.h"
#include "tests/support/source_tree.h"

namespace tessera {
namespace {

TEST(Timeline, NestedSpansAreLowerAndNoLaneOverlaps) {
  Timeline timeline;
  timeline.names = {{"a"}, {"b"}, {"c"}};
  timeline.addTrack("p", "t", {{10, 90, 1}, {0, 100, 0}, {20, 30, 2}, {95, 120, 2}, {130, 140, 0}});
  timeline.finish();
  ASSERT_EQ(timeline.tracks[0].lanes.size(), 3u);
  EXPECT_EQ(timeline.tracks[0].lanes[0].spans().size(), 2u);
  EXPECT_EQ(timeline.tracks[0].lanes[1].spans().size(), 2u);  // what ends after the one around it, too
  for (const TimelineLane& lane : timeline.tracks[0].lanes)
    for (size_t i = 1; i < lane.spans().size(); ++i) EXPECT_LE(lane.spans()[i - 1].endNs, lane.spans()[i].beginNs);
  EXPECT_EQ(timeline.beginNs(), 0);
  EXPECT_EQ(timeline.endNs(), 140);
}

std::vector<TimelineSpan> randomSpans(size_t count, uint32_t names, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TimelineSpan> out;
  int64_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    at += static_cast<int64_t>(random() % 50);
    const int64_t length =
        random() % 100 == 0 ? static_cast<int64_t>(random() % 20000) : static_cast<int64_t>(random() % 40);
    out.push_back({at, at + length, static_cast<uint32_t>(random() % names)});
    at += length;
  }
  return out;
}

TEST(Timeline, SummariesOfAnyRangeAreThoseOfAPlainLoop) {
  const TimelineLane lane(randomSpans(5000, 7, 1));
  std::mt19937 random(2);
  for (int tries = 0; tries < 300; ++tries) {
    auto first = static_cast<uint32_t>(random() % 5000), last = static_cast<uint32_t>(random() % 5000);
    if (first > last) std::swap(first, last);
    ++last;
    const TimelineBar bar = lane.summary(first, last);
    int64_t busy = 0, longest = 0, shortest = INT64_MAX;
    for (uint32_t i = first; i < last; ++i) {
      const int64_t ns = lane.spans()[i].ns();
      busy += ns, longest = std::max(longest, ns), shortest = std::min(shortest, ns);
    }
    EXPECT_EQ(bar.busyNs, busy);
    EXPECT_EQ(lane.spans()[bar.longest].ns(), longest);
    EXPECT_EQ(lane.spans()[bar.shortest].ns(), shortest);
    EXPECT_EQ(bar.count, last - first);
  }
}

TEST(Timeline, WhatIsSeenIsEverySpanOnceAndAtMostTwoBarsAPixel) {
  const TimelineLane lane(randomSpans(20000, 7, 3));
  const int64_t end = lane.spans().back().endNs;
  for (const double perPixel : {1.0, 17.0, 900.0, 40000.0}) {
    std::vector<TimelineBar> bars;
    lane.barsIn(0, end + 1, perPixel, bars);
    uint32_t next = 0;
    for (const TimelineBar& bar : bars) {
      EXPECT_EQ(bar.first, next);
      next = bar.first + bar.count;
      if (bar.count > 1) {
        EXPECT_LT(lane.spans()[next - 1].beginNs - bar.beginNs, static_cast<int64_t>(perPixel));
        EXPECT_LT(lane.spans()[bar.longest].ns(), static_cast<int64_t>(perPixel));
      }
    }
    EXPECT_GE(next, 19999u);  // one of no length at the very end may be beside it
    EXPECT_LE(static_cast<double>(bars.size()), 2 * static_cast<double>(end) / perPixel + 4);
  }
  std::vector<TimelineBar> part;
  const TimelineSpan& middle = lane.spans()[10000];
  lane.barsIn(middle.beginNs, middle.endNs + 1, 1, part);
  ASSERT_FALSE(part.empty());
  EXPECT_LE(part[0].first, 10000u);
}

TEST(Timeline, AMillionSpansAreSeenInAFrame) {
  std::vector<TimelineLane> lanes;
  for (uint32_t i = 0; i < 8; ++i) lanes.emplace_back(randomSpans(125000, 100, i));
  double least = 1e9;
  for (int tries = 0; tries < 5; ++tries) {
    const std::clock_t before = std::clock();  // of the processor: other programs may run beside
    std::vector<TimelineBar> bars;
    for (const TimelineLane& lane : lanes) {
      const int64_t end = lane.spans().back().endNs;
      lane.barsIn(0, end, static_cast<double>(end) / 1920, bars);
    }
    least = std::min(least, 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    EXPECT_LE(bars.size(), 8u * 2 * 1921);
  }
  EXPECT_LT(least, 16.7);
}

// Three hours between a microsecond of work and another one.
TEST(Timeline, APauseThatDwarfsTheRestIsDrawnShort) {
  constexpr int64_t kPause = 3 * int64_t{3600} * 1'000'000'000;
  Timeline timeline;
  timeline.names = {{"a"}, {"b"}};
  timeline.addTrack("p", "one", {{0, 600, 0}, {600, 1000, 1}, {1000 + kPause, 2000 + kPause, 0}});
  timeline.addTrack("p", "two", {{1100 + kPause, 1200 + kPause, 1}});
  timeline.finish();
  ASSERT_EQ(timeline.breaks().size(), 1u);
  const TimelineBreak& pause = timeline.breaks()[0];
  EXPECT_EQ(pause.realNs, kPause);
  EXPECT_EQ(pause.beginNs, 1000);
  EXPECT_LT(timeline.endNs(), 2200) << "what ran is nearly all that is drawn";
  const TimelineSpan& last = timeline.at({0, 0, 2});
  EXPECT_EQ(last.beginNs, pause.endNs);
  EXPECT_EQ(last.ns(), 1000);
  EXPECT_EQ(timeline.at({1, 0, 0}).beginNs, pause.endNs + 100);
  EXPECT_EQ(timeline.realNs(600, last.endNs), 1400 + kPause);
  EXPECT_NEAR(static_cast<double>(timeline.realNs(0, (pause.beginNs + pause.endNs) / 2)), kPause / 2.0, kPause / 20.0);
  EXPECT_EQ(timeline.realNs(100, 300), 200);
  ASSERT_EQ(timeline.notes.size(), 1u);
  EXPECT_EQ(timeline.notes[0], "pauses of 3.00 h together are drawn short");
  const auto json = nlohmann::json::parse(toChromeTrace(timeline));
  double latestUs = 0;
  for (const auto& event : json.at("traceEvents")) latestUs = std::max(latestUs, event.value("ts", 0.0));
  EXPECT_DOUBLE_EQ(latestUs, (kPause + 1100) / 1000.0) << "a file has the real times";
}

TEST(Timeline, ShortPausesStay) {
  constexpr int64_t kSecond = 1'000'000'000;
  Timeline timeline;
  timeline.names = {{"a"}};
  timeline.addTrack("p", "one", {{0, 10 * kSecond, 0}, {100 * kSecond, 110 * kSecond, 0}});
  timeline.finish();
  EXPECT_TRUE(timeline.breaks().empty());
  EXPECT_EQ(timeline.endNs(), 110 * kSecond);
}

Timeline twoTracks() {
  Timeline out;
  out.names = {{"dot", "", "d", "m"}, {"copy"}, {"exp", "", "e", "m"}};
  out.addTrack("p", "one", {{0, 10, 0}, {20, 50, 1}, {60, 70, 0}});
  out.addTrack("p", "two", {{5, 25, 2}, {65, 90, 2}});
  out.finish();
  return out;
}

TEST(Timeline, SumsOfAStretchAreCutAtItsEnds) {
  const Timeline timeline = twoTracks();
  const auto all = timeline.statistics(0, 90);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(timeline.names[all[0].name].text, "exp");
  EXPECT_EQ(all[0].totalNs, 45);
  const auto part = timeline.statistics(8, 30, {0});
  ASSERT_EQ(part.size(), 2u);
  EXPECT_EQ(part[0].totalNs, 10);  // of the copy
  EXPECT_EQ(part[1].totalNs, 2);   // of the dot
  EXPECT_EQ(part[1].count, 1);
}

TEST(Timeline, WiresLeadToTheLastOperandAndTheNextUser) {
  const Module module =
      *std::move(readHloText("HloModule m\n\nENTRY main {\n  p = f32[2,2] parameter(0)\n  d = f32[2,2] "
                             "dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  b = "
                             "f32[4] bitcast(d)\n  ROOT e = f32[4] exponential(b)\n}\n")
                     .module);
  Timeline timeline = twoTracks();
  timeline.link(std::make_shared<const Module>(module));
  const InstructionId dot = module.findInstruction("d").value();
  ASSERT_EQ(timeline.namesOf(dot).size(), 1u);
  const auto wires = timeline.wiresOf({1, 0, 1}, module);  // exp at 65: the bitcast between has no time of its own
  ASSERT_EQ(wires.size(), 1u);
  EXPECT_EQ(timeline.at(wires[0].from).beginNs, 0);  // the dot at 60 had not ended
  EXPECT_EQ(timeline.neighbour({0, 0, 0}, 1), (SpanPlace{0, 0, 2}));
}

TEST(Timeline, TheTraceIsWhatPerfettoReadsAndReadsBack) {
  Timeline timeline = twoTracks();
  timeline.names[1].text = "a \"quoted\"\nname";
  timeline.flows.push_back({{0, 0, 0}, {1, 0, 0}});
  const std::string text = toChromeTrace(timeline);
  const auto json = nlohmann::json::parse(text);
  size_t spans = 0, flows = 0;
  for (const auto& event : json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_TRUE(event.at("pid").is_number_integer() && event.at("tid").is_number_integer());
    if (phase == "X") {
      ++spans;
      EXPECT_TRUE(event.at("ts").is_number() && event.at("dur").is_number() && event.at("cat").is_string());
    } else if (phase == "s" || phase == "f") {
      ++flows;
      EXPECT_TRUE(event.contains("id"));
    } else {
      EXPECT_EQ(phase, "M");
    }
  }
  EXPECT_EQ(spans, 5u);
  EXPECT_EQ(flows, 2u);
  const auto read = readTraceEvents(text, {}, true);
  ASSERT_TRUE(read);
  const auto again = recordedTimeline({*read});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->spanCount(), 5u);
  EXPECT_EQ(again->endNs() - again->beginNs(), 90);
  ASSERT_EQ(again->flows.size(), 1u);
  EXPECT_EQ(again->names[again->at(again->flows[0].to).name].op, "e");
}

// One host with two programs called jit_f, by their numbers and modules; an event of each.
Recorded recordedPrograms(const std::vector<std::pair<uint64_t, std::string>>& programs) {
  Recorder recorder(true);
  std::vector<SeenEvent> events;
  int64_t at = 0;
  for (const auto& [number, proto] : programs)
    events.push_back({.kind = TimeKind::Instruction,
                      .name = recorder.text("fusion.1"),
                      .op = recorder.text("fusion.1"),
                      .module = recorder.text("jit_f"),
                      .program = number,
                      .beginPs = at += 10'000,
                      .durationPs = 5'000});
  recorder.addLine("/device:GPU:0", "stream 1", std::move(events));
  Recorded out = recorder.finish();
  for (const auto& [number, proto] : programs) out.modules.push_back({"jit_f", number, proto});
  return out;
}

TEST(Timeline, ProgramsOfOneNameAreToldApart) {
  const auto timeline = recordedTimeline({recordedPrograms({{7, "module a"}, {8, "module b"}}),
                                          recordedPrograms({{8, "module a"}, {9, "module b"}})});  // another process
  ASSERT_EQ(timeline->names.size(), 2u);
  EXPECT_EQ(timeline->names[0].owner, "jit_f (program 7)");
  EXPECT_EQ(timeline->names[1].owner, "jit_f (program 8)");
  for (uint32_t name : {0u, 1u}) {
    size_t count = 0;
    timeline->placesOf(name, count);
    EXPECT_EQ(count, 2u);
  }
  const auto module = std::make_shared<const Module>(
      *readHloText(
           "HloModule jit_f\n\nENTRY main {\n  p = f32[8] parameter(0)\n  ROOT fusion.1 = f32[8] negate(p)\n}\n")
           .module);
  timeline->link(module, 8);
  EXPECT_EQ(timeline->namesOf(*module->findInstruction("fusion.1")), std::vector<uint32_t>{1});
  EXPECT_NE(toChromeTrace(*timeline).find(R"("hlo_module":"jit_f","program_id":8)"), std::string::npos);
}

TEST(Timeline, OneModuleNeedsNoOwner) {
  const auto timeline = recordedTimeline({recordedPrograms({{7, "module a"}})});
  EXPECT_EQ(timeline->names[0].owner, "");
}

TEST(Timeline, ACorpusProfileHasEveryEventAndItsInstructions) {
  const auto profile = readProfileSource(test::inSourceTree("tests/corpus/profiles/lenet_train.xplane.pb.zst"), nullptr,
                                         {.timeline = true});
  ASSERT_TRUE(profile) << profile.error().toString();
  ASSERT_TRUE(profile->timeline);
  Timeline& timeline = *profile->timeline;
  int64_t counted = 0, named = 0;
  for (const InstructionTime& row : profile->instructions) counted += row.times.count;
  for (uint32_t i = 0; i < timeline.names.size(); ++i) {
    size_t count = 0;
    timeline.placesOf(i, count);
    if (!timeline.names[i].op.empty()) named += static_cast<int64_t>(count);
  }
  EXPECT_EQ(named, counted);
  const auto module =
      std::ranges::find_if(profile->modules, [](const ProfiledModule& m) { return m.name == "jit_step"; });
  ASSERT_TRUE(module != profile->modules.end() && module->module);
  timeline.link(module->module);
  size_t linked = 0;
  for (ComputationId computation : module->module->order())
    for (InstructionId id : module->module->at(computation).instructions) linked += timeline.namesOf(id).size();
  EXPECT_EQ(linked, profile->instructions.size());
  for (const TimelineName& name : timeline.names)
    if (!name.op.empty() && name.instructions.empty()) ADD_FAILURE() << name.op << " " << name.module;
  EXPECT_FALSE(readProfileSource(test::inSourceTree("tests/corpus/profiles/lenet_train.xplane.pb.zst"))->timeline);
}

}  // namespace
}  // namespace tessera
