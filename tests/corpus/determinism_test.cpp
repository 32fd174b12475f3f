// The programs whose values are in the repository give the same bits with one thread, with all, with more threads than
// the machine has, and twice in a row.
#include <gtest/gtest.h>

#include <thread>

#include "backends/backend.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

std::vector<std::string> programs() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(corpusValues(), error)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

class CorpusDeterminism : public testing::TestWithParam<std::string> {};

TEST_P(CorpusDeterminism, SameBitsWithAnyNumberOfThreads) {
  ReadResult read = readHloText(slurp(corpusTexts() / GetParam() / "before.hlo"));
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  if (gridOf(*read.module, 0, 0).value().count() > 1) GTEST_SKIP() << "a program for several devices";
  NamedArrays inputs;
  if (const auto file = corpusValues() / GetParam() / "inputs.npz"; std::filesystem::exists(file)) inputs = readNpz(file).value();
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(*read.module)) {
    const auto given = inputs.find("arg" + std::to_string(arguments.size()));
    arguments.push_back(given != inputs.end() ? given->second : fillParameter(shape, arguments.size(), {}).value());
  }
  std::vector<Literal> first;
  for (int threads : {1, 0, 5}) {
    CompileOptions options;
    options.threads = threads;
    auto executable = makeBackend("cpu").value()->compile(*read.module, options);
    ASSERT_TRUE(executable) << executable.error().toString();
    for (int run = 0; run < 2; ++run) {
      auto outputs = (*executable)->run(arguments);
      ASSERT_TRUE(outputs) << outputs.error().toString();
      if (first.empty()) first = *outputs;
      for (size_t i = 0; i < first.size(); ++i)
        EXPECT_TRUE(first[i].identical((*outputs)[i])) << "out" << i << " with " << threads << " threads, run " << run;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorpusDeterminism, testing::ValuesIn(programs()), [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
