// The corpus in its other forms. Every text comes back from protobuf as it was; with the whole corpus at hand
// (TESSERA_CORPUS) every before.pb prints as before.hlo and every module.mlir reads and verifies, and small ones give
// XLA's values.
#include <gtest/gtest.h>

#include "core/evaluate/evaluate.h"
#include "core/formats/module_file.h"
#include "core/formats/npz.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/expected.h"
#include "tests/support/skips.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

std::string firstError(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "" : diagnostics.items()[0].toString();
}

class CorpusFormats : public testing::TestWithParam<std::string> {};

TEST_P(CorpusFormats, ComesBackFromProtobuf) {
  ReadResult read = readModule(corpusTexts() / GetParam());
  ASSERT_TRUE(read.module) << firstError(read.diagnostics);
  auto written = writeProto(*read.module);
  ASSERT_TRUE(written) << written.error().toString();
  ProtoContent back = readProto(*written);
  ASSERT_TRUE(back.module) << firstError(back.diagnostics);
  EXPECT_TRUE(printHloText(*back.module) == printHloText(*read.module));
  auto again = writeProto(*back.module, {ProtoMessage::Hlo, false, back.foreign.get()});
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again == *written);
}

INSTANTIATE_TEST_SUITE_P(Formats, CorpusFormats,
                         testing::ValuesIn(corpusFiles([](const std::string& file) { return !isBad(file); })),
                         [](const auto& info) { return testName(info.param); });

// Programs of the whole corpus; names only, so that the list is the same with and without it.
std::vector<std::string> programsWith(const char* file) {
  std::vector<std::string> out;
  std::error_code error;
  if (wholeCorpus().empty()) return out;
  for (const auto& entry : std::filesystem::directory_iterator(wholeCorpus(), error))
    if (std::filesystem::exists(entry.path() / file)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Without the header: HloModuleProto has no fields for some of its facts.
std::string withoutHeader(const std::string& text) { return text.substr(text.find('\n')); }

TEST(CorpusProtobuf, EveryModulePrintsAsItsText) {
  const std::vector<std::string> programs = programsWith("before.pb");
  if (wholeCorpus().empty()) TESSERA_SKIP("no-corpus");
  ASSERT_FALSE(programs.empty());
  for (const std::string& program : programs) {
    ReadResult fromProto = readModule(wholeCorpus() / program / "before.pb");
    ASSERT_TRUE(fromProto.module) << program << ": " << firstError(fromProto.diagnostics);
    EXPECT_EQ(verify(*fromProto.module).hasErrors(), program.starts_with("bad_")) << program;
    // Texts written by hand give names and orders that XLA changes when it reads them.
    // The XLA of 2024 that wrote hf_* gave its stack frames other numbers in the text.
    if (isHandWritten(program) || program.starts_with("hf_")) continue;
    ReadResult fromText = readModule(wholeCorpus() / program / "before.hlo");
    ASSERT_TRUE(fromText.module) << program;
    EXPECT_TRUE(withoutHeader(printHloText(*fromProto.module)) == withoutHeader(printHloText(*fromText.module)))
        << program;
  }
}

TEST(CorpusStableHlo, EveryModuleReadsAndVerifies) {
  const std::vector<std::string> programs = programsWith("module.mlir");
  if (wholeCorpus().empty()) TESSERA_SKIP("no-corpus");
  ASSERT_FALSE(programs.empty());
  for (const std::string& program : programs) {
    ReadResult read = readModule(wholeCorpus() / program / "module.mlir");
    ASSERT_TRUE(read.module) << program << ": " << firstError(read.diagnostics);
    Diagnostics found = inferModule(*read.module);
    found.addAll(verify(*read.module).items());
    EXPECT_FALSE(found.hasErrors()) << program << ": " << firstError(found);
    ReadResult again = readHloText(printHloText(*read.module));
    EXPECT_TRUE(again.module) << program << ": " << firstError(again.diagnostics);
  }
}

TEST(CorpusStableHlo, SmallProgramsGiveXlasValues) {
  if (wholeCorpus().empty()) TESSERA_SKIP("no-corpus");
  for (const char* program : {"mlp_small", "softmax", "gelu", "activations", "math_unary", "sort", "while_collatz",
                              "switch", "gather_embed", "reductions", "scan_cumsum", "complex_ops", "int_ops"}) {
    const std::filesystem::path folder = wholeCorpus() / program;
    ReadResult read = readModule(folder / "module.mlir");
    ASSERT_TRUE(read.module) << program;
    inferModule(*read.module);
    const auto inputs = readNpz(folder / "inputs.npz");
    ASSERT_TRUE(inputs) << program;
    std::vector<Literal> arguments;
    const size_t count = entryArgumentShapes(*read.module).size();
    for (size_t i = 0; i < count; ++i) arguments.push_back(inputs->at("arg" + std::to_string(i)));
    EXPECT_TRUE(test::sameValues(corpusOutputs(folder), evaluateModule(*read.module, arguments))) << program;
  }
}

}  // namespace
}  // namespace tessera
