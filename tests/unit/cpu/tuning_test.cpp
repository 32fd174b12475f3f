// Plans and runs under different tunings: a program that was compiled where the caches are others, or other constants
// were tried, finds its memory as it was planned. Each tuning plans, each runs; values are those of the usual one.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "core/base/tuning_constants.h"
#include "tests/support/like_evaluator.h"
#include "tests/support/planned_memory.h"

namespace tessera {
namespace {

struct NamedTuning {
  const char* name;
  Tuning tuning;
};

class TuningAsBefore {
 public:
  ~TuningAsBefore() { setTuning(before_); }

 private:
  const Tuning before_ = tuning();
};

// Each constant that run time reads at an end of its range, where every value is safe.
Tuning atEnd(bool most) {
  std::string text;
  for (const TuningConstant& constant : tuningConstants(tuningFor({})))
    for (const char* group : {"epilogues.", "products.", "threads.", "sort.", "movement."})
      if (constant.name.starts_with(group))
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", constant.name, most ? constant.most : constant.least);
  return tuningWith({}, text).value();
}

std::vector<NamedTuning> tunings() {
  return {{"usual", tuningFor({})},
          {"small caches", tuningFor({.firstBytes = 8 << 10, .secondBytes = 64 << 10, .lastBytes = 256 << 10})},
          {"large caches", tuningFor({.firstBytes = 256 << 10, .secondBytes = 64 << 20, .lastBytes = 512 << 20})},
          {"least", atEnd(false)},
          {"most", atEnd(true)}};
}

// What a test sets is what the backend's module reads: a transpose beyond the caches has buffers.
TEST(CpuTuning, PlansFollowTheTuning) {
  const TuningAsBefore asBefore;
  const Module module = test::parsedModule(
      "HloModule m\nENTRY e {\n  a = f32[520,512] parameter(0)\n  ROOT t = f32[512,520] transpose(a), "
      "dimensions={1,0}\n}\n");
  const auto peakWith = [&](const Tuning& which) {
    setTuning(which);
    const auto executable = test::compiled(module, 3);
    return executable ? executable->peakBytes() : 0;
  };
  const int64_t arrays = int64_t{2} * 520 * 512 * 4;
  EXPECT_EQ(peakWith(tunings()[0].tuning), arrays);
  EXPECT_GT(peakWith(tunings()[1].tuning), arrays);
}

TEST(CpuTuning, RunsKeepToThePlan) {
  const TuningAsBefore asBefore;
  const Module module = test::parsedModule(test::kPlannedMemory);
  const std::vector<Literal> arguments = test::filledArguments(module, {3, 1.0, 50});
  const auto usual = test::compiled(module, 1);
  ASSERT_TRUE(usual);
  const auto expected = usual->run(arguments);
  ASSERT_TRUE(expected) << expected.error().toString();
  for (const NamedTuning& plan : tunings()) {
    setTuning(plan.tuning);
    const auto executable = test::compiled(module, 3);
    ASSERT_TRUE(executable) << plan.name;
    for (const NamedTuning& run : tunings()) {
      setTuning(run.tuning);
      const auto found = executable->run(arguments);
      ASSERT_TRUE(found) << found.error().toString();
      EXPECT_TRUE(test::sameValues(*expected, *found)) << "planned by " << plan.name << ", run by " << run.name;
    }
  }
}

}  // namespace
}  // namespace tessera
