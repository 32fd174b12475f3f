// Programs run on the CPU backend and on the evaluator and give the outputs that XLA computed, at the default
// tolerances. CorpusValues: the programs whose values are in the repository; all of them must run. WholeCorpusValues:
// all others, with the values below TESSERA_CORPUS; what a backend says it cannot run is skipped with its reason.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/formats/npz.h"
#include "core/ops/infer.h"
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
  for (const auto& entry : fs::directory_iterator(corpusValues(), error)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Every other program with a before.hlo that XLA compiled.
std::vector<std::string> otherPrograms() {
  const auto inRepository = programsInRepository();
  std::vector<std::string> out;
  for (const std::string& file : corpusFiles([](const std::string& f) { return !isBad(f) && !isHandWritten(f); })) {
    const fs::path path = file;
    const std::string program = path.parent_path().string();
    if (path.filename() == "before.hlo" && !std::ranges::binary_search(inRepository, program)) out.push_back(program);
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

Result<std::vector<Literal>> argumentsOf(const Module& module, const fs::path& folder) {
  NamedArrays inputs;
  if (fs::exists(folder / "inputs.npz")) {
    TESSERA_ASSIGN_OR_RETURN(inputs, readNpz(folder / "inputs.npz"));
  }
  FillRule rule;
  if (folder.filename().string().starts_with("hf_")) rule.imax = 1000;  // token ids: the corpus' README
  std::vector<Literal> arguments;
  const std::vector<Shape> shapes = entryArgumentShapes(module);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto found = inputs.find("arg" + std::to_string(i));
    if (found != inputs.end()) {
      arguments.push_back(found->second);
      continue;
    }
    TESSERA_ASSIGN_OR_RETURN(Literal filled, fillParameter(shapes[i], i, rule));
    arguments.push_back(std::move(filled));
  }
  return arguments;
}

Result<std::vector<Literal>> runOn(const char* backendName, const Module& module, const fs::path& folder,
                                   const std::atomic<bool>* cancel) {
  TESSERA_ASSIGN_OR_RETURN(auto backend, makeBackend(backendName));
  CompileOptions compileOptions;
  compileOptions.cancel = cancel;
  TESSERA_ASSIGN_OR_RETURN(auto executable, backend->compile(module, compileOptions));
  TESSERA_ASSIGN_OR_RETURN(auto arguments, argumentsOf(module, folder));
  return executable->run(arguments, RunOptions{cancel});
}

void expectEqual(const fs::path& folder, const std::vector<Literal>& outputs) {
  auto expected = readNpz(folder / "expected.npz");
  ASSERT_TRUE(expected) << expected.error().toString();
  ASSERT_EQ(expected->size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string key = "out" + std::to_string(i);
    ASSERT_TRUE(expected->contains(key)) << key;
    const Comparison comparison =
        compareLiterals(expected->at(key), outputs[i], defaultTolerance(outputs[i].shape().type), key);
    EXPECT_TRUE(comparison.equal) << comparison.firstMismatch << ", max abs " << comparison.maxAbsError << ", max rel "
                                  << comparison.maxRelError << ", " << comparison.mismatches << " elements";
  }
}

std::optional<Module> readProgram(const std::string& program) {
  ReadResult read = readHloText(slurp(corpusTexts() / program / "before.hlo"));
  if (read.module) inferModule(*read.module);
  return std::move(read.module);
}

// --- what is in the repository
class CorpusValues : public testing::TestWithParam<std::string> {
 protected:
  void compareOn(const char* backend) {
    const auto module = readProgram(GetParam());
    ASSERT_TRUE(module);
    auto outputs = runOn(backend, *module, corpusValues() / GetParam(), nullptr);
    ASSERT_TRUE(outputs) << outputs.error().toString();
    expectEqual(corpusValues() / GetParam(), *outputs);
  }
};

TEST_P(CorpusValues, Cpu) { compareOn("cpu"); }
TEST_P(CorpusValues, Evaluator) { compareOn("evaluator"); }

INSTANTIATE_TEST_SUITE_P(All, CorpusValues, testing::ValuesIn(programsInRepository()),
                         [](const auto& info) { return testName(info.param); });

// --- the rest of the corpus
class WholeCorpusValues : public testing::TestWithParam<std::string> {
 protected:
  // Why this program has nothing to compare here; empty when it has.
  static std::string reasonToSkip(const fs::path& folder, bool onlyLong) {
    if (wholeCorpus().empty()) return "its values are not in the repository; ./test --corpus=DIR compares them";
    if (!fs::exists(folder)) return "absent from " + wholeCorpus().string();
    if (!fs::exists(folder / "expected.npz")) return "the corpus has no expected values of it";
    if (!fs::exists(folder / "inputs.npz") && slurp(folder / "meta.json").find("\"inputs\": \"npz\"") != std::string::npos)
      return "the corpus lacks its inputs";
    if (onlyLong && !longTier()) return "only in the long tier (--all)";
    if (!longTier() && fs::file_size(folder / "expected.npz") > kQuickBytes) return "large: only in the long tier (--all)";
    return {};
  }
  void compareOn(const char* backend, std::chrono::seconds limit, bool onlyLong) {
    const fs::path folder = wholeCorpus() / GetParam();
    if (const std::string reason = reasonToSkip(folder, onlyLong); !reason.empty()) GTEST_SKIP() << reason;
    const auto module = readProgram(GetParam());
    ASSERT_TRUE(module);
    Deadline deadline(limit);
    auto outputs = runOn(backend, *module, folder, deadline.cancel());
    if (deadline.passed() && !outputs) GTEST_SKIP() << "not done within " << limit.count() << " s";
    if (!outputs && outputs.error().fault == Fault::Unsupported) GTEST_SKIP() << outputs.error().toString();
    ASSERT_TRUE(outputs) << outputs.error().toString();
    expectEqual(folder, *outputs);
  }
};

TEST_P(WholeCorpusValues, Cpu) { compareOn("cpu", std::chrono::seconds(600), false); }
TEST_P(WholeCorpusValues, Evaluator) { compareOn("evaluator", kEvaluatorLimit, true); }

INSTANTIATE_TEST_SUITE_P(All, WholeCorpusValues, testing::ValuesIn(otherPrograms()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
