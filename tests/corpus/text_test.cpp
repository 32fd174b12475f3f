// The corpus' texts: what XLA printed comes back byte for byte, hand-written files come back stable, bad ones are
// refused with a place.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

struct Checked {
  std::optional<Module> module;
  Diagnostics found;
};

Checked check(const std::string& text) {
  ReadResult read = readHloText(text);
  Checked out{std::move(read.module), std::move(read.diagnostics)};
  if (!out.module) return out;
  out.found.addAll(inferModule(*out.module).items());
  out.found.addAll(verify(*out.module).items());
  return out;
}

// The first byte that differs, with its surroundings.
std::string difference(const std::string& expected, const std::string& printed) {
  const auto at = static_cast<size_t>(
      std::mismatch(expected.begin(), expected.end(), printed.begin(), printed.end()).first - expected.begin());
  const size_t from = at < 80 ? 0 : at - 80;
  const auto around = [&](const std::string& text) { return from < text.size() ? text.substr(from, 160) : ""; };
  return "differs at byte " + std::to_string(at) + "\nexpected: " + around(expected) + "\nprinted:  " + around(printed);
}

// --- valid files
class CorpusText : public testing::TestWithParam<std::string> {};

TEST_P(CorpusText, RoundTrips) {
  const std::string text = slurp(corpusTexts() / GetParam());
  ReadResult read = readHloText(text);
  for (const Diagnostic& diagnostic : read.diagnostics.items()) ADD_FAILURE() << diagnostic.toString();
  ASSERT_TRUE(read.module);
  const std::string printed = printHloText(*read.module);
  if (!isHandWritten(GetParam())) {
    EXPECT_TRUE(printed == text) << difference(text, printed);
    return;
  }
  ReadResult again = readHloText(printed);
  ASSERT_TRUE(again.module);
  const std::string twice = printHloText(*again.module);
  EXPECT_TRUE(twice == printed) << difference(printed, twice);
}

TEST_P(CorpusText, Verifies) {
  const Checked checked = check(slurp(corpusTexts() / GetParam()));
  EXPECT_TRUE(checked.module);
  for (const Diagnostic& diagnostic : checked.found.items())
    if (diagnostic.severity == Severity::Error) ADD_FAILURE() << diagnostic.toString();
}

INSTANTIATE_TEST_SUITE_P(All, CorpusText,
                         testing::ValuesIn(corpusFiles([](const std::string& f) { return !isBad(f); })),
                         [](const auto& info) { return testName(info.param); });

// --- files that are wrong on purpose
class CorpusBad : public testing::TestWithParam<std::string> {};

TEST_P(CorpusBad, IsRefusedWithAPlace) {
  const Checked checked = check(slurp(corpusTexts() / GetParam()));
  ASSERT_TRUE(checked.found.hasErrors());
  const Diagnostic& first = checked.found.items()[0];
  EXPECT_GT(first.position.line, 0u) << first.toString();
  EXPECT_GT(first.position.column, 0u) << first.toString();
  EXPECT_FALSE(first.message.empty());
}

INSTANTIATE_TEST_SUITE_P(All, CorpusBad, testing::ValuesIn(corpusFiles(isBad)),
                         [](const auto& info) { return testName(info.param); });

TEST(Corpus, IsUnpacked) {
  EXPECT_EQ(corpusFiles().size(), 283u);
  EXPECT_EQ(corpusFiles(isBad).size(), 7u);
}

}  // namespace
}  // namespace tessera
