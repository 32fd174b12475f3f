// Plans of the CPU backend: bitcasts between layouts, buffers that steps share, fusions that a source brings along,
// and what cannot run. Values are the reference evaluator's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

Result<std::unique_ptr<Executable>> compileText(const std::string& text) {
  auto read = readHloText(text);
  if (!read.module) return fail("does not read");
  return makeBackend("cpu").value()->compile(*read.module);
}

std::vector<Shape> leafShapes(const Module& module) {
  std::vector<Shape> out;
  for (const ShapeLeaf& leaf : leavesOf(module.shapeOf(module.entryComputation().root))) out.push_back(*leaf.shape);
  return out;
}

// The arena is kept: the second run finds what the first one left.
void expectSameTwice(const std::string& text) { test::expectLikeEvaluator(text, {.runs = 2}); }

TEST(CpuPlan, BitcastsBetweenLayoutsMoveElements) {
  expectSameTwice(
      "HloModule m\n\nENTRY e {\n  a = f32[3,5]{1,0} parameter(0)\n  b = f32[5,3]{0,1} bitcast(a)\n"
      "  n = f32[5,3]{0,1} negate(b)\n  ROOT c = f32[3,5]{1,0} bitcast(n)\n}\n");
  expectSameTwice(
      "HloModule m\n\nENTRY e {\n  a = f32[4,6]{0,1} parameter(0)\n  ROOT b = f32[2,12]{1,0} bitcast(a)\n}\n");
}

TEST(CpuPlan, LayoutBitcastOfALoopCarry) {
  expectSameTwice(
      "HloModule m\n\nc {\n  p = (s32[], f32[4,4]{1,0}) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = "
      "s32[] constant(3)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nb {\n  p = (s32[], f32[4,4]{1,0}) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n  v = f32[4,4]{1,0} get-tuple-element(p), index=1\n  one = s32[] "
      "constant(1)\n"
      "  j = s32[] add(i, one)\n  t = f32[4,4]{0,1} bitcast(v)\n  w = f32[4,4]{1,0} copy(t)\n"
      "  ROOT r = (s32[], f32[4,4]{1,0}) tuple(j, w)\n}\n\nENTRY e {\n  z = s32[] constant(0)\n  a = f32[4,4]{1,0} "
      "parameter(0)\n"
      "  t = (s32[], f32[4,4]{1,0}) tuple(z, a)\n  w = (s32[], f32[4,4]{1,0}) while(t), condition=c, body=b\n"
      "  ROOT o = f32[4,4]{1,0} get-tuple-element(w), index=1\n}\n");
}

// Products that die in elementwise kernels of one and of several results are where those results will, and what has
// died before a result is computed in that result's memory.
TEST(CpuPlan, ResultsHoldWhatTheyAreComputedFrom) {
  const std::string product = "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const std::string head =
      "HloModule m\n\nadd {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT s = f32[] add(x, y)\n}\n\n"
      "ENTRY e {\n  a = f32[96,80] parameter(0)\n  b = f32[80,96] parameter(1)\n  z = f32[] constant(0)\n  d = "
      "f32[96,96] " +
      product;
  auto arenaOf = [&](const std::string& body) {
    expectSameTwice(head + body);
    auto executable = compileText(head + body);
    if (!executable) return INT64_MAX;
    int64_t bytes = (*executable)->peakBytes() - 2 * 96 * 80 * 4 - 4;
    for (const Shape& shape : leafShapes((*executable)->optimized())) bytes -= *shape.denseBytes();
    return bytes;
  };
  EXPECT_LE(arenaOf("  n = f32[96,96] tanh(d)\n  ROOT r = f32[96,96] multiply(n, n)\n}\n"), 0);
  EXPECT_LE(
      arenaOf(
          "  n = f32[96,96] tanh(d)\n  m = f32[96,96] cosine(d)\n  ROOT r = (f32[96,96], f32[96,96]) tuple(n, m)\n}\n"),
      0);
  EXPECT_LT(arenaOf("  s = f32[96] reduce(d, z), dimensions={0}, to_apply=add\n  w = f32[80,96] broadcast(s), "
                    "dimensions={1}\n  c = f32[80,96] multiply(b, w)\n"
                    "  ROOT r = f32[96,96] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"),
            96 * 96 * 4)
      << "the first product dies before";
}

TEST(CpuPlan, FusionsOfTheSource) {
  expectSameTwice(
      "HloModule m\n\nf {\n  a = f32[8,5] parameter(0)\n  b = f32[5,7] parameter(1)\n  c = f32[7,6] parameter(2)\n"
      "  d = f32[8,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  t = f32[8,7] tanh(d)\n"
      "  ROOT r = f32[8,6] dot(t, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n\nENTRY e {\n"
      "  a = f32[8,5] parameter(0)\n  b = f32[5,7] parameter(1)\n  c = f32[7,6] parameter(2)\n"
      "  ROOT r = f32[8,6] fusion(a, b, c), kind=kLoop, calls=f\n}\n");
}

// Both halves are read far outside of the operand if their conditions are not heeded.
TEST(CpuPlan, RollsAlongEitherDimension) {
  expectSameTwice(
      "HloModule m\n\nENTRY e {\n  a = f32[70,50] parameter(0)\n  t = f32[69,50] slice(a), slice={[1:70], [0:50]}\n"
      "  h = f32[1,50] slice(a), slice={[0:1], [0:50]}\n  r = f32[70,50] concatenate(t, h), dimensions={0}\n"
      "  u = f32[70,49] slice(r), slice={[0:70], [1:50]}\n  v = f32[70,1] slice(r), slice={[0:70], [0:1]}\n"
      "  w = f32[70,50] concatenate(u, v), dimensions={1}\n  ROOT s = f32[70,50] add(w, r)\n}\n");
}

