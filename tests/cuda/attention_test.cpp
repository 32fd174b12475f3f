// Attention by tiles on the simulated device: one kernel, the evaluator's values, no error among the reports, and no
// array as large as the scores.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "tests/cuda/device_run.h"

namespace tessera {
namespace {

struct AttentionCase {
  std::string name;
  std::string type = "f32";
  int64_t heads = 2, queries = 64, keys = 64, depth = 32, width = 32;
  std::string mask;  // of `scores`, f32 of all heads, queries and keys, to `masked`
  std::string device = "simulated:sm_80";
  bool keysAreTransposed = false;  // stored as [heads, depth, keys]
};

constexpr const char* kCausal = R"(
  row = s32[SCORES] iota(), iota_dimension=1
  column = s32[SCORES] iota(), iota_dimension=2
  seen = pred[SCORES] compare(row, column), direction=GE
  low = f32[] constant(LOW)
  lows = f32[SCORES] broadcast(low), dimensions={}
  masked = f32[SCORES] select(seen, scores, lows))";
// Of the first keys a row sees none: the running maximum is still -inf there.
constexpr const char* kLateKeys = R"(
  row = s32[SCORES] iota(), iota_dimension=1
  column = s32[SCORES] iota(), iota_dimension=2
  seen = pred[SCORES] compare(column, row), direction=GE
  low = f32[] constant(-inf)
  lows = f32[SCORES] broadcast(low), dimensions={}
  masked = f32[SCORES] select(seen, scores, lows))";
constexpr const char* kBias = R"(
  bias = f32[QUERIES,KEYS] parameter(3)
  biases = f32[SCORES] broadcast(bias), dimensions={1,2}
  masked = f32[SCORES] add(scores, biases))";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string textOf(const AttentionCase& c) {
  std::string text = R"(HloModule attention
most {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  q = TYPE[HEADS,QUERIES,DEPTH] parameter(0)
  k = TYPE[OFKEYS] parameter(1)
  v = TYPE[HEADS,KEYS,WIDTH] parameter(2)
  products = TYPE[SCORES] dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={OVER}
  wide = f32[SCORES] convert(products)
  scale = f32[] constant(0.17)
  scales = f32[SCORES] broadcast(scale), dimensions={}
  scores = f32[SCORES] multiply(wide, scales)MASK
  lowest = f32[] constant(-inf)
  top = f32[HEADS,QUERIES] reduce(masked, lowest), dimensions={2}, to_apply=most
  tops = f32[SCORES] broadcast(top), dimensions={0,1}
  shifted = f32[SCORES] subtract(masked, tops)
  powers = f32[SCORES] exponential(shifted)
  zero = f32[] constant(0)
  total = f32[HEADS,QUERIES] reduce(powers, zero), dimensions={2}, to_apply=sum
  totals = f32[SCORES] broadcast(total), dimensions={0,1}
  weights = f32[SCORES] divide(powers, totals)
  narrow = TYPE[SCORES] convert(weights)
  ROOT r = TYPE[HEADS,QUERIES,WIDTH] dot(narrow, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
      rhs_contracting_dims={1}
})";
  text = replaced(text, "MASK", c.mask.empty() ? "\n  masked = f32[SCORES] copy(scores)" : c.mask);
  if (c.mask.empty()) text = replaced(replaced(text, "\n  masked = f32[SCORES] copy(scores)", ""), "masked", "scores");
  text = replaced(text, "OFKEYS", c.keysAreTransposed ? "HEADS,DEPTH,KEYS" : "HEADS,KEYS,DEPTH");
  text = replaced(text, "OVER", c.keysAreTransposed ? "1" : "2");
  text = replaced(text, "SCORES", "HEADS,QUERIES,KEYS");
  text = replaced(text, "LOW", "-1e9");
  text = replaced(text, "TYPE", c.type);
  text = replaced(text, "HEADS", std::to_string(c.heads));
  text = replaced(text, "QUERIES", std::to_string(c.queries));
  text = replaced(text, "KEYS", std::to_string(c.keys));
  text = replaced(text, "DEPTH", std::to_string(c.depth));
  return replaced(text, "WIDTH", std::to_string(c.width));
}

class CudaAttention : public testing::TestWithParam<AttentionCase> {};

TEST_P(CudaAttention, IsOneKernel) {
  const AttentionCase& c = GetParam();
  DeviceRun run;
  ASSERT_NO_FATAL_FAILURE(runOnDevice(textOf(c), c.device, run));
  const bool isWide = run.results[0].shape().type == ElementType::F32;
  expectEvaluatorsResult(run, isWide ? Tolerance{1e-4, 1e-5} : Tolerance{2e-2, 2e-2});
  for (const DeviceReport& report : run.executable->deviceReports())
    EXPECT_FALSE(report.isError) << report.kernel << ", " << report.place << ": " << report.kind << ": " << report.text;

  const Module& optimized = run.executable->optimized();
  const auto steps = run.executable->list(optimized.entryComputation().root, true);
  ASSERT_TRUE(steps) << steps.error().toString();
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_NE(steps->front().what.find("attention by tiles"), std::string::npos) << steps->front().what;
  const bool isNarrow = c.type != "f32" && c.device == "simulated:sm_80";
  EXPECT_EQ(steps->front().what.find("tensor cores") != std::string::npos, isNarrow) << steps->front().what;
  EXPECT_EQ(run.executable->kernelCounts().kernels, 1);
  int64_t bytes = 0;  // of arguments and results alone
  for (const Literal& each : run.arguments) bytes += static_cast<int64_t>(each.bytes().size() + 256);
  bytes += static_cast<int64_t>(run.results[0].bytes().size() + 256);
  EXPECT_LE(run.executable->peakBytes(), bytes);
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaAttention,
    testing::Values(
        AttentionCase{"plain"}, AttentionCase{.name = "causal", .mask = kCausal},
        AttentionCase{.name = "late_keys", .mask = kLateKeys},
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
        AttentionCase{.name = "bf16_without_tensor_cores", .type = "bf16", .device = "simulated:sm_70"}),
    [](const auto& info) { return info.param.name; });

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
