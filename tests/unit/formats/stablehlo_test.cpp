// StableHLO text: pretty and generic forms give the same programs, values are those of the definition, and errors have
// their place. Files that JAX printed are in the corpus tests.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/evaluate/evaluate.h"
#include "tests/unit/formats/stablehlo_text.h"

namespace tessera {
namespace {

using test::firstError;
using test::readGood;

// The one f32 vector that a program without arguments gives.
std::vector<float> floatValuesOf(std::string_view text) {
  auto outputs = evaluateModule(readGood(text), {});
  if (!outputs) {
    ADD_FAILURE() << outputs.error().toString();
    return {};
  }
  const auto data = outputs->at(0).data<float>();
  return {data.begin(), data.end()};
}

std::string body(std::string_view operations, std::string_view result) {
  return "module @m {\n  func.func public @main() -> " + std::string(result) + " {\n" + std::string(operations) +
         "  }\n}\n";
}

TEST(StableHlo, IsToldFromHloText) {
  EXPECT_TRUE(looksLikeStableHlo("module @jit_f attributes {mhlo.num_partitions = 1 : i32} {"));
  EXPECT_TRUE(looksLikeStableHlo("#loc = loc(unknown)\nmodule {"));
  EXPECT_TRUE(looksLikeStableHlo("\"builtin.module\"() ({"));
  EXPECT_TRUE(looksLikeStableHlo("// a comment\nfunc.func @main() {"));
  EXPECT_FALSE(looksLikeStableHlo("HloModule module"));
  EXPECT_FALSE(looksLikeStableHlo("module {\n  ROOT x = f32[] parameter(0)\n}"));
}

TEST(StableHlo, ResultAccuracyIsRead) {
  const auto exponential = [](std::string_view accuracy) {
    return "module @m {\n  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = "
           "stablehlo.exponential %a {result_accuracy = "
           "#stablehlo.result_accuracy<" +
           std::string(accuracy) + ">} : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}\n";
  };
  const auto printed = [&](std::string_view accuracy) { return printHloText(readGood(exponential(accuracy))); };
  EXPECT_NE(printed("mode = #stablehlo.result_accuracy_mode<HIGHEST>").find("result_accuracy={mode=highest}"),
            std::string::npos);
  EXPECT_NE(
      printed("atol = 1.000000e-03, rtol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>")
          .find("result_accuracy={tolerance={atol=0.001,rtol=1e-05,ulps=2}}"),
      std::string::npos);
  EXPECT_EQ(printed("mode = #stablehlo.result_accuracy_mode<DEFAULT>").find("result_accuracy"), std::string::npos);
  EXPECT_NE(
      firstError(exponential("mode = #stablehlo.result_accuracy_mode<SOME>")).find("result_accuracy has no such mode"),
      std::string::npos);
}

TEST(StableHlo, PrettyAndGenericFormsAreOneProgram) {
  constexpr std::string_view kPretty = R"(module @m {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, )"
                                       R"(DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : )"
                                       R"((tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.compare GT, %1, %1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %3 = stablehlo.slice %1 [0:2:1] : (tensor<2xf32>) -> tensor<2xf32>
    %4 = stablehlo.select %2, %1, %3 : tensor<2xi1>, tensor<2xf32>
    return %4 : tensor<2xf32>
  }
})";
  constexpr std::string_view kGeneric =
      R"("builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2xf32>, sym_name = )"
      R"("main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = )"
      R"(#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, )"
      R"(precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : )"
      R"((tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %cst = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%0, %cst) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = "stablehlo.compare"(%1, %1) <{compare_type = #stablehlo<comparison_type FLOAT>, )"
      R"(comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<2xf32>, tensor<2xf32>) )"
      R"(-> tensor<2xi1>
    %3 = "stablehlo.slice"(%1) <{limit_indices = array<i64: 2>, start_indices = array<i64: 0>, strides )"
      R"(= array<i64: 1>}> : (tensor<2xf32>) -> tensor<2xf32>
    %4 = "stablehlo.select"(%2, %1, %3) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%4) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ())";
  const std::string pretty = printHloText(readGood(kPretty)), generic = printHloText(readGood(kGeneric));
  EXPECT_NE(pretty.find("operand_precision={highest,default}"), std::string::npos);
  // But for the names that count instructions, and the reduction's.
  auto plain = [](std::string text) {
    std::string out;
    const size_t entry = text.find("ENTRY");
    for (size_t i = entry; i < text.size(); ++i)
      if (text[i] == '.' && std::isdigit(static_cast<unsigned char>(text[i + 1])))
        while (std::isdigit(static_cast<unsigned char>(text[i + 1]))) ++i;
      else
        out += text[i];
    for (const char* name : {"%region_add", "%reduce_region"})
      if (size_t at = out.find(name); at != std::string::npos) out.replace(at, std::string_view(name).size(), "%body");
    return out;
  };
  EXPECT_EQ(plain(pretty), plain(generic));
}

