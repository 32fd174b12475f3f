// Programs give the same bits with one thread, with all, with more threads than the machine has, and twice in a row, as
// they were written and as XLA optimised them. CorpusDeterminism: the programs whose values are in the repository.
// WholeCorpusDeterminism: all others, in the long tier, with the inputs below TESSERA_CORPUS.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/expected.h"
#include "tests/support/skips.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// "program/file.hlo" of what XLA:CPU reads and what it makes of it.
std::vector<std::string> programs(bool inRepository) {
  std::vector<std::string> out;
  for (const std::string& file : corpusFiles([](const std::string& f) { return !isBad(f); }))
    if ((file.ends_with("/before.hlo") || file.ends_with("/after.hlo")) &&
        fs::exists(corpusValues() / fs::path(file).parent_path()) == inRepository)
      out.push_back(file);
  return out;
}

// One run after the other, all devices' outputs in a row.
class Runs {
 public:
  static Result<Runs> of(const Module& module, DeviceGrid grid, int threads) {
    Runs out(grid);
    for (int64_t device = 0; device < grid.count(); ++device) {
      CompileOptions options;
      options.threads = threads;
      TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend("cpu"));
      TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, options));
      out.executables_.push_back(std::move(executable));
    }
    return out;
  }
  Result<std::vector<Literal>> run(const DeviceArrays& arguments) {
    TESSERA_ASSIGN_OR_RETURN(const DeviceArrays outputs, runOnDevices(grid_, [&](Communicator& communicator) {
                               const auto device = static_cast<size_t>(communicator.device());
                               return executables_[device]->run(arguments[device], RunOptions{nullptr, &communicator});
                             }));
    std::vector<Literal> out;
    for (const std::vector<Literal>& device : outputs) out.insert(out.end(), device.begin(), device.end());
    return out;
  }

 private:
  explicit Runs(DeviceGrid grid) : grid_(grid) {}
  DeviceGrid grid_;
  std::vector<std::unique_ptr<Executable>> executables_;
};

void expectSameBits(const std::string& file, const fs::path& values) {
  ReadResult read = readHloText(slurp(corpusTexts() / file));
  ASSERT_TRUE(read.module);
  inferModule(*read.module);
  const auto grid = gridOf(*read.module, 0, 0);
  ASSERT_TRUE(grid) << grid.error().toString();
  const auto arguments = corpusArguments(*read.module, *grid, values / fs::path(file).parent_path());
  ASSERT_TRUE(arguments) << arguments.error().toString();
  // A random state goes on from run to run: its first runs are compared.
  const bool hasState = slurp(corpusTexts() / file).find(" rng-get-and-update-state(") != std::string::npos;
  std::vector<Literal> first;
  for (int threads : {1, 0, 5}) {
    auto runs = Runs::of(*read.module, *grid, threads);
    if (!runs && runs.error().kind == ErrorKind::Unsupported) TESSERA_SKIP("not-on-cpu", runs.error().toString());
    ASSERT_TRUE(runs) << runs.error().toString();
    for (int run = 0; run < (hasState ? 1 : 2); ++run) {
      auto outputs = runs->run(*arguments);
      if (!outputs && first.empty()) TESSERA_SKIP("not-runnable-alone", outputs.error().toString());
      ASSERT_TRUE(outputs) << outputs.error().toString();
      if (first.empty()) first = *outputs;
      EXPECT_TRUE(test::sameValues(first, *outputs, test::kSameBits)) << threads << " threads, run " << run;
    }
  }
}

class CorpusDeterminism : public testing::TestWithParam<std::string> {};
TEST_P(CorpusDeterminism, SameBitsWithAnyNumberOfThreads) { expectSameBits(GetParam(), corpusValues()); }
INSTANTIATE_TEST_SUITE_P(All, CorpusDeterminism, testing::ValuesIn(programs(true)),
                         [](const auto& info) { return testName(info.param); });

class WholeCorpusDeterminism : public testing::TestWithParam<std::string> {};
TEST_P(WholeCorpusDeterminism, SameBitsWithAnyNumberOfThreads) {
  if (wholeCorpus().empty()) TESSERA_SKIP("no-corpus");
  if (!longTier()) TESSERA_SKIP("long-tier");
  expectSameBits(GetParam(), wholeCorpus());
}
INSTANTIATE_TEST_SUITE_P(All, WholeCorpusDeterminism, testing::ValuesIn(programs(false)),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
