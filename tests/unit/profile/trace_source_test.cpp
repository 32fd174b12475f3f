// Traces of other programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/profile/sources/trace_events.h"
#include "tests/unit/profile/source_hand.h"

namespace tessera {
namespace {

TEST(ProfileSources, ATraceOfAnotherProgramIsMatchedByNames) {
  const OpProfile profile = sourceOf(R"({"traceEvents":[
    {"ph":"X","name":"fusion_3","cat":"kernel","pid":0,"tid":7,"ts":10,"dur":2.5},
    {"ph":"X","name":"exp.2","cat":"kernel","pid":0,"tid":7,"ts":20,"dur":1},
    {"ph":"X","name":"other","cat":"kernel","pid":0,"tid":7,"ts":30,"dur":4},
    {"ph":"X","name":"aten::add","cat":"cpu_op","pid":1,"tid":1,"ts":0,"dur":100}]})",
                                     smallModule());
  EXPECT_EQ(profile.placedNs, 3500);
  EXPECT_EQ(profile.unmatchedNs, 4000);
  ASSERT_EQ(profile.host.size(), 1u);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 2500);
}

TEST(ProfileSources, CustomCallsAreACategoryOfTheirOwn) {
  const auto module = std::make_shared<const Module>(*readHloText(R"(HloModule jit_f

ENTRY main {
  p = f32[8] parameter(0)
  ROOT call.2 = f32[8] custom-call(p), custom_call_target="target"
}
)")
                                                          .module);
  const OpProfile profile =
      sourceOf(R"([{"ph":"X","name":"call.2","cat":"kernel","pid":0,"tid":7,"ts":20,"dur":1}])", module);
  ASSERT_TRUE(rowNamed(profile, "call.2"));
  EXPECT_EQ(rowNamed(profile, "call.2")->category, "Custom call");
}

// A trace names modules without holding them: equal names in another version may be other instructions.
TEST(ProfileSources, NamesThatTheGivenModuleLacksAreSaid) {
  constexpr const char* kTrace = R"([
    {{"ph":"X","name":"exp.2","pid":1,"tid":1,"ts":10,"dur":1,"args":{{"hlo_op":"exp.2","hlo_module":"jit_f"}}}},
    {{"ph":"X","name":"{0}","pid":1,"tid":1,"ts":20,"dur":1,"args":{{"hlo_op":"{0}","hlo_module":"jit_f"}}}}])";
  EXPECT_TRUE(sourceOf(fmt::format(kTrace, "fusion.3"), smallModule()).warnings.empty());
  const OpProfile other = sourceOf(fmt::format(kTrace, "fusion.4"), smallModule());
  EXPECT_EQ(other.placedNs, 1000);
  EXPECT_TRUE(warns(other,
                    "1 of the 2 instructions that the profile names of jit_f are not in the given module: it is "
                    "of another version, and names that both have may be other instructions"));
}

TEST(ProfileSources, BeginAndEndArePairedAndNested) {
  const OpProfile profile = sourceOf(R"([
    {"ph":"B","name":"fusion.3","pid":1,"tid":1,"ts":0},
    {"ph":"B","name":"exp.2","pid":1,"tid":1,"ts":1},
    {"ph":"E","pid":1,"tid":1,"ts":3},
    {"ph":"E","pid":1,"tid":1,"ts":10},
    {"ph":"B","name":"never","pid":1,"tid":1,"ts":11}])",
                                     smallModule());
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 10'000);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.selfNs, 8'000);
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.selfNs, 2'000);
  EXPECT_TRUE(
      std::ranges::any_of(profile.warnings, [](const auto& text) { return text.starts_with("1 event with a begin"); }));
}

