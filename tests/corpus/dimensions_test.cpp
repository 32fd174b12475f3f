// Dimension relations of every program of the corpus: they hold, and inference agrees where a dimension is made larger.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "tests/corpus/corpus.h"
#include "tests/ops/dimension_checks.h"

namespace tessera {
namespace {

std::vector<std::string> goodFiles() {
  return corpusFiles([](const std::string& file) { return !isBad(file); });
}

class CorpusDimensions : public testing::TestWithParam<std::string> {};

TEST_P(CorpusDimensions, RelationsHoldAndInferenceAgrees) {
  const auto read = readHloText(slurp(corpusTexts() / GetParam()));
  ASSERT_TRUE(read.module);
  DimensionChecks checks;
  checks.check(*read.module);
  EXPECT_GT(checks.relations, 0u);
}

INSTANTIATE_TEST_SUITE_P(Files, CorpusDimensions, testing::ValuesIn(goodFiles()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
