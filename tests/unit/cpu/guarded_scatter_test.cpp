// Scatters of the CPU backend whose updates fall outside more or less often: guards of some updates are computed in
// lanes, and only those that store are walked. In order, so floats are summed as the evaluator sums them where the work
// is one piece.
#include <gtest/gtest.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

// `updates` numbers added to `bins`; indices are drawn from [-3, range - 3).
void expectScattered(const std::string& type, int updates, int bins, int range, const std::string& operation) {
  const std::string n = std::to_string(updates), k = std::to_string(bins);
  const std::string text =
      "HloModule m\n\nr {\n  x = " + type + "[] parameter(0)\n  y = " + type + "[] parameter(1)\n  ROOT s = " + type +
      "[] " + operation + "(x, y)\n}\n\nENTRY e {\n  t = " + type + "[" + k + "] parameter(0)\n  i = s32[" + n +
      ",1] parameter(1)\n  u = " + type + "[" + n + "] parameter(2)\n  o = s32[] constant(3)\n  ob = s32[" + n +
      ",1] broadcast(o), dimensions={}\n  j = s32[" + n + ",1] subtract(i, ob)\n  ROOT s = " + type + "[" + k +
      "] scatter(t, i, u), update_window_dims={}, inserted_window_dims={0}, " +
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=r\n}\n";
  test::expectLikeEvaluator(text, {.fill = {11, 1.0, static_cast<uint64_t>(range)}, .threads = {1, 4}});
}

TEST(CpuGuardedScatter, AllSomeOrFewInRange) {
  for (int range : {5, 40, 4000})
    for (int updates : {31, 32, 100, 1003}) expectScattered("s32", updates, 37, range, "add");
}

TEST(CpuGuardedScatter, ManyUpdatesInPieces) {
  for (int range : {100, 3000}) {
    expectScattered("s32", 300000, 256, range, "add");
    expectScattered("s32", 262147, 256, range, "maximum");
  }
}

TEST(CpuGuardedScatter, OtherTypes) {
  expectScattered("f32", 777, 50, 80, "add");
  expectScattered("f64", 777, 50, 80, "add");
  expectScattered("s64", 777, 50, 80, "add");
  expectScattered("bf16", 100, 50, 80, "maximum");
  expectScattered("s8", 500, 50, 80, "minimum");
}

// Rows of a table; indices are drawn from [-3, range - 3).
std::string rowsScattered(const std::string& type, int width, const std::string& operation) {
  const std::string w = std::to_string(width);
  return "HloModule m\n\nr {\n  x = " + type + "[] parameter(0)\n  y = " + type +
         "[] parameter(1)\n  ROOT s = " + type + "[] " + operation + "(x, y)\n}\n\nENTRY e {\n  t = " + type + "[37," +
         w + "] parameter(0)\n  i = s32[300,1] parameter(1)\n  u = " + type + "[300," + w +
         "] parameter(2)\n  o = s32[] constant(3)\n  ob = s32[300,1] broadcast(o), dimensions={}\n" +
         "  j = s32[300,1] subtract(i, ob)\n  ROOT s = " + type + "[37," + w +
         "] scatter(t, j, u), update_window_dims={1}, inserted_window_dims={0}, " +
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=r\n}\n";
}

TEST(CpuGuardedScatter, RowsBranchOnce) {
  for (const std::string type : {"f32", "s32", "bf16", "f64"})
    for (const int width : {20, 64, 130})
      test::expectLikeEvaluator(rowsScattered(type, width, "add"), {.fill = {11, 1.0, 60}, .threads = {1, 4}});
  const std::string code = test::rootStep(rowsScattered("f32", 64, "add")).irBefore;
  EXPECT_NE(code.find("fadd <"), std::string::npos) << code;
  EXPECT_EQ(code.find("masked"), std::string::npos) << code;
}

}  // namespace
}  // namespace tessera