// A minor dimension of 3: kernels walk such arrays in memory order, what is broadcast follows.
TEST(CpuPlan, ShortMinorDimensions) {
  expectSameTwice(
      "HloModule m\n\nENTRY e {\n  a = f32[5,7,9,3] parameter(0)\n  b = f32[3] parameter(1)\n  c = bf16[5,7,9,3] "
      "parameter(2)\n"
      "  d = f32[7,3] parameter(3)\n  bb = f32[5,7,9,3] broadcast(b), dimensions={3}\n"
      "  db = f32[5,7,9,3] broadcast(d), dimensions={1,3}\n  cc = f32[5,7,9,3] convert(c)\n  s = f32[5,7,9,3] add(a, "
      "bb)\n"
      "  t = f32[5,7,9,3] multiply(s, db)\n  ROOT u = f32[5,7,9,3] subtract(t, cc)\n}\n");
  expectSameTwice(
      "HloModule m\n\nENTRY e {\n  a = f64[40,5] parameter(0)\n  t = f64[5,40] transpose(a), dimensions={1,0}\n"
      "  u = f64[40,5] transpose(t), dimensions={1,0}\n  i = s32[40,5] iota(), iota_dimension=1\n  j = f64[40,5] "
      "convert(i)\n"
      "  r = f64[40,5] reverse(a), dimensions={0}\n  s = f64[40,5] add(a, j)\n  ROOT v = f64[40,5] multiply(s, "
      "r)\n}\n");
}

TEST(CpuPlan, MagnitudesOfExtremeComplexNumbers) {
  const char* text =
      "HloModule m\n\nENTRY e {{\n  a = {0}[20] parameter(0)\n  b = {0}[20] parameter(1)\n  c = {1}[20] complex(a, b)\n"
      "  ROOT r = {0}[20] abs(c)\n}}\n";
  auto check = [&](auto number, const std::string& real, const std::string& complex) {
    using T = decltype(number);
    std::string filled = text;
    for (size_t at; (at = filled.find("{0}")) != std::string::npos;) filled.replace(at, 3, real);
    for (size_t at; (at = filled.find("{1}")) != std::string::npos;) filled.replace(at, 3, complex);
    for (const char* twice : {"{{", "}}"})
      for (size_t at; (at = filled.find(twice)) != std::string::npos;) filled.erase(at, 1);
    using L = std::numeric_limits<T>;
    const T values[] = {
        0, -0.0, 3, -4, L::max(), L::min(), L::denorm_min(), L::infinity(), -L::infinity(), L::quiet_NaN()};
    Shape shape = Shape::arrayRowMajor(sizeof(T) == 4 ? ElementType::F32 : ElementType::F64, {20});
    Literal a = Literal::allocate(shape).value(), b = Literal::allocate(shape).value();
    auto executable = compileText(filled);
    ASSERT_TRUE(executable) << filled << executable.error().toString();
    for (int turn = 0; turn < 5; ++turn) {
      T *x = reinterpret_cast<T*>(a.mutableBytes().data()), *y = reinterpret_cast<T*>(b.mutableBytes().data());
      for (int i = 0; i < 20; ++i) {
        x[i] = values[i % 10];
        y[i] = values[(i * 3 + turn * 2 + i / 10) % 10];
      }
      std::vector<Literal> arguments = {a, b};
      auto found = (*executable)->run(arguments);
      ASSERT_TRUE(found);
      const T* out = reinterpret_cast<const T*>((*found)[0].bytes().data());
      for (int i = 0; i < 20; ++i) {
        // As XLA has it, a NaN beside an infinity stays one.
        T expected = std::isnan(x[i]) || std::isnan(y[i]) ? L::quiet_NaN() : std::hypot(x[i], y[i]);
        if (expected != expected)
          EXPECT_NE(out[i], out[i]);
        else if (std::isinf(expected))
          EXPECT_GE(out[i], L::max() * T(0.9999)) << x[i] << " " << y[i];
        else
          EXPECT_NEAR(out[i] / (expected == 0 ? 1 : expected), expected == 0 ? 0 : 1, 4 * L::epsilon())
              << x[i] << " " << y[i];
      }
    }
  };
  check(1.0f, "f32", "c64");
  check(1.0, "f64", "c128");
}

TEST(CpuPlan, DimensionsWithoutABoundAreUnsupported) {
  auto executable =
      compileText("HloModule m\n\nENTRY e {\n  a = f32[?] parameter(0)\n  ROOT b = f32[?] negate(a)\n}\n");
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(executable.error().message.find("without a bound"), std::string::npos);
}

TEST(CpuPlan, TooLargeIsSaidBeforeRunning) {
  auto executable = compileText(
      "HloModule m\n\nENTRY e {\n  a = f32[] parameter(0)\n"
      "  b = f32[1048576,1048576,4194304] broadcast(a), dimensions={}\n  ROOT c = f32[1048576,1048576,4194304] "
      "sqrt(b)\n}\n");
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().kind, ErrorKind::Runtime);
}

}  // namespace
}  // namespace tessera
