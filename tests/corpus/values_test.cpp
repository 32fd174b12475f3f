// Programs run on the CPU backend and on the evaluator, before and after XLA's optimization, and give the outputs that
// XLA computed, at the default tolerances; those for several devices run on all of them at once. CorpusValues: the
// programs whose values are in the repository. WholeCorpusValues: all others, with the values below TESSERA_CORPUS.
// What XLA made for TPU runs where it holds no call of the TPU's own; else it is skipped with that reason.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "backends/backend.h"
#include "core/evaluate/device_values.h"
#include "core/evaluate/factors.h"
#include "core/evaluate/replicas.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/inference/infer.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Programs whose expected.npz is larger wait for the long tier.
constexpr uintmax_t kQuickBytes = 4u << 20;
constexpr std::chrono::seconds kEvaluatorLimit{60};

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

// Cancels after a time, unless it ends before.
class Deadline {
 public:
  explicit Deadline(std::chrono::seconds limit) : thread_([this, limit] { wait(limit); }) {}
  ~Deadline() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  const std::atomic<bool>* cancel() const { return &passed_; }
  bool passed() const { return passed_; }

 private:
  void wait(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, limit, [this] { return done_; })) passed_ = true;
  }
  std::atomic<bool> passed_ = false;
  bool done_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

Result<DeviceArrays> argumentsOf(const Module& module, DeviceGrid grid, const fs::path& folder) {
  NamedArrays inputs;
  if (fs::exists(folder / "inputs.npz")) {
    TESSERA_ASSIGN_OR_RETURN(inputs, readNpz(folder / "inputs.npz"));
  }
  FillRule rule;
  if (folder.filename().string().starts_with("hf_")) rule.imax = 1000;  // token ids: the corpus' README
  return argumentsByDevice(module, grid, inputs, rule);
}

// Outputs by device.
Result<DeviceArrays> runOn(const char* backendName, const Module& module, const fs::path& folder,
                           const std::atomic<bool>* cancel) {
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(backendName));
  TESSERA_ASSIGN_OR_RETURN(const DeviceGrid grid, gridOf(module, 0, 0));
  TESSERA_ASSIGN_OR_RETURN(const DeviceArrays arguments, argumentsOf(module, grid, folder));
  std::vector<std::unique_ptr<Executable>> executables;
  for (int64_t device = 0; device < grid.count(); ++device) {
    CompileOptions options;
    options.cancel = cancel;
    options.threads = grid.count() > 1 ? 1 : 0;
    TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, options));
    executables.push_back(std::move(executable));
  }
  return runOnDevices(grid, [&](Communicator& communicator) {
    const auto device = static_cast<size_t>(communicator.device());
    return executables[device]->run(arguments[device], RunOptions{cancel, &communicator});
  });
}

bool isForTpu(const std::string& file) { return file.ends_with("after_tpu.hlo"); }

// What XLA made for TPU rounds the operands of products to bf16, which the outputs of XLA:CPU are not.
Tolerance toleranceFor(const std::string& file, ElementType type) {
  const Tolerance usual = defaultTolerance(type);
  return isForTpu(file) && usual.rtol > 0 ? Tolerance{5e-2, 1e-1} : usual;
}

