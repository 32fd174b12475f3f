// Arguments that nobody gives: what is usual of data, weights, indices and vectors, and the words that make them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/evaluate/argument_rules.h"
#include "core/evaluate/argument_source.h"
#include "core/evaluate/usual_sources.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

constexpr const char* kModel = R"(HloModule model
layer { a = f32[4,16] parameter(0)
  v = f32[16,9] parameter(1)
  ROOT y = f32[4,9] dot(a, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY main {
  table = f32[10,8] parameter(0)
  words = s32[4] parameter(1)
  rows = f32[4,8] gather(table, words), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,8}
  w = f32[8,16] parameter(2)
  product = f32[4,16] dot(rows, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bias = f32[16] parameter(3)
  spread = f32[4,16] broadcast(bias), dimensions={1}
  sum = f32[4,16] add(product, spread)
  v = f32[16,9] parameter(4)
  out = f32[4,9] call(sum, v), to_apply=layer
  mask = pred[4,9] parameter(5)
  zero = f32[] constant(0)
  zeros = f32[4,9] broadcast(zero), dimensions={}
  ROOT r = f32[4,9] select(mask, out, zeros)
})";

Module model() { return *readHloText(kModel, "test").module; }

TEST(UsualSources, FollowWhatReadersMakeOfThem) {
  const auto usual = usualSources(model());
  ASSERT_EQ(usual.size(), 6u);
  EXPECT_EQ(usual[0], "normal 0 1");
  EXPECT_EQ(usual[1], "uniform 0 9");  // rows of the table
  EXPECT_EQ(usual[2], "normal 0 0.354");
  EXPECT_EQ(usual[3], "normal 0 0.1");
  EXPECT_EQ(usual[4], "normal 0 0.25");  // through a call
  EXPECT_EQ(usual[5], "rule");
}

TEST(UsualSources, WeightsAreWhatIsTrained) {
  const Module module = model();
  std::vector<std::string> names;
  for (InstructionId id : weightsOf(module)) names.emplace_back(module.at(id).name);
  EXPECT_EQ(names, (std::vector<std::string>{"table", "w", "bias", "v"}));
}

// A training step beside it changes no value.
TEST(UsualSources, AStepOfDescentLeavesThem) {
  const auto usual = [](const char* root) {
    return usualSources(*readHloText(std::string(R"(HloModule m
ENTRY main {
  x = f32[4,3] parameter(0)
  b = f32[3] parameter(1)
  spread = f32[4,3] broadcast(b), dimensions={1}
  y = f32[4,3] add(x, spread)
  d = f32[3] parameter(2)
  next_b = f32[3] subtract(b, d)
)") + root + "\n}",
                                     "test")
                             .module);
  };
  EXPECT_EQ(usual("ROOT r = f32[4,3] negate(y)")[1], "normal 0 0.1");
  EXPECT_EQ(usual("ROOT r = f32[4,3] negate(y)")[2], "normal 0 1");
  EXPECT_EQ(usual("ROOT r = f32[3] multiply(b, next_b)")[1], "normal 0 1");
}

// The mean squares that an optimizer keeps are no normal numbers, whose roots are none.
TEST(UsualSources, RootsAreOfWhatIsNotNegative) {
  const auto usual = usualSources(*readHloText(R"(HloModule m
ENTRY e {
  kept = f32[4] parameter(0)
  gradient = f32[4] parameter(1)
  rate = f32[] constant(0.999)
  rates = f32[4] broadcast(rate), dimensions={}
  old = f32[4] multiply(rates, kept)
  square = f32[4] multiply(gradient, gradient)
  sum = f32[4] add(old, square)
  correction = f32[] parameter(2)
  corrections = f32[4] broadcast(correction), dimensions={}
  mean = f32[4] divide(sum, corrections)
  root = f32[4] sqrt(mean)
  ROOT step = f32[4] divide(gradient, root)
})",
                                               "test")
                                       .module);
  EXPECT_EQ(usual[0], "uniform 0 1");
  EXPECT_EQ(usual[1], "normal 0 1");
}

