// Batch norms, random bits and scans become plain operations, with the same values.
#include "core/passes/expand/expand_batch_norm.h"
#include "core/passes/expand/expand_random_bits.h"
#include "core/passes/expand/expand_scan.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

TEST(PassesBatchNorm, AllThreeAreExpanded) {
  const std::string operands = "x = f32[3,4,2] parameter(0)\n s = f32[4] parameter(1)\n o = f32[4] parameter(2)\n";
  const std::string training =
      "ENTRY e { " + operands +
      " ROOT r = (f32[3,4,2], f32[4], f32[4]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1 }\n";
  EXPECT_EQ(countOf(after(training, {expandBatchNorms}, 1e-5).result, Opcode::BatchNormTraining), 0);
  const std::string inference = "ENTRY e { " + operands +
                                " m = f32[4] parameter(3)\n v = f32[4] parameter(4)\n w = f32[4] multiply(v, v)\n ROOT "
                                "r = f32[3,4,2] batch-norm-inference(x, s, o, m, w), epsilon=0.5, feature_index=1 }\n";
  EXPECT_EQ(countOf(after(inference, {expandBatchNorms}, 1e-5).result, Opcode::BatchNormInference), 0);
  const std::string gradient = "ENTRY e { " + operands +
                               " v = f32[4] multiply(o, o)\n d = f32[3,4,2] parameter(3)\n ROOT r = (f32[3,4,2], "
                               "f32[4], f32[4]) batch-norm-grad(x, s, o, v, d), epsilon=0.5, feature_index=1 }\n";
  EXPECT_EQ(countOf(after(gradient, {expandBatchNorms}, 1e-4).result, Opcode::BatchNormGrad), 0);
  const std::string narrow =
      "ENTRY e { x = bf16[3,4,2] parameter(0)\n s = bf16[4] parameter(1)\n o = bf16[4] parameter(2)\n r = "
      "(bf16[3,4,2], bf16[4], bf16[4]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1\n ROOT q = "
      "bf16[3,4,2] get-tuple-element(r), index=0 }\n";
  after(narrow, {expandBatchNorms}, 1e-2);
}

// States of the examples reach both ends of a word, so counters carry.
TEST(PassesRandomBits, AreExpanded) {
  const auto expanded = [](const std::string& state, const std::string& data, const std::string& algorithm) {
    const std::string text = "ENTRY e { s = " + state + " parameter(0)\n ROOT r = (" + state + ", " + data +
                             ") rng-bit-generator(s), algorithm=" + algorithm + " }\n";
    return countOf(after(text, {expandRandomBits}).result, Opcode::RngBitGenerator) == 0;
  };
  for (const std::string data :
       {"u32[]", "u32[9]", "s32[3,4]", "u32[3,5,7]", "u32[0]", "u8[5,3]", "s16[6]", "u64[7]", "s64[2,3]", "s4[5]"}) {
    EXPECT_TRUE(expanded("u64[2]", data, "rng_three_fry")) << data;
    EXPECT_TRUE(expanded("u64[2]", data, "rng_philox")) << data;
    EXPECT_TRUE(expanded("u64[3]", data, "rng_default")) << data;
  }
  for (const std::string data : {"f32[9]", "f64[5]", "bf16[3,3]", "f8e5m2[5]"})
    EXPECT_TRUE(expanded("u64[3]", data, "rng_philox")) << data;
  EXPECT_FALSE(expanded("u64[3]", "f4e2m1fn[4]", "rng_philox"));
}

TEST(PassesScans, WithoutStepsAreTheirBeginning) {
  const std::string text = R"(
f { x = f32[] parameter(0)
 c = f32[] parameter(1)
 s = f32[] add(x, c)
 ROOT t = (f32[], f32[]) tuple(s, s) }
ENTRY e { x = f32[0] parameter(0)
 c = f32[] parameter(1)
 ROOT r = (f32[0], f32[]) scan(x, c), dimensions={0}, num_carries=1, to_apply=f }
)";
  const Changed c = after(text, {expandScans});
  EXPECT_TRUE(c.changed);
  EXPECT_EQ(countOf(c.result, Opcode::While), 0);
}

}  // namespace
}  // namespace tessera::test
