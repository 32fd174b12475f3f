// Steps of the CPU backend that move or combine memory their own way, against the reference evaluator: permuted
// dimensions, running totals, scatters over lanes, floats that become integers.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/hlo_text.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

// what: a step that must be among those that ran; "": any.
void expectMoved(const std::string& text, const std::string& what = "", bool exact = true,
                 const FillRule& rule = {5, 1.0, 50}) {
  const auto inspect = [&](Executable&, const Profile& profile) {
    const bool ran = std::ranges::any_of(profile.steps, [&](const StepProfile& s) { return s.what == what; });
    EXPECT_TRUE(what.empty() || ran) << what;
  };
  test::expectLikeEvaluator(
      text,
      {.fill = rule, .threads = {1, 3}, .closeness = exact ? test::kSameBits : test::Closeness{}, .inspect = inspect});
}

std::string transposeOf(const std::string& type, const std::string& from, const std::string& order,
                        const std::string& to) {
  return "HloModule m\n\nENTRY e {\n  a = " + type + "[" + from + "] parameter(0)\n  ROOT t = " + type + "[" + to +
         "] transpose(a), dimensions={" + order + "}\n}\n";
}

TEST(CpuMovement, PermutedDimensions) {
  for (const char* type : {"f32", "f64", "bf16", "s8", "pred", "c128"}) {
    expectMoved(transposeOf(type, "129,257", "1,0", "257,129"), "transpose");
    expectMoved(transposeOf(type, "3,40,5,70", "0,3,2,1", "3,70,5,40"), "transpose");
    expectMoved(transposeOf(type, "64,1,64,8", "3,2,1,0", "8,64,1,64"), "transpose");
  }
  expectMoved(transposeOf("f32", "4,5,6", "2,0,1", "6,4,5"));        // too small to gain
  expectMoved(transposeOf("f32", "40,50,64", "1,0,2", "50,40,64"));  // rows stay rows
}

