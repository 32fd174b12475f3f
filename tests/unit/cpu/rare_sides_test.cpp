// Code behind a branch that is taken when any lane needs it, against the evaluator: large arguments of sine among small
// ones, sides of selections on which no, some and all lanes stand, with and without lanes left over, in loops and
// reductions, one inside the other; the same bits on one thread and on several.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

std::string withRareSides(const std::string& body) {
  return "HloModule m\n\nadd {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] add(p, q)\n}\n\n"
         "ENTRY e {\n" +
         body + "}\n";
}

void expectRare(const std::string& body, double scale = 1) {
  test::expectLikeEvaluator(withRareSides(body), {.fill = {3, scale, 8}, .threads = {1, 3}, .closeness = {}});
}

// x in [0, 1), chosen by x > bound: sine of far arguments, or a chain of many steps.
std::string chosenBy(const std::string& shape, double bound) {
  std::string body = fmt::format(
      "  x = {0} parameter(0)\n  c = f32[] constant({1})\n  b = {0} broadcast(c), dimensions={{}}\n"
      "  g = pred{2} compare(x, b), direction=GT\n  v0 = {0} multiply(x, x)\n",
      shape, bound, shape.substr(3));
  for (int i = 0; i < 40; ++i)
    body += fmt::format("  v{} = {} {}(v{}, {})\n", i + 1, shape, i % 2 == 0 ? "add" : "multiply", i,
                        i % 3 == 0 ? "x" : "b");
  return body + fmt::format("  n = {0} negate(x)\n  r = {0} select(g, v40, n)\n  o = {0} multiply(v40, b)\n", shape);
}

TEST(CpuRareSides, NoSomeAndAllLanes) {
  for (const double bound : {-1.0, 0.0, 0.5, 0.99, 2.0})
    for (const int n : {5, 64, 1000}) {
      const std::string shape = fmt::format("f32[{}]", n);
      expectRare(chosenBy(shape, bound) + fmt::format("  ROOT q = {0} add(r, x)\n", shape));
      // What is read elsewhere as well has no branch.
      expectRare(chosenBy(shape, bound) + fmt::format("  ROOT q = {0} add(r, o)\n", shape));
    }
}

TEST(CpuRareSides, InReductions) {
  for (const double bound : {0.5, 2.0})
    expectRare(chosenBy("f32[37,300]", bound) +
               "  z = f32[] constant(0)\n  ROOT t = f32[37] reduce(r, z), dimensions={1}, to_apply=add\n");
}

// Arguments up to 2^50, few of them beyond 2^40.
TEST(CpuRareSides, SinesOfFarArguments) {
  for (const char* op : {"sine", "cosine", "tan"})
    for (const int n : {3, 16, 500})
      expectRare(
          fmt::format("  x = f32[{0}] parameter(0)\n  y = f32[{0}] multiply(x, x)\n  z = f32[{0}] multiply(y, y)\n"
                      "  w = f32[{0}] multiply(z, z)\n  ROOT s = f32[{0}] {1}(w)\n",
                      n, op),
          76);
}

TEST(CpuRareSides, FarArgumentsStandBehindABranch) {
  const Module module =
      test::parsedModule(withRareSides("  x = f32[1024] parameter(0)\n  ROOT s = f32[1024] sine(x)\n"));
  const auto executable = test::compiled(module, 1);
  ASSERT_TRUE(executable);
  const auto steps = executable->list(executable->optimized().entryComputation().root, true);
  ASSERT_TRUE(steps && steps->size() == 1);
  EXPECT_NE((*steps)[0].irBefore.find("llvm.vector.reduce.or"), std::string::npos) << (*steps)[0].irBefore;
}

}  // namespace
}  // namespace tessera
