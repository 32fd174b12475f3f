// What the passes make of each program is HLO again: it verifies, prints, and reads back to the same text. Its buffers
// keep their promise to generated code.
#include <gtest/gtest.h>

#include <optional>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"
#include "tests/corpus/corpus.h"
#include "tests/support/skips.h"
#include "tests/unit/cpu/apart_slots.h"

namespace tessera {
namespace {

// Larger texts wait for the long tier.
constexpr uintmax_t kOptimizedBytes = 1u << 20;

std::vector<std::string> unoptimizedPrograms() {
  return corpusFiles([](const std::string& file) { return !isBad(file) && file.ends_with("/before.hlo"); });
}

class CorpusOptimize : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string text = slurp(corpusTexts() / GetParam());
    if (text.size() > kOptimizedBytes && !longTier()) TESSERA_SKIP("large");
    ReadResult read = readHloText(text);
    ASSERT_TRUE(read.module);
    ASSERT_EQ(errorsOf(inferModule(*read.module)), "");
    source_ = std::move(read.module);
  }

  std::optional<Module> source_;
};

void expectHloAgain(const Module& optimized) {
  EXPECT_EQ(errorsOf(verify(optimized)), "");
  const std::string printed = printHloText(optimized);
  ReadResult again = readHloText(printed);
  ASSERT_EQ(errorsOf(again.diagnostics), "");
  ASSERT_TRUE(again.module);
  EXPECT_EQ(errorsOf(inferModule(*again.module)), "");
  EXPECT_EQ(errorsOf(verify(*again.module)), "");
  EXPECT_TRUE(printHloText(*again.module) == printed);
}

void expectArraysApart(const Module& optimized) {
  const auto buffers = assignBuffers(optimized);
  ASSERT_TRUE(buffers) << buffers.error().toString();
  EXPECT_EQ(test::brokenPromise(*buffers), "");
  for (ComputationId computation : controlComputations(optimized))
    EXPECT_EQ(test::brokenPromise(optimized, computation, *buffers), "");
}

TEST_P(CorpusOptimize, IsHloAgainWhoseArraysLieApart) {
  const auto optimized = optimize(*source_);
  ASSERT_TRUE(optimized) << optimized.error().toString();
  expectHloAgain(*optimized);
  expectArraysApart(*optimized);
}

INSTANTIATE_TEST_SUITE_P(All, CorpusOptimize, testing::ValuesIn(unoptimizedPrograms()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
