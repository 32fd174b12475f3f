// Operations on constants become constants, within a limit of work.
#include "core/passes/simplify/fold_constants.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

TEST(PassesFoldConstants, SumsAndSortsOfConstantsWithinTheLimit) {
  const std::string text = R"(
sum { a = s32[] parameter(0)
 b = s32[] parameter(1)
 ROOT c = s32[] add(a, b) }
ENTRY e { x = s32[2,3] constant({{1,2,3},{4,5,6}})
 z = s32[] constant(10)
 s = s32[2] reduce(x, z), dimensions={1}, to_apply=sum
 p = s32[2] parameter(0)
 ROOT r = s32[2] add(s, p) }
)";
  const Changed c = after(text, {foldConstants});
  EXPECT_EQ(countOf(c.result, Opcode::Reduce), 0);
  const std::string spread =
      "ENTRY e { z = s32[] constant(10)\n b = s32[100000] broadcast(z), dimensions={}\n ROOT r = s32[100000] negate(b) "
      "}\n";
  EXPECT_FALSE(after(spread, {foldConstants}).changed);
}

// A constant of ones with these dimensions.
std::string ones(const std::string& name, const std::vector<int64_t>& dims) {
  std::string shape, value = "1";
  for (size_t d = dims.size(); d-- > 0;) {
    shape = std::to_string(dims[d]) + (shape.empty() ? "" : "," + shape);
    std::string row = "{" + value;
    for (int64_t i = 1; i < dims[d]; ++i) row += "," + value;
    value = row + "}";
  }
  return name + " = f32[" + shape + "] constant(" + value + ")\n";
}

// At most 2^20 operations a result.
TEST(PassesFoldConstants, ProductsAndWindowsWithinTheLimit) {
  const auto isFolded = [](const std::string& text) {
    Module m = moduleFrom(
        "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
        " ROOT c = f32[] add(a, b) }\nENTRY e { " +
        text + " }\n");
    return foldConstants(m).value();
  };
  const auto product = [&](int64_t n) {
    const std::string size = std::to_string(n) + "," + std::to_string(n);
    return isFolded(ones("x", {n, n}) + " ROOT r = f32[" + size +
                    "] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  };
  EXPECT_TRUE(product(32));
  EXPECT_FALSE(product(33));
  const auto convolution = [&](int64_t n) {
    return isFolded(ones("x", {1, 1, n}) + ones("k", {1, 1, 3}) + " ROOT r = f32[1,1," + std::to_string(n - 2) +
                    "] convolution(x, k), window={size=3}, dim_labels=bf0_oi0->bf0");
  };
  EXPECT_TRUE(convolution(1025));
  EXPECT_FALSE(convolution(1026));
  const auto windows = [&](int64_t n, int64_t size) {
    return isFolded(ones("x", {n}) + " z = f32[] constant(0)\n ROOT r = f32[" + std::to_string(n - size + 1) +
                    "] reduce-window(x, z), window={size=" + std::to_string(size) + "}, to_apply=sum");
  };
  EXPECT_TRUE(windows(600, 300));
  EXPECT_FALSE(windows(2048, 1024));
}

}  // namespace
}  // namespace tessera::test
