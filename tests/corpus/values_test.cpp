// Programs of the corpus run on the CPU backend and on the evaluator and give the outputs that XLA computed, at the
// default tolerances.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

// Programs with values in the repository, and below TESSERA_CORPUS in the long tier.
std::vector<std::string> programs() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(corpusValues(), error))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

class CorpusValues : public testing::TestWithParam<std::string> {
 protected:
  void runOn(const char* backendName) {
    ReadResult read = readHloText(slurp(corpusTexts() / GetParam() / "before.hlo"));
    ASSERT_TRUE(read.module);
    inferModule(*read.module);
    const auto folder = corpusValues() / GetParam();
    std::vector<Literal> arguments;
    NamedArrays inputs;
    if (std::filesystem::exists(folder / "inputs.npz")) {
      auto given = readNpz(folder / "inputs.npz");
      ASSERT_TRUE(given) << given.error().toString();
      inputs = std::move(*given);
    }
    std::vector<Shape> shapes = entryArgumentShapes(*read.module);
    for (size_t i = 0; i < shapes.size(); ++i) {
      auto found = inputs.find("arg" + std::to_string(i));
      auto value = found != inputs.end() ? Result<Literal>(found->second) : fillParameter(shapes[i], i, {});
      ASSERT_TRUE(value) << value.error().toString();
      arguments.push_back(std::move(*value));
    }
    auto backend = makeBackend(backendName);
    ASSERT_TRUE(backend) << backend.error().toString();
    auto executable = (*backend)->compile(*read.module);
    ASSERT_TRUE(executable) << executable.error().toString();
    auto outputs = (*executable)->run(arguments);
    ASSERT_TRUE(outputs) << outputs.error().toString();
    compare(folder, *outputs);
  }

  void compare(const std::filesystem::path& folder, const std::vector<Literal>& outputs) {
    auto expected = readNpz(folder / "expected.npz");
    ASSERT_TRUE(expected) << expected.error().toString();
    ASSERT_EQ(expected->size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string key = "out" + std::to_string(i);
      Comparison comparison = compareLiterals(expected->at(key), outputs[i], defaultTolerance(outputs[i].shape().type), key);
      EXPECT_TRUE(comparison.equal) << comparison.firstMismatch;
    }
  }
};

TEST_P(CorpusValues, Cpu) { runOn("cpu"); }
TEST_P(CorpusValues, Evaluator) { runOn("evaluator"); }

INSTANTIATE_TEST_SUITE_P(All, CorpusValues, testing::ValuesIn(programs()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
