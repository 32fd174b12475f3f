// Search and links on every program of the corpus: what a query counts is what the module has.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/tools/find_instruction.h"
#include "core/tools/link.h"
#include "core/tools/search.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

class SearchCorpus : public testing::TestWithParam<std::string> {
 protected:
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

TEST_P(SearchCorpus, CountsWhatIsThere) {
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

TEST_P(SearchCorpus, LinksLeadBack) {
  constexpr size_t kFew = 3000;  // looking up by name is linear
  if (module_.instructionCount() > kFew) return;
  const LinkNames names(module_);
  for (ComputationId computation : module_.order())
    for (InstructionId id : module_.at(computation).instructions) {
      const auto back = instructionNamed(module_, names.of(id));
      ASSERT_TRUE(back) << names.of(id);
      ASSERT_EQ(*back, id) << names.of(id);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, SearchCorpus,
                         testing::ValuesIn(corpusFiles([](const std::string& file) { return !isBad(file); })),
                         [](const auto& info) { return testName(info.param); });

}  // namespace
}  // namespace tessera
