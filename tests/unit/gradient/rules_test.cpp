// Every rule of core/gradient against finite differences in f64: the formula, every form of its attributes, and the
// gradient of the gradient.
#include <gtest/gtest.h>

#include "core/gradient/rules.h"
#include "core/ops/op.h"
#include "tests/unit/gradient/checks.h"

namespace tessera::test {
namespace {

constexpr const char* kAdd = "add { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] add(a, b) }\n";
constexpr const char* kMul = "mul { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] multiply(a, b) }\n";
constexpr const char* kMax = "max { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] maximum(a, b) }\n";
constexpr const char* kMin = "min { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] minimum(a, b) }\n";
constexpr const char* kSecond = "second { a = f64[] parameter(0) ROOT b = f64[] parameter(1) }\n";

std::string entry(const std::string& body, const std::string& before = "") {
  std::string lines;
  for (size_t at = 0; at < body.size();) {
    const size_t end = std::min(body.find(';', at), body.size());
    lines += "  " + body.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return "HloModule m\n" + before + "ENTRY e {\n" + lines + "}\n";
}

void expectUnary(const std::string& op, double low = -1, double high = 1, bool complex = true) {
  expectGradient(entry("x = f64[5] parameter(0);ROOT y = f64[5] " + op + "(x)"), {low, high});
  if (complex) expectGradient(entry("x = c128[3] parameter(0);ROOT y = c128[3] " + op + "(x)"), {0.2, 0.8});
}

void expectBinary(const std::string& op, double low = -1, double high = 1, bool complex = false) {
  expectGradient(entry("x = f64[5] parameter(0);y = f64[5] parameter(1);ROOT z = f64[5] " + op + "(x, y)"),
                 {low, high});
  if (complex)
    expectGradient(entry("x = c128[3] parameter(0);y = c128[3] parameter(1);ROOT z = c128[3] " + op + "(x, y)"),
                   {0.3, 0.9});
}

TEST(GradientRules, EveryOpcodeHasARuleOrAReason) {
  for (const OpDef* op : allOps()) {
    const gradient::RuleEntry* entry = gradient::ruleOf(op->opcode);
    ASSERT_TRUE(entry) << nameOf(op->opcode) << " is missing in core/gradient/rules.cpp";
    EXPECT_EQ(entry->opcode, op->opcode);
    if (entry->kind == gradient::Differentiable::Yes)
      EXPECT_TRUE(entry->rule) << nameOf(op->opcode);
    else
      EXPECT_FALSE(entry->reason.empty()) << nameOf(op->opcode) << " has neither rule nor reason";
  }
}

TEST(GradientRules, FunctionsOfOneNumber) {
  for (const char* op :
       {"negate", "exponential", "exponential-minus-one", "log-plus-one", "logistic", "sine", "cosine", "tan", "tanh"})
    expectUnary(op, -0.9, 1);
  for (const char* op : {"log", "sqrt", "rsqrt"}) expectUnary(op, 0.3, 2);
  for (const char* op : {"asin", "acos", "atanh"}) expectUnary(op, -0.8, 0.8, false);
  for (const char* op : {"sinh", "cosh", "asinh", "erf", "abs"}) expectUnary(op, -1, 1, false);
  expectUnary("cbrt", 0.3, 2, false);
  expectUnary("acosh", 1.3, 3, false);
}

TEST(GradientRules, FunctionsOfTwoNumbers) {
  for (const char* op : {"add", "subtract", "multiply"}) expectBinary(op, -1, 1, true);
  expectBinary("divide", 0.4, 2, true);
  expectBinary("power", 0.4, 2, true);
  expectBinary("atan2", 0.4, 2);
  expectBinary("remainder", 0.3, 2);
  expectBinary("maximum");
  expectBinary("minimum");
}

TEST(GradientRules, APowerWithAConstantExponentHoldsAtZeroAndBelow) {
  for (const char* exponent : {"0", "1", "2", "3"})
    expectGradient(entry("x = f64[5] parameter(0);c = f64[] constant(" + std::string(exponent) +
                         ");p = f64[5] broadcast(c), dimensions={};ROOT y = f64[5] power(x, p)"));
  expectGradient(
      entry("x = f64[2] parameter(0);z = f64[2] constant({0, 0});m = f64[2] multiply(x, z);"
            "c = f64[] constant(2);p = f64[2] broadcast(c), dimensions={};ROOT y = f64[2] power(m, p)"));
}

TEST(GradientRules, EqualValuesShareAMaximum) {
  expectGradient(entry("x = f64[5] parameter(0);ROOT y = f64[5] maximum(x, x)"), {.twice = false});
}

TEST(GradientRules, ComplexNumbersAndTheirParts) {
  expectGradient(entry("x = c128[4] parameter(0);ROOT y = f64[4] abs(x)"), {0.2, 1});
  expectGradient(entry("x = c128[4] parameter(0);ROOT y = c128[4] sign(x)"), {0.2, 1});
  expectGradient(
      entry("x = c128[4] parameter(0);r = f64[4] real(x);i = f64[4] imag(x);ROOT y = f64[4] multiply(r, i)"));
  expectGradient(
      entry("x = f64[4] parameter(0);y = f64[4] parameter(1);z = c128[4] complex(x, y);"
            "ROOT w = c128[4] multiply(z, z)"));
  expectGradient(entry("x = f64[4] parameter(0);z = c128[4] convert(x);ROOT w = c128[4] multiply(z, z)"));
}

TEST(GradientRules, ChoicesAndConversions) {
  expectGradient(
      entry("x = f64[6] parameter(0);y = f64[6] parameter(1);p = pred[6] compare(x, y), direction=LT;"
            "ROOT z = f64[6] select(p, x, y)"));
  expectGradient(
      entry("x = f64[6] parameter(0);y = f64[6] parameter(1);p = pred[] constant(true);"
            "ROOT z = f64[6] select(p, x, y)"));
  expectGradient(entry("a = f64[] parameter(0);x = f64[9] parameter(1);b = f64[] parameter(2);c = f64[] constant(0.9);"
                       "high = f64[] add(b, c);low = f64[] subtract(a, c);ROOT z = f64[9] clamp(low, x, high)"),
                 {-1, 1});
  expectGradient(
      entry("a = f64[6] parameter(0);x = f64[6] parameter(1);b = f64[6] parameter(2);"
            "ROOT z = f64[6] clamp(a, x, b)"));
}

TEST(GradientRules, Movement) {
  expectGradient(entry("x = f64[2,3] parameter(0);ROOT y = f64[4,2,5,3] broadcast(x), dimensions={1,3}"));
  expectGradient(entry("x = f64[2,3] parameter(0);ROOT y = f64[3,4,2] broadcast(x), dimensions={2,0}"));
  expectGradient(entry("x = f64[2,6] parameter(0);ROOT y = f64[3,4] reshape(x)"));
  expectGradient(entry("x = f64[2,3,4] parameter(0);ROOT y = f64[4,2,3] transpose(x), dimensions={2,0,1}"));
  expectGradient(entry("x = f64[3,4] parameter(0);ROOT y = f64[3,4] reverse(x), dimensions={1}"));
  expectGradient(entry("x = f64[8,5] parameter(0);ROOT y = f64[3,3] slice(x), slice={[1:7:2],[2:5]}"));
  expectGradient(
      entry("x = f64[4,3] parameter(0);v = f64[] parameter(1);ROOT y = f64[9,2] pad(x, v), padding=2_0_1x-1_0"));
  expectGradient(entry("x = f64[4] parameter(0);v = f64[] parameter(1);ROOT y = f64[5] pad(x, v), padding=-1_-1_1"));
  expectGradient(
      entry("x = f64[2,3] parameter(0);y = f64[2,1] parameter(1);z = f64[2,2] parameter(2);"
            "ROOT c = f64[2,6] concatenate(x, y, z), dimensions={1}"));
  expectGradient(
      entry("x = f64[3] parameter(0);y = f64[3] parameter(1);t = (f64[3], f64[3]) tuple(x, y);"
            "b = (f64[3], f64[3]) opt-barrier(t);p = f64[3] get-tuple-element(b), index=1;"
            "q = f64[3] get-tuple-element(b), index=0;c = f64[3] copy(p);ROOT m = f64[3] multiply(q, c)"));
}

TEST(GradientRules, SlicesAtComputedPlaces) {
  const std::string indices = "i = s32[] constant(7);j = s32[] constant(1);";
  expectGradient(entry("x = f64[5,4] parameter(0);" + indices +
                       "ROOT y = f64[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}"));
  expectGradient(
      entry("x = f64[5,4] parameter(0);" + indices +
            "a = f64[2,3] dynamic-slice(x, i, j), dynamic_slice_sizes={2,3};"
            "b = f64[2,3] dynamic-slice(x, j, j), dynamic_slice_sizes={2,3};ROOT m = f64[2,3] multiply(a, b)"));
  expectGradient(entry("x = f64[5,4] parameter(0);u = f64[2,3] parameter(1);" + indices +
                       "ROOT y = f64[5,4] dynamic-update-slice(x, u, i, j)"));
}

TEST(GradientRules, Gather) {
  expectGradient(
      entry("x = f64[5,3] parameter(0);i = s32[4] constant({1, 9, -2, 1});"
            "ROOT y = f64[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1,3}"));
  expectGradient(
      entry("x = f64[5,4] parameter(0);i = s32[2,2] constant({{1, 0}, {9, 9}});"
            "ROOT y = f64[2,2,3] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, "
            "start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,3}"));
  expectGradient(
      entry("x = f64[3,5] parameter(0);i = s32[3,2] constant({{1, 0}, {4, 4}, {2, 7}});"
            "ROOT y = f64[3,2] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
            "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}"));
}

std::string scatterOf(const std::string& reducer, const std::string& indices, const std::string& promises = "") {
  return "x = f64[5,3] parameter(0);u = f64[4,3] parameter(1);i = s32[4] constant({" + indices +
         "});ROOT y = f64[5,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1" +
         promises + ", to_apply=" + reducer;
}

TEST(GradientRules, Scatter) {
  expectGradient(entry(scatterOf("add", "1, 4, 1, 7"), kAdd));
  expectGradient(entry(scatterOf("second", "1, 4, 1, -3"), kSecond));
  expectGradient(entry(scatterOf("second", "1, 4, 0, 7", ", unique_indices=true"), kSecond));
  expectGradient(entry(scatterOf("mul", "1, 4, 0, 7", ", unique_indices=true"), kMul));
  expectGradient(entry(scatterOf("max", "1, 4, 1, 7"), kMax));
  expectGradient(entry(scatterOf("min", "1, 4, 1, 7"), kMin));
}

TEST(GradientRules, Dot) {
  expectGradient(
      entry("a = f64[3,4] parameter(0);b = f64[4,2] parameter(1);"
            "ROOT c = f64[3,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  expectGradient(
      entry("a = f64[3] parameter(0);b = f64[3] parameter(1);"
            "ROOT c = f64[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}"));
  expectGradient(entry("a = f64[2] parameter(0);b = f64[3] parameter(1);ROOT c = f64[2,3] dot(a, b)"));
  expectGradient(
      entry("a = f64[2,3,4] parameter(0);b = f64[5,4,2] parameter(1);ROOT c = f64[2,3,5] dot(a, b), "
            "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={2}, rhs_contracting_dims={1}"));
  expectGradient(
      entry("a = f64[2,3,4,2] parameter(0);b = f64[4,2,3,2] parameter(1);ROOT c = f64[2,2,2] dot(a, b), "
            "lhs_contracting_dims={1,2}, rhs_contracting_dims={2,0}, lhs_batch_dims={3}, rhs_batch_dims={1}"),
      {.twice = false});
  expectGradient(
      entry("a = f64[3,4,2] parameter(0);b = f64[2,4] parameter(1);ROOT c = f64[3] dot(a, b), "
            "lhs_contracting_dims={2,1}, rhs_contracting_dims={0,1}"));
  expectGradient(
      entry("a = c128[2,3] parameter(0);b = c128[3,2] parameter(1);"
            "ROOT c = c128[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
}

void expectConvolution(const std::string& lhs, const std::string& rhs, const std::string& result,
                       const std::string& attributes) {
  expectGradient(entry("x = f64[" + lhs + "] parameter(0);k = f64[" + rhs + "] parameter(1);ROOT y = f64[" + result +
                       "] convolution(x, k), " + attributes),
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
  expectGradient(entry(reduction("add", "0", "0,2", "2"), kAdd));
  expectGradient(entry(reduction("mul", "1", "1", "3,4"), kMul));
  expectGradient(entry(reduction("mul", "2", "0,1,2", ""), kMul), {.tolerance = 1e-5});
  expectGradient(entry(reduction("max", "-inf", "2", "3,2"), kMax));
  expectGradient(entry(reduction("min", "inf", "0", "2,4"), kMin));
  expectGradient(entry(reduction("max", "0.4", "2", "3,2"), kMax));
  expectGradient(
      entry("x = f64[3] parameter(0);z = f64[] parameter(1);ROOT y = f64[] reduce(x, z), dimensions={0}, "
            "to_apply=add",
            kAdd));
}

TEST(GradientRules, AProductWithZerosHasTheProductOfTheOthers) {
  for (const char* mask : {"{1, 0, 1, 1}", "{1, 0, 0, 1}", "{0, 0, 0, 0}"})
    expectGradient(entry("x = f64[4] parameter(0);m = f64[4] constant(" + std::string(mask) +
                             ");n = f64[4] constant({0, 1, 0, 0});s = f64[4] multiply(x, m);z = f64[] constant(1);"
                             "ROOT y = f64[] reduce(s, z), dimensions={0}, to_apply=mul",
                         kMul),
                   {.twice = false});
  // At the zero itself, where finite differences see the product of the others.
  expectGradient(entry("x = f64[4] parameter(0);z = f64[] constant(1);h = f64[4] constant({0.3, 0.3, 0.3, 0.3});"
                       "s = f64[4] floor(x);d = f64[4] subtract(x, x);e = f64[4] add(d, x);"
                       "ROOT y = f64[] reduce(e, z), dimensions={0}, to_apply=mul",
                       kMul),
                 {0, 0, false});
}

TEST(GradientRules, TheLargestWithItsPlace) {
  expectGradient(
      entry("x = f64[3,4] parameter(0);i = s32[3,4] iota(), iota_dimension=1;z = f64[] constant(-inf);"
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
  expectGradient(entry(windows("add", "0", "size=2x3 stride=1x2 pad=0_1x1_1", "4,3"), kAdd));
  expectGradient(entry(windows("add", "0", "size=2x2 pad=1_0x0_0 lhs_dilate=2x1 rhs_dilate=1x2", "7,3"), kAdd));
  expectGradient(entry(windows("add", "0", "size=2x2 pad=-1_0x0_-1", "2,3"), kAdd));
  expectGradient(entry(windows("max", "-inf", "size=2x2 stride=2x2 pad=0_0x0_1", "2,3"), kMax));
  expectGradient(entry(windows("min", "inf", "size=2x3", "3,3"), kMin));
  expectGradient(entry(windows("max", "0.3", "size=2x2", "3,4"), kMax));
  expectGradient(entry(windows("mul", "1", "size=2x3", "3,3"), kMul));
  expectGradient(entry("x = f64[4] parameter(0);d = f64[4] subtract(x, x);z = f64[] constant(1);"
                       "o = f64[4] constant({0, 0.5, 2, 3});s = f64[4] add(x, o);"
                       "ROOT y = f64[2] reduce-window(s, z), window={size=3}, to_apply=mul",
                       kMul),
                 {0, 0, false});
}

TEST(GradientRules, SelectAndScatter) {
  const std::string ge =
      "ge { a = f64[] parameter(0) b = f64[] parameter(1) ROOT p = pred[] compare(a, b), direction=GE }\n";
  expectGradient(entry("x = f64[4,6] parameter(0);s = f64[2,3] parameter(1);z = f64[] parameter(2);"
                       "ROOT y = f64[4,6] select-and-scatter(x, s, z), window={size=2x2 stride=2x2}, select=ge, "
                       "scatter=add",
                       ge + kAdd),
                 {.twice = false});
}

TEST(GradientRules, SortAndTopK) {
  const std::string lt =
      "lt { a = f64[] parameter(0) b = f64[] parameter(1) ROOT p = pred[] compare(a, b), direction=LT }\n";
  const std::string lt2 =
      "lt { a = f64[] parameter(0) b = f64[] parameter(1) c = f64[] parameter(2) d = f64[] parameter(3) ROOT p = "
      "pred[] "
      "compare(a, b), direction=GT }\n";
  const std::string lts =
      "lt { a = f64[] parameter(0) b = f64[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3) ROOT p = "
      "pred[] "
      "compare(a, b), direction=LT }\n";
  expectGradient(entry("x = f64[3,5] parameter(0);ROOT y = f64[3,5] sort(x), dimensions={1}, to_apply=lt", lt));
  expectGradient(
      entry("x = f64[3,5] parameter(0);p = f64[3,5] parameter(1);"
            "t = (f64[3,5], f64[3,5]) sort(x, p), dimensions={0}, to_apply=lt;"
            "a = f64[3,5] get-tuple-element(t), index=0;b = f64[3,5] get-tuple-element(t), index=1;"
            "ROOT y = f64[3,5] multiply(a, b)",
            lt2));
  expectGradient(
      entry("x = f64[3,5] parameter(0);i = s32[3,5] iota(), iota_dimension=1;"
            "t = (f64[3,5], s32[3,5]) sort(x, i), dimensions={1}, is_stable=true, to_apply=lt;"
            "ROOT y = f64[3,5] get-tuple-element(t), index=0",
            lts));
  expectGradient(
      entry("x = f64[2,5] parameter(0);t = (f64[2,3], s32[2,3]) topk(x), k=3, largest=true;"
            "ROOT y = f64[2,3] get-tuple-element(t), index=0"));
  expectGradient(
      entry("x = f64[5] parameter(0);t = (f64[2], s32[2]) topk(x), k=2, largest=false;"
            "ROOT y = f64[2] get-tuple-element(t), index=0"));
}

TEST(GradientRules, Cholesky) {
  for (const char* lower : {"true", "false"})
    expectGradient(
        entry("x = f64[2,3,3] parameter(0);s = f64[2,3,3] dot(x, x), lhs_batch_dims={0}, "
              "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2};"
              "e = f64[3,3] constant({{2,0,0},{0,2,0},{0,0,2}});b = f64[2,3,3] broadcast(e), dimensions={1,2};"
              "a = f64[2,3,3] add(s, b);ROOT l = f64[2,3,3] cholesky(a), lower=" +
              std::string(lower)));
  // Directly, so that the triangle that is not read is seen to get nothing.
  expectGradient(
      entry("x = f64[3,3] parameter(0);e = f64[3,3] constant({{4,0,0},{0,4,0},{0,0,4}});"
            "a = f64[3,3] add(x, e);ROOT l = f64[3,3] cholesky(a), lower=true"));
}

TEST(GradientRules, TriangularSolve) {
  for (const char* left : {"true", "false"})
    for (const char* lower : {"true", "false"})
      for (const char* how : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
        expectGradient(
            entry("x = f64[3,3] parameter(0);b = f64[3,3] parameter(1);"
                  "e = f64[3,3] constant({{3,0,0},{0,3,0},{0,0,3}});a = f64[3,3] add(x, e);"
                  "ROOT y = f64[3,3] triangular-solve(a, b), left_side=" +
                  std::string(left) + ", lower=" + lower + ", transpose_a=" + how));
  expectGradient(
      entry("a = f64[2,2,2] parameter(0);b = f64[2,2,3] parameter(1);ROOT y = f64[2,2,3] "
            "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, "
            "transpose_a=NO_TRANSPOSE"));
  expectGradient(
      entry("x = c128[2,2] parameter(0);b = c128[2,2] parameter(1);"
            "e = c128[2,2] constant({{(3,0),(0,0)},{(0,0),(3,1)}});a = c128[2,2] add(x, e);"
            "ROOT y = c128[2,2] triangular-solve(a, b), left_side=true, lower=true, transpose_a=ADJOINT"));
}

TEST(GradientRules, FourierTransforms) {
  for (const char* type : {"FFT", "IFFT"})
    expectGradient(entry("x = c128[2,3,4] parameter(0);ROOT y = c128[2,3,4] fft(x), fft_type=" + std::string(type) +
                         ", fft_length={3,4}"));
  for (const char* length : {"4", "5"}) {
    const std::string n = length;
    expectGradient(
        entry("x = f64[3," + n + "] parameter(0);ROOT y = c128[3,3] fft(x), fft_type=RFFT, fft_length={" + n + "}"));
    expectGradient(
        entry("x = c128[3,3] parameter(0);ROOT y = f64[3," + n + "] fft(x), fft_type=IRFFT, fft_length={" + n + "}"));
  }
  expectGradient(entry("x = c128[3,3] parameter(0);ROOT y = f64[3,4] fft(x), fft_type=IRFFT, fft_length={3,4}"));
  expectGradient(entry("x = f64[3,4] parameter(0);ROOT y = c128[3,3] fft(x), fft_type=RFFT, fft_length={3,4}"));
}

TEST(GradientRules, BatchNormalization) {
  const GradientCheck check{.low = 0.3, .high = 2, .tolerance = 1e-5};
  for (const char* index : {"0", "1", "2"})
    expectGradient(entry("x = f64[3,4,2] parameter(0);s = f64[2] parameter(1);o = f64[2] parameter(2);"
                         "t = (f64[3,4,2], f64[2], f64[2]) batch-norm-training(x, s, o), epsilon=0.01, feature_index=2;"
                         "ROOT y = f64[" +
                         std::string(*index == '0' ? "3,4,2" : "2") + "] get-tuple-element(t), index=" + index),
                   check);
  expectGradient(entry("x = f64[3,2] parameter(0);s = f64[2] parameter(1);o = f64[2] parameter(2);m = f64[2] "
                       "parameter(3);v = f64[2] parameter(4);ROOT y = f64[3,2] batch-norm-inference(x, s, o, m, v), "
                       "epsilon=0.01, feature_index=1"),
                 {.low = 0.3, .high = 2, .tolerance = 1e-5});
}

TEST(GradientRules, RaggedProducts) {
  const std::string sizes = "g = s32[3] constant({2, 0, 2});";
  expectGradient(entry("x = f64[5,2] parameter(0);w = f64[3,2,4] parameter(1);" + sizes +
                       "ROOT r = f64[5,4] ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                       "lhs_ragged_dims={0}, rhs_group_dims={0}"));
  expectGradient(entry("x = f64[2,5] parameter(0);w = f64[4,3,2] parameter(1);" + sizes +
                       "ROOT r = f64[5,4] ragged-dot(x, w, g), lhs_contracting_dims={0}, rhs_contracting_dims={2}, "
                       "lhs_ragged_dims={1}, rhs_group_dims={1}"));
  expectGradient(entry("x = f64[2,5] parameter(0);w = f64[4,5] parameter(1);" + sizes +
                       "ROOT r = f64[3,2,4] ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                       "lhs_ragged_dims={1}"));
}

// On one device, where a group is the device alone; what goes between several is held by its shapes.
TEST(GradientRules, Collectives) {
  expectGradient(
      entry("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] all-reduce(s), replica_groups={}, to_apply=add",
            kAdd));
  expectGradient(
      entry("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] all-gather(s), replica_groups={{0}}, "
            "dimensions={0}"));
  expectGradient(
      entry("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] reduce-scatter(s), "
            "replica_groups={{0}}, dimensions={0}, to_apply=add",
            kAdd));
  expectGradient(
      entry("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] all-to-all(s), replica_groups={{0}}, "
            "dimensions={0}"));
  expectGradient(
      entry("x = f64[4] parameter(0);s = f64[4] sine(x);ROOT r = f64[4] collective-permute(s), "
            "source_target_pairs={{0,0}}"));
}

TEST(GradientRules, CalledComputations) {
  const std::string f =
      "f { a = f64[3] parameter(0) b = f64[3] parameter(1) m = f64[3] multiply(a, b) "
      "s = f64[3] sine(a) ROOT t = (f64[3], f64[3]) tuple(m, s) }\n";
  expectGradient(
      entry("x = f64[3] parameter(0);y = f64[3] parameter(1);t = (f64[3], f64[3]) call(x, y), to_apply=f;"
            "a = f64[3] get-tuple-element(t), index=0;u = (f64[3], f64[3]) call(a, x), to_apply=f;"
            "b = f64[3] get-tuple-element(u), index=1;c = f64[3] get-tuple-element(t), index=1;"
            "ROOT z = f64[3] multiply(b, c)",
            f));
  expectGradient(entry("x = f64[3] parameter(0);ROOT y = f64[3] fusion(x), kind=kLoop, calls=g",
                       "g { a = f64[3] parameter(0) e = f64[3] exponential(a) ROOT m = f64[3] multiply(a, e) }\n"));
  expectGradient(
      entry("x = f64[3] parameter(0);y = f64[3] parameter(1);ROOT z = f64[3] map(x, y), dimensions={0}, "
            "to_apply=h",
            "h { a = f64[] parameter(0) b = f64[] parameter(1) s = f64[] sine(a) ROOT m = "
            "f64[] multiply(s, b) }\n"));
}

TEST(GradientRules, Conditionals) {
  const std::string branches =
      "f { a = f64[3] parameter(0) ROOT m = f64[3] multiply(a, a) }\n"
      "g { t = (f64[3], f64[3]) parameter(0) a = f64[3] get-tuple-element(t), index=0 b = f64[3] get-tuple-element(t), "
      "index=1 s = f64[3] sine(b) ROOT m = f64[3] multiply(a, s) }\n";
  for (const char* truth : {"true", "false"})
    expectGradient(
        entry("x = f64[3] parameter(0);y = f64[3] parameter(1);p = pred[] constant(" + std::string(truth) +
                  ");t = (f64[3], f64[3]) tuple(x, y);ROOT z = f64[3] conditional(p, x, t), true_computation=f, "
                  "false_computation=g",
              branches));
  for (const char* number : {"0", "1", "7"})
    expectGradient(
        entry("x = f64[3] parameter(0);i = s32[] constant(" + std::string(number) +
                  ");ROOT z = f64[3] conditional(i, x, x, x), branch_computations={f, h, k}",
              "f { a = f64[3] parameter(0) ROOT m = f64[3] multiply(a, a) }\n"
              "h { a = f64[3] parameter(0) ROOT m = f64[3] sine(a) }\n"
              "k { a = f64[3] parameter(0) z = f64[] constant(2) ROOT m = f64[3] broadcast(z), dimensions={} }\n"));
}

std::string loopOf(const std::string& bound) {
  return "cond { s = (s32[], f64[3], f64[3,3], f64[4,3]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = "
         "s32[] "
         "constant(" +
         bound +
         ") ROOT p = pred[] compare(i, n), direction=LT }\n"
         "body { s = (s32[], f64[3], f64[3,3], f64[4,3]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
         "x = f64[3] get-tuple-element(s), index=1 w = f64[3,3] get-tuple-element(s), index=2 "
         "u = f64[4,3] get-tuple-element(s), index=3 z = s32[] constant(0) "
         "r = f64[1,3] dynamic-slice(u, i, z), dynamic_slice_sizes={1,3} v = f64[3] reshape(r) "
         "d = f64[3] dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} a = f64[3] add(d, v) "
         "h = f64[3] tanh(a) one = s32[] constant(1) j = s32[] add(i, one) "
         "ROOT t = (s32[], f64[3], f64[3,3], f64[4,3]) tuple(j, h, w, u) }\n";
}

const char* kLoopEntry =
    "x = f64[3] parameter(0);w = f64[3,3] parameter(1);u = f64[4,3] parameter(2);z = s32[] constant(0);"
    "t = (s32[], f64[3], f64[3,3], f64[4,3]) tuple(z, x, w, u);"
    "l = (s32[], f64[3], f64[3,3], f64[4,3]) while(t), condition=cond, body=body;"
    "ROOT y = f64[3] get-tuple-element(l), index=1";

TEST(GradientRules, LoopsOfAKnownLength) {
  expectGradient(entry(kLoopEntry, loopOf("4")), {.twice = false});
  expectGradient(entry(kLoopEntry, loopOf("2")));
  expectGradient(entry(kLoopEntry, loopOf("0")), {.twice = false});
}

TEST(GradientRules, Scans) {
  const std::string step =
      "step { v = f64[2] parameter(0) c = f64[2] parameter(1) m = f64[2] multiply(v, c) s = f64[2] "
      "sine(m) ROOT t = (f64[2], f64[2]) tuple(s, m) }\n";
  for (const char* reverse : {"", ", is_reverse=true"})
    for (const char* index : {"0", "1"})
      expectGradient(entry("x = f64[2,3] parameter(0);c = f64[2] parameter(1);t = (f64[2,3], f64[2]) scan(x, c), "
                           "dimensions={1}, num_carries=1" +
                               std::string(reverse) + ", to_apply=step;ROOT y = f64[" + (*index == '0' ? "2,3" : "2") +
                               "] get-tuple-element(t), index=" + index,
                           step),
                     {.low = 0.5, .high = 1.5});
}

TEST(GradientRules, RandomNumbersMoveWithTheirParameters) {
  for (const char* distribution : {"rng_uniform", "rng_normal"})
    expectGradient(entry("a = f64[] parameter(0);b = f64[] parameter(1);two = f64[] constant(3);c = f64[] add(b, two);"
                         "ROOT r = f64[5] rng(a, c), distribution=" +
                         std::string(distribution)),
                   {.twice = false});
}

TEST(GradientRules, Roundings) {
  expectGradient(entry("x = f64[3] parameter(0);f = f64[3] floor(x);c = f64[3] ceil(x);a = f64[3] round-nearest-afz(x);"
                       "e = f64[3] round-nearest-even(x);s = f64[3] sign(x);m = f64[3] multiply(f, x);"
                       "n = f64[3] multiply(c, m);o = f64[3] add(n, a);q = f64[3] add(o, e);ROOT r = f64[3] add(q, s)"),
                 {0.1, 0.4});
}

}  // namespace
}  // namespace tessera::test
