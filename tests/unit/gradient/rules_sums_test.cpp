// Rules of what adds up: products, convolutions, reductions, windows, normalization, against finite differences.
#include <gtest/gtest.h>

#include "tests/unit/gradient/checks.h"
#include "tests/unit/gradient/programs.h"

namespace tessera::test {
namespace {

TEST(GradientRules, Dot) {
  expectGradient(
      programOf("a = f64[3,4] parameter(0);b = f64[4,2] parameter(1);"
                "ROOT c = f64[3,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  expectGradient(
      programOf("a = f64[3] parameter(0);b = f64[3] parameter(1);"
                "ROOT c = f64[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"));
  expectGradient(programOf("a = f64[2] parameter(0);b = f64[3] parameter(1);ROOT c = f64[2,3] dot(a, b)"));
  expectGradient(
      programOf("a = f64[2,3,4] parameter(0);b = f64[5,4,2] parameter(1);ROOT c = f64[2,3,5] dot(a, b), "
                "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={2}, rhs_contracting_dims={1}"));
  expectGradient(
      programOf("a = f64[2,3,4,2] parameter(0);b = f64[4,2,3,2] parameter(1);ROOT c = f64[2,2,2] dot(a, b), "
                "lhs_contracting_dims={1,2}, rhs_contracting_dims={2,0}, lhs_batch_dims={3}, rhs_batch_dims={1}"),
      {.twice = false});
  expectGradient(
      programOf("a = f64[3,4,2] parameter(0);b = f64[2,4] parameter(1);ROOT c = f64[3] dot(a, b), "
                "lhs_contracting_dims={2,1}, rhs_contracting_dims={0,1}"));
  expectGradient(
      programOf("a = c128[2,3] parameter(0);b = c128[3,2] parameter(1);"
                "ROOT c = c128[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

void expectConvolution(const std::string& lhs, const std::string& rhs, const std::string& result,
                       const std::string& attributes) {
  expectGradient(programOf("x = f64[" + lhs + "] parameter(0);k = f64[" + rhs + "] parameter(1);ROOT y = f64[" +
                           result + "] convolution(x, k), " + attributes),
                 {.tolerance = 2e-6});
}

TEST(GradientRules, Convolution) {
  expectConvolution("1,5,4,2", "3,2,2,3", "1,3,3,3", "window={size=3x2}, dim_labels=b01f_01io->b01f");
  expectConvolution("2,2,6", "3,2,3", "2,3,3", "window={size=3 stride=2 pad=0_1}, dim_labels=bf0_oi0->bf0");
  expectConvolution("1,1,6", "1,1,2", "1,1,7", "window={size=2 pad=2_1 rhs_dilate=2}, dim_labels=bf0_oi0->bf0");
  expectConvolution("1,1,4", "1,1,3", "1,1,4",
                    "window={size=3 stride=2 pad=1_1 lhs_dilate=2}, dim_labels=bf0_oi0->bf0");
  expectConvolution("1,1,6", "1,1,3", "1,1,3", "window={size=3 pad=-1_0}, dim_labels=bf0_oi0->bf0");
  expectConvolution("1,2,5", "2,2,3", "1,2,3", "window={size=3 rhs_reversal=1}, dim_labels=bf0_oi0->bf0");
  expectConvolution("1,4,5", "6,2,3", "1,6,3", "window={size=3}, dim_labels=bf0_oi0->bf0, feature_group_count=2");
  expectConvolution("4,3,5", "4,3,2", "2,4,4", "window={size=2}, dim_labels=bf0_oi0->bf0, batch_group_count=2");
  expectConvolution("5,2,1", "2,3,2", "3,1,4", "window={size=2}, dim_labels=0fb_io0->fb0");
}

TEST(GradientRules, Reductions) {
  const auto reduction = [](const char* reducer, const char* initial, const char* dims, const char* result) {
    return "x = f64[3,2,4] parameter(0);z = f64[] constant(" + std::string(initial) + ");ROOT y = f64[" + result +
           "] reduce(x, z), dimensions={" + dims + "}, to_apply=" + reducer;
  };
  expectGradient(programOf(reduction("add", "0", "0,2", "2"), kAddF64));
  expectGradient(programOf(reduction("mul", "1", "1", "3,4"), kMulF64));
  expectGradient(programOf(reduction("mul", "2", "0,1,2", ""), kMulF64), {.tolerance = 1e-5});
  expectGradient(programOf(reduction("max", "-inf", "2", "3,2"), kMaxF64));
  expectGradient(programOf(reduction("min", "inf", "0", "2,4"), kMinF64));
  expectGradient(programOf(reduction("max", "0.4", "2", "3,2"), kMaxF64));
  expectGradient(
      programOf("x = f64[3] parameter(0);z = f64[] parameter(1);ROOT y = f64[] reduce(x, z), dimensions={0}, "
                "to_apply=add",
                kAddF64));
}

TEST(GradientRules, AProductWithZerosHasTheProductOfTheOthers) {
  for (const char* mask : {"{1, 0, 1, 1}", "{1, 0, 0, 1}", "{0, 0, 0, 0}"})
    expectGradient(programOf("x = f64[4] parameter(0);m = f64[4] constant(" + std::string(mask) +
                                 ");n = f64[4] constant({0, 1, 0, 0});s = f64[4] multiply(x, m);z = f64[] constant(1);"
                                 "ROOT y = f64[] reduce(s, z), dimensions={0}, to_apply=mul",
                             kMulF64),
                   {.twice = false});
  // At the zero itself, where finite differences see the product of the others.
  expectGradient(programOf("x = f64[4] parameter(0);z = f64[] constant(1);h = f64[4] constant({0.3, 0.3, 0.3, 0.3});"
                           "s = f64[4] floor(x);d = f64[4] subtract(x, x);e = f64[4] add(d, x);"
                           "ROOT y = f64[] reduce(e, z), dimensions={0}, to_apply=mul",
                           kMulF64),
                 {0, 0, false});
}

TEST(GradientRules, TheLargestWithItsPlace) {
  expectGradient(
      programOf("x = f64[3,4] parameter(0);i = s32[3,4] iota(), iota_dimension=1;z = f64[] constant(-inf);"
                "j = s32[] constant(0);r = (f64[3], s32[3]) reduce(x, i, z, j), dimensions={1}, to_apply=best;"
                "ROOT y = f64[3] get-tuple-element(r), index=0",
                "best { a = f64[] parameter(0) i = s32[] parameter(1) b = f64[] parameter(2) j = s32[] "
                "parameter(3) p = pred[] compare(a, b), direction=GE v = f64[] select(p, a, b) k = s32[] "
                "select(p, i, j) ROOT t = (f64[], s32[]) tuple(v, k) }\n"));
}

TEST(GradientRules, Windows) {
  const auto windows = [](const char* reducer, const char* initial, const char* window, const char* result) {
    return "x = f64[4,5] parameter(0);z = f64[] constant(" + std::string(initial) + ");ROOT y = f64[" + result +
           "] reduce-window(x, z), window={" + window + "}, to_apply=" + reducer;
  };
  expectGradient(programOf(windows("add", "0", "size=2x3 stride=1x2 pad=0_1x1_1", "4,3"), kAddF64));
  expectGradient(programOf(windows("add", "0", "size=2x2 pad=1_0x0_0 lhs_dilate=2x1 rhs_dilate=1x2", "7,3"), kAddF64));
  expectGradient(programOf(windows("add", "0", "size=2x2 pad=-1_0x0_-1", "2,3"), kAddF64));
  expectGradient(programOf(windows("max", "-inf", "size=2x2 stride=2x2 pad=0_0x0_1", "2,3"), kMaxF64));
  expectGradient(programOf(windows("min", "inf", "size=2x3", "3,3"), kMinF64));
  expectGradient(programOf(windows("max", "0.3", "size=2x2", "3,4"), kMaxF64));
  expectGradient(programOf(windows("mul", "1", "size=2x3", "3,3"), kMulF64));
  expectGradient(programOf("x = f64[4] parameter(0);d = f64[4] subtract(x, x);z = f64[] constant(1);"
                           "o = f64[4] constant({0, 0.5, 2, 3});s = f64[4] add(x, o);"
                           "ROOT y = f64[2] reduce-window(s, z), window={size=3}, to_apply=mul",
                           kMulF64),
                 {0, 0, false});
}

// log(exp(a) + exp(b)), as jax reduces by it; and the product of complex numbers that two arrays hold.
constexpr const char* kLogAddExp =
    "lae { a = f64[] parameter(0) b = f64[] parameter(1) m = f64[] maximum(a, b) d = f64[] subtract(a, b) "
    "n = pred[] compare(d, d), direction=NE s = f64[] add(a, b) e = f64[] abs(d) f = f64[] negate(e) g = f64[] "
    "exponential(f) h = f64[] log-plus-one(g) i = f64[] add(m, h) ROOT r = f64[] select(n, s, i) }\n";
constexpr const char* kComplexProduct =
    "cmul { a = f64[] parameter(0) b = f64[] parameter(1) c = f64[] parameter(2) d = f64[] parameter(3) "
    "ac = f64[] multiply(a, c) bd = f64[] multiply(b, d) ad = f64[] multiply(a, d) bc = f64[] multiply(b, c) "
    "re = f64[] subtract(ac, bd) im = f64[] add(ad, bc) ROOT t = (f64[], f64[]) tuple(re, im) }\n";

TEST(GradientRules, ReductionsByAnyFunction) {
  for (auto [dims, result] : {std::pair{"0,2", "2"}, {"1", "3,4"}, {"0,1,2", ""}})
    expectGradient(programOf("x = f64[3,2,4] parameter(0);z = f64[] constant(-inf);ROOT y = f64[" +
                                 std::string(result) + "] reduce(x, z), dimensions={" + dims + "}, to_apply=lae",
                             kLogAddExp),
                   {.twice = false});
  expectGradient(
      programOf("x = f64[3,2] parameter(0);w = f64[3,2] parameter(1);o = f64[] constant(1);"
                "z = f64[] parameter(2);r = (f64[2], f64[2]) reduce(x, w, o, z), dimensions={0}, "
                "to_apply=cmul;u = f64[2] get-tuple-element(r), index=0;v = f64[2] get-tuple-element(r), "
                "index=1;ROOT y = f64[2] add(u, v)",
                kComplexProduct));
  expectGradient(programOf("x = f64[0,3] parameter(0);z = f64[] parameter(1);ROOT y = f64[3] reduce(x, z), "
                           "dimensions={0}, to_apply=lae",
                           kLogAddExp),
                 {.twice = false});
  for (auto [reducer, name] : {std::pair{kMulF64, "mul"}, {kMaxF64, "max"}})
    expectGradient(
        programOf("x = f64[3,2] parameter(0);z = f64[] parameter(1);ROOT y = f64[2] reduce(x, z), "
                  "dimensions={0}, to_apply=" +
                      std::string(name),
                  reducer));
}

TEST(GradientRules, WindowsOfAnyFunction) {
  const auto windows = [](const char* reducer, const char* window, const char* result) {
    return "x = f64[4,5] parameter(0);z = f64[] constant(-inf);ROOT y = f64[" + std::string(result) +
           "] reduce-window(x, z), window={" + window + "}, to_apply=" + reducer;
  };
  expectGradient(programOf(windows("lae", "size=2x3 stride=1x2 pad=0_1x1_1", "4,3"), kLogAddExp), {.twice = false});
  expectGradient(programOf(windows("lae", "size=4x1 pad=3_0x0_0", "4,5"), kLogAddExp), {.twice = false});
  expectGradient(programOf(windows("lae", "size=2x2 pad=1_0x0_0 lhs_dilate=2x1 rhs_dilate=1x2", "7,3"), kLogAddExp),
                 {.twice = false});
  expectGradient(programOf(windows("max", "size=2x2 rhs_dilate=2x1", "2,4"), kMaxF64), {.twice = false});
  expectGradient(programOf("x = f64[4] parameter(0);w = f64[4] parameter(1);o = f64[] constant(1);"
                           "z = f64[] constant(0);r = (f64[3], f64[3]) reduce-window(x, w, o, z), window={size=2}, "
                           "to_apply=cmul;ROOT y = f64[3] get-tuple-element(r), index=1",
                           kComplexProduct),
                 {.twice = false});
}

TEST(GradientRules, SelectAndScatter) {
  const std::string ge =
      "ge { a = f64[] parameter(0) b = f64[] parameter(1) ROOT p = pred[] compare(a, b), direction=GE }\n";
  expectGradient(programOf("x = f64[4,6] parameter(0);s = f64[2,3] parameter(1);z = f64[] parameter(2);"
                           "ROOT y = f64[4,6] select-and-scatter(x, s, z), window={size=2x2 stride=2x2}, select=ge, "
                           "scatter=add",
                           ge + kAddF64),
                 {.twice = false});
}

TEST(GradientRules, BatchNormalization) {
  const GradientCheck check{.low = 0.3, .high = 2, .tolerance = 1e-5};
  for (const char* index : {"0", "1", "2"})
    expectGradient(
        programOf("x = f64[3,4,2] parameter(0);s = f64[2] parameter(1);o = f64[2] parameter(2);"
                  "t = (f64[3,4,2], f64[2], f64[2]) batch-norm-training(x, s, o), epsilon=0.01, feature_index=2;"
                  "ROOT y = f64[" +
                  std::string(*index == '0' ? "3,4,2" : "2") + "] get-tuple-element(t), index=" + index),
        check);
  expectGradient(
      programOf("x = f64[3,2] parameter(0);s = f64[2] parameter(1);o = f64[2] parameter(2);m = f64[2] "
                "parameter(3);v = f64[2] parameter(4);ROOT y = f64[3,2] batch-norm-inference(x, s, o, m, v), "
                "epsilon=0.01, feature_index=1"),
      {.low = 0.3, .high = 2, .tolerance = 1e-5});
}

TEST(GradientRules, RaggedProducts) {
  const std::string sizes = "g = s32[3] constant({2, 0, 2});";
  expectGradient(programOf("x = f64[5,2] parameter(0);w = f64[3,2,4] parameter(1);" + sizes +
                           "ROOT r = f64[5,4] ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                           "lhs_ragged_dims={0}, rhs_group_dims={0}"));
  expectGradient(programOf("x = f64[2,5] parameter(0);w = f64[4,3,2] parameter(1);" + sizes +
                           "ROOT r = f64[5,4] ragged-dot(x, w, g), lhs_contracting_dims={0}, rhs_contracting_dims={2}, "
                           "lhs_ragged_dims={1}, rhs_group_dims={1}"));
  expectGradient(
      programOf("x = f64[2,5] parameter(0);w = f64[4,5] parameter(1);" + sizes +
                "ROOT r = f64[3,2,4] ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                "lhs_ragged_dims={1}"));
}

}  // namespace
}  // namespace tessera::test