std::string concatenateOf(const std::string& type, const std::vector<std::string>& pieces, const std::string& to,
                          int along) {
  std::string parameters, names;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    parameters += "  " + name + " = " + type + "[" + pieces[i] + "] parameter(" + std::to_string(i) + ")\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  return "HloModule m\n\nENTRY e {\n" + parameters + "  ROOT c = " + type + "[" + to + "] concatenate(" + names +
         "), dimensions={" + std::to_string(along) + "}\n}\n";
}

TEST(CpuMovement, PiecesOfRows) {
  for (const char* type : {"f32", "f64", "bf16", "s8", "pred", "c128"}) {
    expectMoved(concatenateOf(type, {"701,100", "701,0", "701,3", "701,16"}, "701,119", 1), "concatenate");
    expectMoved(concatenateOf(type, {"90,50,1", "90,50,1", "90,50,1"}, "90,50,3", 2), "concatenate");
    expectMoved(concatenateOf(type, {"300,7,3", "300,2,3"}, "300,9,3", 1), "concatenate");
  }
  expectMoved(concatenateOf("f32", {"700,80", "300,80"}, "1000,80", 0));        // one row
  expectMoved(concatenateOf("f32", {"50,9,100", "50,4,100"}, "50,13,100", 1));  // long runs
}

// Elementwise results larger than the last cache go past it in whole lines, their ends do not.
TEST(CpuMovement, ResultsBeyondTheCache) {
  // The end fills no vector.
  expectMoved("HloModule m\n\nENTRY e {\n  a = f64[4200037] parameter(0)\n  ROOT s = f64[4200037] add(a, a)\n}\n");
  expectMoved(
      "HloModule m\n\nENTRY e {\n  a = f64[2050,2064] parameter(0)\n  b = f64[2064] parameter(1)\n"
      "  bb = f64[2050,2064] broadcast(b), dimensions={1}\n  ROOT s = f64[2050,2064] add(a, bb)\n}\n");
}

TEST(CpuMovement, OnlyResultsBeyondTheCacheAreStreamed) {
  auto codeOf = [](const std::string& shape) {
    return test::rootStep("HloModule m\n\nENTRY e {\n  a = " + shape + " parameter(0)\n  ROOT s = " + shape +
                          " add(a, a)\n}\n")
        .irAfter;
  };
  EXPECT_EQ(codeOf("f32[4194304]").find("nontemporal"), std::string::npos);
  const std::string large = codeOf("f32[268435456]");
  EXPECT_NE(large.find("!nontemporal"), std::string::npos) << large;
  EXPECT_NE(large.find("fence seq_cst"), std::string::npos) << large;  // the lines are there when the step is over
}

// Results with non-temporal stores: lines of the result are whole, tiles at its ends are not.
TEST(CpuMovement, LargePermutedDimensions) {
  expectMoved(transposeOf("f32", "1040,2064", "1,0", "2064,1040"), "transpose");
  expectMoved(transposeOf("s8", "3,1600,1856", "0,2,1", "3,1856,1600"), "transpose");
  expectMoved(transposeOf("c128", "776,700", "1,0", "700,776"), "transpose");
  expectMoved(transposeOf("f32", "1041,2064", "1,0", "2064,1041"), "transpose");  // its lines begin anywhere
  expectMoved(transposeOf("bf16", "2,1500,1456", "2,0,1", "1456,2,1500"), "transpose");
  expectMoved(transposeOf("bf16", "2,1501,1472", "0,2,1", "2,1472,1501"), "transpose");
  expectMoved(transposeOf("bf16", "1472,3001", "1,0", "3001,1472"), "transpose");
  expectMoved(transposeOf("f64", "1032,1051", "1,0", "1051,1032"), "transpose");
  expectMoved(transposeOf("f32", "262144,9", "1,0", "9,262144"), "transpose");  // rows shorter than a line
  expectMoved(transposeOf("f32", "9,262144", "1,0", "262144,9"), "transpose");
}

// Large arrays whose rows stay rows are copied in the operand's order.
TEST(CpuMovement, LargePermutedRows) {
  expectMoved(transposeOf("f64", "5,24,90,112", "2,0,1,3", "90,5,24,112"), "transpose");
  expectMoved(transposeOf("c64", "70,60,256", "1,0,2", "60,70,256"), "transpose");
  expectMoved(transposeOf("c128", "31,33,2,512", "1,2,0,3", "33,2,31,512"), "transpose");
  expectMoved(transposeOf("c128", "30,140,130", "1,0,2", "140,30,130"));  // rows are no lines
}

std::string totals(const std::string& type, const std::string& dims, const std::string& op, const std::string& initial,
                   const std::string& window) {
  const std::string array = type + "[" + dims + "]";
  return "HloModule m\n\nr {\n  x = " + type + "[] parameter(0)\n  y = " + type +
         "[] parameter(1)\n  ROOT s = " + type + "[] " + op + "(x, y)\n}\n\nENTRY e {\n  a = " + array +
         " parameter(0)\n  z = " + type + "[] constant(" + initial + ")\n  w = " + array +
         " reduce-window(a, z), window={" + window + "}, to_apply=r\n  ROOT n = " + array + " negate(w)\n}\n";
}

TEST(CpuMovement, RunningTotals) {
  for (const char* type : {"s32", "s64"})
    for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
      expectMoved(totals(type, "7,100", op, "3", "size=1x100 pad=0_0x99_0"), "running totals");
      expectMoved(totals(type, "7,100", op, "3", "size=1x100 pad=0_0x0_99"), "running totals");
      expectMoved(totals(type, "90,70", op, "3", "size=90x1 pad=89_0x0_0"), "running totals");
      expectMoved(totals(type, "90,70", op, "3", "size=90x1 pad=0_89x0_0"), "running totals");
    }
  expectMoved(totals("f32", "3,1500", "add", "0.5", "size=1x1500 pad=0_0x1499_0"), "running totals", false);
  expectMoved(totals("f64", "5,9", "maximum", "-inf", "size=5x1 pad=4_0x0_0"), "running totals");
  for (const char* type : {"s8", "s16"})
    for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
      expectMoved(totals(type, "2,2100", op, "3", "size=1x2100 pad=0_0x2099_0"), "running totals");  // two blocks
      expectMoved(totals(type, "90,70", op, "3", "size=90x1 pad=0_89x0_0"), "running totals");
    }
  for (const char* type : {"bf16", "f16"}) {
    expectMoved(totals(type, "3,20", "add", "0.5", "size=1x20 pad=0_0x19_0"), "running totals", false, {5, 0.125, 50});
    expectMoved(totals(type, "2,2100", "maximum", "-inf", "size=1x2100 pad=0_0x2099_0"), "running totals");
    expectMoved(totals(type, "90,70", "minimum", "inf", "size=90x1 pad=0_89x0_0"), "running totals");
  }
  expectMoved(totals("c64", "3,300", "add", "(1, 2)", "size=1x300 pad=0_0x299_0"), "running totals", false);
  expectMoved(totals("s32", "6,6", "add", "0", "size=3x1 pad=2_0x0_0"));  // a window that forgets
}

