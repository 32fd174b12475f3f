// Kernels of the CPU backend that transpose rows on the stack, and those whose short dimensions are unrolled, against
// the evaluator: short rows and ragged ones, distances between points, a reduction of two arrays; the same bits on one
// thread and on several.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "core/formats/hlo_text.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

void expectRowTile(const std::string& text) { test::expectLikeEvaluator(text, {.threads = {1, 2, 5}}); }

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& names) {
  for (const auto& [name, value] : names)
    for (size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
  return text;
}

// The A of x[A,D] by the B of y[B,D].
std::string distances(const std::string& type, int a, int b, int d) {
  return with(
      "HloModule m\n\nsum {\n  p = $T[] parameter(0)\n  q = $T[] parameter(1)\n  ROOT r = $T[] add(p, q)\n}\n\nENTRY e "
      "{\n"
      "  x = $T[$A,$D] parameter(0)\n  y = $T[$B,$D] parameter(1)\n  xb = $T[$A,$B,$D] broadcast(x), dimensions={0,2}\n"
      "  yb = $T[$A,$B,$D] broadcast(y), dimensions={1,2}\n  s = $T[$A,$B,$D] subtract(xb, yb)\n  q = $T[$A,$B,$D] "
      "multiply(s, s)\n"
      "  z = $T[] constant(0)\n  ROOT r = $T[$A,$B] reduce(q, z), dimensions={2}, to_apply=sum\n}\n",
      {{"$T", type}, {"$A", std::to_string(a)}, {"$B", std::to_string(b)}, {"$D", std::to_string(d)}});
}

TEST(CpuRowTile, SumsOfShortRows) {
  for (const char* type : {"f32", "f64", "s32"})
    for (int length : {4, 7, 8, 16, 17, 33, 48})
      for (int rows : {9, 17, 1003})
        expectRowTile(
            with("HloModule m\n\nsum {\n  p = $T[] parameter(0)\n  q = $T[] parameter(1)\n  ROOT r = $T[] add(p, "
                 "q)\n}\n\nENTRY e {\n"
                 "  x = $T[$R,$L] parameter(0)\n  z = $T[] constant(1)\n  ROOT r = $T[$R] reduce(x, z), "
                 "dimensions={1}, to_apply=sum\n}\n",
                 {{"$T", type}, {"$R", std::to_string(rows)}, {"$L", std::to_string(length)}}));
}

TEST(CpuRowTile, Distances) {
  expectRowTile(distances("f32", 64, 4096, 16));
  expectRowTile(distances("f32", 37, 101, 5));
  expectRowTile(distances("f32", 400, 16, 8));
  expectRowTile(distances("f32", 9, 133, 200));
  expectRowTile(distances("f64", 65, 77, 12));
  expectRowTile(distances("s32", 8, 500, 31));
  expectRowTile(distances("f32", 3, 50, 6));  // too few to keep a tile for
}

// The row is a part of a longer one, and each lane's begins behind a constant.
TEST(CpuRowTile, PartsOfRows) {
  expectRowTile(
      "HloModule m\n\nsum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT r = f32[] add(p, "
      "q)\n}\n\nENTRY e {\n"
      "  x = f32[6,70,40] parameter(0)\n  c = f32[6,61,21] slice(x), slice={[0:6], [4:65], [11:32]}\n  z = f32[] "
      "constant(0)\n"
      "  ROOT r = f32[6,61] reduce(c, z), dimensions={2}, to_apply=sum\n}\n");
}

TEST(CpuRowTile, PlaceOfTheLeast) {
  for (const char* dims : {"700,16", "53,9"}) {
    const std::string text(dims), rows = text.substr(0, text.find(','));
    expectRowTile(with(
        "HloModule m\n\nleast {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n  j = "
        "s32[] parameter(3)\n"
        "  l = pred[] compare(a, b), direction=LT\n  e = pred[] compare(a, b), direction=EQ\n  f = pred[] compare(i, "
        "j), direction=LT\n"
        "  ef = pred[] and(e, f)\n  t = pred[] or(l, ef)\n  v = f32[] select(l, a, b)\n  w = s32[] select(t, i, j)\n"
        "  ROOT r = (f32[], s32[]) tuple(v, w)\n}\n\nENTRY e {\n  x = f32[$D] parameter(0)\n  n = s32[$D] iota(), "
        "iota_dimension=1\n"
        "  z = f32[] constant(inf)\n  o = s32[] constant(0)\n"
        "  ROOT r = (f32[$R], s32[$R]) reduce(x, n, z, o), dimensions={1}, to_apply=least\n}\n",
        {{"$D", text}, {"$R", rows}}));
  }
}

// Forces between points: a sum over all points of what is the same for the coordinates, times their difference.
std::string forces(int points, int coordinates) {
  return with(
      "HloModule m\n\nsum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT r = f32[] add(p, "
      "q)\n}\n\nENTRY e {\n"
      "  x = f32[$N,$C] parameter(0)\n  m = f32[$N] parameter(1)\n  a = f32[$N,$N,$C] broadcast(x), dimensions={1,2}\n"
      "  b = f32[$N,$N,$C] broadcast(x), dimensions={0,2}\n  d = f32[$N,$N,$C] subtract(a, b)\n  q = f32[$N,$N,$C] "
      "multiply(d, d)\n"
      "  z = f32[] constant(0)\n  s = f32[$N,$N] reduce(q, z), dimensions={2}, to_apply=sum\n  h = f32[] "
      "constant(0.5)\n"
      "  hb = f32[$N,$N] broadcast(h), dimensions={}\n  t = f32[$N,$N] add(s, hb)\n  i = f32[$N,$N] rsqrt(t)\n  mb = "
      "f32[$N,$N] broadcast(m), dimensions={1}\n"
      "  w = f32[$N,$N] multiply(i, mb)\n  wb = f32[$N,$N,$C] broadcast(w), dimensions={0,1}\n  f = f32[$N,$N,$C] "
      "multiply(wb, d)\n"
      "  ROOT r = f32[$N,$C] reduce(f, z), dimensions={1}, to_apply=sum\n}\n",
      {{"$N", std::to_string(points)}, {"$C", std::to_string(coordinates)}});
}

TEST(CpuShortAxis, Forces) {
  for (int coordinates : {2, 3, 4})
    for (int points : {5, 64, 130}) expectRowTile(forces(points, coordinates));
}

TEST(CpuShortAxis, ForcesNeedNoMatrix) {
  const auto read = readHloText(forces(300, 3));
  ASSERT_TRUE(read.module);
  auto executable = test::compiled(*read.module, 2);
  ASSERT_TRUE(executable);
  EXPECT_LT(executable->peakBytes(), 40000);  // the points are 3600 bytes, the matrix would be 360000
}

// Loops of few rounds in a loop, with several dimensions and a reduction that is no sum.
TEST(CpuShortAxis, LoopsOfFewRounds) {
  expectRowTile(
      "HloModule m\n\nsum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT r = f32[] add(p, q)\n}\n\n"
      "most {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT r = f32[] maximum(p, q)\n}\n\nENTRY e {\n"
      "  x = f32[60,90,2,2] parameter(0)\n  z = f32[] constant(0)\n  m = f32[60,90] reduce(x, z), dimensions={2,3}, "
      "to_apply=most\n"
      "  s = f32[60] reduce(m, z), dimensions={1}, to_apply=sum\n  ROOT r = f32[60] negate(s)\n}\n");
}

// The product of the first and the last column of rows of two to four; the last row ends where its page may.
TEST(CpuColumns, OfShortRowsAreShuffledNotGathered) {
  for (const char* type : {"f32", "s32", "f64", "u64", "bf16", "c64"})
    for (const int width : {2, 3, 4})
      for (const int rows : {16, 1024, 1001}) {
        const std::string text =
            with(fmt::format("HloModule m\n\nENTRY e {{\n  x = $T[{0},{1}] parameter(0)\n"
                             "  a = $T[{0},1] slice(x), slice={{[0:{0}], [0:1]}}\n  b = $T[{0},1] slice(x), "
                             "slice={{[0:{0}], [{2}:{1}]}}\n  ar = $T[{0}] reshape(a)\n  br = $T[{0}] reshape(b)\n"
                             "  ROOT r = $T[{0}] multiply(ar, br)\n}}\n",
                             rows, width, width - 1),
                 {{"$T", type}});
        expectRowTile(text);
        if (rows != 1024 || std::string(type) != "f32") continue;
        EXPECT_EQ(test::rootStep(text).irBefore.find("masked.gather"), std::string::npos) << text;
      }
}

}  // namespace
}  // namespace tessera
