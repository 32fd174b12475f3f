// reduce: what comes out still fails, is right, is small; bounds hold.
#include "core/tools/reduce.h"
#include "core/tools/query/search.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

using test::moduleOf;

ReduceOptions failsWith(const char* opcode, int64_t runs = 1000) {
  ReduceOptions options;
  options.mostRuns = runs;
  options.fails = [opcode](const Module& module) -> Result<bool> {
    Module copy = module;
    EXPECT_FALSE(inferModule(copy).hasErrors());  // the command only ever sees right modules
    EXPECT_FALSE(verify(copy).hasErrors());
    return !search(module, Query::of(QueryField::Op, opcode).value()).empty();
  };
  return options;
}

TEST(Reduce, KeepsOnlyWhatFails) {
  const auto found = reduceModule(moduleOf(test::kMeanSquares), failsWith("multiply"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->complete);
  EXPECT_EQ(found->module.instructionCount(), 2u) << printHloText(found->module);
  test::again(found->module);
}
TEST(Reduce, GoesIntoCalledComputations) {
  const auto found = reduceModule(moduleOf(test::kMeanSquares), failsWith("reduce"));
  ASSERT_TRUE(found);
  EXPECT_LE(found->module.entryComputation().instructions.size(), 3u) << printHloText(found->module);
  const auto inner = reduceModule(moduleOf(test::kMeanSquares), failsWith("add"));
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->module.order().size(), 1u) << printHloText(inner->module);
}
TEST(Reduce, LongChainsInFewRuns) {
  std::string text = "HloModule chain\n\nENTRY e {\n  v0 = f32[2] parameter(0)\n";
  for (int i = 1; i < 400; ++i)
    text += "  v" + std::to_string(i) + " = f32[2] " + (i == 137 ? "tanh" : "negate") + "(v" + std::to_string(i - 1) +
            ")\n";
  text += "  ROOT r = f32[2] sine(v399)\n}\n";
  const auto found = reduceModule(moduleOf(text), failsWith("tanh"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->module.instructionCount(), 2u);
  EXPECT_LT(found->runs, 150);
}
TEST(Reduce, TheBoundHolds) {
  const auto found = reduceModule(moduleOf(test::kMeanSquares), failsWith("reduce", 2));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs, 2);
  EXPECT_FALSE(found->complete);
}
TEST(Reduce, RefusesWhatDoesNotFail) {
  const auto found = reduceModule(moduleOf(test::kMeanSquares), failsWith("cosine"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::Usage);
}
TEST(Reduce, AnErrorEndsIt) {
  ReduceOptions options;
  int asked = 0;
  options.fails = [&](const Module&) -> Result<bool> {
    if (++asked > 1) return fail("the disk is full");
    return true;
  };
  const auto found = reduceModule(moduleOf(test::kMeanSquares), options);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "the disk is full");
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace tessera
