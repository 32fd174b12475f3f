// Sorts of the CPU backend against the reference evaluator: keys of every type, both directions, ties that must stay in
// order, rows along any dimension, long rows that threads share, comparators that are no order of numbers.
#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

void expectExact(const std::string& text, const FillRule& rule = {5, 1.0, 50}) {
  test::expectLikeEvaluator(text, {.fill = rule, .runs = 2, .closeness = test::kSameBits});
}

std::string comparator(const std::string& type, const std::string& second, const std::string& compare) {
  std::string out = "HloModule m\n\nc {\n  x = " + type + "[] parameter(0)\n  y = " + type + "[] parameter(1)\n";
  if (!second.empty()) out += "  v = " + second + "[] parameter(2)\n  w = " + second + "[] parameter(3)\n";
  return out + compare + "}\n\n";
}

// One array of the type, along the dimension, of dims "a,b".
std::string sortOf(const std::string& type, const std::string& dims, int dimension, const std::string& direction) {
  const std::string shape = type + "[" + dims + "]";
  return comparator(type, "", "  ROOT r = pred[] compare(x, y), direction=" + direction + "\n") +
         "ENTRY e {\n  a = " + shape + " parameter(0)\n  ROOT s = " + shape + " sort(a), dimensions={" +
         std::to_string(dimension) + "}, is_stable=true, to_apply=c\n}\n";
}

TEST(CpuSort, TypesDirectionsAndDimensions) {
  for (const char* type : {"f32", "f64", "f16", "bf16", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "pred"})
    for (const char* direction : {"LT", "GT"}) {
      expectExact(sortOf(type, "7,5", 1, direction));
      expectExact(sortOf(type, "300,3", 0, direction));
    }
}

TEST(CpuSort, ShortMiddlingAndLongRows) {
  for (const char* dims : {"1", "2", "64", "65", "4096", "4097", "70000", "200001"}) {
    expectExact(sortOf("f32", dims, 0, "LT"));
    expectExact(sortOf("s64", dims, 0, "GT"), {5, 1.0, 1000});
  }
  expectExact(sortOf("f32", "70000,2", 0, "LT"));
}

TEST(CpuSort, FewShortRows) {
  for (const char* dims : {"1,1", "3,2", "2,3", "7,1", "1,7", "5,3", "16,2"})
    for (int dimension : {0, 1}) expectExact(sortOf("f32", dims, dimension, "LT"));
}

// Signs, zeros of both signs, infinities and NaN, in total order and in that of front ends, which makes zeros and NaN
// alike.
TEST(CpuSort, SpecialValues) {
  const std::string values =
      "  a = f32[13] constant({1, -0, 0, nan, -inf, inf, -1, -nan, 0, -0, 1e-45, -1e-45, nan})\n";
  const std::string total = "  ROOT r = pred[] compare(x, y), direction=LT, type=TOTALORDER\n";
  const std::string same =
      "  z = f32[] constant(0)\n  n = f32[] constant(nan)\n  ex = pred[] compare(x, z), direction=EQ\n  ey = pred[] "
      "compare(y, z), direction=EQ\n"
      "  nx = pred[] compare(x, x), direction=NE\n  ny = pred[] compare(y, y), direction=NE\n  x1 = f32[] select(ex, "
      "z, x)\n  y1 = f32[] select(ey, z, y)\n"
      "  x2 = f32[] select(nx, n, x1)\n  y2 = f32[] select(ny, n, y1)\n  ROOT r = pred[] compare(x2, y2), "
      "direction=LT, type=TOTALORDER\n";
  for (const std::string& order : {total, same})
    expectExact(comparator("f32", "", order) + "ENTRY e {\n" + values +
                "  ROOT s = f32[13] sort(a), dimensions={0}, is_stable=true, to_apply=c\n}\n");
}

// Many rows: each thread makes the keys of a few at a time, on rows of every stride; the last group is a smaller one.
TEST(CpuSort, GroupsOfRows) {
  for (const char* type : {"f32", "s64", "u8"})
    for (const char* direction : {"LT", "GT"}) {
      expectExact(sortOf(type, "300,70", 1, direction));
      expectExact(sortOf(type, "37,70,9", 1, direction));
      expectExact(sortOf(type, "9,3,1000", 2, direction));
      expectExact(sortOf(type, "4097,5", 1, direction));
    }
  expectExact(comparator("s32", "f64", "  ROOT r = pred[] compare(x, y), direction=LT\n") +
              "ENTRY e {\n  a = s32[150,130] parameter(0)\n  b = f64[150,130] parameter(1)\n  ROOT s = (s32[150,130], "
              "f64[150,130]) sort(a, b), "
              "dimensions={1}, is_stable=true, to_apply=c\n}\n");
}