TEST(UsualSources, GiveWayToWhatIsSaid) {
  ArgumentRules rules;
  rules.usual = true;
  rules.sources[2] = "constant 3";
  const auto arguments = argumentsBy(rules, model());
  ASSERT_TRUE(arguments) << arguments.error().toString();
  EXPECT_EQ((*arguments)[2].data<float>()[5], 3);
  EXPECT_NE((*arguments)[0].data<float>()[0], (*arguments)[0].data<float>()[1]);
  for (int32_t word : (*arguments)[1].data<int32_t>()) EXPECT_TRUE(word >= 0 && word < 10);
  rules.usual = false;
  const auto byRule = argumentsBy(rules, model());
  ASSERT_TRUE(byRule);
  EXPECT_TRUE((*byRule)[0].identical(*fillParameter(Shape::arrayRowMajor(ElementType::F32, {10, 8}), 0, {})));
}

TEST(UsualSources, AreMadeUnderWatch) {
  ArgumentRules rules;
  rules.usual = true;
  std::vector<size_t> asked;
  rules.watch = [&asked](size_t leaf, size_t leaves) -> Status {
    EXPECT_EQ(leaves, 6u);
    asked.push_back(leaf);
    return leaf < 2 ? Status() : failCancelled();
  };
  const auto arguments = argumentsBy(rules, model());
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().message, failCancelled().error().message);
  EXPECT_EQ(asked, (std::vector<size_t>{0, 1, 2}));
}

TEST(UsualSources, WhatCannotBeMadeLeavesTheOthers) {
  ArgumentRules rules;
  rules.sources[0] = "npy /nowhere/none.npy";
  rules.given["arg1"] = *fillParameter(Shape::arrayRowMajor(ElementType::S32, {7}), 0, {});
  rules.givenFrom = "inputs.npz";
  EXPECT_FALSE(argumentsBy(rules, model()));
  const auto possible = possibleArgumentsBy(rules, model());
  ASSERT_TRUE(possible) << possible.error().toString();
  EXPECT_EQ(possible->values.size(), 6u);
  ASSERT_EQ(possible->wrong.size(), 2u);
  EXPECT_NE(possible->wrong.at(0).toString().find("none.npy"), std::string::npos) << possible->wrong.at(0).toString();
  EXPECT_EQ(possible->wrong.at(1).found, "s32[7]");
  EXPECT_EQ(possible->wrong.at(1).file, "inputs.npz");
  const Module module = model();
  const auto& parameters = module.entryComputation().parameters;
  EXPECT_TRUE(possible->wrongOf(module, parameters[0]) && possible->wrongOf(module, parameters[1]));
  EXPECT_FALSE(possible->wrongOf(module, parameters[2]));
}

TEST(ArgumentSource, WithoutMemoryItNamesTheParametersShape) {
  const Shape huge = Shape::arrayRowMajor(ElementType::F32, {int64_t{1} << 61});
  for (const char* words : {"normal 0 1", "uniform 0 1", "ramp 0 1", "constant 1", "rule"}) {
    const auto made = argumentFrom(words, huge, {});
    ASSERT_FALSE(made) << words;
    EXPECT_NE(made.error().message.find(toString(huge, false)), std::string::npos) << made.error().message;
  }
}

TEST(ArgumentSource, NormalHasItsMeanAndDeviation) {
  const auto value = argumentFrom("normal 2 0.5", Shape::arrayRowMajor(ElementType::F64, {100, 100}), {});
  ASSERT_TRUE(value);
  double sum = 0, squares = 0;
  for (double v : value->data<double>()) sum += v, squares += v * v;
  const double mean = sum / 1e4, deviation = std::sqrt(squares / 1e4 - mean * mean);
  EXPECT_NEAR(mean, 2, 0.02);
  EXPECT_NEAR(deviation, 0.5, 0.02);
}

TEST(ArgumentSource, WordsAreUnderstoodOrExplained) {
  for (const char* fine : {"normal", "gauss 0 2", "uniform", "uniform -1 1", "random 0 1"})
    EXPECT_TRUE(checkArgumentSource(fine)) << fine;
  for (const char* wrong : {"normal 1", "normal 0 -1", "uniform 3", "sometimes"})
    EXPECT_FALSE(checkArgumentSource(wrong)) << wrong;
  EXPECT_EQ(shortSource("normal 0 0.354"), "normal × 0.354");
  EXPECT_EQ(shortSource("image /some/where/cat.png"), "cat.png");
  EXPECT_EQ(shortSource("rule"), "default values");
}

}  // namespace
}  // namespace tessera
