// extract and isolate: what comes out is a right module with the parts and parameters that it should have.
#include "core/tools/cut_out.h"
#include "core/tools/find_instruction.h"
#include "tests/support/values.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

using test::again;
using test::moduleOf;
using test::named;

std::vector<std::string> parameterNames(const Module& module) {
  std::vector<std::string> out;
  for (InstructionId id : module.entryComputation().parameters) out.emplace_back(module.at(id).name);
  return out;
}
using Names = std::vector<std::string>;

TEST(CutOut, TheWholeConeComputesTheSame) {
  const Module module = moduleOf(test::kMeanSquares);
  const auto cut = extract(module, named(module, "total"));
  ASSERT_TRUE(cut) << cut.error().message;
  const Module cone = again(*cut);
  EXPECT_EQ(parameterNames(cone), (Names{"x", "y"}));
  EXPECT_EQ(cone.entryComputation().instructions.size(), 6u);
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(module))
    arguments.push_back(fillParameter(shape, arguments.size(), {}).value());
  const auto whole = evaluateModule(module, arguments), part = evaluateModule(cone, arguments);
  ASSERT_TRUE(whole && part);
  EXPECT_TRUE(test::sameValues(std::vector{whole->at(0)}, *part, test::kSameBits));  // total, without wave
}

TEST(CutOut, HeightCutsAndKeepsConstants) {
  const Module module = moduleOf(test::kMeanSquares);
  const Module cone = again(extract(module, named(module, "total"), 1).value());
  EXPECT_EQ(parameterNames(cone), (Names{"difference"}));
  EXPECT_TRUE(cone.findInstruction("zero"));
  const Module none = again(extract(module, named(module, "square"), 0).value());
  EXPECT_EQ(parameterNames(none), (Names{"difference"}));
  EXPECT_EQ(none.instructionCount(), 2u);
  EXPECT_FALSE(extract(module, named(module, "total"), -1));
}

TEST(CutOut, IsolatedInstructionTakesAllOperandsAsParameters) {
  const Module module = moduleOf(test::kMeanSquares);
  const Module one = again(isolate(module, named(module, "total")).value());
  EXPECT_EQ(parameterNames(one), (Names{"square", "zero"}));
  EXPECT_EQ(one.order().size(), 2u);
}

TEST(CutOut, IsolatedComputationIsTheEntry) {
  const Module module = moduleOf(test::kMeanSquares);
  const Module sum = again(isolate(module, *module.findComputation("sum")).value());
  EXPECT_EQ(sum.order().size(), 1u);
  EXPECT_EQ(parameterNames(sum), (Names{"a", "b"}));
}

TEST(CutOut, AParameterAloneIsItsOwnRoot) {
  const Module module = moduleOf(test::kMeanSquares);
  EXPECT_EQ(again(extract(module, named(module, "y")).value()).instructionCount(), 1u);
}

TEST(CutOut, ATokenBecomesAfterAllAndADoneTakesItsStart) {
  const Module module = moduleOf(R"(HloModule pairs

ENTRY main {
  x = f32[2]{0} parameter(0)
  t = token[] after-all()
  kept = f32[2]{0} add-dependency(x, t)
  begun = (f32[2]{0}, f32[2]{0}, u32[]) copy-start(kept)
  ROOT done = f32[2]{0} copy-done(begun)
}
)");
  const Module copy = again(isolate(module, named(module, "done")).value());
  EXPECT_EQ(parameterNames(copy), (Names{"kept"}));
  EXPECT_TRUE(copy.findInstruction("begun"));
  const Module kept = again(isolate(module, named(module, "kept")).value());
  EXPECT_EQ(parameterNames(kept), (Names{"x"}));
  EXPECT_EQ(kept.at(named(kept, "t")).opcode, Opcode::AfterAll);
}

TEST(CutOut, FactsOfTheOldEntryAreDropped) {
  const Module module =
      moduleOf(R"(HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }, num_partitions=2

ENTRY main {
  x = f32[2]{0} parameter(0)
  n = f32[2]{0} negate(x)
  ROOT r = f32[2]{0} sine(n)
}
)");
  const Module cut = again(isolate(module, named(module, "r")).value());
  EXPECT_TRUE(cut.config().inputOutputAlias.empty());
  EXPECT_EQ(cut.config().numPartitions, 2);
}

TEST(FindInstruction, ByNameByPathAndNearMisses) {
  const Module module = moduleOf(test::kMeanSquares);
  EXPECT_EQ(*instructionNamed(module, "%square"), named(module, "square"));
  EXPECT_EQ(module.at(*instructionNamed(module, "sum/c")).name, "c");
  const auto wrong = instructionNamed(module, "sqare");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::Usage);
  EXPECT_NE(wrong.error().message.find("did you mean square"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(instructionNamed(module, "summ/c"));
  EXPECT_FALSE(instructionNamed(module, "sum/square"));
  EXPECT_FALSE(instructionNamed(module, ""));
}

}  // namespace
}  // namespace tessera
