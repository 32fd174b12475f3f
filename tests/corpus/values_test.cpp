// Programs run on the CPU backend, the simulated CUDA device and the evaluator, before and after XLA's optimization,
// and give the outputs that XLA computed, at the default tolerances but for those of exceptions.txt; those for several
// devices run on all of them at once. CorpusValues: the programs whose values are in the repository. WholeCorpusValues:
// all others, with the values below TESSERA_CORPUS. What XLA made for TPU runs where it holds no call of the TPU's own;
// else it is skipped with that reason.
#include <gtest/gtest.h>

#include <deque>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/evaluate/factors.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/expected.h"
#include "tests/corpus/work.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Programs whose expected.npz is larger wait for the long tier.
constexpr uintmax_t kValueBytes = 4u << 20;
// As much as the evaluator does in some ten seconds.
constexpr double kEvaluatorWork = 1e9;
// As much as the simulated device does in about a second, and in a minute; a while's body counted once.
constexpr double kSimulatedWork = 6e7, kLongSimulatedWork = 2e9;

std::vector<std::string> programsInRepository() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(corpusValues(), error))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// "program/file.hlo" of all programs that XLA compiled.
std::vector<std::string> compiledFiles(bool inRepository) {
  const auto programs = programsInRepository();
  std::vector<std::string> out;
  for (const std::string& file : corpusFiles([](const std::string& f) { return !isBad(f) && !isHandWritten(f); })) {
    const std::string program = fs::path(file).parent_path().string();
    if (std::ranges::binary_search(programs, program) == inRepository) out.push_back(file);
  }
  return out;
}

void expectNoErrors(const Executable& executable) {
  for (const DeviceReport& report : executable.deviceReports())
    EXPECT_FALSE(report.isError) << report.kernel << ", " << report.place << ": " << report.kind << ": " << report.text;
}

// Outputs by device; cudaDevice: of the backend cuda.
Result<DeviceArrays> runOn(const char* backendName, const Module& module, const fs::path& folder,
                           const char* cudaDevice = "") {
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(backendName));
  TESSERA_ASSIGN_OR_RETURN(const DeviceGrid grid, gridOf(module, 0, 0));
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments, corpusArguments(module, grid, folder));
  std::vector<std::unique_ptr<Executable>> executables;
  for (int64_t device = 0; device < grid.count(); ++device) {
    CompileOptions options;
    options.threads = grid.count() > 1 ? 1 : 0;
    options.device = cudaDevice;
    TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, options));
    executables.push_back(std::move(executable));
  }
  auto outputs = runOnDevices(grid, [&](Communicator& communicator) {
    const auto device = static_cast<size_t>(communicator.device());
    return executables[device]->run(arguments[device], RunOptions{nullptr, &communicator});
  });
  for (const auto& executable : executables) expectNoErrors(*executable);
  return outputs;
}

// The same on the evaluator; nullopt where a device would take more work than the bound.
std::optional<Result<DeviceArrays>> evaluateWithin(double bound, const Module& module, const fs::path& folder) {
  const auto grid = gridOf(module, 0, 0);
  if (!grid) return std::unexpected(grid.error());
  const auto arguments = corpusArguments(module, *grid, folder);
  if (!arguments) return std::unexpected(arguments.error());
  std::deque<WorkCounter> counters;
  for (int64_t device = 0; device < grid->count(); ++device) counters.emplace_back(module, bound);
  if (!counters.front().mayFit()) return std::nullopt;
  auto out = runOnDevices(*grid, [&](Communicator& communicator) {
    const auto device = static_cast<size_t>(communicator.device());
    EvaluateOptions options;
    options.cancel = counters[device].exceeded();
    options.communicator = &communicator;
    options.observe = [&](const EvaluatedStep& step) { counters[device].add(step.instruction); };
    return evaluateModule(module, (*arguments)[device], options);
  });
  for (const WorkCounter& counter : counters)
    if (*counter.exceeded()) return std::nullopt;
  return out;
}

bool isForTpu(const std::string& file) { return file.ends_with("after_tpu.hlo"); }

// One output on the devices that give it, against XLA's.
Comparison compareOutput(const Module& module, const DeviceArrays& outputs, size_t output, const Literal& wanted,
                         Tolerance tolerance) {
  Comparison out;
  const std::string name = "out" + std::to_string(output);
  const auto values = comparable(module, outputs, output, wanted.shape());
  EXPECT_TRUE(values) << name << ": " << values.error().toString();
  out.equal = values && !values->empty();
  for (size_t i = 0; values && i < values->size(); ++i) out.add(compareLiterals(wanted, (*values)[i], tolerance, name));
  return out;
}

void expectEqual(const std::string& file, const Module& module, const fs::path& folder, const DeviceArrays& outputs) {
  const auto expected = corpusOutputs(folder);
  ASSERT_TRUE(expected) << expected.error().toString();
  ASSERT_GT(expected->size(), 0u);
  for (const auto& device : outputs) ASSERT_EQ(expected->size(), device.size());
  const std::vector<FactoredOutputs> factors = factoredOutputs(module);
  for (size_t i = 0; i < expected->size(); ++i) {
    const Tolerance tolerance = corpusTolerance(file, i, (*expected)[i].shape().type);
    const Comparison comparison = compareOutput(module, outputs, i, (*expected)[i], tolerance);
    const auto group =
        std::ranges::find_if(factors, [&](const FactoredOutputs& f) { return f.has(static_cast<int>(i)); });
    const bool equal = comparison.equal || (outputs.size() == 1 && group != factors.end() &&
                                            compareByReconstruction(*group, *expected, outputs[0], tolerance).equal);
    EXPECT_TRUE(equal) << comparison.firstMismatch << ", max abs " << comparison.maxAbsError << ", max rel "
                       << comparison.maxRelError << ", " << comparison.mismatches << " elements, "
                       << comparison.worstShare << " of what is allowed";
  }
}

