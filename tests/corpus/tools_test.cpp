// The tools on real goodPrograms: a renamed module is the same graph, another is not, and what is cut out of one is a
// right module.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/tools/cut_out.h"
#include "core/tools/diff/diff.h"
#include "core/tools/explain.h"
#include "tests/corpus/corpus.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

constexpr uintmax_t kComparedBytes = 1u << 18;  // larger texts wait for the long tier

std::vector<std::string> goodPrograms() {
  return corpusFiles([](const std::string& file) { return !isBad(file); });
}

std::string errorsOf(const Result<Module>& made) {
  if (!made) return made.error().toString();
  ReadResult again = readHloText(printHloText(*made));
  if (!again.module) return errorsOf(again.diagnostics);
  return errorsOf(again.diagnostics) + errorsOf(inferModule(*again.module)) + errorsOf(verify(*again.module));
}

// Other names everywhere, the entry's parameters the other way round.
Module disguised(Module module) {
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) module.setName(id, "v" + std::to_string(id.value));
  std::vector<InstructionId> parameters = module.entryComputation().parameters;
  std::reverse(parameters.begin(), parameters.end());
  for (size_t i = 0; i < parameters.size(); ++i) module.edit(parameters[i]).parameterNumber = static_cast<int32_t>(i);
  module.edit(module.entry()).parameters = parameters;
  return module;
}

class CorpusTools : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string text = slurp(corpusTexts() / GetParam());
    if (text.size() > kComparedBytes && !longTier()) TESSERA_SKIP("large");
    ReadResult read = readHloText(text);
    ASSERT_TRUE(read.module);
    ASSERT_EQ(errorsOf(inferModule(*read.module)) + errorsOf(verify(*read.module)), "");
    module_ = std::move(*read.module);
    ModuleConfig config = module_.config();
    config.inputOutputAlias.clear();  // name parameters by number
    module_.setConfig(std::move(config));
  }
  // At most `count` instructions, spread over all.
  std::vector<InstructionId> some(size_t count) const {
    std::vector<InstructionId> all, out;
    for (ComputationId computation : module_.order())
      all.insert(all.end(), module_.at(computation).instructions.begin(), module_.at(computation).instructions.end());
    for (size_t i = 0; i < all.size(); i += std::max<size_t>(1, all.size() / count)) out.push_back(all[i]);
    return out;
  }
  Module module_;
};

TEST_P(CorpusTools, DiffSeesThroughADisguise) {
  const Module other = disguised(module_);
  const DiffResult same = diff(module_, other);
  EXPECT_TRUE(same.same()) << same.changed.size() << " changed, " << same.added.size() << " added";
  for (const ChangedInstruction& one : same.changed)
    ADD_FAILURE() << placeOf(module_, one.left) << ": " << one.changes[0].what << " " << one.changes[0].inLeft << " "
                  << one.changes[0].inRight;
}
TEST_P(CorpusTools, WhatIsCutOutIsRight) {
  for (InstructionId id : some(12)) {
    EXPECT_EQ(errorsOf(extract(module_, id, 2)), "") << module_.at(id).name;
    EXPECT_EQ(errorsOf(isolate(module_, id)), "") << module_.at(id).name;
  }
}
TEST_P(CorpusTools, EveryInstructionCanBeExplained) {
  for (InstructionId id : some(50)) EXPECT_TRUE(explain(module_, id)) << module_.at(id).name;
}

INSTANTIATE_TEST_SUITE_P(All, CorpusTools, testing::ValuesIn(goodPrograms()),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