TEST(CpuSort, KeysOfFewRowsAreInMemory) {
  const auto read = readHloText(sortOf("f32", "4096,256", 1, "LT"));
  auto executable = makeBackend("cpu").value()->compile(*read.module);
  ASSERT_TRUE(executable) << executable.error().toString();
  EXPECT_LT((*executable)->peakBytes(), 9 << 20) << "the argument and the result are 8 MiB";
}

// Rows that are between each other: their keys are in the result.
TEST(CpuSort, RowsAcrossNeedLittleMemoryBesideResults) {
  for (const char* type : {"f32", "s32", "f64"}) {
    const auto read = readHloText(sortOf(type, "1000,256", 0, "LT"));
    CompileOptions options;
    options.threads = 2;
    auto executable = makeBackend("cpu").value()->compile(*read.module, options);
    ASSERT_TRUE(executable) << executable.error().toString();
    const int64_t bytes = 1000 * 256 * (type == std::string("f64") ? 8 : 4);
    EXPECT_LT((*executable)->peakBytes(), 2 * bytes + (128 << 10)) << type;
  }
}

TEST(CpuSort, RowsAcross) {
  for (const char* type : {"f32", "f64", "s16", "u8", "pred", "s64"})
    for (const char* dims : {"6,7,8", "65,33", "200,2,3"}) expectExact(sortOf(type, dims, 0, "GT"));
  expectExact(comparator("s16", "f64", "  ROOT r = pred[] compare(x, y), direction=LT\n") +
              "ENTRY e {\n  a = s16[150,130] parameter(0)\n  b = f64[150,130] parameter(1)\n  ROOT s = (s16[150,130], "
              "f64[150,130]) sort(a, b), "
              "dimensions={0}, is_stable=true, to_apply=c\n}\n");
}

// Many ties: the second array tells whether they kept their order.
TEST(CpuSort, CarriesOtherArraysAndIsStable) {
  for (const char* dims : {"50", "5000", "100000"})
    for (const char* second : {"s32", "f64", "u8", "c128"}) {
      const std::string n = dims, v = second;
      expectExact(comparator("s32", v, "  ROOT r = pred[] compare(x, y), direction=LT\n") + "ENTRY e {\n  a = s32[" +
                  n + "] parameter(0)\n  b = " + v + "[" + n + "] parameter(1)\n  i = s64[" + n +
                  "] iota(), iota_dimension=0\n  ROOT s = (s32[" + n + "], " + v + "[" + n +
                  "]) sort(a, b), dimensions={0}, is_stable=true, to_apply=c\n}\n");
    }
}

// Long rows are dealt into buckets by a sample: keys all over the range, few of them, all alike, in order, and most of
// them in so small a part of the range that one bucket has them.
TEST(CpuSort, LongRowsOfAnyDistribution) {
  const char* keys[] = {"multiply(i, p)",    "and(m, three)",          "and(i, zero)",    "add(i, zero)",
                        "subtract(zero, i)", "select(seldom, m, low)", "shift-left(m, i)"};
  for (const char* key : keys)
    for (const bool isPair : {false, true}) {
      const std::string array = "s32[140000]";
      const std::string constants = "  p = " + array + " broadcast(c1), dimensions={}\n  three = " + array +
                                    " broadcast(c2), dimensions={}\n  zero = " + array +
                                    " broadcast(c3), dimensions={}\n  many = " + array +
                                    " broadcast(c4), dimensions={}\n";
      const std::string result = isPair ? "(" + array + ", " + array + ")" : array;
      expectExact(comparator("s32", isPair ? "s32" : "", "  ROOT r = pred[] compare(x, y), direction=GT\n") +
                  "ENTRY e {\n  i = " + array +
                  " iota(), iota_dimension=0\n  c1 = s32[] constant(-1640531535)\n  c2 = s32[] constant(3)\n  c3 = "
                  "s32[] constant(0)\n  c4 = s32[] constant(4095)\n" +
                  constants + "  m = " + array + " multiply(i, p)\n  few = " + array +
                  " and(i, many)\n  seldom = pred[140000] compare(few, three), direction=LT\n  low = " + array +
                  " and(m, many)\n  k = " + array + " " + key + "\n  ROOT s = " + result + " sort(k" +
                  (isPair ? ", i" : "") + "), dimensions={0}, is_stable=true, to_apply=c\n}\n");
    }
}