// Longer than the reference can walk: sums of ones, forwards and backwards, in blocks on several threads.
TEST(CpuMovement, LongRunningTotals) {
  for (const bool reversed : {false, true}) {
    const std::string pad = reversed ? "0_99999" : "99999_0";
    const auto read = readHloText(
        "HloModule m\n\nr {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT s = s32[] add(x, "
        "y)\n}\n\nENTRY e {\n"
        "  a = s32[100000] parameter(0)\n  z = s32[] constant(0)\n  ROOT w = s32[100000] reduce-window(a, z), "
        "window={size=100000 pad=" +
        pad + "}, to_apply=r\n}\n");
    Literal ones = Literal::allocate(entryArgumentShapes(*read.module)[0]).value();
    std::ranges::fill(ones.mutableData<int32_t>(), 1);
    auto executable = makeBackend("cpu").value()->compile(*read.module).value();
    const auto out = executable->run(std::vector{ones}).value();
    for (int32_t i = 0; i < 100000; ++i)
      ASSERT_EQ(out[0].data<int32_t>()[static_cast<size_t>(i)], reversed ? 100000 - i : i + 1);
  }
}

std::string scatter(const std::string& type, const std::string& combiner, const std::string& shapes,
                    const std::string& attributes) {
  (void)shapes;
  return "HloModule m\n\nr {\n  x = " + type + "[] parameter(0)\n  y = " + type + "[] parameter(1)\n  " + combiner +
         "\n}\n\nENTRY e {\n" + shapes + attributes + "}\n";
}

// Rows that are hit several times keep the order of their updates; windows that overlap each other sideways do, too.
TEST(CpuMovement, ScattersOfRows) {
  const std::string add = "ROOT s = f32[] add(x, y)", last = "ROOT s = f32[] add(y, y)";
  const std::string rows =
      "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=r\n";
  for (const std::string& combiner : {add, last}) {
    expectMoved(scatter("f32", combiner,
                        "  t = f32[20,70] parameter(0)\n  i = s32[90,1] parameter(1)\n  u = f32[90,70] parameter(2)\n",
                        "  ROOT s = f32[20,70] scatter(t, i, u), " + rows));
    expectMoved(scatter("f32", combiner,
                        "  t = f32[20,90] parameter(0)\n  i = s32[90,2] parameter(1)\n  u = f32[90,40] parameter(2)\n",
                        "  ROOT s = f32[20,90] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=r\n"));
    expectMoved(scatter("f32", combiner,
                        "  t = f32[90] parameter(0)\n  i = s32[300,1] parameter(1)\n  u = f32[300,33] parameter(2)\n",
                        "  ROOT s = f32[90] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=r\n"));
  }
}

TEST(CpuMovement, FloatsBecomeIntegersWithinTheirRange) {
  const std::string values =
      "{0, -0, 0.5, -0.5, 1.99, -1.99, nan, -nan, inf, -inf, 127.5, 128, -128.5, -129, 255.9, 256, 32767.5, -32769, "
      "65536, "
      "2147483520, 2147483648, -2147483648, -2147483904, 4294967040, 4294967296, 9.2e18, 9.3e18, -9.3e18, 1.8e19, "
      "1.9e19, 3e38}";
  for (const char* from : {"f32", "f64"})
    for (const char* to : {"s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"}) {
      const std::string f = from, t = to;
      expectMoved("HloModule m\n\nENTRY e {\n  c = " + f + "[31] constant(" + values + ")\n  a = " + f +
                  "[31] parameter(0)\n  z = " + f + "[] constant(0)\n  zb = " + f +
                  "[31] broadcast(z), dimensions={}\n  n = " + f + "[31] multiply(a, zb)\n  v = " + f +
                  "[31] add(c, n)\n  ROOT r = " + t + "[31] convert(v)\n}\n");
    }
}

}  // namespace
}  // namespace tessera
