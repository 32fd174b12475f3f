// Sizes that follow: which dimensions are one and the same, what an edit of one says, what cannot follow and why.
#include <gtest/gtest.h>

#include "core/edit/resized_constant.h"
#include "core/edit/sizes/sizes.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"

namespace tessera {
namespace {

Module read(const std::string& body, const std::string& before = "") {
  ReadResult read = readHloText("HloModule m\n" + before + "\nENTRY main {\n" + body + "}\n");
  EXPECT_TRUE(read.module) << (read.diagnostics.empty() ? "" : read.diagnostics.items()[0].toString());
  inferModule(*read.module);
  EXPECT_FALSE(verify(*read.module).hasErrors());
  return std::move(*read.module);
}

struct Outcome {
  Module module;
  Resizing resizing;
  std::string shape(const char* name) const {
    return toString(module.shapeOf(module.findInstruction(name).value()), false);
  }
};

Outcome resized(const Module& module, const char* spot, int64_t size) {
  const Sizes sizes(module);
  const SizeWish wish{dimensionNamed(module, spot).value(), size};
  Resizing resizing = sizes.resized(std::span(&wish, 1)).value();
  auto done = apply(module, resizing.edit);
  EXPECT_TRUE(done) << done.error().toString();
  return {done ? done->module : module, std::move(resizing)};
}

void expectClean(const Outcome& outcome) {
  for (const auto& stop : outcome.resizing.stops) ADD_FAILURE() << stop.text;
  EXPECT_FALSE(verify(outcome.module).hasErrors());
}

TEST(Sizes, FlowsThroughBroadcastIotaReshapeAndReduce) {
  const Module m = read(R"(
  x = f32[4,6]{1,0} parameter(0)
  b = f32[6]{0} parameter(1)
  wide = f32[4,6]{1,0} broadcast(b), dimensions={1}
  sum = f32[4,6]{1,0} add(x, wide)
  flat = f32[24]{0} reshape(sum)
  count = s32[24]{0} iota(), iota_dimension=0
  numbers = f32[24]{0} convert(count)
  scaled = f32[24]{0} multiply(flat, numbers)
  ROOT back = f32[4,2,3]{2,1,0} reshape(scaled)
)");
  const Outcome out = resized(m, "x:0", 10);
  expectClean(out);
  EXPECT_EQ(out.shape("wide"), "f32[10,6]");
  EXPECT_EQ(out.shape("count"), "s32[60]");
  EXPECT_EQ(out.shape("back"), "f32[10,2,3]");
  EXPECT_EQ(out.shape("b"), "f32[6]");
}

TEST(Sizes, AMergedDimensionTakesTheFactorThatDivides) {
  const Module m = read(R"(
  x = f32[8,6]{1,0} parameter(0)
  ROOT heads = f32[8,2,3]{2,1,0} reshape(x)
)");
  const Outcome out = resized(m, "x:1", 12);
  expectClean(out);
  EXPECT_EQ(out.shape("heads"), "f32[8,2,6]");
}

TEST(Sizes, FlowsIntoCalledComputationsAndLoops) {
  const Module m = read(R"(
  x = f32[5]{0} parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[5]{0}) tuple(zero, x)
  loop = (s32[], f32[5]{0}) while(init), condition=cond, body=body
  y = f32[5]{0} get-tuple-element(loop), index=1
  ROOT z = f32[5]{0} call(y), to_apply=twice
)",
                        R"(
twice {
  t = f32[5]{0} parameter(0)
  ROOT tt = f32[5]{0} add(t, t)
}
body {
  s = (s32[], f32[5]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[5]{0} get-tuple-element(s), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  w = f32[5]{0} negate(v)
  ROOT r = (s32[], f32[5]{0}) tuple(n, w)
}
cond {
  cs = (s32[], f32[5]{0}) parameter(0)
  ci = s32[] get-tuple-element(cs), index=0
  limit = s32[] constant(3)
  ROOT go = pred[] compare(ci, limit), direction=LT
}
)");
  const Outcome out = resized(m, "z", 9);
  expectClean(out);
  EXPECT_EQ(out.shape("t"), "f32[9]");
  EXPECT_EQ(out.shape("cs"), "(s32[], f32[9])");
  EXPECT_EQ(out.shape("loop"), "(s32[], f32[9])");
}

TEST(Sizes, SlicesThatLieEndToEndAreParts) {
  const Module m = read(R"(
  x = f32[2,12]{1,0} parameter(0)
  q = f32[2,4]{1,0} slice(x), slice={[0:2],[0:4]}
  k = f32[2,4]{1,0} slice(x), slice={[0:2],[4:8]}
  v = f32[2,4]{1,0} slice(x), slice={[0:2],[8:12]}
  qk = f32[2,4]{1,0} add(q, k)
  ROOT r = f32[2,4]{1,0} multiply(qk, v)
)");
  const Outcome out = resized(m, "r:1", 5);
  expectClean(out);
  EXPECT_EQ(out.shape("x"), "f32[2,15]");
  EXPECT_EQ(printInstruction(out.module, out.module.findInstruction("v").value()).find("[10:15]") != std::string::npos,
            true);
}

TEST(Sizes, AShiftKeepsItsOffset) {
  const Module m = read(R"(
  x = f32[9]{0} parameter(0)
  a = f32[8]{0} slice(x), slice={[0:8]}
  b = f32[8]{0} slice(x), slice={[1:9]}
  ROOT d = f32[8]{0} subtract(b, a)
)");
  const Outcome out = resized(m, "x", 20);
  expectClean(out);
  EXPECT_EQ(out.shape("d"), "f32[19]");
}

TEST(Sizes, DotConvolutionConcatenateAndPad) {
  const Module m = read(R"(
  x = f32[4,8]{1,0} parameter(0)
  w = f32[8,16]{1,0} parameter(1)
  y = f32[4,16]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  both = f32[8,16]{1,0} concatenate(y, y), dimensions={0}
  zero = f32[] constant(0)
  ROOT padded = f32[11,16]{1,0} pad(both, zero), padding=1_2x0_0
)");
  const Outcome out = resized(m, "x:0", 6);
  expectClean(out);
  EXPECT_EQ(out.shape("padded"), "f32[15,16]");
  const Outcome inner = resized(m, "w:0", 3);
  expectClean(inner);
  EXPECT_EQ(inner.shape("x"), "f32[4,3]");
}

TEST(Sizes, DataOfAConstantCannotFollow) {
  const Module m = read(R"(
  x = f32[3]{0} parameter(0)
  c = f32[3]{0} constant({1, 5, 2})
  ones = f32[3]{0} constant({1, 1, 1})
  s = f32[3]{0} add(x, ones)
  ROOT r = f32[3]{0} multiply(s, c)
)");
  const Outcome out = resized(m, "x", 4);
  ASSERT_FALSE(out.resizing.stops.empty());
  EXPECT_EQ(out.resizing.stops[0].instruction, m.findInstruction("c").value());
  EXPECT_EQ(out.resizing.stops[0].text, "its data is given for f32[3]");
  EXPECT_EQ(out.shape("ones"), "f32[4]");
}

TEST(Sizes, NumbersThatMayMeanTheSizeAreOnlyOffered) {
  const Module m = read(R"(
  x = f32[16]{0} parameter(0)
  n = f32[] constant(16)
  root = f32[] constant(0.25)
  three = f32[] constant(3)
  sum = f32[] add(n, root)
  all = f32[] add(sum, three)
  wide = f32[16]{0} broadcast(all), dimensions={}
  ROOT r = f32[16]{0} add(x, wide)
)");
  const Sizes sizes(m);
  const SizeWish wish{dimensionNamed(m, "x").value(), 64};
  const Resizing plain = sizes.resized(std::span(&wish, 1)).value();
  ASSERT_EQ(plain.numbers.size(), 2u);
  EXPECT_EQ(plain.numbers[0].value, "64");
  EXPECT_EQ(plain.numbers[1].value, "0.125");
  const Resizing with = sizes.resized(std::span(&wish, 1), {plain.numbers[0].constant}).value();
  EXPECT_EQ(with.numbers.size(), 1u);
  EXPECT_EQ(with.edit.actions.size(), plain.edit.actions.size() + 1);
}

TEST(Sizes, EqualSizesThatNothingJoinsStayApart) {
  const Module m = read(R"(
  a = f32[7]{0} parameter(0)
  b = f32[7]{0} parameter(1)
  ROOT t = (f32[7]{0}, f32[7]{0}) tuple(a, b)
)");
  const Sizes sizes(m);
  const DimensionSpot a = dimensionNamed(m, "a").value(), b = dimensionNamed(m, "b").value();
  EXPECT_FALSE(sizes.same(a, b));
  EXPECT_TRUE(sizes.same(b, dimensionNamed(m, "t:1.0").value()));
  ASSERT_EQ(sizes.othersLike(a).size(), 1u);
  EXPECT_EQ(resized(m, "a", 3).shape("t"), "(f32[3], f32[7])");
}

TEST(Sizes, SaysWhatIsNoDimension) {
  const Module m = read("  ROOT a = f32[7,2]{1,0} parameter(0)\n");
  for (const char* words : {"", "b:0", "a", "a:2", "a:-3", "a:x", "a:1.0", "a:"})
    EXPECT_FALSE(dimensionNamed(m, words)) << words;
  EXPECT_EQ(dimensionNamed(m, "a:-1")->dimension, 1);
  const Sizes sizes(m);
  for (int64_t size : {int64_t{-1}, int64_t{1} << 60}) {
    const SizeWish wish{dimensionNamed(m, "a:0").value(), size};
    EXPECT_FALSE(sizes.resized(std::span(&wish, 1)));
  }
}

TEST(Regrow, RepeatsOrCountsOnOrNot) {
  const auto grown = [](const char* text, std::vector<int64_t> from, std::vector<int64_t> to) {
    const Literal literal = parseLiteral(text, Shape::arrayRowMajor(ElementType::S32, std::move(from))).value();
    const auto out = regrown(literal, Shape::arrayRowMajor(ElementType::S32, std::move(to)));
    return out ? printLiteral(*out) : "none";
  };
  EXPECT_EQ(grown("{3, 3}", {2}, {4}), "{3, 3, 3, 3}");
  EXPECT_EQ(grown("{1, 3, 5}", {3}, {5}), "{1, 3, 5, 7, 9}");
  EXPECT_EQ(grown("{1, 3, 6}", {3}, {5}), "none");
  EXPECT_NE(grown("{ { 1, 2 }, { 1, 2 } }", {2, 2}, {3, 2}), "none");
  EXPECT_EQ(grown("{ { 1, 2 }, { 1, 2 } }", {2, 2}, {2, 3}), "none");
}

}  // namespace
}  // namespace tessera
