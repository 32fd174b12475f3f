// Stacks and other concatenates of few pieces, against the evaluator: along the first, a middle and the last dimension,
// in every kind of element, with and without lanes left over; pieces that compute, that share what they compute, stacks
// of stacks; the same bits on one thread and on several. Each piece is computed for its own elements alone.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

std::string stackModule(const std::string& body) {
  const std::string two = "  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n";
  return "HloModule m\n\nadd {\n" + two + "  ROOT s = f32[] add(p, q)\n}\n\nless {\n" + two +
         "  ROOT l = pred[] compare(p, q), direction=LT\n}\n\nENTRY e {\n" + body + "}\n";
}

void expectStack(const std::string& body, const test::Closeness& closeness = test::kSameBits,
                 const std::function<void(Executable&, const Profile&)>& inspect = {}) {
  test::expectLikeEvaluator(stackModule(body), {.threads = {1, 3}, .closeness = closeness, .inspect = inspect});
}

// Of `pieces` arrays that are computed of two of n elements each; along dimension 1 of [n, pieces], or 0 of [pieces,
// n].
std::string stackOf(const std::string& type, int n, int pieces, bool last) {
  const std::string piece = last ? fmt::format("{}[{},1]", type, n) : fmt::format("{}[1,{}]", type, n);
  std::string body = fmt::format("  a = {0}[{1}] parameter(0)\n  b = {0}[{1}] parameter(1)\n", type, n), names;
  for (int p = 0; p < pieces; ++p) {
    body += fmt::format("  m{0} = {1}[{2}] {3}({4}, {5})\n  p{0} = {6} reshape(m{0})\n", p, type, n,
                        p % 2 == 0 ? "add" : "multiply", p == 0 ? "a" : fmt::format("m{}", p - 1),
                        p % 3 == 0 ? "b" : "a", piece);
    names += (p == 0 ? "p" : ", p") + std::to_string(p);
  }
  return body + fmt::format("  ROOT c = {0}[{1}] concatenate({2}), dimensions={{{3}}}\n", type,
                            last ? fmt::format("{},{}", n, pieces) : fmt::format("{},{}", pieces, n), names,
                            last ? 1 : 0);
}

TEST(CpuStacks, PiecesThatCompute) {
  for (const char* type : {"f32", "f64", "bf16", "s8", "u16", "c64"})
    for (const int pieces : {2, 3, 4, 6})
      for (const int n : {300, 1024}) {
        expectStack(stackOf(type, n, pieces, true));
        expectStack(stackOf(type, n, pieces, false));
      }
}

TEST(CpuStacks, AsManyPiecesAsAreUnrolledAndMore) {
  for (const int pieces : {5, 7, 8, 11, 13, 14, 16, 17}) expectStack(stackOf("f32", 257, pieces, true));
}

TEST(CpuStacks, TruthsAndPads) {
  expectStack(
      "  a = f32[500] parameter(0)\n  b = f32[500] parameter(1)\n  g = pred[500] compare(a, b), direction=GT\n"
      "  e = pred[500] compare(a, a), direction=EQ\n  gr = pred[500,1] reshape(g)\n  er = pred[500,1] reshape(e)\n"
      "  ROOT c = pred[500,2] concatenate(gr, er), dimensions={1}\n");
  expectStack(
      "  a = f32[500,2] parameter(0)\n  z = f32[] constant(1)\n  n = f32[500,2] negate(a)\n"
      "  ROOT p = f32[500,4] pad(n, z), padding=0_0x1_1\n");
}

