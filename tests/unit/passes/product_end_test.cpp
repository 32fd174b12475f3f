// What follows a product and is its end: a scale, a bias, max(x, 0), gelu(x); what is none of these; and that values
// stay.
#include "core/passes/fusion/product_end.h"

#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

constexpr const char* kDenseProduct =
    " x = f32[32,8] parameter(0)\n w = f32[8,32] parameter(1)\n b = f32[32] parameter(2)\n"
    " d = f32[32,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n zero = f32[] constant(0)\n"
    " zeros = f32[32,32] broadcast(zero), dimensions={}\n c = f32[] constant(0.25)\n"
    " cs = f32[32,32] broadcast(c), dimensions={}\n bias = f32[32,32] broadcast(b), dimensions={1}\n";

// Nothing: the pass changes nothing.
std::optional<ProductEnd> endIn(const std::string& text) {
  const Module source = moduleFrom(text);
  Module out = derive(source);
  const auto changed = fuseProductEnds(out);
  EXPECT_TRUE(changed.has_value()) << text;
  expectSameValues(source, out);
  std::optional<ProductEnd> found;
  for (InstructionId id : out.entryComputation().instructions)
    if (out.at(id).opcode == Opcode::Fusion) found = productEndOf(out, out.callees(out.at(id))[0]);
  EXPECT_EQ(found.has_value(), changed.value_or(false)) << text;
  return found;
}
std::optional<ProductEnd> endOf(const std::string& after) {
  return endIn(std::string("HloModule m\nENTRY e {\n") + kDenseProduct + after + "\n}\n");
}

TEST(PassesProductEnds, ScaleBiasAndFunctionInThisOrder) {
  const auto all =
      endOf(" s = f32[32,32] multiply(cs, d)\n a = f32[32,32] add(s, bias)\n ROOT r = f32[32,32] maximum(a, zeros)");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->scale, 0.25);
  EXPECT_TRUE(all->bias.valid());
  EXPECT_EQ(all->function, ProductFunction::Relu);
  const auto quotient = endOf(" ROOT r = f32[32,32] divide(d, cs)");
  ASSERT_TRUE(quotient);
  EXPECT_EQ(quotient->scale, 4);
  EXPECT_FALSE(quotient->bias.valid());
  const auto late = endOf(" a = f32[32,32] add(bias, d)\n ROOT r = f32[32,32] multiply(a, cs)");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->scale, 1);
  EXPECT_EQ(late->function, ProductFunction::None);
}
TEST(PassesProductEnds, ABiasAlongTheRowsIsNone) {
  EXPECT_FALSE(endOf(" t = f32[32,32] broadcast(b), dimensions={0}\n ROOT r = f32[32,32] add(d, t)"));
}
TEST(PassesProductEnds, AQuotientByTheProductIsNone) { EXPECT_FALSE(endOf(" ROOT r = f32[32,32] divide(cs, d)")); }
TEST(PassesProductEnds, AProductThatIsReadElsewhereStays) {
  EXPECT_FALSE(endOf(" a = f32[32,32] add(d, bias)\n ROOT r = (f32[32,32], f32[32,32]) tuple(a, d)"));
}

std::string geluText(const std::string& number) {
  return " q = f32[32,32] multiply(d, d)\n k = f32[32,32] multiply(q, d)\n l = f32[] constant(" + number +
         ")\n ls = f32[32,32] broadcast(l), dimensions={}\n p = f32[32,32] multiply(k, ls)\n i = f32[32,32] add(d, p)\n"
         " u = f32[] constant(0.797884583)\n us = f32[32,32] broadcast(u), dimensions={}\n"
         " j = f32[32,32] multiply(i, us)\n t = f32[32,32] tanh(j)\n o = f32[] constant(1)\n"
         " os = f32[32,32] broadcast(o), dimensions={}\n m = f32[32,32] add(t, os)\n h = f32[] constant(0.5)\n"
         " hs = f32[32,32] broadcast(h), dimensions={}\n n = f32[32,32] multiply(m, hs)\n"
         " ROOT r = f32[32,32] multiply(d, n)";
}
TEST(PassesProductEnds, GeluIsKnownByItsValues) {
  const auto gelu = endOf(geluText("0.044715"));
  ASSERT_TRUE(gelu);
  EXPECT_EQ(gelu->function, ProductFunction::Gelu);
  EXPECT_FALSE(endOf(geluText("0.05")));
}

// window: of the convolution.
std::optional<ProductEnd> endOfConvolution(const std::string& window, const std::string& after) {
  return endIn(
      "HloModule m\nENTRY e {\n x = f32[2,8,8,4] parameter(0)\n w = f32[3,3,4,16] parameter(1)\n"
      " b = f32[16] parameter(2)\n d = f32[2,8,8,16] convolution(x, w), window={" +
      window +
      "}, dim_labels=b01f_01io->b01f\n zero = f32[] constant(0)\n"
      " zeros = f32[2,8,8,16] broadcast(zero), dimensions={}\n"
      " bias = f32[2,8,8,16] broadcast(b), dimensions={3}\n" +
      after + "\n}\n");
}
TEST(PassesProductEnds, AConvolutionEndsWithABiasOfItsFeatures) {
  const char* const window = "size=3x3 pad=1_1x1_1";
  const auto relu =
      endOfConvolution(window, " a = f32[2,8,8,16] add(d, bias)\n ROOT r = f32[2,8,8,16] maximum(a, zeros)");
  ASSERT_TRUE(relu);
  EXPECT_TRUE(relu->bias.valid());
  EXPECT_EQ(relu->function, ProductFunction::Relu);
  EXPECT_FALSE(endOfConvolution(window, " ROOT r = f32[2,8,8,16] maximum(d, zeros)"));
  EXPECT_FALSE(endOfConvolution(window,
                                " v = f32[8] slice(b), slice={[0:8]}\n t = f32[2,8,8,16] broadcast(v), dimensions={2}\n"
                                " ROOT r = f32[2,8,8,16] add(d, t)"));
}
TEST(PassesProductEnds, AConvolutionToItsInputHasNone) {
  EXPECT_FALSE(
      endIn("HloModule m\nENTRY e {\n x = f32[2,8,8,4] parameter(0)\n w = f32[3,3,4,16] parameter(1)\n"
            " b = f32[16] parameter(2)\n d = f32[2,15,15,16] convolution(x, w), window={size=3x3 pad=1_1x1_1 "
            "lhs_dilate=2x2}, "
            "dim_labels=b01f_01io->b01f\n bias = f32[2,15,15,16] broadcast(b), dimensions={3}\n"
            " ROOT r = f32[2,15,15,16] add(d, bias)\n}\n"));
}

}  // namespace
}  // namespace tessera::test
