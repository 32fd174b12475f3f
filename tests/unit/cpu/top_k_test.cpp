// topk on the CPU backend against the reference evaluator, bit for bit: every type, both directions, ties, signs of
// zero and NaN, short lines, long ones that are cut in pieces, on one thread and on several.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

void expectExactTopK(const std::string& text, const FillRule& rule = {5, 1.0, 50}) {
  test::expectLikeEvaluator(text, {.fill = rule, .threads = {1, 3}, .runs = 2, .closeness = test::kSameBits});
}

std::string topK(const std::string& type, const std::string& outer, int length, int k, bool largest) {
  auto shape = [&](const std::string& of, int last) { return of + "[" + outer + std::to_string(last) + "]"; };
  return "HloModule m\n\nENTRY e {\n  a = " + shape(type, length) + " parameter(0)\n  ROOT r = (" + shape(type, k) +
         ", " + shape("s32", k) + ") topk(a), k=" + std::to_string(k) + ", largest=" + (largest ? "true" : "false") +
         "\n}\n";
}

TEST(CpuTopK, TypesAndDirections) {
  for (const char* type : {"f32", "f64", "f16", "bf16", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"})
    for (bool largest : {true, false}) expectExactTopK(topK(type, "3,", 700, 9, largest));
}

TEST(CpuTopK, LengthsAndCounts) {
  for (int length : {1, 5, 63, 64, 65, 300, 5000})
    for (int k : {0, 1, 4, 64, length}) {
      if (k > length) continue;
      expectExactTopK(topK("f32", "", length, k, true), {7, 1.0, 1 << 20});
      expectExactTopK(topK("s32", "2,3,", length, k, false), {7, 1.0, 4});  // mostly ties
    }
}

TEST(CpuTopK, LongLinesAreCut) {
  expectExactTopK(topK("f32", "", 100003, 10, true), {7, 1.0, 1 << 20});
  expectExactTopK(topK("s16", "2,", 70001, 1000, true), {7, 1.0, 50});
  expectExactTopK(topK("s64", "", 40000, 40000, false), {7, 1.0, 50});
}

// Each element beats all before it, or none does.
TEST(CpuTopK, OrderedLines) {
  for (bool largest : {true, false})
    expectExactTopK(
        "HloModule m\n\nENTRY e {\n  a = f32[3000] iota(), iota_dimension=0\n  ROOT r = (f32[7], s32[7]) topk(a), k=7, "
        "largest=" +
        std::string(largest ? "true" : "false") + "\n}\n");
}

TEST(CpuTopK, SpecialValues) {
  for (const char* largest : {"true", "false"})
    expectExactTopK(
        "HloModule m\n\nENTRY e {\n  a = f32[12] constant({1, -0, 0, nan, -inf, inf, -1, -nan, 0, -0, 1e-45, -1e-45})\n"
        "  ROOT r = (f32[11], s32[11]) topk(a), k=11, largest=" +
        std::string(largest) + "\n}\n");
}

// A step of its own, not the evaluator's.
TEST(CpuTopK, HasAStep) {
  const auto read = readHloText(topK("f32", "64,", 4096, 8, true));
  auto executable = makeBackend("cpu").value()->compile(*read.module);
  ASSERT_TRUE(executable);
  const Module& optimized = (*executable)->optimized();
  auto steps = (*executable)->list(optimized.entryComputation().root, false);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_EQ((*steps)[0].what, "top k");
}

}  // namespace
}  // namespace tessera
