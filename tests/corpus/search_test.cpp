// Search and links on every program of the corpus: what a query counts is what the module has.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/hlo/place_text.h"
#include "core/tools/find_instruction.h"
#include "core/tools/flow/value_flow.h"
#include "core/tools/query/search.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

class SearchCorpus : public testing::TestWithParam<std::string> {
 protected:
  void countsWhatIsThere();
  void linksLeadBack();
  void conesAndPathsAgree();
  void theResultComesFromWhatItsOperandsLeadTo();
  void SetUp() override {
    ReadResult read = readHloText(slurp(corpusTexts() / GetParam()), GetParam());
    ASSERT_TRUE(read.module);
    module_ = std::move(*read.module);
  }
  size_t count(const char* query) const { return search(module_, Query::parse(query).value()).size(); }
  size_t count(bool (*holds)(const Instruction&)) const {
    size_t out = 0;
    for (ComputationId computation : module_.order())
      for (InstructionId id : module_.at(computation).instructions) out += holds(module_.at(id));
    return out;
  }
  Module module_;
};

void SearchCorpus::countsWhatIsThere() {
  EXPECT_EQ(count("f64"), count([](const Instruction& in) {
              return std::ranges::any_of(leavesOf(*in.shape),
                                         [](const ShapeLeaf& leaf) { return leaf.shape->type == ElementType::F64; });
            }));
  EXPECT_EQ(count("f64") + count("-f64"), module_.instructionCount());
  EXPECT_EQ(count("op:copy|transpose"),
            count([](const Instruction& in) { return in.opcode == Opcode::Copy || in.opcode == Opcode::Transpose; }));
  EXPECT_EQ(count("bytes>=1KiB | bytes<1024"),
            count([](const Instruction& in) { return in.shape->denseBytes().has_value(); }));
  EXPECT_EQ(count("op:while") > 0, count("is:loop") > 0);
  EXPECT_EQ(count("op:fusion") > 0, count("is:fused") > 0);
}

void SearchCorpus::linksLeadBack() {
  constexpr size_t kFew = 3000;  // looking up by name is linear
  if (module_.instructionCount() > kFew) return;
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions) {
      const auto back = instructionNamed(module_, placeText(module_, id));
      ASSERT_TRUE(back) << placeText(module_, id);
      ASSERT_EQ(*back, id) << placeText(module_, id);
    }
}

// What comes from a value and what a value comes from are one relation, and a path is there where it holds.
void SearchCorpus::conesAndPathsAgree() {
  constexpr size_t kSlow = 20'000, kSamples = 7;
  if (module_.instructionCount() > kSlow) return;
  std::vector<bool> applied(module_.computationSlots());  // reducers: a walk comes out of them and does not go in
  for (auto computation = module_.order().rbegin(); computation != module_.order().rend(); ++computation)
    for (InstructionId id : module_.at(*computation).instructions)
      for (const CallBinding& binding : bindingsOf(module_, module_.at(id)))
        if (!binding.entered || applied[computation->value]) applied[binding.callee.value] = true;
  std::vector<InstructionId> all, some;
  for (ComputationId computation : module_.order())
    if (!applied[computation.value])
      all.insert(all.end(), module_.at(computation).instructions.begin(), module_.at(computation).instructions.end());
  for (size_t k = 0; k < std::min(kSamples, all.size()); ++k)
    some.push_back(all[k * (all.size() - 1) / std::max<size_t>(1, kSamples - 1)]);
  const ValueFlow flow(module_);
  std::vector<std::vector<InstructionId>> up, down;
  for (const InstructionId& id : some) {
    up.push_back(flow.cone(std::span(&id, 1), FlowDirection::Up));
    down.push_back(flow.cone(std::span(&id, 1), FlowDirection::Down));
  }
  for (size_t a = 0; a < some.size(); ++a)
    for (size_t b = 0; b < some.size(); ++b) {
      const bool reaches = std::ranges::binary_search(down[a], some[b]);
      const std::string words = std::string(module_.at(some[a]).name) + " to " + std::string(module_.at(some[b]).name);
      EXPECT_EQ(reaches, std::ranges::binary_search(up[b], some[a])) << words;
      const std::vector<FlowStep> path = flow.path(some[a], some[b]);
      EXPECT_EQ(reaches, !path.empty()) << words;
      for (const FlowStep& step : path) EXPECT_TRUE(std::ranges::binary_search(down[a], step.instruction)) << words;
    }
}

// Within a computation a cone is at most what the operands lead to, and where no tuples and calls are, all of it.
void SearchCorpus::theResultComesFromWhatItsOperandsLeadTo() {
  if (!module_.contains(module_.entry())) return;
  const InstructionId root = module_.entryComputation().root;
  const std::vector<InstructionId> cone = ValueFlow(module_).cone(std::span(&root, 1), FlowDirection::Up);
  std::vector<InstructionId> open{root};
  std::vector<bool> leads(module_.instructionSlots());
  leads[root.value] = true;
  while (!open.empty()) {
    const InstructionId id = open.back();
    open.pop_back();
    for (InstructionId operand : module_.at(id).operands)
      if (operand.valid() && !leads[operand.value]) leads[operand.value] = true, open.push_back(operand);
  }
  size_t inEntry = 0;
  for (InstructionId id : cone)
    if (module_.at(id).computation == module_.entry()) {
      ++inEntry;
      EXPECT_TRUE(leads[id.value]) << module_.at(id).name;
    }
  EXPECT_GT(inEntry, 0u);
}

// One test a file: reading it takes longer than any of these.
TEST_P(SearchCorpus, FindsAndFollows) {
  countsWhatIsThere();
  linksLeadBack();
  conesAndPathsAgree();
  theResultComesFromWhatItsOperandsLeadTo();
}

INSTANTIATE_TEST_SUITE_P(Files, SearchCorpus,
                         testing::ValuesIn(corpusFiles([](const std::string& file) { return !isBad(file); })),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
