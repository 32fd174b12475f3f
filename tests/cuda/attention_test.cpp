// Attention by tiles on the simulated device: one kernel, the evaluator's values, no error among the reports, and no
// array as large as the scores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "tests/cuda/assembly.h"
#include "tests/cuda/attention_case.h"
#include "tests/cuda/device_run.h"
#include "tests/support/skips.h"

namespace tessera {
namespace {

constexpr const char* kHopper = "simulated:sm_90";

class CudaAttention : public testing::TestWithParam<AttentionCase> {};

TEST_P(CudaAttention, IsOneKernel) {
  const AttentionCase& c = GetParam();
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(textOf(c), c.device, run));
  const bool isWide = run.results[0].shape().type == ElementType::F32;
  expectEvaluatorsResults(run, isWide ? Tolerance{1e-4, 1e-5} : Tolerance{2e-2, 2e-2});
  expectNoErrors(run);

  const Module& optimized = run.executable->optimized();
  const auto steps = run.executable->list(optimized.entryComputation().root, true);
  ASSERT_TRUE(steps) << steps.error().toString();
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_NE(steps->front().what.find("attention by tiles"), std::string::npos) << steps->front().what;
  const bool isNarrow = c.type != "f32" && c.device == "simulated:sm_80";
  EXPECT_EQ(steps->front().what.find("tensor cores") != std::string::npos, isNarrow) << steps->front().what;
  EXPECT_EQ(steps->front().what.find("wgmma") != std::string::npos, c.device == "simulated:sm_90")
      << steps->front().what;
  EXPECT_EQ(run.executable->kernelCounts().kernels, 1);
  int64_t bytes = 0;  // of arguments and results alone
  for (const Literal& each : run.arguments) bytes += static_cast<int64_t>(each.bytes().size() + 256);
  bytes += static_cast<int64_t>(run.results[0].bytes().size() + 256);
  EXPECT_LE(run.executable->peakBytes(), bytes);
}

TEST(CudaAttentionByWgmma, AssemblesWithoutSpills) {
  if (!hasPtxas()) TESSERA_SKIP("no-ptxas");
  for (const int64_t depth : {64, 128, 256}) {
    const AttentionCase c{
        .type = "bf16", .heads = 32, .queries = 512, .keys = 512, .depth = depth, .width = depth, .mask = kCausal};
    expectGoodAssembly(textOf(c), fmt::format("attention_{}", depth));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaAttention,
    testing::Values(
        AttentionCase{"plain"}, AttentionCase{.name = "causal", .mask = kCausal},
        AttentionCase{.name = "late_keys", .mask = kLateKeys},
        AttentionCase{.name = "window", .queries = 96, .keys = 96, .mask = kWindow},
        AttentionCase{.name = "bias", .queries = 48, .mask = kBias},
        AttentionCase{.name = "ragged", .queries = 37, .keys = 53, .depth = 20, .width = 27, .mask = kCausal},
        AttentionCase{.name = "transposed_keys", .keys = 80, .keysAreTransposed = true},
        AttentionCase{.name = "largest", .heads = 1, .queries = 16, .keys = 48, .depth = 128, .width = 128},
        AttentionCase{.name = "tall", .heads = 64, .queries = 128, .keys = 32, .depth = 8, .width = 8},
        AttentionCase{.name = "bf16", .type = "bf16", .keys = 160},
        AttentionCase{.name = "bf16_ragged",
                      .type = "bf16",
                      .queries = 70,
                      .keys = 53,
                      .depth = 40,
                      .width = 24,
                      .mask = kCausal},
        AttentionCase{.name = "bf16_late_keys", .type = "bf16", .keys = 128, .mask = kLateKeys},
        AttentionCase{.name = "bf16_largest", .type = "bf16", .heads = 1, .keys = 64, .depth = 128, .width = 128},
        AttentionCase{.name = "bf16_odd_depth", .type = "bf16", .keys = 96, .depth = 112, .width = 120},
        AttentionCase{.name = "bf16_short_depth", .type = "bf16", .keys = 70, .depth = 8, .width = 16},
        AttentionCase{.name = "f16", .type = "f16", .mask = kBias},
        AttentionCase{.name = "bf16_without_tensor_cores", .type = "bf16", .device = "simulated:sm_70"},
        AttentionCase{.name = "wide", .heads = 1, .keys = 48, .depth = 256, .width = 256},
        AttentionCase{.name = "bf16_wide", .type = "bf16", .heads = 1, .keys = 48, .depth = 256, .width = 256},
        AttentionCase{.name = "bf16_softmax", .type = "bf16", .softmax = "bf16", .keys = 160, .mask = kCausal},
        AttentionCase{.name = "f16_softmax", .type = "f16", .softmax = "f16", .mask = kBias},
        AttentionCase{.name = "mask_in_memory", .queries = 48, .mask = kMaskInMemory},
        AttentionCase{.name = "wgmma", .type = "bf16", .heads = 64, .queries = 128, .keys = 128, .device = kHopper},
        AttentionCase{.name = "wgmma_ragged",
                      .type = "f16",
                      .heads = 32,
                      .queries = 200,
                      .keys = 328,
                      .depth = 72,
                      .width = 80,
                      .mask = kCausal,
                      .device = kHopper},
        AttentionCase{.name = "wgmma_late_keys",
                      .type = "bf16",
                      .heads = 32,
                      .queries = 136,
                      .keys = 256,
                      .depth = 16,
                      .width = 16,
                      .mask = kLateKeys,
                      .device = kHopper},
        AttentionCase{.name = "wgmma_wide",
                      .type = "bf16",
                      .heads = 64,
                      .queries = 72,
                      .keys = 136,
                      .depth = 256,
                      .width = 256,
                      .device = kHopper},
        AttentionCase{.name = "wgmma_softmax",
                      .type = "bf16",
                      .softmax = "bf16",
                      .heads = 64,
                      .queries = 65,
                      .keys = 130,
                      .depth = 128,
                      .width = 128,
                      .mask = kBias,
                      .device = kHopper}),
    [](const auto& info) { return info.param.name; });

class CudaAttentionGradient : public testing::TestWithParam<AttentionCase> {};

// Of arrays for whole rows there are a few, of any as large as the scores none.
TEST_P(CudaAttentionGradient, StoresNoScores) {
  AttentionCase c = GetParam();
  c.hasGradient = true;
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(textOf(c), c.device, run));
  const bool isWide = run.results[0].shape().type == ElementType::F32;
  expectEvaluatorsResults(run, isWide ? Tolerance{2e-4, 2e-5} : Tolerance{3e-2, 3e-2});
  expectNoErrors(run);

  const Module& optimized = run.executable->optimized();
  int64_t products = 0;
  for (const InstructionId id : optimized.entryComputation().instructions) {
    if (optimized.at(id).opcode != Opcode::Fusion) continue;
    const auto steps = run.executable->list(id, true);
    ASSERT_TRUE(steps) << steps.error().toString();
    for (const auto& step : *steps) {
      const bool isNarrow = c.type != "f32" && c.device == "simulated:sm_80";
      if (step.what.find("attention by tiles") == std::string::npos) continue;
      ++products;
      EXPECT_EQ(step.what.find("tensor cores") != std::string::npos, isNarrow) << step.what;
    }
  }
  // Maximum and sum, mean; values and the gradient of q, gradients of k and v: two of one form share a kernel, where
  // a thread has registers for both.
  EXPECT_EQ(products, (c.depth != c.width || c.name == "bf16_wide" ? 6 : 4) + (c.hasBiasGradient ? 1 : 0));
  int64_t bytes = 8 * (c.heads * std::max(c.queries, c.keys) * 4 + 256);  // of arguments, results and rows
  for (const auto* literals : {&run.arguments, &run.results})
    for (const Literal& each : *literals) bytes += static_cast<int64_t>(each.bytes().size() + 256);
  EXPECT_LE(run.executable->peakBytes(), bytes);
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaAttentionGradient,
    testing::Values(
        AttentionCase{.name = "plain", .keys = 96}, AttentionCase{.name = "causal", .queries = 96, .mask = kCausal},
        AttentionCase{.name = "late_keys", .keys = 80, .mask = kLateKeys},
        AttentionCase{.name = "window", .queries = 96, .keys = 96, .mask = kWindow},
        AttentionCase{.name = "bf16_window", .type = "bf16", .queries = 160, .keys = 160, .mask = kWindow},
        AttentionCase{.name = "bias", .queries = 48, .mask = kBias},
        AttentionCase{.name = "ragged", .queries = 37, .keys = 53, .depth = 20, .width = 27, .mask = kCausal},
        AttentionCase{.name = "transposed_keys", .keys = 80, .keysAreTransposed = true},
        AttentionCase{.name = "largest", .heads = 1, .queries = 48, .keys = 32, .depth = 128, .width = 128},
        AttentionCase{.name = "tall", .heads = 64, .queries = 128, .keys = 32, .depth = 8, .width = 8},
        AttentionCase{.name = "bf16", .type = "bf16", .keys = 160},
        AttentionCase{.name = "bf16_ragged",
                      .type = "bf16",
                      .queries = 70,
                      .keys = 53,
                      .depth = 40,
                      .width = 24,
                      .mask = kCausal},
        AttentionCase{.name = "bf16_largest", .type = "bf16", .heads = 1, .queries = 80, .depth = 128, .width = 128},
        AttentionCase{.name = "f16", .type = "f16", .mask = kBias},
        AttentionCase{.name = "bf16_without_tensor_cores", .type = "bf16", .device = "simulated:sm_70"},
        AttentionCase{.name = "wide", .heads = 1, .queries = 48, .keys = 32, .depth = 256, .width = 256},
        AttentionCase{.name = "bf16_wide", .type = "bf16", .heads = 1, .queries = 80, .depth = 256, .width = 256},
        AttentionCase{.name = "bf16_softmax", .type = "bf16", .softmax = "bf16", .keys = 96, .mask = kCausal},
        AttentionCase{.name = "f16_softmax", .type = "f16", .softmax = "f16", .mask = kBias},
        AttentionCase{.name = "of_bias", .heads = 5, .queries = 48, .keys = 70, .mask = kBias, .hasBiasGradient = true},
        AttentionCase{.name = "bf16_of_bias",
                      .type = "bf16",
                      .softmax = "bf16",
                      .heads = 3,
                      .queries = 70,
                      .keys = 96,
                      .mask = kBias,
                      .hasBiasGradient = true},
        AttentionCase{.name = "mask_in_memory", .queries = 48, .mask = kMaskInMemory},
        AttentionCase{.name = "bf16_mask_in_memory", .type = "bf16", .softmax = "bf16", .mask = kMaskInMemory}),
    [](const auto& info) { return info.param.name; });

// Heads for which a block has no room: kernels of their own for products and softmax, and the plan says why.
TEST(CudaAttentionTiles, AreNotTakenWhereThereIsNoRoom) {
  for (const bool hasGradient : {false, true}) {
    AttentionCase c{.heads = 1, .queries = 16, .keys = 16, .depth = 1024, .width = 1024, .hasGradient = hasGradient};
    DeviceRun run;
    ASSERT_NO_FATAL_FAILURE(runOnDevice(textOf(c), c.device, run));
    expectEvaluatorsResults(run, Tolerance{2e-4, 2e-5});
    const Module& optimized = run.executable->optimized();
    int64_t refusals = 0;
    for (const InstructionId id : optimized.entryComputation().instructions) {
      EXPECT_NE(optimized.at(id).attributes->textOr(Attr::kind, ""), "kOutput");
      if (optimized.at(id).opcode == Opcode::Dot || optimized.at(id).opcode == Opcode::Fusion)
        for (const auto& step : run.executable->list(id, true).value())
          refusals += step.what.find("(no attention by tiles: the smallest ones take") != std::string::npos;
    }
    EXPECT_EQ(refusals, hasGradient ? 4 : 1);  // the dots of the values and of the gradients of q, k and v
  }
}

// What the only step of a program says of itself.
std::string stepOf(const std::string& text) {
  DeviceRun run;
  runOnDevice(text, "simulated:sm_80", run);
  if (!run.executable) return "";
  const auto steps = run.executable->list(run.executable->optimized().entryComputation().root, true);
  return steps && steps->size() == 1 ? steps->front().what : "";
}

TEST(CudaAttentionTiles, AreSkippedWhereAMaskHidesThem) {
  EXPECT_NE(stepOf(textOf({.mask = kCausal})).find("3 of 4 tiles"), std::string::npos);
  EXPECT_NE(stepOf(textOf({.mask = kLateKeys})).find("3 of 4 tiles"), std::string::npos);
  EXPECT_NE(stepOf(textOf({.queries = 96, .keys = 96, .mask = kWindow})).find("5 of 9 tiles"), std::string::npos);
  const std::string inverted = replaced(replaced(textOf({.mask = kCausal}), "direction=GE", "direction=LT"),
                                        "select(seen, scores, lows)", "select(seen, lows, scores)");
  EXPECT_NE(stepOf(inverted).find("3 of 4 tiles"), std::string::npos);
}
TEST(CudaAttentionTiles, AreVisitedWhereHiddenScoresMayCount) {
  EXPECT_NE(stepOf(textOf({})).find("attention by tiles"), std::string::npos);
  EXPECT_EQ(stepOf(textOf({})).find("of 4 tiles"), std::string::npos);
  const std::string faint = replaced(textOf({.mask = kCausal}), "-1e9", "-10");
  EXPECT_NE(stepOf(faint).find("attention by tiles"), std::string::npos);
  EXPECT_EQ(stepOf(faint).find("of 4 tiles"), std::string::npos);
}
// Rows of which every key is hidden weigh all alike.
TEST(CudaAttentionTiles, AreVisitedWhereARowSeesNoKey) {
  const std::string text = replaced(textOf({.queries = 64, .keys = 32, .mask = kLateKeys}), "constant(-inf)\n  lows",
                                    "constant(-1e9)\n  lows");
  EXPECT_NE(stepOf(text).find("attention by tiles"), std::string::npos);
  EXPECT_EQ(stepOf(text).find("of 2 tiles"), std::string::npos);
}

// A row that sees no key has no weights, and none of the numbers that it gives is one.
TEST(CudaAttentionRows, WithoutAKeyAreNoNumbers) {
  AttentionCase c{.name = "none", .queries = 64, .keys = 32, .mask = kLateKeys};
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(textOf(c), c.device, run));
  const auto values = run.results[0].data<float>();
  const auto width = static_cast<size_t>(c.width);
  for (size_t row = 0; row < 64; ++row) EXPECT_EQ(std::isnan(values[row * width]), row >= 32) << row;
}

}  // namespace
}  // namespace tessera
