// Scatters of many updates into few elements run as pieces side by side: the evaluator's values, the same bits on one
// thread and on several, and what is no such scatter stays one kernel.
#include <gtest/gtest.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

// table[index(i)] op= update(i); indices reach one past either end of the table.
std::string scatterOf(const std::string& type, const std::string& op, int64_t table, int64_t updates,
                      int64_t width = 0) {
  const std::string n = std::to_string(updates), w = width > 0 ? "," + std::to_string(width) : "",
                    t = std::to_string(table);
  return "HloModule m\n\nr {\n  a = " + type + "[] parameter(0)\n  b = " + type +
         "[] parameter(1)\n  ROOT c = " + type + "[] " + op + "(a, b)\n}\n\nENTRY e {\n  t = " + type + "[" + t + w +
         "] parameter(0)\n  u = " + type + "[" + n + w + "] parameter(1)\n  i = s32[" + n +
         ",1] iota(), iota_dimension=0\n  k = s32[] constant(7919)\n  kb = s32[" + n +
         ",1] broadcast(k), dimensions={}\n  p = s32[" + n + ",1] multiply(i, kb)\n  m = s32[] constant(" +
         std::to_string(table + 2) + ")\n  mb = s32[" + n + ",1] broadcast(m), dimensions={}\n  q = s32[" + n +
         ",1] remainder(p, mb)\n  o = s32[] constant(1)\n  ob = s32[" + n +
         ",1] broadcast(o), dimensions={}\n  at = s32[" + n + ",1] subtract(q, ob)\n  ROOT s = " + type + "[" + t + w +
         "] scatter(t, at, u), update_window_dims={" + (width > 0 ? "1" : "") +
         "}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=r\n}\n";
}

void expectSteps(const std::string& text, size_t steps) {
  const auto inspect = [&](Executable& executable, const Profile&) {
    const auto listed = executable.list(executable.optimized().entryComputation().root, false);
    ASSERT_TRUE(listed) << listed.error().toString();
    EXPECT_EQ(listed->size(), steps);
  };
  test::expectLikeEvaluator(text, {.threads = {1, 2, 5, 5}, .closeness = {Tolerance{1e-4, 1e-4}}, .inspect = inspect});
}

// Neutral elements, updates, the join.
TEST(CpuScatter, HistogramsRunInPieces) {
  expectSteps(scatterOf("s32", "add", 256, 1 << 15), 3);
  expectSteps(scatterOf("s32", "add", 10, 32'771), 3);  // the last piece is shorter
  expectSteps(scatterOf("f32", "add", 100, 33'000), 3);
  expectSteps(scatterOf("f32", "maximum", 33, 33'001), 3);
  expectSteps(scatterOf("s32", "maximum", 30, 33'000), 3);
  expectSteps(scatterOf("f64", "multiply", 5, 32'769), 3);
  expectSteps(scatterOf("f32", "add", 7, 32'769, 3), 3);
}

TEST(CpuScatter, OthersStayOneKernel) {
  expectSteps(scatterOf("s32", "add", 256, 20'000), 1);     // few updates
  expectSteps(scatterOf("s32", "add", 40'000, 33'000), 1);  // many elements
}

}  // namespace
}  // namespace tessera