TEST(StableHlo, DenseValues) {
  EXPECT_EQ(
      floatValuesOf(body(
          "%0 = stablehlo.constant dense<[1.0, -2.5e+00, 0x7F800000]> : tensor<3xf32>\n return %0 : tensor<3xf32>\n",
          "tensor<3xf32>")),
      (std::vector<float>{1, -2.5f, INFINITY}));
  EXPECT_EQ(floatValuesOf(body(
                "%0 = stablehlo.constant dense<\"0x0000803F00000040\"> : tensor<2xf32>\n return %0 : tensor<2xf32>\n",
                "tensor<2xf32>")),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(floatValuesOf(body("%0 = stablehlo.constant dense<3.0> : tensor<2xf32>\n return %0 : tensor<2xf32>\n",
                               "tensor<2xf32>")),
            (std::vector<float>{3, 3}));
  EXPECT_EQ(
      floatValuesOf(
          body("%0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>\n return %0 : tensor<2xf32>\n",
               "tensor<2xf32>") +
          "{-#\n  dialect_resources: {\n    builtin: {\n      blob: \"0x040000000000803F00000040\"\n    }\n  }\n#-}\n"),
      (std::vector<float>{1, 2}));
}

TEST(StableHlo, ALoopCarriesWhatItsBodyCaptures) {
  EXPECT_EQ(floatValuesOf(body(R"(    %step = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf32>
    %twice = stablehlo.add %step, %step : tensor<2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %v = %step) : tensor<i32>, tensor<2xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.add %v, %twice : tensor<2xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<2xf32>
    }
    return %0#1 : tensor<2xf32>
)",
                               "tensor<2xf32>")),
            (std::vector<float>{7, 70}));
}

TEST(StableHlo, BranchesTakeWhatTheyCapture) {
  EXPECT_EQ(floatValuesOf(body(R"(    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = stablehlo.negate %a : tensor<2xf32>
    %i = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %a : tensor<2xf32>
    }, {
      %1 = stablehlo.add %b, %b : tensor<2xf32>
      stablehlo.return %1 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
)",
                               "tensor<2xf32>")),
            (std::vector<float>{-2, -4}));
}

