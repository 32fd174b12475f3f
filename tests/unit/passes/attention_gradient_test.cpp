// The gradient of attention as kernels that compute the scores again: what is recognised, what keeps it apart, and that
// values stay.
#include "core/passes/fusion/attention_gradient.h"

#include <algorithm>

#include "core/passes/fusion/attention.h"
#include "tests/cuda/attention_case.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

AttentionCase gradientCase() {
  return {.name = "", .queries = 16, .keys = 32, .depth = 8, .width = 8, .hasGradient = true};
}

Module gradientModule(const std::string& text, bool changes, DeviceFusions device = {}) {
  const Module source = moduleFrom(text);
  Module out = derive(source);
  EXPECT_TRUE(fuseAttention(out, device)) << text;
  const auto changed = fuseAttentionGradient(out, device);
  EXPECT_TRUE(changed.has_value()) << text;
  EXPECT_EQ(changed.value_or(!changes), changes) << text;
  expectSameValues(source, out);
  return out;
}
Module gradientModule(const AttentionCase& c, bool changes) { return gradientModule(textOf(c), changes); }

int64_t resultsOf(const Module& module, InstructionId fusion) {
  const Shape& shape = module.shapeOf(fusion);
  return shape.isTuple() ? static_cast<int64_t>(shape.elements.size()) : 1;
}

int64_t fusionsOf(const Module& module) {
  return std::ranges::count_if(module.entryComputation().instructions,
                               [&](InstructionId id) { return module.at(id).opcode == Opcode::Fusion; });
}
// Instructions of the entry that give an array as large as the scores.
int64_t scoresOf(const Module& module) {
  return std::ranges::count_if(module.entryComputation().instructions, [&](InstructionId id) {
    const Shape& shape = module.shapeOf(id);
    return shape.isArray() && shape.elementCount() == 2 * 16 * 32 && shape.dimensions.size() == 3 &&
           shape.dimensions[2] == 32;
  });
}

