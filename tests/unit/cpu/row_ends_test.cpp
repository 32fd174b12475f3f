// Rows that end within a vector: that one has code of its own before AVX-512, where masks are slow or missing, and is
// masked with it. The evaluator's values for whole and partial vectors, and no masked store where there is none.
#include <gtest/gtest.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// T: the element type; N: the length of a row.
std::string rowsOf(const std::string& body, const std::string& type, int length) {
  const std::string text =
      "HloModule m\n\nsum {\n  a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] add(a, b)\n}\n\nENTRY e "
      "{\n" +
      body + "}\n";
  return replaced(replaced(text, "T[", type + "["), "N]", std::to_string(length) + "]");
}

const std::string kBias =
    "  x = T[7,N] parameter(0)\n  y = T[N] parameter(1)\n  yb = T[7,N] broadcast(y), dimensions={1}\n"
    "  ROOT r = T[7,N] add(x, yb)\n";
const std::string kRowSums =
    "  x = T[7,N] parameter(0)\n  z = T[] constant(0)\n  ROOT r = T[7] reduce(x, z), dimensions={1}, to_apply=sum\n";
const std::string kColumnSums =
    "  x = T[7,5,N] parameter(0)\n  z = T[] constant(0)\n"
    "  ROOT r = T[7,N] reduce(x, z), dimensions={1}, to_apply=sum\n";
const std::string kShares =
    "  x = T[7,N] parameter(0)\n  z = T[] constant(1)\n  s = T[7] reduce(x, z), dimensions={1}, to_apply=sum\n"
    "  sb = T[7,N] broadcast(s), dimensions={0}\n  m = T[7,N] multiply(x, x)\n  ROOT r = T[7,N] subtract(m, sb)\n";

void expectRows(const std::string& body, const std::string& type, const std::vector<int>& lengths) {
  for (const std::string isa : {"avx2", "sse4"})
    for (const int length : lengths)
      test::expectLikeEvaluator(rowsOf(body, type, length),
                                {.threads = {1, 3}, .isa = isa, .closeness = {Tolerance{1e-5, 1e-5}}});
}

TEST(CpuRowEnds, EveryLength) {
  std::vector<int> lengths;
  for (int length = 1; length <= 37; ++length) lengths.push_back(length);
  expectRows(kBias, "f32", lengths);
  expectRows(kShares, "f32", lengths);
}

TEST(CpuRowEnds, EveryWidthOfElement) {
  for (const std::string type : {"s8", "u16", "bf16", "f64", "c64"})
    for (const std::string& body : {kBias, kRowSums, kColumnSums}) expectRows(body, type, {3, 31, 77});
}

// Reads from the end of a row, and reads that a part of a vector's lanes make.
TEST(CpuRowEnds, ReversedAndPadded) {
  const std::string reversed = "  x = T[7,N] parameter(0)\n  ROOT r = T[7,N] reverse(x), dimensions={1}\n";
  const std::string padded =
      "  x = T[7,40] parameter(0)\n  z = T[] constant(1)\n  p = T[7,43] pad(x, z), padding=0_0x1_2\n"
      "  ROOT r = T[7,43] multiply(p, p)\n";
  for (const std::string type : {"s8", "bf16", "f32", "f64", "c64"}) {
    expectRows(reversed, type, {1, 8, 31, 77});
    expectRows(padded, type, {43});
  }
}

TEST(CpuRowEnds, AreStoredWithoutMasks) {
  for (const std::string type : {"f32", "s8", "bf16"}) {
    const auto executable = test::compiled(test::parsedModule(rowsOf(kBias, type, 77)), 1, "avx2");
    ASSERT_TRUE(executable);
    const auto steps = executable->list(executable->optimized().entryComputation().root, true);
    ASSERT_TRUE(steps && steps->size() == 1);
    EXPECT_NE((*steps)[0].irBefore.find("store <"), std::string::npos) << (*steps)[0].irBefore;
    EXPECT_EQ((*steps)[0].irBefore.find("masked.store"), std::string::npos) << (*steps)[0].irBefore;
  }
}

}  // namespace
}  // namespace tessera
