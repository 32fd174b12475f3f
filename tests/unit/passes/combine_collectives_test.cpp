// Collectives that do not wait for each other become one.
#include "core/passes/combine_collectives.h"

#include <algorithm>

#include "core/evaluate/device_values.h"
#include "core/evaluate/replicas.h"
#include "core/passes/dead_code.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

const std::string kReducers =
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
    "also_sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(b, a) }\n"
    "most { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT m = f32[] maximum(a, b) }\n";

std::string reduced(const std::string& name, const std::string& size, const std::string& operand,
                    const std::string& reducer = "sum", const std::string& groups = "{{0,1}}") {
  return " " + name + " = f32[" + size + "] all-reduce(" + operand + "), to_apply=" + reducer +
         ", replica_groups=" + groups + "\n";
}

// Results on two replicas, whose arguments differ.
DeviceArrays resultsOf(const Module& module) {
  constexpr DeviceGrid kTwo{2, 1};
  const DeviceArrays arguments = argumentsByDevice(module, kTwo, {}, {.scale = 1}).value();
  return runOnDevices(kTwo,
                      [&](Communicator& communicator) {
                        EvaluateOptions options;
                        options.communicator = &communicator;
                        return evaluateModule(module, arguments[static_cast<size_t>(communicator.device())], options);
                      })
      .value();
}

// Operands of each collective of the entry after the pass, the most first.
std::vector<size_t> sizes(const std::string& body) {
  const Module source = moduleFrom("HloModule m, replica_count=2\n" + kReducers + "ENTRY e {\n" + body + "}\n");
  Module combined = derive(source);
  EXPECT_TRUE(combineCollectives(combined));
  EXPECT_TRUE(removeDeadCode(combined));
  EXPECT_EQ(messagesOf(verify(combined)), "");
  EXPECT_TRUE(std::ranges::equal(resultsOf(source), resultsOf(combined), [](const auto& a, const auto& b) {
    return std::ranges::equal(a, b, [](const Literal& x, const Literal& y) { return x.identical(y); });
  }));
  std::vector<size_t> out;
  for (InstructionId id : combined.entryComputation().instructions)
    if (hasTrait(combined.at(id).opcode, kCollective)) out.push_back(combined.at(id).operands.size());
  std::ranges::sort(out, std::greater());
  return out;
}

const std::string kArguments = " x = f32[4] parameter(0)\n y = f32[3] parameter(1)\n z = f32[4] parameter(2)\n";
const std::string kRoot = " ROOT r = (f32[4], f32[3], f32[4]) tuple(a, b, c)\n";

TEST(CombineCollectives, ThoseOfOneKindMeetOnce) {
  EXPECT_EQ(sizes(kArguments + reduced("a", "4", "x") + reduced("b", "3", "y", "also_sum") +
                  " s = f32[4] negate(a)\n t = f32[4] add(s, z)\n" + reduced("c", "4", "z") +
                  " ROOT r = (f32[4], f32[3], f32[4], f32[4]) tuple(a, b, c, t)\n"),
            std::vector<size_t>{3});
}

const std::string kGathered = ", replica_groups={{0,1}}, dimensions=";

// Of any types, along one dimension.
TEST(CombineCollectives, GathersMeetOnce) {
  const std::string x = " x = f32[4,3] parameter(0)\n p = pred[2,1] constant({{1},{0}})\n";
  const auto gathered = [&](const std::string& name, const std::string& result, const std::string& operand,
                            const std::string& dimension) {
    return " " + name + " = " + result + " all-gather(" + operand + ")" + kGathered + dimension + "\n";
  };
  EXPECT_EQ(
      sizes(x + gathered("a", "f32[8,3]", "x", "{0}") + gathered("b", "pred[4,1]", "p", "{0}") +
            gathered("c", "f32[4,6]", "x", "{1}") + " n = f32[8,3] negate(a)\n" +
            gathered("d", "f32[16,3]", "n", "{0}") + " ROOT r = (pred[4,1], f32[4,6], f32[16,3]) tuple(b, c, d)\n"),
      (std::vector<size_t>{2, 1, 1}));
}

TEST(CombineCollectives, ScatteredSumsMeetOnce) {
  const auto scattered = [](const std::string& name, const std::string& result, const std::string& operand) {
    return " " + name + " = " + result + " reduce-scatter(" + operand + "), to_apply=sum" + kGathered + "{0}\n";
  };
  EXPECT_EQ(sizes(kArguments + " w = f32[6] concatenate(y, y), dimensions={0}\n" + scattered("a", "f32[2]", "x") +
                  scattered("b", "f32[3]", "w") + reduced("c", "4", "z") +
                  " ROOT r = (f32[2], f32[3], f32[4]) tuple(a, b, c)\n"),
            (std::vector<size_t>{2, 1}));
}

TEST(CombineCollectives, WhatWaitsStaysApart) {
  EXPECT_EQ(sizes(kArguments + reduced("a", "4", "x") + reduced("b", "3", "y") + " n = f32[4] negate(a)\n" +
                  reduced("c", "4", "n") + kRoot),
            (std::vector<size_t>{2, 1}));
}

TEST(CombineCollectives, OtherKindsStayApart) {
  EXPECT_EQ(sizes(kArguments + reduced("a", "4", "x") + reduced("b", "3", "y", "most") +
                  reduced("c", "4", "z", "sum", "{{0},{1}}") + kRoot),
            (std::vector<size_t>{1, 1, 1}));
}

// a waits for d, and c for b: either pair may be combined, not both.
TEST(CombineCollectives, PairsCloseNoCycle) {
  EXPECT_EQ(sizes(kArguments + reduced("d", "4", "z", "most") + " n = f32[4] negate(d)\n" + reduced("a", "4", "n") +
                  reduced("b", "3", "y") + " k = f32[] constant(0)\n p = f32[4] pad(b, k), padding=0_1\n" +
                  reduced("c", "4", "p", "most") + kRoot),
            (std::vector<size_t>{2, 1, 1}));
}

TEST(CombineCollectives, UpToALimitOfBytes) {
  EXPECT_EQ(sizes(" x = f32[] parameter(0)\n l = f32[5000000] broadcast(x), dimensions={}\n s = f32[1] reshape(x)\n" +
                  reduced("a", "5000000", "l") + reduced("b", "5000000", "l") + reduced("c", "1", "s") +
                  " ROOT r = (f32[5000000], f32[5000000], f32[1]) tuple(a, b, c)\n"),
            (std::vector<size_t>{2, 1}));
}

}  // namespace
}  // namespace tessera::test