// Maximum and sum of a row; its mean; values with the gradient of the queries; gradients of keys and values.
TEST(PassesAttentionGradient, StoresNoScores) {
  const Module out = gradientModule(gradientCase(), true);
  EXPECT_EQ(fusionsOf(out), 4);
  EXPECT_EQ(scoresOf(out), 0);
}
TEST(PassesAttentionGradient, TakesInAMask) {
  AttentionCase c = gradientCase();
  c.mask = kCausal;
  EXPECT_EQ(scoresOf(gradientModule(c, true)), 0);
}
// As jax differentiates a quotient.
TEST(PassesAttentionGradient, OfAQuotient) {
  std::string text = textOf(gradientCase());
  text = replaced(text, "  weighted = f32[2,16,32] multiply(dweights, weights)",
                  "  squares = f32[2,16] multiply(total, total)\n  one = f32[] constant(1)\n"
                  "  ones = f32[2,16] broadcast(one), dimensions={}\n  inverse = f32[2,16] divide(ones, squares)\n"
                  "  inverses = f32[2,16,32] broadcast(inverse), dimensions={0,1}\n"
                  "  part = f32[2,16,32] multiply(dweights, inverses)\n"
                  "  weighted = f32[2,16,32] multiply(part, powers)");
  text = replaced(text, "differences = f32[2,16,32] subtract(dweights, means)",
                  "less = f32[2,16] negate(mean)\n  lesses = f32[2,16,32] broadcast(less), dimensions={0,1}\n"
                  "  quotients = f32[2,16,32] divide(dweights, totals)\n"
                  "  differences = f32[2,16,32] add(quotients, lesses)");
  text = replaced(text, "dscores = f32[2,16,32] multiply(differences, weights)",
                  "dscores = f32[2,16,32] multiply(differences, powers)");
  EXPECT_EQ(scoresOf(gradientModule(text, true)), 0);
}
// Some arrays have their dimensions in another order.
TEST(PassesAttentionGradient, OfMovedScores) {
  std::string text = textOf(gradientCase());
  text = replaced(text,
                  "dnarrow = f32[2,16,32] dot(given, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
                  "rhs_batch_dims={0},\n      rhs_contracting_dims={2}",
                  "crossed = f32[2,32,16] dot(v, given), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
                  "rhs_batch_dims={0},\n      rhs_contracting_dims={2}\n"
                  "  dnarrow = f32[2,16,32] transpose(crossed), dimensions={0,2,1}");
  EXPECT_NE(text.find("crossed"), std::string::npos);
  EXPECT_EQ(scoresOf(gradientModule(text, true)), 0);
}
TEST(PassesAttentionGradient, WeightsThatAreAResultStay) {
  std::string text = textOf(gradientCase());
  text = replaced(text, "ROOT all = (", "ROOT all = (f32[2,16,32], ");
  text = replaced(text, "tuple(r,", "tuple(weights, r,");
  EXPECT_GT(scoresOf(gradientModule(text, false)), 0);
}
// The gradient of a bias that all heads share is a sum over the heads.
TEST(PassesAttentionGradient, OfABiasIsAKernel) {
  AttentionCase c = gradientCase();
  c.mask = kBias, c.hasBiasGradient = true;
  const Module out = gradientModule(c, true);
  EXPECT_EQ(fusionsOf(out), 5);
  EXPECT_EQ(scoresOf(out), 0);
}
// Of one that is the same for all queries, too: a sum over heads and queries.
TEST(PassesAttentionGradient, OfABiasOfKeysStays) {
  AttentionCase c = gradientCase();
  c.mask = kBias, c.hasBiasGradient = true;
  std::string text = textOf(c);
  text = replaced(text, "wideBias = f32[16,32] reduce(wideScores, wideZero), dimensions={0}",
                  "wideBias = f32[32] reduce(wideScores, wideZero), dimensions={0,1}");
  text = replaced(text, "dbias = f32[16,32]", "dbias = f32[32]");
  text = replaced(text, "ROOT all = (f32[16,32]", "ROOT all = (f32[32]");
  EXPECT_EQ(fusionsOf(gradientModule(text, false)), 0);
}
// One product that the device has no kernel for keeps all of the group apart.
TEST(PassesAttentionGradient, WithoutAKernelForEachProductStays) {
  const DeviceFusions device([](const Module& module, InstructionId fusion) -> Status {
    const auto& members = module.at(module.callees(module.at(fusion))[0]).instructions;
    const int64_t dots =
        std::ranges::count_if(members, [&](InstructionId id) { return module.at(id).opcode == Opcode::Dot; });
    return dots > 2 ? failUnsupported("three products") : Status{};
  });
  EXPECT_EQ(fusionsOf(gradientModule(textOf(gradientCase()), false, device)), 0);
}
TEST(PassesAttentionGradient, ReadersShareAKernelWhereThereIsOne) {
  const DeviceFusions device([](const Module& module, InstructionId fusion) -> Status {
    return resultsOf(module, fusion) > 1 ? failUnsupported("two results") : Status{};
  });
  EXPECT_EQ(fusionsOf(gradientModule(textOf(gradientCase()), true, device)), 7);
}
TEST(PassesAttentionGradient, FewKeysStay) {
  AttentionCase c = gradientCase();
  c.keys = 8;
  gradientModule(c, false);
}
// The product of powers without their sum is no attention.
TEST(PassesAttentionGradient, ProductsWithoutASoftmaxStay) {
  gradientModule(R"(HloModule m
ENTRY e {
  x = f32[16,8] parameter(0)
  w = f32[8,32] parameter(1)
  u = f32[32,8] parameter(2)
  s = f32[16,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  p = f32[16,32] exponential(s)
  ROOT r = f32[16,8] dot(p, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                 false);
}

}  // namespace
}  // namespace tessera::test
