// Passes keep what programs compute: every pass alone, and all of them in random orders (the seed and the order stand
// in the message), on the evaluator before and after. Quick: small programs with little work; the long tier takes more.
#include <gtest/gtest.h>

#include <random>

#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewriter.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/work.h"
#include "tests/support/like_evaluator.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

constexpr uintmax_t kPassesBytes = 6000, kLongPassesBytes = 300'000;
constexpr double kQuickWork = 1e7, kLongWork = 3e8;

std::vector<std::string> passPrograms() {
  return corpusFiles([](const std::string& file) {
    return !isBad(file) && !isHandWritten(file) && (file.ends_with("/before.hlo") || file.ends_with("/after.hlo"));
  });
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
    if (text.size() > (longTier() ? kLongPassesBytes : kPassesBytes)) TESSERA_SKIP("passes-large");
    ReadResult read = readHloText(text);
    ASSERT_TRUE(read.module);
    ASSERT_FALSE(inferModule(*read.module).hasErrors());
    if (const auto can = canEvaluate(*read.module); !can) TESSERA_SKIP("not-evaluated", can.error().toString());
    source_ = std::move(read.module);
    arguments_ = test::filledArguments(*source_, FillRule{0, 1.0, 3});
    BoundedRun run = evaluateWithin(longTier() ? kLongWork : kQuickWork, *source_, arguments_);
    if (!run.outputs && longTier()) TESSERA_SKIP("passes-work-long");
    if (!run.outputs) TESSERA_SKIP("passes-work");
    if (!*run.outputs) TESSERA_SKIP("passes-fails-to-run", run.outputs->error().toString());
    wanted_ = std::move(**run.outputs);
  }

  // Nothing is compared when a pass gives the program parameters for the sizes of dynamic dimensions.
  void expectKept(const std::vector<const Pass*>& chosen, const std::string& what) {
    Module module = derive(*source_);
    ASSERT_TRUE(inOrder(module));
    const std::string before = printHloText(module);
    for (const Pass* pass : chosen) {
      DeviceFusions device;
      const auto changed = pass->apply(module, device);
      if (!changed && changed.error().kind == ErrorKind::Unsupported) continue;  // it says what must come before
      ASSERT_TRUE(changed) << what << ": " << pass->name << ": " << changed.error().toString();
    }
    if (entryArgumentShapes(module).size() != arguments_.size()) return;
    const Diagnostics problems = verify(module);
    for (const Diagnostic& d : problems.items()) ASSERT_NE(d.severity, Severity::Error) << what << ": " << d.toString();
    if (printHloText(module) == before) return;
    const auto found = evaluateModule(module, arguments_);
    ASSERT_TRUE(test::sameValues(wanted_, found)) << what;
  }

  std::optional<Module> source_;
  std::vector<Literal> arguments_;
  Result<std::vector<Literal>> wanted_;
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