// References: the C library, and tables of the functions.
TEST(StableHlo, ChloExpansions) {
  auto at = [](const char* op, const char* values) {
    return floatValuesOf(body("    %x = stablehlo.constant dense<" + std::string(values) +
                                  "> : tensor<4xf32>\n    %0 = chlo." + op +
                                  " %x : tensor<4xf32> -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n",
                              "tensor<4xf32>"));
  };
  const float x[] = {0.25f, -0.75f, 2.5f, 5.0f};
  auto near = [&](const std::vector<float>& found, double (*expected)(double)) {
    ASSERT_EQ(found.size(), 4u);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(found[i], expected(x[i]), 2e-6 * std::max(1e-12, std::fabs(expected(x[i]))) + 1e-12) << i;
  };
  near(at("erfc", "[0.25, -0.75, 2.5, 5.0]"), std::erfc);
  near(at("square", "[0.25, -0.75, 2.5, 5.0]"), [](double v) { return v * v; });
  near(at("atan", "[0.25, -0.75, 2.5, 5.0]"), std::atan);
  const std::vector<float> gamma = at("lgamma", "[0.25, -0.75, 2.5, 5.0]");
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(gamma[i], std::lgamma(static_cast<double>(x[i])), 5e-6) << i;
  const std::vector<float> psi = at("digamma", "[0.25, 1.0, 2.5, 5.0]");
  const double expectedPsi[] = {-4.2274535333762654, -0.57721566490153286, 0.70315664064524319, 1.5061176684318005};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(psi[i], expectedPsi[i], 5e-6) << i;
  const std::vector<float> inverse = at("erf_inv", "[0.25, -0.75, 0.999, 1.0]");
  EXPECT_NEAR(std::erf(inverse[0]), 0.25, 1e-6);
  EXPECT_NEAR(std::erf(inverse[1]), -0.75, 1e-6);
  EXPECT_NEAR(std::erf(inverse[2]), 0.999, 1e-6);
  EXPECT_EQ(inverse[3], INFINITY);
  const std::vector<float> bessel = at("bessel_i1e", "[-0.5, 3.0, 8.5, 100.0]");
  const double expectedBessel[] = {-0.15642080318487173, 0.19682671329730084, 0.13054935509459586, 0.03974415302513025};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(bessel[i], expectedBessel[i], 1e-6) << i;
}

TEST(StableHlo, ChloExpansionsOfTwoOperands) {
  auto at = [](const char* op, const char* left, const char* right) {
    return floatValuesOf(
        body("    %x = stablehlo.constant dense<" + std::string(left) +
                 "> : tensor<4xf32>\n    %y = stablehlo.constant dense<" + right + "> : tensor<4xf32>\n    %0 = chlo." +
                 op + " %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n",
             "tensor<4xf32>"));
  };
  const std::vector<float> zeta = at("zeta", "[2.0, 1.5, 4.0, 6.0]", "[1.0, 0.5, 3.5, 0.25]");
  const double expectedZeta[] = {1.6449340668482266, 4.776537947554834, 0.011717641469542009, 4096.270948064011};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(zeta[i] / expectedZeta[i], 1, 2e-6) << i;
  const std::vector<float> poles = at("zeta", "[1.0, 0.5, 2.0, 3.0]", "[1.0, 0.5, -1.0, -1.0]");
  EXPECT_EQ(poles[0], INFINITY);
  EXPECT_TRUE(std::isnan(poles[1]));
  EXPECT_EQ(poles[2], INFINITY);
  EXPECT_TRUE(std::isnan(poles[3]));
  const std::vector<float> psi = at("polygamma", "[0.0, 1.0, 2.0, 3.0]", "[1.5, 1.5, 2.5, 0.75]");
  const double expectedPsi[] = {0.03648997397857652, 0.9348022005446793, -0.23620405164172736, 19.763312534850606};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(psi[i], expectedPsi[i], 2e-5) << i;
}

// Exactly, as XLA:CPU has it.
TEST(StableHlo, ApproxTopK) {
  EXPECT_EQ(floatValuesOf(R"(module @m {
  func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func public @main() -> tensor<2xf32> {
    %x = stablehlo.constant dense<[3.0, 7.0, -1.0, 5.0]> : tensor<4xf32>
    %p = stablehlo.iota dim = 0 : tensor<4xi32>
    %f = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %n = stablehlo.constant dense<-1> : tensor<i32>
    %1:2 = stablehlo.custom_call @ApproxTopK(%x, %p, %f, %n) {called_computations = [@greater], )"
                          R"(mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 2 : i64}} : (tensor<4xf32>, )"
                          R"(tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %1#0 : tensor<2xf32>
  }
})"),
            (std::vector<float>{7, 5}));
}

