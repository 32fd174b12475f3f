// The pipeline as a whole: who cancels it waits for one pass at most.
#include "core/passes/pipeline.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

TEST(PassesPipeline, IsCancelledBetweenPasses) {
  const Module module =
      moduleFrom("HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT r = f32[8] negate(x)\n}\n");
  std::atomic<bool> cancel = false;
  int seen = 0;
  const auto optimized = optimize(
      module, [&](const Pass&, const Module&) { cancel = ++seen == 3; }, &cancel);
  ASSERT_FALSE(optimized);
  EXPECT_EQ(optimized.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(optimized.error().message, "cancelled");
  EXPECT_EQ(seen, 3);
}

TEST(PassesPipeline, AnOpenInputOrAttributeIsAnError) {
  for (const char* line : {"ROOT r = ? add(x, ?)", "ROOT r = ? transpose(x), dimensions=?"}) {
    const Module module =
        *readHloText(std::string("HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  ") + line + "\n}\n", "test")
             .module;
    const auto optimized = optimize(module);
    ASSERT_FALSE(optimized) << line;
    EXPECT_EQ(optimized.error().label, "unfinished");
  }
}

}  // namespace
}  // namespace tessera::test