// What XLA makes of jnp.cross: columns of points, whose products are points again.
TEST(CpuStacks, CrossProductsAreOneKernel) {
  std::string body = "  a = f32[1003,3] parameter(0)\n  b = f32[1003,3] parameter(1)\n";
  for (const char* array : {"a", "b"})
    for (int d = 0; d < 3; ++d)
      body += fmt::format(
          "  {0}s{1} = f32[1003,1] slice({0}), slice={{[0:1003], [{1}:{2}]}}\n  {0}{1} = f32[1003] reshape({0}s{1})\n",
          array, d, d + 1);
  for (int d = 0; d < 3; ++d)
    body += fmt::format(
        "  l{0} = f32[1003] multiply(a{1}, b{2})\n  r{0} = f32[1003] multiply(a{2}, b{1})\n"
        "  d{0} = f32[1003] subtract(l{0}, r{0})\n  p{0} = f32[1,1003] reshape(d{0})\n",
        d, (d + 1) % 3, (d + 2) % 3);
  body +=
      "  c = f32[3,1003] concatenate(p0, p1, p2), dimensions={0}\n  ROOT t = f32[1003,3] transpose(c), "
      "dimensions={1,0}\n";
  expectStack(body, {}, [](Executable&, const Profile& profile) { EXPECT_EQ(profile.steps.size(), 1u); });
}

// A rotation for each angle: sine and cosine appear twice in it and are computed once.
TEST(CpuStacks, StacksOfStacks) {
  expectStack(
      "  t = f32[777] parameter(0)\n  c = f32[777] cosine(t)\n  s = f32[777] sine(t)\n  n = f32[777] negate(s)\n"
      "  cp = f32[777,1] reshape(c)\n  sp = f32[777,1] reshape(s)\n  np = f32[777,1] reshape(n)\n"
      "  x = f32[777,2] concatenate(cp, np), dimensions={1}\n  y = f32[777,2] concatenate(sp, cp), dimensions={1}\n"
      "  x1 = f32[777,1,2] reshape(x)\n  y1 = f32[777,1,2] reshape(y)\n"
      "  ROOT r = f32[777,2,2] concatenate(x1, y1), dimensions={1}\n",
      {}, [](Executable&, const Profile& profile) { EXPECT_EQ(profile.steps.size(), 1u); });
}

// Reductions stay kernels of their own; what follows them is part of the stack.
TEST(CpuStacks, PiecesThatReduce) {
  expectStack(
      "  x = f32[130,40] parameter(0)\n  z = f32[] constant(0)\n"
      "  s = f32[130] reduce(x, z), dimensions={1}, to_apply=add\n  q = f32[130,40] multiply(x, x)\n"
      "  v = f32[130] reduce(q, z), dimensions={1}, to_apply=add\n  r = f32[130] sqrt(v)\n"
      "  sp = f32[130,1] reshape(s)\n  rp = f32[130,1] reshape(r)\n"
      "  ROOT c = f32[130,2] concatenate(sp, rp), dimensions={1}\n",
      {});
}

// Where all lanes are whole, nothing is gathered and nothing scattered.
TEST(CpuStacks, WholeVectorsAlone) {
  const Module module = test::parsedModule(stackModule(stackOf("f32", 1024, 3, true)));
  const auto executable = test::compiled(module, 1);
  ASSERT_TRUE(executable);
  const auto steps = executable->list(executable->optimized().entryComputation().root, true);
  ASSERT_TRUE(steps && steps->size() == 1);
  EXPECT_EQ((*steps)[0].irBefore.find("llvm.masked"), std::string::npos) << (*steps)[0].irBefore;
}

// A stack in place over an operand that dies: every element is read before its iteration stores.
TEST(CpuStacks, OverAnOperand) {
  expectStack(
      "  a = f32[900] parameter(0)\n  b = f32[900] parameter(1)\n  w = f32[900,2] parameter(2)\n"
      "  k = f32[900,2] sort(w), dimensions={0}, to_apply=less\n  s = f32[900] add(a, b)\n  d = f32[900] subtract(a, "
      "b)\n"
      "  sp = f32[900,1] reshape(s)\n  dp = f32[900,1] reshape(d)\n"
      "  c = f32[900,2] concatenate(sp, dp), dimensions={1}\n  ROOT r = f32[900,2] add(c, k)\n");
}

}  // namespace
}  // namespace tessera
