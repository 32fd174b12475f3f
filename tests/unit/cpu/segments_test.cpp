// Kernels whose vector axis is cut where conditions on its index change, against the evaluator: pieces of fused
// concatenates, borders of pads, reversed reads; rows of one vector and of many blocks; the same bits on one thread and
// on several.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

void expectBody(const std::string& body) {
  test::expectLikeEvaluator("HloModule m\n\nENTRY e {\n" + body + "}\n",
                            {.threads = {1, 3}, .closeness = test::kSameBits});
}

// [-x's end, x's start] + x, rows of n in two parts.
std::string rotated(const std::string& type, int rows, int n, int at) {
  return fmt::format(
      "  x = {0}[{1},{2}] parameter(0)\n  s = {0}[{1},{3}] slice(x), slice={{[0:{1}], [{4}:{2}]}}\n  m = {0}[{1},{3}] "
      "add(s, s)\n"
      "  t = {0}[{1},{4}] slice(x), slice={{[0:{1}], [0:{4}]}}\n  c = {0}[{1},{2}] concatenate(m, t), "
      "dimensions={{1}}\n"
      "  ROOT r = {0}[{1},{2}] add(c, x)\n",
      type, rows, n, n - at, at);
}

TEST(CpuSegments, PiecesOfFusedConcatenates) {
  for (const char* type : {"f32", "f64", "bf16", "s8", "c64"})
    for (const int n : {40, 130, 517}) expectBody(rotated(type, 257, n, n / 3 + 1));
  expectBody(rotated("f32", 2, 100001, 77));  // rows in blocks
  expectBody(rotated("f32", 2, 100001, 99000));
}

TEST(CpuSegments, BordersOfPads) {
  const std::vector<std::pair<const char*, const char*>> kPads{{"0_0x5_3", "170,208"},   {"2_1x0_9", "173,209"},
                                                               {"1_1x-4_6", "172,202"},  {"0_0x3_-5", "170,198"},
                                                               {"0_0x1_1_1", "170,401"}, {"0_0x7000_9", "170,7209"}};
  for (const auto& [padding, shape] : kPads)
    expectBody(
        fmt::format("  x = f32[170,200] parameter(0)\n  z = f32[] constant(7)\n  n = f32[170,200] negate(x)\n"
                    "  ROOT p = f32[{}] pad(n, z), padding={}\n",
                    shape, padding));
}

// As jnp.pad reflects.
TEST(CpuSegments, ReversedBorders) {
  expectBody(
      "  x = f32[150,300] parameter(0)\n  l = f32[150,7] slice(x), slice={[0:150], [1:8]}\n  lr = f32[150,7] "
      "reverse(l), dimensions={1}\n"
      "  r = f32[150,40] slice(x), slice={[0:150], [259:299]}\n  rr = f32[150,40] reverse(r), dimensions={1}\n"
      "  ROOT c = f32[150,347] concatenate(lr, x, rr), dimensions={1}\n");
}

// In a segment the conditions are settled: nothing is read under a mask where segments are whole vectors.
TEST(CpuSegments, ReadWithoutMasks) {
  const std::string code =
      test::rootStep("HloModule m\n\nENTRY e {\n" + rotated("f32", 64, 1024, 256) + "}\n", 1).irBefore;
  EXPECT_EQ(code.find("llvm.masked"), std::string::npos) << code;
}

}  // namespace
}  // namespace tessera