void expectEqual(const std::string& file, const Module& module, const fs::path& folder, const DeviceArrays& outputs) {
  auto expected = readNpz(folder / "expected.npz");
  ASSERT_TRUE(expected) << expected.error().toString();
  ASSERT_EQ(expected->size(), outputs[0].size());
  std::vector<Literal> wanted;
  for (size_t i = 0; i < outputs[0].size(); ++i) {
    const std::string key = "out" + std::to_string(i);
    ASSERT_TRUE(expected->contains(key)) << key;
    wanted.push_back(expected->at(key));
  }
  const std::vector<FactoredOutputs> factors = factoredOutputs(module);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto values = comparable(module, outputs, i, wanted[i].shape());
    ASSERT_TRUE(values) << values.error().toString();
    for (const Literal& value : *values) {
      const Tolerance tolerance = toleranceFor(file, value.shape().type);
      const Comparison comparison = compareLiterals(wanted[i], value, tolerance, "out" + std::to_string(i));
      const auto group =
          std::ranges::find_if(factors, [&](const FactoredOutputs& f) { return f.has(static_cast<int>(i)); });
      const bool equal = comparison.equal || (outputs.size() == 1 && group != factors.end() &&
                                              compareByReconstruction(*group, wanted, outputs[0], tolerance).equal);
      EXPECT_TRUE(equal) << comparison.firstMismatch << ", max abs " << comparison.maxAbsError << ", max rel "
                         << comparison.maxRelError << ", " << comparison.mismatches << " elements";
    }
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

// --- what is in the repository
class CorpusValues : public testing::TestWithParam<std::string> {
 protected:
  void compareOn(const char* backend) {
    const auto module = readProgram(GetParam());
    ASSERT_TRUE(module);
    const fs::path folder = corpusValues() / fs::path(GetParam()).parent_path();
    auto outputs = runOn(backend, *module, folder, nullptr);
    if (!outputs && isOnlyForTpu(GetParam(), outputs.error())) GTEST_SKIP() << outputs.error().toString();
    ASSERT_TRUE(outputs) << outputs.error().toString();
    expectEqual(GetParam(), *module, folder, *outputs);
  }
};

TEST_P(CorpusValues, Cpu) { compareOn("cpu"); }
TEST_P(CorpusValues, Evaluator) { compareOn("evaluator"); }

INSTANTIATE_TEST_SUITE_P(All, CorpusValues, testing::ValuesIn(compiledFiles(true)),
                         [](const auto& info) { return testName(info.param); });

// --- the rest of the corpus
class WholeCorpusValues : public testing::TestWithParam<std::string> {
 protected:
  // Why this program has nothing to compare here; empty when it has.
  static std::string reasonToSkip(const fs::path& folder, bool onlyLong) {
    if (wholeCorpus().empty()) return "its values are not in the repository; ./test --corpus=DIR compares them";
    if (!fs::exists(folder)) return "absent from " + wholeCorpus().string();
    if (!fs::exists(folder / "expected.npz")) return "the corpus has no expected values of it";
    if (!fs::exists(folder / "inputs.npz") &&
        slurp(folder / "meta.json").find("\"inputs\": \"npz\"") != std::string::npos)
      return "the corpus lacks its inputs";
    if (onlyLong && !longTier()) return "only in the long tier (--all)";
    if (!longTier() && fs::file_size(folder / "expected.npz") > kQuickBytes)
      return "large: only in the long tier (--all)";
    return {};
  }
  void compareOn(const char* backend, std::chrono::seconds limit, bool onlyLong) {
    const fs::path folder = wholeCorpus() / fs::path(GetParam()).parent_path();
    if (const std::string reason = reasonToSkip(folder, onlyLong); !reason.empty()) GTEST_SKIP() << reason;
    const auto module = readProgram(GetParam());
    ASSERT_TRUE(module);
    Deadline deadline(limit);
    auto outputs = runOn(backend, *module, folder, deadline.cancel());
    if (deadline.passed() && !outputs) GTEST_SKIP() << "not done within " << limit.count() << " s";
    if (!outputs && isOnlyForTpu(GetParam(), outputs.error())) GTEST_SKIP() << outputs.error().toString();
    ASSERT_TRUE(outputs) << outputs.error().toString();
    expectEqual(GetParam(), *module, folder, *outputs);
  }
};

TEST_P(WholeCorpusValues, Cpu) { compareOn("cpu", std::chrono::seconds(600), false); }
TEST_P(WholeCorpusValues, Evaluator) { compareOn("evaluator", kEvaluatorLimit, true); }

INSTANTIATE_TEST_SUITE_P(All, WholeCorpusValues, testing::ValuesIn(compiledFiles(false)),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