// All its processes are called python; what tells two GPUs apart are their labels.
TEST(ProfileSources, StepsAndDevicesOfPyTorch) {
  const OpProfile profile = sourceOf(R"([
    {"name":"process_name","ph":"M","pid":99,"args":{"name":"python"}},
    {"name":"process_labels","ph":"M","pid":99,"args":{"labels":"CPU"}},
    {"name":"process_name","ph":"M","pid":0,"args":{"name":"python"}},
    {"name":"process_labels","ph":"M","pid":0,"args":{"labels":"GPU 0"}},
    {"name":"process_name","ph":"M","pid":1,"args":{"name":"python"}},
    {"name":"process_labels","ph":"M","pid":1,"args":{"labels":"GPU 1"}},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":99,"tid":99,"ts":0,"dur":300},
    {"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#7","pid":0,"tid":7,"ts":5,"dur":290},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":20},
    {"ph":"X","cat":"kernel","name":"gemm","pid":1,"tid":7,"ts":10,"dur":20},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#8","pid":99,"tid":99,"ts":300,"dur":100}])");
  EXPECT_EQ(profile.devices, (std::vector<std::string>{"GPU 0", "GPU 1"}));
  EXPECT_EQ(profile.steps, 2);
  EXPECT_EQ(profile.stepTimes.count, 2);
  EXPECT_EQ(profile.stepTimes.minNs, 100'000);
}

// What else stands in the file, or in an event, is stepped over.
TEST(ProfileSources, EventsAreTakenOutOfWhateverIsRoundThem) {
  const OpProfile profile = sourceOf(R"({"otherData":{"traceEvents":[{"ph":"X","name":"no"}],"list":[{"ph":"X"}]},
    "traceEvents":[
      {"args":{"name":"python"},"cat":"__metadata","name":"thread_name","ph":"M","pid":1,"tid":1},
      {"ph":"X","name":"exp.2","pid":"1","tid":1,"ts":"5","dur":"2","stack":[1,{"ts":9,"dur":9}],
       "args":{"deep":{"hlo_op":"no"},"list":["hlo_op",{"hlo_op":"no"}],"hlo_op":"exp.2","hlo_module":"jit_f",
               "bytes_accessed":"64","run_id":"3"},"tts":[7]},
      {"ph":"X","name":"fusion.3","pid":1,"tid":1,"ts":10,"dur":1,"args":{"hlo_op":"fusion.3","hlo_module":"jit_f"}}],
    "stackFrames":[{"ph":"X","name":"no","dur":100}]})",
                                     smallModule());
  EXPECT_EQ(profile.totalNs, 3000);
  EXPECT_EQ(profile.unmatchedNs, 0);
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.totalNs, 2000);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 1000);
  EXPECT_TRUE(profile.warnings.empty()) << profile.warnings[0];
}

TEST(ProfileSources, ClocksThatJumpAndNegativeTimesAreSaid) {
  const OpProfile profile = sourceOf(R"([
    {"ph":"X","name":"exp.2","pid":1,"tid":1,"ts":100,"dur":2},
    {"ph":"X","name":"exp.2","pid":1,"tid":1,"ts":50,"dur":2},
    {"ph":"X","name":"fusion.3","pid":1,"tid":1,"ts":200,"dur":-7},
    {"ph":"X","name":"fusion.3","pid":1,"tid":1,"ts":-1e30,"dur":1e30}])",
                                     smallModule());
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.totalNs, 4000);
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.totalNs, 0);
  const auto isSaid = [&](std::string_view words) {
    return std::ranges::any_of(profile.warnings, [&](const auto& text) { return text.find(words) != text.npos; });
  };
  EXPECT_TRUE(isSaid("1 event with a negative duration"));
  EXPECT_TRUE(isSaid("1 event longer than"));
}

// "exp.2" a hundred times in a tenth of a second from `ts` on, and the events that are given.
std::string hundredAnd(const std::string& events, const std::string& thousandsOfSeconds = "") {
  std::string out = "[" + events;
  for (int i = 100; i < 200; ++i)
    out +=
        (i == 100 && events.empty() ? "" : ",") +
        fmt::format(R"({{"ph":"X","name":"exp.2","pid":1,"tid":"main","ts":{}{}000,"dur":2}})", thousandsOfSeconds, i);
  return out + "]";
}

