// Passes keep what programs compute: every pass alone, and all of them in random orders (the seed and the order stand
// in the message), on the evaluator before and after. Quick: small programs; the long tier takes all that the evaluator
// runs in time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

constexpr uintmax_t kQuickBytes = 6000, kLongBytes = 300'000;

std::vector<std::string> passPrograms() {
  return corpusFiles([](const std::string& file) {
    return !isBad(file) && !isHandWritten(file) && (file.ends_with("/before.hlo") || file.ends_with("/after.hlo"));
  });
}

// Values of a run that is broken off after a time; nullopt when it was, or when the evaluator cannot run the module.
std::optional<std::vector<Literal>> valuesOf(const Module& module, const std::vector<Literal>& arguments,
                                             std::chrono::milliseconds limit) {
  std::atomic<bool> cancel = false, done = false;
  std::thread watch([&] {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!done) cancel = true;
  });
  auto out = evaluateModule(module, arguments, &cancel);
  done = true;
  watch.join();
  if (!out) return std::nullopt;
  return std::move(*out);
}

Status inOrder(Module& module) {
  for (ComputationId computation : std::vector<ComputationId>(module.order())) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<InstructionId> order, topologicalOrder(module, computation));
    module.edit(computation).instructions = std::move(order);
  }
  if (auto restored = restoreComputationOrder(module); !restored) return fail(restored.error());
  return {};
}

class CorpusPasses : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string text = slurp(corpusTexts() / GetParam());
    if (text.size() > (longTier() ? kLongBytes : kQuickBytes))
      GTEST_SKIP() << "large" << (longTier() ? "" : ": only in the long tier (--all)");
    ReadResult read = readHloText(text);
    ASSERT_TRUE(read.module);
    if (inferModule(*read.module).hasErrors()) GTEST_SKIP() << "does not verify: see CorpusText";
    if (!canEvaluate(*read.module)) GTEST_SKIP() << "the evaluator does not know something in it";
    source_ = std::move(read.module);
    for (const Shape& shape : entryArgumentShapes(*source_)) {
      auto literal = fillParameter(shape, arguments_.size(), FillRule{0, 1.0, 3});
      if (!literal) GTEST_SKIP() << literal.error().toString();
      arguments_.push_back(std::move(*literal));
    }
    limit_ = std::chrono::milliseconds(longTier() ? 10'000 : 300);
    wanted_ = valuesOf(*source_, arguments_, limit_);
    if (!wanted_) GTEST_SKIP() << "the evaluator does not run it in time";
  }

  // Nothing is compared when a pass gives the program parameters for the sizes of dynamic dimensions.
  void expectKept(const std::vector<const Pass*>& chosen, const std::string& what) {
    Module module = derive(*source_);
    ASSERT_TRUE(inOrder(module));
    const std::string before = printHloText(module);
    for (const Pass* pass : chosen) {
      const auto changed = pass->run(module);
      if (!changed && changed.error().kind == ErrorKind::Unsupported) continue;  // it says what must come before
      ASSERT_TRUE(changed) << what << ": " << pass->name << ": " << changed.error().toString();
    }
    if (entryArgumentShapes(module).size() != arguments_.size()) return;
    const Diagnostics problems = verify(module);
    for (const Diagnostic& d : problems.items()) ASSERT_NE(d.severity, Severity::Error) << what << ": " << d.toString();
    if (printHloText(module) == before) return;
    const auto found = evaluateModule(module, arguments_);
    ASSERT_TRUE(found) << what << ": " << found.error().toString();
    ASSERT_EQ(found->size(), wanted_->size()) << what;
    for (size_t i = 0; i < found->size(); ++i) {
      const Comparison c = compareLiterals((*wanted_)[i], (*found)[i], defaultTolerance((*found)[i].shape().type),
                                           "out" + std::to_string(i));
      ASSERT_TRUE(c.equal) << what << ": " << c.firstMismatch;
    }
  }

  std::optional<Module> source_;
  std::vector<Literal> arguments_;
  std::optional<std::vector<Literal>> wanted_;
  std::chrono::milliseconds limit_{0};
};

TEST_P(CorpusPasses, EachAlone) {
  for (const Pass& pass : passes()) expectKept({&pass}, "alone " + std::string(pass.name));
}

TEST_P(CorpusPasses, InRandomOrders) {
  const int rounds = longTier() ? 8 : 2;
  for (int round = 0; round < rounds; ++round) {
    const auto seed = static_cast<uint32_t>(std::hash<std::string>()(GetParam())) + static_cast<uint32_t>(round);
    std::mt19937 random(seed);
    std::vector<const Pass*> chosen;
    for (const Pass& pass : passes()) chosen.push_back(&pass);
    std::ranges::shuffle(chosen, random);
    std::string names = "seed " + std::to_string(seed) + ":";
    for (const Pass* pass : chosen) names += " " + std::string(pass->name);
    expectKept(chosen, names);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorpusPasses, testing::ValuesIn(passPrograms()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
