// Long reductions on the CPU backend: cut into blocks, several vectors side by side; the same bits on one thread and on
// several; and complex values that do not fill their vectors.
#include <gtest/gtest.h>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

void expectReduction(const std::string& text) { test::expectLikeEvaluator(text, {.threads = {1, 2, 5}}); }

std::string reduceOf(const std::string& type, const std::string& dims, const std::string& over, const std::string& out,
                     const std::string& op, const std::string& init) {
  return "HloModule m\n\nr {\n  a = " + type + "[] parameter(0)\n  b = " + type +
         "[] parameter(1)\n  ROOT c = " + type + "[] " + op + "(a, b)\n}\n\nENTRY e {\n  p = " + type + "[" + dims +
         "] parameter(0)\n  z = " + type + "[] constant(" + init + ")\n  ROOT s = " + type + "[" + out +
         "] reduce(p, z), dimensions={" + over + "}, to_apply=r\n}\n";
}

TEST(CpuReduction, ToAScalar) {
  expectReduction(reduceOf("f32", "1000003", "0", "", "add", "2.5"));  // prime: blocks and a rest
  expectReduction(reduceOf("f32", "700,900", "0,1", "", "maximum", "0.25"));
  expectReduction(reduceOf("s32", "1234567", "0", "", "add", "7"));
  expectReduction(reduceOf("f64", "400001", "0", "", "add", "1"));
}

TEST(CpuReduction, ToFewResults) {
  expectReduction(reduceOf("f32", "50021,16", "0", "16", "add", "1"));  // along the major axis
  expectReduction(reduceOf("f32", "3,200003", "1", "3", "minimum", "1"));
  expectReduction(reduceOf("f32", "64,3,4099", "0,2", "3", "add", "0"));
  expectReduction(reduceOf("bf16", "5,65536", "1", "5", "maximum", "0"));
}

TEST(CpuReduction, SeveralVectorsSideBySide) {
  expectReduction(reduceOf("f32", "33,1024", "1", "33", "add", "0"));
  expectReduction(reduceOf("f32", "33,1029", "1", "33", "add", "0"));
  expectReduction(reduceOf("f32", "40,515", "0", "515", "add", "0"));
}

TEST(CpuReduction, WithWorkAroundIt) {
  expectReduction(
      "HloModule m\n\nr {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n"
      "ENTRY e {\n  p = f32[300001] parameter(0)\n  q = f32[300001] exponential(p)\n  z = f32[] constant(0)\n"
      "  s = f32[] reduce(q, z), dimensions={0}, to_apply=r\n  t = f32[] reduce(p, z), dimensions={0}, to_apply=r\n"
      "  d = f32[] divide(s, t)\n  ROOT l = f32[] log(d)\n}\n");
}

// Two in one kernel: of different lengths, and of one length where only the first may be cut into blocks.
TEST(CpuReduction, TwoOfWhichOneIsCut) {
  const std::string reducers =
      "HloModule m\n\nr {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] add(a, b)\n}\n\n"
      "d {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] subtract(a, b)\n}\n\n";
  const auto both = [&](const char* second, const char* reducer) {
    const std::string q = std::string("s32[") + second + "]";
    return reducers + "ENTRY e {\n  p = s32[600011] parameter(0)\n  q = " + q + " parameter(1)\n  n = " + q +
           " negate(q)\n  z = s32[] constant(5)\n  s = s32[] reduce(p, z), dimensions={0}, to_apply=r\n"
           "  t = s32[] reduce(n, z), dimensions={0}, to_apply=" +
           reducer + "\n  ROOT l = s32[] multiply(s, t)\n}\n";
  };
  expectReduction(both("300007", "r"));
  expectReduction(both("600011", "d"));
}

TEST(CpuReduction, ComplexTails) {
  for (const char* dims : {"5", "16", "37", "3,41", "2,64"})
    expectReduction(std::string("HloModule m\n\nENTRY e {\n  p = c64[") + dims + "] parameter(0)\n  q = c64[" + dims +
                    "] multiply(p, p)\n  a = f32[" + dims + "] abs(p)\n  ROOT t = (c64[" + dims + "], f32[" + dims +
                    "]) tuple(q, a)\n}\n");
}

}  // namespace
}  // namespace tessera