// The line, the event and how far it is from the others; three hours are 10,800 s.
TEST(ProfileSources, AnEventHoursAwayIsSaid) {
  const OpProfile late = sourceOf(
      hundredAnd(R"({"ph":"X","name":"fusion.3","pid":1,"tid":"main","ts":10800000000,"dur":2})"), smallModule());
  EXPECT_EQ(rowNamed(late, "fusion.3")->times.totalNs, 2000);
  EXPECT_EQ(late.totalNs, 202'000);
  ASSERT_EQ(late.warnings.size(), 2u);  // and that nothing says which events are instructions
  EXPECT_EQ(late.warnings[1],
            "1 event (fusion.3 on the line thread main of process 1) is 3.00 h after all others: the clock jumped, or "
            "nothing was recorded in between");
  const OpProfile early =
      sourceOf(hundredAnd(R"({"ph":"X","name":"fusion.3","pid":1,"tid":9,"ts":-10800000000,"dur":2},)"
                          R"({"ph":"X","name":"exp.2","pid":1,"tid":9,"ts":-10800000005,"dur":2})"),
               smallModule());
  EXPECT_TRUE(
      warns(early, "2 events (exp.2 on the line thread 9 of process 1 among them) are 3.00 h before all others"));
  EXPECT_EQ(early.totalNs, 204'000);
}

// As writers leave it where they know no time.
TEST(ProfileSources, AnEventOf1970AmongThoseOfTodayIsSaid) {
  const std::string events = R"({"ph":"X","name":"fusion.3","pid":1,"tid":"main","ts":0,"dur":3})";
  const OpProfile profile = sourceOf(hundredAnd(events, "1700000000"), smallModule());
  EXPECT_TRUE(
      warns(profile, "1 event (fusion.3 on the line thread main of process 1) is more than 26 days before all"));
  EXPECT_EQ(profile.totalNs, 203'000);
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.selfNs, 200'000);
}

TEST(ProfileSources, APauseThatAnotherThreadFillsIsNone) {
  std::string busy;
  for (int minute = 0; minute < 180; ++minute)
    busy +=
        (minute == 0 ? "" : ",") +
        fmt::format(R"({{"ph":"X","name":"fusion.3","pid":1,"tid":2,"ts":{},"dur":59000000}})", minute * 60'000'000LL);
  const OpProfile profile = sourceOf(
      hundredAnd(busy + R"(,{"ph":"X","name":"exp.2","pid":1,"tid":"main","ts":10700000000,"dur":2})"), smallModule());
  EXPECT_FALSE(warns(profile, "clock jumped"));
}

// Of a hundred jumps not all are told.
TEST(ProfileSources, ManyJumpsAreCounted) {
  std::string jumps;
  for (int day = 1; day <= 20; ++day)
    jumps += (day == 1 ? "" : ",") +
             fmt::format(R"({{"ph":"X","name":"fusion.3","pid":1,"tid":2,"ts":{},"dur":1}})", day * 86'400'000'000LL);
  const OpProfile profile = sourceOf(hundredAnd(jumps), smallModule());
  EXPECT_EQ(std::ranges::count_if(profile.warnings, [](const auto& text) { return text.ends_with("in between"); }), 8);
  EXPECT_TRUE(warns(profile, "12 more such pauses"));
}

// PyTorch's clock counts from 1970, others from the start of the machine.
TEST(ProfileSources, ClocksThatCountFromLongAgoKeepTheirDifferences) {
  const std::string events = R"({"ph":"X","name":"fusion.3","pid":1,"tid":"main","ts":1700000000099999.75,"dur":3})";
  const OpProfile profile = sourceOf(hundredAnd(events, "1700000000"), smallModule());
  EXPECT_EQ(rowNamed(profile, "fusion.3")->times.selfNs, 1000);  // the first exp.2 is in it
  EXPECT_EQ(profile.warnings.size(), 1u);                        // that nothing says which events are instructions
  EXPECT_EQ(rowNamed(profile, "exp.2")->times.selfNs, 200'000);
}

TEST(ProfileSources, ACutTraceShowsTheEventsBefore) {
  const std::string whole = R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,
    "args":{"hlo_op":"fusion.3","hlo_module":"jit_f"}},{"ph":"X","name":"b","pid")";
  const auto cut = readTraceEvents(whole);
  ASSERT_TRUE(cut) << cut.error().toString();
  ASSERT_EQ(cut->times.size(), 1u);
  EXPECT_EQ(cut->times[0].name, "fusion.3");
  EXPECT_FALSE(cut->warnings.empty());
  EXPECT_FALSE(readTraceEvents("{\"traceEvents\":[]}"));
}

}  // namespace
}  // namespace tessera
