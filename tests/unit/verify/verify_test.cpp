// The verifier: each kind of fault is named with its label; a clean module passes.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

const Shape kShape = Shape::arrayRowMajor(ElementType::F32, {4});

struct Sum {
  Module module{"m"};
  ComputationId main = module.addComputation("main");
  InstructionId a, b, sum;

  Sum() {
    a = parameter(0, "a");
    b = parameter(1, "b");
    sum = module.add(main, Opcode::Add, kShape, {{a, b}});
    module.setRoot(main, sum);
    module.setEntry(main);
  }
  InstructionId parameter(int number, std::string_view name) {
    Instruction instruction;
    instruction.opcode = Opcode::Parameter;
    instruction.parameterNumber = number;
    instruction.name = name;
    return module.add(main, std::move(instruction), kShape);
  }
  void configure(auto&& change) {
    ModuleConfig config = module.config();
    change(config);
    module.setConfig(std::move(config));
  }
};

bool hasLabel(const Module& module, std::string_view label) {
  Diagnostics found = verify(module);
  return std::ranges::any_of(found.items(), [&](const Diagnostic& d) { return d.label == label; });
}

TEST(Verify, CleanModule) { EXPECT_TRUE(verify(Sum().module).empty()); }

TEST(Verify, Roots) {
  Sum sum;
  sum.module.edit(sum.main).root = {};
  EXPECT_TRUE(hasLabel(sum.module, "root"));
  sum.module.setEntry({});
  EXPECT_TRUE(hasLabel(sum.module, "entry"));
}

TEST(Verify, ParametersAreNumberedWithoutGaps) {
  Sum sum;
  sum.module.edit(sum.b).parameterNumber = 7;
  EXPECT_TRUE(hasLabel(sum.module, "parameter"));
  sum.module.edit(sum.b).parameterNumber = 0;
  EXPECT_TRUE(hasLabel(sum.module, "parameter"));
}

TEST(Verify, NamesAreUnique) {
  Sum sum;
  sum.module.setName(sum.b, "a");
  EXPECT_TRUE(hasLabel(sum.module, "name"));
}

TEST(Verify, Cycles) {
  Sum sum;
  sum.module.setOperands(sum.sum, {{sum.a, sum.sum}});
  EXPECT_TRUE(hasLabel(sum.module, "dominance"));
}

TEST(Verify, UnknownOpcodesAndAttributes) {
  Sum sum;
  Instruction odd;
  odd.unknownOpcode = "frobnicate";
  odd.name = "odd";
  sum.module.add(sum.main, odd, kShape);
  EXPECT_TRUE(hasLabel(sum.module, "opcode"));
  Sum other;
  AttributeSet attributes;
  attributes.unknown.push_back({"speed", RawText{"9", false}});
  other.module.setAttributes(other.sum, std::move(attributes));
  EXPECT_TRUE(hasLabel(other.module, "attribute"));
}

TEST(Verify, AliasesAndDonors) {
  Sum sum;
  sum.configure([](ModuleConfig& c) { c.inputOutputAlias = {{{}, 0, {}, false}}; });
  EXPECT_TRUE(verify(sum.module).empty());
  sum.configure([](ModuleConfig& c) { c.inputOutputAlias = {{{}, 9, {}, false}}; });
  EXPECT_TRUE(hasLabel(sum.module, "alias"));
  sum.configure([](ModuleConfig& c) { c.inputOutputAlias = {{{3}, 0, {}, false}}; });
  EXPECT_TRUE(hasLabel(sum.module, "alias"));
  sum.configure([](ModuleConfig& c) { c.inputOutputAlias = {{{}, 0, {}, false}}, c.bufferDonor = {{0, {}}}; });
  EXPECT_TRUE(hasLabel(sum.module, "donor"));
}

TEST(Verify, EntryLayout) {
  Sum sum;
  sum.configure([](ModuleConfig& c) {
    c.entryParameterLayouts = {kShape, kShape}, c.entryResultLayout = Shape::array(ElementType::F32, {5});
  });
  EXPECT_TRUE(hasLabel(sum.module, "entry_computation_layout"));
}

TEST(Verify, Schedules) {
  Sum sum;
  sum.configure([](ModuleConfig& c) { c.isScheduled = true; });
  EXPECT_TRUE(verify(sum.module).empty());
  std::ranges::reverse(sum.module.edit(sum.main).instructions);
  EXPECT_TRUE(hasLabel(sum.module, "schedule"));
}

TEST(Verify, Recursion) {
  Sum sum;
  AttributeSet attributes;
  attributes.set(Attr::to_apply, sum.main);
  sum.module.add(sum.main, Opcode::Call, kShape, {{sum.a, sum.b}}, std::move(attributes));
  EXPECT_TRUE(hasLabel(sum.module, "recursion"));
}

TEST(Verify, AnOpenInputIsADiagnostic) {
  Sum sum;
  sum.module.setOperands(sum.sum, {{sum.a, InstructionId()}});
  EXPECT_TRUE(hasLabel(sum.module, "unfinished"));
}

}  // namespace
}  // namespace tessera
