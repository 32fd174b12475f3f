// StableHLO with symbolic dimensions: sizes that follow from constants, from static arguments of callers and from shape
// arithmetic make the static program; sizes that depend on data are errors that say on what.
#include <gtest/gtest.h>

#include <string>

#include "core/evaluate/evaluate.h"
#include "tests/unit/formats/stablehlo_text.h"

namespace tessera {
namespace {

using test::firstError;
using test::readGood;

// A constant [[1, 2, 3], [4, 5, 6]] goes into @f, which does not know its sizes.
std::string poly(std::string_view operations, std::string_view type = "tensor<?x?xf32>", std::string_view others = "") {
  return "module @m {\n  func.func public @main() -> " + std::string(type) +
         " {\n    %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
         "    %0 = stablehlo.convert %c : (tensor<2x3xf32>) -> tensor<?x?xf32>\n    %1 = call @f(%0) : "
         "(tensor<?x?xf32>) -> " +
         std::string(type) + "\n    return %1 : " + std::string(type) +
         "\n  }\n  func.func private @f(%x: tensor<?x?xf32>) -> " + std::string(type) + " {\n" +
         "    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>\n"
         "    %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>\n"
         "    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n    %m1 = stablehlo.reshape %m : "
         "(tensor<i32>) -> tensor<1xi32>\n"
         "    %nm = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
         "    %zero2 = stablehlo.constant dense<0> : tensor<2xi32>\n    %one2 = stablehlo.constant dense<1> : "
         "tensor<2xi32>\n"
         "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" +
         std::string(operations) + "    return %r : " + std::string(type) + "\n  }\n" + std::string(others) + "}\n";
}

std::string valuesOf(std::string_view text) {
  auto outputs = evaluateModule(readGood(text), {});
  if (!outputs) return outputs.error().toString();
  std::string out = toString(outputs->at(0).shape(), false);
  for (float value : outputs->at(0).data<float>()) out += " " + std::to_string(static_cast<int>(value));
  return out;
}

TEST(StableHloDynamic, SizesComeFromTheCaller) {
  EXPECT_EQ(valuesOf(poly("    %r = stablehlo.add %x, %x : tensor<?x?xf32>\n")), "f32[2,3] 2 4 6 8 10 12");
  EXPECT_EQ(valuesOf(poly("    %i = stablehlo.dynamic_iota %nm, dim = 1 : (tensor<2xi32>) -> tensor<?x?xf32>\n"
                          "    %r = stablehlo.add %x, %i : tensor<?x?xf32>\n")),
            "f32[2,3] 1 3 5 4 6 8");
  EXPECT_EQ(valuesOf(poly("    %r = stablehlo.dynamic_broadcast_in_dim %zero, %nm, dims = [] : (tensor<f32>, "
                          "tensor<2xi32>) -> tensor<?x?xf32>\n")),
            "f32[2,3] 0 0 0 0 0 0");
  EXPECT_EQ(
      valuesOf(poly("    %k = stablehlo.multiply %n1, %m1 : tensor<1xi32>\n"
                    "    %r = stablehlo.dynamic_reshape %x, %k : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>\n",
                    "tensor<?xf32>")),
      "f32[6] 1 2 3 4 5 6");
}

TEST(StableHloDynamic, PartsAndWindowsComeFromOperands) {
  EXPECT_EQ(valuesOf(poly("    %r = stablehlo.dynamic_pad %x, %zero, %one2, %zero2, %zero2 : (tensor<?x?xf32>, "
                          "tensor<f32>, tensor<2xi32>, "
                          "tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>\n")),
            "f32[3,4] 0 0 0 0 0 1 2 3 0 4 5 6");
  EXPECT_EQ(valuesOf(poly("    %r = stablehlo.real_dynamic_slice %x, %one2, %nm, %one2 : (tensor<?x?xf32>, "
                          "tensor<2xi32>, tensor<2xi32>, "
                          "tensor<2xi32>) -> tensor<?x?xf32>\n")),
            "f32[1,2] 5 6");
  EXPECT_EQ(
      valuesOf(poly(
          "    %i = stablehlo.constant dense<1> : tensor<1xi32>\n    %s = stablehlo.concatenate %i, %m1, dim = 0 : "
          "(tensor<1xi32>, "
          "tensor<1xi32>) -> tensor<2xi32>\n    %r = \"stablehlo.dynamic_gather\"(%x, %i, %s) <{dimension_numbers = "
          "#stablehlo.gather<offset_dims = [0, 1], start_index_map = [0]>}> : (tensor<?x?xf32>, tensor<1xi32>, "
          "tensor<2xi32>) -> "
          "tensor<?x?xf32>\n")),
      "f32[1,3] 4 5 6");
  EXPECT_EQ(
      valuesOf(poly(
          "    %k = stablehlo.constant dense<1.0> : tensor<1x2x1x1xf32>\n    %p = stablehlo.constant dense<[[0, 0], "
          "[1, 0]]> : "
          "tensor<2x2xi32>\n    %one1 = stablehlo.constant dense<1> : tensor<1xi32>\n"
          "    %s = stablehlo.concatenate %one1, %n1, %m1, %one1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, "
          "tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>\n"
          "    %y = stablehlo.dynamic_reshape %x, %s : (tensor<?x?xf32>, tensor<4xi32>) -> tensor<1x?x?x1xf32>\n"
          "    %z = \"stablehlo.dynamic_conv\"(%y, %k, %p) <{batch_group_count = 1 : i64, dimension_numbers = "
          "#stablehlo.conv<[b, 0, 1, "
          "f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x?x?x1xf32>, "
          "tensor<1x2x1x1xf32>, "
          "tensor<2x2xi32>) -> tensor<1x?x?x1xf32>\n"
          "    %r = stablehlo.dynamic_reshape %z, %nm : (tensor<1x?x?x1xf32>, tensor<2xi32>) -> tensor<?x?xf32>\n")),
      "f32[2,3] 1 3 5 4 9 11");
}

TEST(StableHloDynamic, CustomCallsStandForOperations) {
  EXPECT_EQ(valuesOf(poly("    %k = stablehlo.subtract %m, %n : tensor<i32>\n    %t:2 = stablehlo.custom_call "
                          "@stablehlo.dynamic_top_k(%x, %k) {api_version = "
                          "2 : i32} : (tensor<?x?xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)\n    %r = "
                          "stablehlo.negate %t#0 : tensor<?x?xf32>\n")),
            "f32[2,1] -3 -6");
  EXPECT_EQ(valuesOf(poly("    %w = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n    %p = stablehlo.constant "
                          "dense<0> : tensor<2x2xi32>\n"
                          "    %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %w, %one2, "
                          "%one2, %one2, %p) {api_version = 2 : i32, "
                          "called_computations = [@sum]} : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, "
                          "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, "
                          "tensor<2x2xi32>) -> tensor<?x?xf32>\n",
                          "tensor<?x?xf32>",
                          "  func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n    %0 = "
                          "stablehlo.add %a, %b : tensor<f32>\n"
                          "    return %0 : tensor<f32>\n  }\n")),
            "f32[2,2] 3 5 9 11");
  const std::string bits =
      printHloText(readGood(poly("    %s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>\n    %t:2 = "
                                 "stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %nm) "
                                 "{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, "
                                 "tensor<2xi32>) -> (tensor<2xui64>, tensor<?x?xui32>)\n"
                                 "    %r = stablehlo.convert %t#1 : (tensor<?x?xui32>) -> tensor<?x?xf32>\n")));
  EXPECT_NE(bits.find("(u64[2]{0}, u32[2,3]{1,0}) rng-bit-generator("), std::string::npos) << bits;
}

TEST(StableHloDynamic, ShapeOperandsOfACallAreTakenAway) {
  const std::string text =
      printHloText(readGood(poly("    %r = stablehlo.custom_call @mine(%x, %nm) {indices_of_shape_operands = "
                                 "dense<[1]> : tensor<1xi64>, operand_layouts = [dense<[1, 0]> : "
                                 "tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : "
                                 "tensor<2xindex>]} : (tensor<?x?xf32>, tensor<2xi32>) -> "
                                 "tensor<?x?xf32>\n")));
  EXPECT_NE(text.find("f32[2,3]{1,0} custom-call(%x."), std::string::npos) << text;
  EXPECT_NE(text.find("operand_layout_constraints={f32[2,3]{1,0}}"), std::string::npos) << text;
}

TEST(StableHloDynamic, AssertionsAreAnswered) {
  auto asserted = [](const char* direction) {
    return poly("    %one = stablehlo.constant dense<2> : tensor<i32>\n    %p = stablehlo.compare " +
                std::string(direction) +
                ", %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.custom_call "
                "@shape_assertion(%p, %n, %m) {api_version = 2 : i32, "
                "error_message = \"expected {0} to be less than two, at {1}\", has_side_effect = true} : (tensor<i1>, "
                "tensor<i32>, tensor<i32>) -> ()\n"
                "    %r = stablehlo.negate %x : tensor<?x?xf32>\n");
  };
  EXPECT_EQ(valuesOf(asserted("GE")), "f32[2,3] -1 -2 -3 -4 -5 -6");
  EXPECT_NE(firstError(asserted("LT"))
                .find("f.mlir:19:5: error: stablehlo.custom_call: expected 2 to be less than two, at 3"),
            std::string::npos)
      << firstError(asserted("LT"));
}

// Constants go through calls, which may be in functions that know all their sizes.
TEST(StableHloDynamic, ShapeArithmeticGoesThroughCalls) {
  EXPECT_EQ(valuesOf(poly("    %h = call @half(%n) : (tensor<i32>) -> tensor<i32>\n    %h1 = stablehlo.reshape %h : "
                          "(tensor<i32>) -> tensor<1xi32>\n"
                          "    %r = call @ones(%h1) : (tensor<1xi32>) -> tensor<?xf32>\n",
                          "tensor<?xf32>",
                          "  func.func private @half(%a: tensor<i32>) -> tensor<i32> {\n    %c = stablehlo.constant "
                          "dense<2> : tensor<i32>\n"
                          "    %0 = stablehlo.divide %a, %c : tensor<i32>\n    return %0 : tensor<i32>\n  }\n"
                          "  func.func private @ones(%a: tensor<1xi32>) -> tensor<?xf32> {\n    %c = "
                          "stablehlo.constant dense<1.0> : tensor<f32>\n"
                          "    %0 = stablehlo.dynamic_broadcast_in_dim %c, %a, dims = [] : (tensor<f32>, "
                          "tensor<1xi32>) -> tensor<?xf32>\n"
                          "    return %0 : tensor<?xf32>\n  }\n")),
            "f32[1] 1");
}

TEST(StableHloDynamic, LoopsAndBranchesCarrySizes) {
  EXPECT_EQ(valuesOf(poly("    %i0 = stablehlo.constant dense<0> : tensor<i32>\n    %l:2 = stablehlo.while(%i = %i0, "
                          "%v = %x) : tensor<i32>, tensor<?x?xf32>\n"
                          "    cond {\n      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> "
                          "tensor<i1>\n      stablehlo.return %p : tensor<i1>\n"
                          "    } do {\n      %k = stablehlo.constant dense<1> : tensor<i32>\n      %j = stablehlo.add "
                          "%i, %k : tensor<i32>\n"
                          "      %w = stablehlo.add %v, %x : tensor<?x?xf32>\n      stablehlo.return %j, %w : "
                          "tensor<i32>, tensor<?x?xf32>\n    }\n"
                          "    %q = stablehlo.compare LT, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "    %r = \"stablehlo.if\"(%q) ({\n      stablehlo.return %l#1 : tensor<?x?xf32>\n    }, {\n "
                          "     stablehlo.return %x : tensor<?x?xf32>\n"
                          "    }) : (tensor<i1>) -> tensor<?x?xf32>\n")),
            "f32[2,3] 3 6 9 12 15 18");
}

TEST(StableHloDynamic, BoundedSizesAreSet) {
  const std::string text = printHloText(
      readGood("module @m {\n  func.func public @main(%s: tensor<1xi32>, %x: tensor<6xf32>) -> tensor<?xf32, "
               "#stablehlo.bounds<6>> {\n"
               "    %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<6>>\n"
               "    %y = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<1xi32>) -> tensor<?xf32, "
               "#stablehlo.bounds<6>>\n"
               "    %r = stablehlo.add %i, %y : tensor<?xf32, #stablehlo.bounds<6>>\n    return %r : tensor<?xf32, "
               "#stablehlo.bounds<6>>\n  }\n}\n"));
  EXPECT_NE(text.find("f32[<=6]{0} set-dimension-size("), std::string::npos) << text;
  EXPECT_NE(text.find("f32[<=6]{0} dynamic-reshape("), std::string::npos) << text;
}

TEST(StableHloDynamic, WhatDependsOnDataSaysOnWhat) {
  const std::string data = firstError(
      "module @m {\n  func.func public @main(%s: tensor<1xi32>) -> tensor<?xf32> {\n"
      "    %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n    return %r : tensor<?xf32>\n "
      " }\n}\n");
  EXPECT_EQ(data,
            "f.mlir:3:10: error: stablehlo.dynamic_iota: operand 0, %s, is no constant; expected integers that follow "
            "from constants and static "
            "sizes, found a value that depends on the argument %s, s32[1]");
  const std::string size = firstError(
      "module @m {\n  func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n    %n1 = stablehlo.reshape "
      "%n : (tensor<i32>) -> tensor<1xi32>\n"
      "    %r = stablehlo.dynamic_reshape %x, %n1 : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>\n    return %r : "
      "tensor<?xf32>\n  }\n}\n");
  EXPECT_NE(size.find("operand 1, %n1, is no constant"), std::string::npos) << size;
  EXPECT_NE(size.find("found a value that depends on a size of f32[?], which is not fixed"), std::string::npos) << size;
  EXPECT_NE(firstError(poly("    %r = stablehlo.dynamic_broadcast_in_dim %zero, %nm, dims = [] : (tensor<f32>, "
                            "tensor<2xi32>) -> tensor<?x4xf32>\n",
                            "tensor<?x4xf32>"))
                .find("do not fit the result; expected f32[?,4], found [2, 3]"),
            std::string::npos);
}

// 2^40 applications are not made: the value counts as unknown.
TEST(StableHloDynamic, FoldingIsBounded) {
  std::string text =
      "module @m {\n  func.func public @main() -> tensor<?xf32> {\n    %c = stablehlo.constant dense<1> : "
      "tensor<1xi32>\n"
      "    %n = call @f0(%c) : (tensor<1xi32>) -> tensor<1xi32>\n    %r = stablehlo.dynamic_iota %n, dim = 0 : "
      "(tensor<1xi32>) -> tensor<?xf32>\n"
      "    return %r : tensor<?xf32>\n  }\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "call @f" + std::to_string(i + 1) + "(%a) : (tensor<1xi32>) -> tensor<1xi32>\n";
    text += "  func.func private @f" + std::to_string(i) + "(%a: tensor<1xi32>) -> tensor<1xi32> {\n    %0 = " + next +
            "    %1 = " + next +
            "    %2 = stablehlo.maximum %0, %1 : tensor<1xi32>\n    return %2 : tensor<1xi32>\n  }\n";
  }
  text += "  func.func private @f40(%a: tensor<1xi32>) -> tensor<1xi32> {\n    return %a : tensor<1xi32>\n  }\n}\n";
  EXPECT_NE(firstError(text).find("operand 0, %n, is no constant"), std::string::npos) << firstError(text);
}

}  // namespace
}  // namespace tessera
