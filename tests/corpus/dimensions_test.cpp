// Dimension relations of every program of the corpus: they hold, and inference agrees where a dimension is made larger.
// The two largest texts are left out: they repeat what others have, thousands of times.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "tests/corpus/corpus.h"
#include "tests/ops/dimension_checks.h"

namespace tessera {
namespace {

std::vector<std::string> goodFiles() {
  return corpusFiles([](const std::string& file) {
    return !isBad(file) && !file.starts_with("gpt96_") && !file.starts_with("gpt2_small_");
  });
}

class CorpusDimensions : public testing::TestWithParam<std::string> {};

TEST_P(CorpusDimensions, RelationsHoldAndInferenceAgrees) {
  const auto read = readHloText(slurp(corpusTexts() / GetParam()));
  ASSERT_TRUE(read.module);
  DimensionChecks checks;
  checks.check(*read.module);
}

INSTANTIATE_TEST_SUITE_P(Files, CorpusDimensions, testing::ValuesIn(goodFiles()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
