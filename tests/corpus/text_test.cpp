// The corpus' texts: what XLA printed comes back byte for byte, hand-written files come back stable, bad ones are
// refused with a place.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/ops/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

class CorpusText : public testing::TestWithParam<std::string> {};

bool startsWith(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

TEST_P(CorpusText, RoundTrips) {
  if (startsWith(GetParam(), "bad_")) GTEST_SKIP() << "invalid on purpose, see Refused";
  const std::string text = slurp(corpusTexts() / GetParam());
  ReadResult read = readHloText(text);
  for (const Diagnostic& diagnostic : read.diagnostics.items()) ADD_FAILURE() << diagnostic.toString();
  ASSERT_TRUE(read.module);
  const std::string printed = printHloText(*read.module);
  if (startsWith(GetParam(), "hand_")) {
    ReadResult again = readHloText(printed);
    ASSERT_TRUE(again.module);
    EXPECT_TRUE(printHloText(*again.module) == printed);
    return;
  }
  if (printed == text) return;
  size_t at = std::mismatch(text.begin(), text.end(), printed.begin(), printed.end()).first - text.begin();
  size_t from = at < 80 ? 0 : at - 80;
  ADD_FAILURE() << "differs at byte " << at << "\nexpected: " << text.substr(from, 160) << "\nprinted:  " << printed.substr(from, 160);
}

TEST_P(CorpusText, VerifiesOrIsRefused) {
  ReadResult read = readHloText(slurp(corpusTexts() / GetParam()), GetParam());
  Diagnostics found = read.diagnostics;
  if (read.module) {
    found.addAll(inferModule(*read.module).items());
    found.addAll(verify(*read.module).items());
  }
  if (!startsWith(GetParam(), "bad_")) {
    for (const Diagnostic& diagnostic : found.items())
      if (diagnostic.severity == Severity::Error) ADD_FAILURE() << diagnostic.toString();
    return;
  }
  ASSERT_TRUE(found.hasErrors());
  EXPECT_GT(found.items()[0].position.line, 0u) << found.items()[0].toString();
  EXPECT_FALSE(found.items()[0].message.empty());
}

INSTANTIATE_TEST_SUITE_P(All, CorpusText, testing::ValuesIn(corpusFiles()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