std::optional<Module> readProgram(const std::string& file) {
  ReadResult read = readHloText(slurp(corpusTexts() / file));
  if (read.module) inferModule(*read.module);
  return std::move(read.module);
}

// Calls of the TPU's own, and arguments that are cut in a way that the file does not write.
bool isOnlyForTpu(const std::string& file, const Diagnostic& error) {
  return isForTpu(file) && (error.kind == ErrorKind::Unsupported || error.kind == ErrorKind::Input);
}

// Whether the simulated device runs it in this tier.
bool isForSimulation(const std::string& file) {
  const auto module = readProgram(file);
  return module && WorkCounter(*module, longTier() ? kLongSimulatedWork : kSimulatedWork).mayFit();
}

// --- what is in the repository
class CorpusValues : public testing::TestWithParam<std::string> {
 protected:
  void compareOn(const char* backend, const char* cudaDevice = "") {
    const auto module = readProgram(GetParam());
    ASSERT_TRUE(module);
    const fs::path folder = corpusValues() / fs::path(GetParam()).parent_path();
    auto outputs = runOn(backend, *module, folder, cudaDevice);
    if (!outputs && isOnlyForTpu(GetParam(), outputs.error())) TESSERA_SKIP("tpu-calls", outputs.error().toString());
    ASSERT_TRUE(outputs) << outputs.error().toString();
    expectEqual(GetParam(), *module, folder, *outputs);
  }
};

TEST_P(CorpusValues, Cpu) { compareOn("cpu"); }
TEST_P(CorpusValues, Evaluator) { compareOn("evaluator"); }

TEST_P(CorpusValues, SimulatedDevice) {
  if (!longTier() && fs::path(GetParam()).filename() != "before.hlo") TESSERA_SKIP("long-tier");
  const bool isMuch = !isForSimulation(GetParam());
  if (isMuch && longTier()) TESSERA_SKIP("simulation-work");
  if (isMuch) TESSERA_SKIP("long-tier");
  compareOn("cuda", "simulated");
}

TEST(CorpusSimulation, RunsAtLeastSixtyPrograms) {
  const auto programs = programsInRepository();
  EXPECT_GE(
      std::ranges::count_if(programs, [](const std::string& name) { return isForSimulation(name + "/before.hlo"); }),
      60);
}

INSTANTIATE_TEST_SUITE_P(All, CorpusValues, testing::ValuesIn(compiledFiles(true)),
                         [](const auto& info) { return testName(info.param); });

// --- the rest of the corpus
class WholeCorpusValues : public testing::TestWithParam<std::string> {
 protected:
  static fs::path folder() { return wholeCorpus() / fs::path(GetParam()).parent_path(); }
  static bool lacksInputs() {
    return !fs::exists(folder() / "inputs.npz") &&
           slurp(folder() / "meta.json").find("\"inputs\": \"npz\"") != std::string::npos;
  }
  void SetUp() override {
    if (wholeCorpus().empty()) TESSERA_SKIP("no-corpus");
    ASSERT_TRUE(fs::exists(folder())) << folder();
    if (!fs::exists(folder() / "expected.npz") || lacksInputs()) TESSERA_SKIP("corpus-lacks-arrays");
    if (!longTier() && fs::file_size(folder() / "expected.npz") > kValueBytes) TESSERA_SKIP("large-values");
    module_ = readProgram(GetParam());
    ASSERT_TRUE(module_);
  }
  void compare(const Result<DeviceArrays>& outputs) {
    if (!outputs && isOnlyForTpu(GetParam(), outputs.error())) TESSERA_SKIP("tpu-calls", outputs.error().toString());
    ASSERT_TRUE(outputs) << outputs.error().toString();
    expectEqual(GetParam(), *module_, folder(), *outputs);
  }
  std::optional<Module> module_;
};

TEST_P(WholeCorpusValues, Cpu) { compare(runOn("cpu", *module_, folder())); }

TEST_P(WholeCorpusValues, SimulatedDevice) {
  if (!longTier() && fs::path(GetParam()).filename() != "before.hlo") TESSERA_SKIP("long-tier");
  const bool isMuch = !isForSimulation(GetParam());
  if (isMuch && longTier()) TESSERA_SKIP("simulation-work");
  if (isMuch) TESSERA_SKIP("long-tier");
  compare(runOn("cuda", *module_, folder(), "simulated"));
}

TEST_P(WholeCorpusValues, Evaluator) {
  if (!longTier()) TESSERA_SKIP("long-tier");
  const auto outputs = evaluateWithin(kEvaluatorWork, *module_, folder());
  if (!outputs) TESSERA_SKIP("evaluator-work");
  compare(*outputs);
}

INSTANTIATE_TEST_SUITE_P(All, WholeCorpusValues, testing::ValuesIn(compiledFiles(false)),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