// Buckets are in the results: beside arguments and results there is little.
TEST(CpuSort, LongRowsNeedLittleMemoryBesideResults) {
  const std::string total = "  ROOT r = pred[] compare(x, y), direction=LT, type=TOTALORDER\n";
  const std::string one =
      comparator("f32", "", total) +
      "ENTRY e {\n  a = f32[1048576] parameter(0)\n  ROOT s = f32[1048576] sort(a), dimensions={0}, to_apply=c\n}\n";
  const std::string two =
      comparator("f32", "s32", total) +
      "ENTRY e {\n  a = f32[1048576] parameter(0)\n  b = s32[1048576] parameter(1)\n"
      "  ROOT s = (f32[1048576], s32[1048576]) sort(a, b), dimensions={0}, is_stable=true, to_apply=c\n}\n";
  for (const auto& [text, arrays] : {std::pair(one, 2), std::pair(two, 4)}) {
    CompileOptions options;
    options.threads = 2;
    auto executable = makeBackend("cpu").value()->compile(*readHloText(text).module, options);
    ASSERT_TRUE(executable) << executable.error().toString();
    EXPECT_LT((*executable)->peakBytes(), (arrays << 22) + (1 << 20));
  }
}

// Permutations are in results of 4-byte elements, of which the arguments and the results are 1 MiB.
TEST(CpuSort, CallsNeedNoMemoryBesideResults) {
  const std::string body =
      "  l = pred[] compare(x, y), direction=LT\n  q = pred[] compare(x, y), direction=EQ\n  m = pred[] compare(v, w), "
      "direction=GT\n"
      "  ROOT r = pred[] select(q, m, l)\n";
  const std::string text =
      comparator("s32", "f32", body) +
      "ENTRY e {\n  a = s32[8,8192] parameter(0)\n  b = f32[8,8192] parameter(1)\n"
      "  ROOT s = (s32[8,8192], f32[8,8192]) sort(a, b), dimensions={1}, is_stable=true, to_apply=c\n}\n";
  expectExact(text);
  const auto read = readHloText(text);
  auto executable = makeBackend("cpu").value()->compile(*read.module);
  ASSERT_TRUE(executable) << executable.error().toString();
  EXPECT_EQ((*executable)->peakBytes(), 1 << 20);
}

// First by one array, then by the other: called, not keyed.
TEST(CpuSort, TwoKeys) {
  const std::string both =
      "  l = pred[] compare(x, y), direction=LT\n  q = pred[] compare(x, y), direction=EQ\n"
      "  m = pred[] compare(v, w), direction=GT\n  ROOT r = pred[] select(q, m, l)\n";
  for (const char* dims : {"3,7", "2,300", "1,20000"}) {
    const std::string n = dims;
    expectExact(comparator("s32", "f32", both) + "ENTRY e {\n  a = s32[" + n + "] parameter(0)\n  b = f32[" + n +
                "] parameter(1)\n  ROOT s = (s32[" + n + "], f32[" + n +
                "]) sort(a, b), dimensions={1}, is_stable=true, to_apply=c\n}\n");
  }
}

// A key that is computed, and one that looks at both elements.
TEST(CpuSort, ComputedKeys) {
  const std::string byMagnitude =
      "  p = f32[] multiply(x, x)\n  q = f32[] multiply(y, y)\n  ROOT r = pred[] compare(p, q), direction=GT\n";
  const std::string byDifference =
      "  d = f32[] subtract(x, y)\n  z = f32[] constant(0)\n  ROOT r = pred[] compare(d, z), direction=LT\n";
  for (const std::string& order : {byMagnitude, byDifference})
    expectExact(comparator("f32", "", order) +
                "ENTRY e {\n  a = f32[500] parameter(0)\n  ROOT s = f32[500] sort(a), dimensions={0}, is_stable=true, "
                "to_apply=c\n}\n");
}

}  // namespace
}  // namespace tessera
