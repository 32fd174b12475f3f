// Profiles as Chrome traces: read back whole; foreign JSON is refused.
#include <gtest/gtest.h>

#include "core/profile/merge.h"
#include "core/profile/profile.h"

namespace tessera {
namespace {

TEST(Profile, ReadsBackWhole) {
  Profile profile;
  profile.module = "m";
  profile.runs = 2;
  profile.totalNs = 123456789;
  profile.steps = {{InstructionId(7), "fusion.1", "kernel", 2, 1001, 499}};
  profile.sources = {{InstructionId(3), 500.5, 64, 128, false}, {InstructionId(4), 500.5, 1, 2, true}};
  profile.timeline = {{1, 0, 10, 511}, {0, 0, 600, 1100}};
  const std::string text = toChromeTrace(profile);
  auto back = readChromeTrace(text);
  ASSERT_TRUE(back) << back.error().toString();
  EXPECT_EQ(toChromeTrace(*back), text);
  ASSERT_EQ(back->timeline.size(), 2u);
  EXPECT_EQ(back->timeline[0].endNs, 511);
  EXPECT_FALSE(back->sources[0].measured);
}

TEST(Profile, RowsOfSeveralDevicesSayWhoseTheyAre) {
  const auto namesOf = [](std::vector<Profile> devices) {
    Profile all;
    addDevices(all, std::move(devices));
    std::vector<std::string> out;
    for (size_t row = 0; row < all.threadNames.size(); ++row) out.push_back(all.nameOfThread(row));
    return out;
  };
  Profile one, two, streams;
  two.timeline = {{.thread = 1}};
  two.steps.resize(1);
  streams.threadNames = {"stream 1"};
  using Names = std::vector<std::string>;
  EXPECT_EQ(namesOf({one, one}), (Names{"device 0", "device 1"}));
  EXPECT_EQ(namesOf({two, streams}), (Names{"device 0, thread 0", "device 0, thread 1", "device 1, stream 1"}));
  EXPECT_EQ(namesOf({two}), (Names{"thread 0", "thread 1"}));
}

TEST(Profile, ForeignJsonIsRefused) {
  EXPECT_FALSE(readChromeTrace("{\"traceEvents\":[]}"));
  EXPECT_FALSE(readChromeTrace("{\"tessera\":{\"module\":3}}"));
  EXPECT_FALSE(readChromeTrace("junk"));
}

TEST(Profile, HalfAFileSaysWhereItEnds) {
  const auto half = readChromeTrace(R"({"traceEvents":[],"tessera":{"mod)");
  ASSERT_FALSE(half);
  EXPECT_NE(half.error().message.find("ends too early, after 33 bytes"), std::string::npos) << half.error().message;
  const auto huge = readChromeTrace(R"({"tessera": {"runs": 1e3001}})");
  ASSERT_FALSE(huge);
  EXPECT_NE(huge.error().message.find("1e3001"), std::string::npos) << huge.error().message;
}

TEST(Profile, AWholeNumberOutOfRangeIsRefusedByName) {
  const auto withRuns = [](const std::string& number) {
    return readChromeTrace(R"({"traceEvents": [], "tessera": {"module": "m", "runs": 1, "total_ns": )" + number +
                           R"(, "steps": [], "sources": [], "runs_ns": [7]}})");
  };
  for (const char* number : {"1e300", "-1e300", "9223372036854775808", "9.3e18"}) {
    const auto read = withRuns(number);
    ASSERT_FALSE(read) << number;
    EXPECT_NE(read.error().message.find("\"total_ns\""), std::string::npos) << read.error().message;
  }
  for (const char* number : {"9223372036854775807", "-9223372036854775808", "1e18"})
    EXPECT_TRUE(withRuns(number)) << number;
}

TEST(Profile, ANumberInPlaceOfAListOfNumbersIsRefused) {
  EXPECT_FALSE(readChromeTrace(R"({"traceEvents": [], "tessera": {"module": "m", "runs": 1, "total_ns": 7,
                                   "steps": [], "sources": [], "runs_ns": 7}})"));
}

}  // namespace
}  // namespace tessera