TEST(StableHlo, NextAfter) {
  const std::vector<float> found =
      floatValuesOf(body(R"(    %x = stablehlo.constant dense<[1.0, 1.0, 0.0, -1.0]> : tensor<4xf32>
    %y = stablehlo.constant dense<[2.0, 0.0, -1.0, 1.0]> : tensor<4xf32>
    %0 = chlo.next_after %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
)",
                         "tensor<4xf32>"));
  EXPECT_EQ(found, (std::vector<float>{std::nextafterf(1, 2), std::nextafterf(1, 0), std::nextafterf(0, -1),
                                       std::nextafterf(-1, 1)}));
}

TEST(StableHlo, ArgumentFactsAndLocations) {
  const std::string text = printHloText(readGood(R"(#loc1 = loc("f.py":7:3)
#loc2 = loc("jit(f)/neg"(#loc1))
module @m attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, )"
                                                 R"(tf.aliasing_output = 0 : i32} loc("p['w']")) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32> loc(#loc2)
    return %0 : tensor<4xf32>
  }
})"));
  EXPECT_NE(text.find("input_output_alias={ {}: (0, {}, may-alias) }"), std::string::npos);
  EXPECT_NE(text.find("num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2]>}}"),
            std::string::npos);
  EXPECT_NE(text.find(R"(frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}]>"})"),
            std::string::npos);
  EXPECT_NE(text.find(R"(metadata={op_name="jit(f)/neg" source_file="f.py" source_line=7)"), std::string::npos);
  EXPECT_NE(text.find(R"(op_name="p[\'w\']")"), std::string::npos) << text;
}

// Words of a closed set are checked where they are read, not passed on.
TEST(StableHlo, UnknownWordsAreRefusedWhereTheyStand) {
  const auto error = [](std::string_view operation) {
    return firstError(
        "module @m {\n  func.func @main(%a: tensor<2x2xf32>, %u: tensor<2xui64>, %s: tensor<f32>, %n: tensor<1xi64>) "
        "-> tensor<2x2xf32> {\n    %0 = " +
        std::string(operation) + "\n    return %a : tensor<2x2xf32>\n  }\n}\n");
  };
  constexpr std::string_view kDot = " : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>";
  constexpr std::string_view kPretty = "stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], ";
  EXPECT_EQ(error(std::string(kPretty) + "precision = [HIGHEST, DEFAULT]" + std::string(kDot)), "");
  EXPECT_EQ(error(std::string(kPretty) + "precision = [HIGHEST, BEST]" + std::string(kDot)),
            "f.mlir:3:92: error: stablehlo.dot_general: precision has an unknown value; expected one of DEFAULT HIGH "
            "HIGHEST, found BEST");
  EXPECT_NE(
      error("\"stablehlo.dot\"(%a, %a) <{precision_config = [#stablehlo<precision LOW>, #stablehlo<precision HIGH>]}>" +
            std::string(kDot))
          .find("found LOW"),
      std::string::npos);
  EXPECT_NE(error(std::string(kPretty) +
                  "algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
                  "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 7, "
                  "allow_imprecise_accumulation = false>" +
                  std::string(kDot))
                .find("HLO has no such algorithm; expected for example tf32, tf32, f32 with 3 operations, found tf32, "
                      "tf32, f32 with 7"),
            std::string::npos);
  constexpr std::string_view kCompare = " : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>";
  EXPECT_EQ(error("stablehlo.compare  LT, %a, %a,  TOTALORDER" + std::string(kCompare)), "");
  EXPECT_EQ(error("stablehlo.compare  LS, %a, %a,  FLOAT" + std::string(kCompare)),
            "f.mlir:3:29: error: stablehlo.compare: comparison_direction has an unknown value; expected one of EQ NE "
            "GE GT LE LT, found LS");
  EXPECT_EQ(error("stablehlo.compare  LT, %a, %a,  REAL" + std::string(kCompare)),
            "f.mlir:3:42: error: stablehlo.compare: compare_type has an unknown value; expected one of NOTYPE FLOAT "
            "TOTALORDER SIGNED UNSIGNED, found REAL");
  EXPECT_NE(error("\"stablehlo.compare\"(%a, %a) <{comparison_direction = #stablehlo<comparison_direction LQ>}>" +
                  std::string(kCompare))
                .find("found LQ"),
            std::string::npos);
  EXPECT_NE(error("\"stablehlo.compare\"(%a, %a) {x = 1 : i64}" + std::string(kCompare))
                .find("comparison_direction is missing"),
            std::string::npos);
  EXPECT_NE(error("\"stablehlo.fft\"(%a) <{fft_length = array<i64: 2>, fft_type = #stablehlo<fft_type DFT>}> : "
                  "(tensor<2x2xf32>) -> tensor<2x2xf32>")
                .find("found DFT"),
            std::string::npos);
  EXPECT_NE(
      error("\"stablehlo.triangular_solve\"(%a, %a) <{transpose_a = #stablehlo<transpose MAYBE>}>" + std::string(kDot))
          .find("found MAYBE"),
      std::string::npos);
  EXPECT_NE(error("\"stablehlo.rng\"(%s, %s, %n) <{rng_distribution = #stablehlo<rng_distribution POISSON>}> : "
                  "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>")
                .find("found POISSON"),
            std::string::npos);
  EXPECT_NE(error("\"stablehlo.rng_bit_generator\"(%u) <{rng_algorithm = #stablehlo<rng_algorithm MERSENNE>}> : "
                  "(tensor<2xui64>) -> tensor<2xui64>")
                .find("found MERSENNE"),
            std::string::npos);
  EXPECT_NE(error("stablehlo.custom_call @f(%a) {api_version = 9 : i32} : (tensor<2x2xf32>) -> tensor<2x2xf32>")
                .find("expected 0 to 4, found 9"),
            std::string::npos);
}

TEST(StableHlo, ErrorsHaveTheirPlace) {
  EXPECT_EQ(firstError("module @m {\n  func.func @main() -> tensor<f32> {\n    return %x : tensor<f32>\n  }\n}\n")
                .substr(0, 16),
            "f.mlir:3:12: err");
  EXPECT_NE(firstError(body("    %0 = stablehlo.nonsense : tensor<f32>\n    return %0 : tensor<f32>\n", "tensor<f32>"))
                .find("f.mlir:3:10"),
            std::string::npos);
  EXPECT_NE(firstError(body("    %0 = stablehlo.constant dense<[1.0]> : tensor<2xf32>\n    return %0 : tensor<2xf32>\n",
                            "tensor<2xf32>"))
                .find("expected 2 elements, found 1"),
            std::string::npos);
  EXPECT_NE(firstError(body("    %0 = stablehlo.constant dense<1.0> : tensor<2xq32>\n", "tensor<f32>"))
                .find("unknown element type q32"),
            std::string::npos);
  EXPECT_NE(firstError("module @m {\n  func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.1:3>>) -> tensor<f32> {\n")
                .find("f.mlir:2:32: error: a type of another dialect"),
            std::string::npos);
  EXPECT_NE(firstError("module @m {\n  func.func @main(").find("f.mlir:2"), std::string::npos);
  EXPECT_NE(firstError("module @m {\n}\n").find("no function @main"), std::string::npos);
  EXPECT_NE(
      firstError(body("    %0 = func.call @main() : () -> tensor<f32>\n    return %0 : tensor<f32>\n", "tensor<f32>"))
          .find("calls itself"),
      std::string::npos);
  EXPECT_NE(firstError("module @m {\n  func.func @main() -> " + std::string(100000, '[')), "");
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "\"a.b\"() ({\n";
  EXPECT_NE(firstError("module @m {\n" + nested).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace tessera
