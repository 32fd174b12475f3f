// Kernels that walk a row several times: statistics of rows and the elements that use them in one nest; expensive
// values of the first walk read back by the later ones. Values as the evaluator's, the same bits on one thread and on
// several.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

constexpr const char* kRowReducers =
    "HloModule m\n\nsum {\n  a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] add(a, b)\n}\n\n"
    "most {\n  a = T[] parameter(0)\n  b = T[] parameter(1)\n  ROOT c = T[] maximum(a, b)\n}\n\n";

// T stands for the type, A for an array of all rows, R for one value a row, C for the length of a row.
std::string with(std::string text, const std::string& type, const std::string& rows, const std::string& length) {
  const std::pair<std::string, std::string> names[] = {
      {"A", type + "[" + rows + "," + length + "]"}, {"R", type + "[" + rows + "]"}, {"C", length}, {"T", type}};
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool alone = (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))) &&
                 (i + 1 == text.size() || !std::isalnum(static_cast<unsigned char>(text[i + 1])));
    const auto* name = std::ranges::find_if(names, [&](const auto& each) { return alone && each.first[0] == text[i]; });
    if (name != std::end(names))
      out += name->second;
    else
      out += text[i];
  }
  return out;
}

void expectKernels(const std::string& text, size_t kernels) {
  const auto inspect = [&](Executable& executable, const Profile&) {
    EXPECT_EQ(executable.kernelCounts().kernels, static_cast<int64_t>(kernels));
  };
  test::expectLikeEvaluator(text, {.threads = {1, 2, 5, 5}, .inspect = inspect});
}

std::string softmaxOf(const std::string& type, const std::string& rows, const std::string& length,
                      const std::string& dims, const std::string& last) {
  return with(std::string(kRowReducers) +
                  "ENTRY e {\n  x = A parameter(0)\n  k = T[] constant(0.5)\n  kb = A broadcast(k), dimensions={}\n  y "
                  "= A multiply(x, kb)\n"
                  "  low = T[] constant(-inf)\n  m = R reduce(y, low), dimensions={" +
                  last + "}, to_apply=most\n  mb = A broadcast(m), dimensions={" + dims +
                  "}\n"
                  "  d = A subtract(y, mb)\n  ex = A exponential(d)\n  z = T[] constant(0)\n  s = R reduce(ex, z), "
                  "dimensions={" +
                  last +
                  "}, to_apply=sum\n"
                  "  sb = A broadcast(s), dimensions={" +
                  dims + "}\n  ROOT o = A divide(ex, sb)\n}\n",
              type, rows, length);
}

TEST(CpuRows, SoftmaxIsOneKernel) {
  expectKernels(softmaxOf("f32", "64", "256", "0", "1"), 1);
  expectKernels(softmaxOf("f32", "37", "131", "0", "1"), 1);  // groups of lanes and a rest
  expectKernels(softmaxOf("f32", "40", "1029", "0", "1"), 1);
  expectKernels(softmaxOf("f32", "2,3,7", "140", "0,1,2", "3"), 1);
  expectKernels(softmaxOf("f64", "40", "130", "0", "1"), 1);
  expectKernels(softmaxOf("f32", "17", "8192", "0", "1"), 1);  // the longest row
}

TEST(CpuRows, ShortLongOrFewRowsAreSeveralKernels) {
  expectKernels(softmaxOf("f32", "300", "127", "0", "1"), 4);
  expectKernels(softmaxOf("f32", "17", "8193", "0", "1"), 4);
  expectKernels(softmaxOf("f32", "3", "8192", "0", "1"), 4);
}

TEST(CpuRows, NarrowTypes) {
  expectKernels(softmaxOf("bf16", "48", "160", "0", "1"), 1);
  expectKernels(softmaxOf("f16", "48", "161", "0", "1"), 1);
}

std::string normOf(const std::string& rows, const std::string& length) {
  return with(std::string(kRowReducers) +
                  "ENTRY e {\n  x = A parameter(0)\n  g = T[C] parameter(1)\n  n = T[] constant(C)\n  nb = R "
                  "broadcast(n), dimensions={}\n"
                  "  z = T[] constant(0)\n  s = R reduce(x, z), dimensions={1}, to_apply=sum\n  m = R divide(s, nb)\n  "
                  "mb = A broadcast(m), dimensions={0}\n"
                  "  d = A subtract(x, mb)\n  q = A multiply(d, d)\n  v = R reduce(q, z), dimensions={1}, "
                  "to_apply=sum\n  vm = R divide(v, nb)\n"
                  "  t = T[] constant(0.25)\n  tb = R broadcast(t), dimensions={}\n  ve = R add(vm, tb)\n  r = R "
                  "rsqrt(ve)\n  rb = A broadcast(r), dimensions={0}\n"
                  "  y = A multiply(d, rb)\n  gb = A broadcast(g), dimensions={1}\n  ROOT o = A multiply(y, gb)\n}\n",
              "f32", rows, length);
}

TEST(CpuRows, LayerNormIsOneKernel) {
  expectKernels(normOf("50", "300"), 1);
  expectKernels(normOf("16", "128"), 1);
}

TEST(CpuRows, GradientOfSoftmaxIsOneKernel) {
  expectKernels(
      with(std::string(kRowReducers) +
               "ENTRY e {\n  p = A parameter(0)\n  g = A parameter(1)\n  pg = A multiply(p, g)\n  z = T[] constant(0)\n"
               "  s = R reduce(pg, z), dimensions={1}, to_apply=sum\n  sb = A broadcast(s), dimensions={0}\n  d = A "
               "subtract(g, sb)\n"
               "  ROOT o = A multiply(d, p)\n}\n",
           "f32", "60", "177"),
      1);
}

// The row's expensive values are used twice after a statistic of something else: nothing of the first walk is equal.
TEST(CpuRows, UnequalWalksShareNothing) {
  expectKernels(with(std::string(kRowReducers) + "ENTRY e {\n  x = A parameter(0)\n  y = A parameter(1)\n  ex = A "
                                                 "exponential(x)\n  ey = A exponential(y)\n"
                                                 "  z = T[] constant(0)\n  s = R reduce(ex, z), dimensions={1}, "
                                                 "to_apply=sum\n  sb = A broadcast(s), dimensions={0}\n"
                                                 "  q = A divide(ey, sb)\n  w = R reduce(q, z), dimensions={1}, "
                                                 "to_apply=sum\n  wb = A broadcast(w), dimensions={0}\n"
                                                 "  e2 = A exponential(q)\n  ROOT o = A subtract(e2, wb)\n}\n",
                     "f32", "40", "200"),
                1);
}

}  // namespace
}  // namespace tessera
