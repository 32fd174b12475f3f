// Comparing value by value: where two ways to compute the same part, where NaN comes from, and reproducers that show
// it.
#include "backends/value_compare.h"

#include "backends/bisect.h"
#include "backends/precision.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera::value_compare_tests {
namespace {

using test::moduleOf;

const std::string kHead = "HloModule m\n\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n";

std::vector<Literal> filled(const Module& module) {
  std::vector<Literal> out;
  for (const Shape& shape : entryArgumentShapes(module))
    out.push_back(fillParameter(shape, out.size(), FillRule{.scale = 1}).value());
  return out;
}

ValueComparison compared(const Module& left, const Module& right, const std::string& backend = "evaluator",
                         const std::string& other = "evaluator", const ComparedTolerance& tolerance = {}) {
  const DiffResult pairs = diff(left, right);
  const std::vector<Literal> arguments = filled(left);
  const auto given = argumentsFor(right, left, arguments, pairs);
  EXPECT_TRUE(given) << (given ? "" : given.error().toString());
  if (!given) return {};
  const auto found = compareValues({&left, backend, arguments}, {&right, other, *given}, pairs, tolerance);
  EXPECT_TRUE(found) << (found ? "" : found.error().toString());
  return found ? *found : ValueComparison();
}
std::string nameOf(const Module& module, const ValueComparison& found, const std::optional<size_t>& row) {
  return row ? std::string(module.at(found.values[*row].left).name) : "none";
}

TEST(ValueCompare, BackendsAgree) {
  const Module module =
      moduleOf(kHead + "  s = f32[4] add(x, y)\n  t = f32[4] tanh(s)\n  ROOT r = f32[4] multiply(t, y)\n}\n");
  const ValueComparison found = compared(module, module, "evaluator", "cpu");
  EXPECT_EQ(found.values.size(), 5u);
  EXPECT_EQ(found.differing, 0);
  EXPECT_TRUE(found.resultsEqual);
  EXPECT_FALSE(found.first);
}
TEST(ValueCompare, VersionsPartAtTheEdit) {
  const auto whole = [](const char* factor) {
    return moduleOf(kHead + "  s = f32[4] add(x, y)\n  c = f32[] constant(" + factor +
                    ")\n  b = f32[4] broadcast(c), dimensions={}\n  m = f32[4] multiply(s, b)\n  n = f32[4] negate(s)\n"
                    "  ROOT r = (f32[4], f32[4]) tuple(m, n)\n}\n");
  };
  const Module a = whole("2"), b = whole("2.5");
  const ValueComparison found = compared(a, b);
  EXPECT_EQ(nameOf(a, found, found.first), "c");
  EXPECT_EQ(found.differing, 3) << "c, b and m";
  EXPECT_FALSE(found.resultsEqual);
  ASSERT_EQ(found.path.size(), 3u);
  EXPECT_EQ(nameOf(a, found, found.path[2]), "m");
}
TEST(ValueCompare, ADifferenceThatGoesAgainLeavesTheResults) {
  const Module a = moduleOf(kHead + "  s = f32[4] add(x, y)\n  ROOT r = f32[4] abs(s)\n}\n");
  const Module b = moduleOf(kHead + "  s = f32[4] add(x, y)\n  n = f32[4] negate(s)\n  ROOT r = f32[4] abs(n)\n}\n");
  const ValueComparison found = compared(a, b);
  EXPECT_EQ(found.differing, 0) << "what was inserted has no partner";
  EXPECT_TRUE(found.resultsEqual);
}
TEST(ValueCompare, ThePathGoesOnWhereTheErrorIsSmallForAWhile) {
  const auto whole = [](const char* factor) {
    return moduleOf(kHead + "  f = f32[] constant(" + factor +
                    ")\n  fs = f32[4] broadcast(f), dimensions={}\n  k = f32[4] multiply(x, fs)\n"
                    "  g = f32[] constant(1000)\n  gs = f32[4] broadcast(g), dimensions={}\n  s = f32[4] add(k, gs)\n"
                    "  side = f32[4] negate(s)\n  d = f32[4] subtract(s, gs)\n"
                    "  ROOT r = (f32[4], f32[4]) tuple(side, d)\n}\n");
  };
  const Module a = whole("1"), b = whole("1.01");
  const ValueComparison found = compared(a, b, "evaluator", "evaluator", {1e-4, 1e-4, {}});
  EXPECT_EQ(nameOf(a, found, found.first), "f");
  std::vector<std::string> names;
  for (size_t row : found.path) names.push_back(nameOf(a, found, row));
  EXPECT_EQ(names, (std::vector<std::string>{"f", "fs", "k", "s", "d"})) << "s agrees within the tolerance";
}
TEST(ValueCompare, NanAndInfinityComeFromSomewhere) {
  const Module module = moduleOf(kHead +
                                 "  n = f32[4] negate(x)\n  l = f32[4] log(n)\n  z = f32[4] subtract(y, y)\n"
                                 "  d = f32[4] divide(y, z)\n  t = f32[4] add(l, d)\n  ROOT r = f32[4] sine(t)\n}\n");
  const ValueComparison found = compared(module, module);
  EXPECT_EQ(nameOf(module, found, found.firstNan), "l");
  EXPECT_EQ(nameOf(module, found, found.firstInfinity), "d");
  EXPECT_GT(found.values[*found.firstNan].leftNans, 0);
  EXPECT_EQ(found.differing, 0) << "NaN equals NaN";
}
TEST(ValueCompare, AnInfinityThatIsWrittenIsMeant) {
  const auto withLine = [](const std::string& line) {
    return moduleOf(kHead + "  c = f32[] constant(-inf)\n  b = f32[4] broadcast(c), dimensions={}\n" + line +
                    "  ROOT r = f32[4] maximum(m, b)\n}\n");
  };
  EXPECT_FALSE(
      compared(withLine("  m = f32[4] maximum(x, b)\n"), withLine("  m = f32[4] maximum(x, b)\n")).firstInfinity);
  const Module divides = withLine("  z = f32[4] subtract(y, y)\n  m = f32[4] divide(y, z)\n");
  const ValueComparison found = compared(divides, divides);
  EXPECT_EQ(nameOf(divides, found, found.firstInfinity), "m");
}
TEST(ValueCompare, ArgumentsFollowTheirPartners) {
  const Module a = moduleOf(kHead + "  ROOT r = f32[4] subtract(x, y)\n}\n");
  const Module b = moduleOf(
      "HloModule m\n\nENTRY e {\n  q = f32[4] parameter(0)\n  p = f32[4] parameter(1)\n  ROOT r = f32[4] subtract(p, "
      "q)\n}\n");
  const ValueComparison found = compared(a, b);
  EXPECT_EQ(found.values.size(), 3u);
  EXPECT_EQ(found.differing, 0);
  const Module more = moduleOf(kHead + "  w = f32[7] parameter(2)\n  ROOT r = f32[4] subtract(x, y)\n}\n");
  EXPECT_FALSE(argumentsFor(more, a, filled(a), diff(a, more))) << "w stands for nothing";
}

// --- precision
TEST(ValueCompare, AnotherPrecisionShowsRounding) {
  const Module module = moduleOf(kHead +
                                 "  c = f32[] constant(0.1)\n  b = f32[4] broadcast(c), dimensions={}\n"
                                 "  m = f32[4] multiply(x, b)\n  ROOT r = f32[4] exponential(m)\n}\n");
  const auto wide = inPrecision(module, ElementType::F64);
  ASSERT_TRUE(wide) << wide.error().toString();
  EXPECT_EQ(wide->shapeOf(wide->entryComputation().root).type, ElementType::F64);
  EXPECT_EQ(compared(module, *wide).differing, 0) << "within what single precision may do";
  const ValueComparison exact = compared(module, *wide, "evaluator", "evaluator", {0.0, 0.0, 0.0});
  EXPECT_GT(exact.differing, 0);
  const auto narrow = inPrecision(module, ElementType::BF16);
  ASSERT_TRUE(narrow);
  EXPECT_GT(compared(module, *narrow, "evaluator", "evaluator", {1e-4, 1e-5, {}}).differing, 0);
}
TEST(ValueCompare, PrecisionNeedsFloats) {
  EXPECT_FALSE(inPrecision(moduleOf("HloModule m\n\nENTRY e {\n  ROOT x = s32[] parameter(0)\n}\n"), ElementType::F64));
}

// --- bisect
TEST(Bisect, VersionsGiveTheFirstInstructionWithItsValues) {
  const auto whole = [](const char* op) {
    return moduleOf(kHead + "  s = f32[4] add(x, y)\n  k = f32[4] " + op + "(s, y)\n  ROOT r = f32[4] sine(k)\n}\n");
  };
  const Module a = whole("subtract"), b = whole("multiply");
  const DiffResult pairs = diff(a, b);
  const std::vector<Literal> arguments = filled(a);
  const auto found = bisectVersions({&a, "evaluator", arguments}, {&b, "evaluator", arguments}, pairs, {});
  ASSERT_TRUE(found) << found.error().toString();
  EXPECT_EQ(found->left.instructionCount(), 3u);
  EXPECT_EQ(found->left.at(found->left.entryComputation().root).opcode, Opcode::Subtract);
  EXPECT_EQ(found->right.at(found->right.entryComputation().root).opcode, Opcode::Multiply);
  const auto again = evaluateModule(found->left, found->arguments);
  const auto expected = valuesOf({&a, "evaluator", arguments}, std::vector{test::named(a, "k")});
  ASSERT_TRUE(again && expected);
  EXPECT_TRUE(again->at(0).identical(expected->at(0))) << "recorded inputs";
  EXPECT_FALSE(bisectVersions({&a, "evaluator", arguments}, {&a, "evaluator", arguments}, diff(a, a), {}));
}
// The subtraction of either version gives the same for the same operands; theirs differ by less than is allowed.
TEST(Bisect, VersionsGiveWhatSmallErrorsComeFrom) {
  const auto whole = [](const char* factor) {
    return moduleOf(kHead + "  f = f32[] constant(" + factor +
                    ")\n  fs = f32[4] broadcast(f), dimensions={}\n  k = f32[4] multiply(x, fs)\n"
                    "  d = f32[4] subtract(k, x)\n  ROOT r = f32[4] sine(d)\n}\n");
  };
  const Module a = whole("1"), b = whole("1.000002");
  const std::vector<Literal> arguments = filled(a);
  BisectOptions options;
  options.tolerance = {1e-5, 1e-5, {}};
  const auto found = bisectVersions({&a, "evaluator", arguments}, {&b, "evaluator", arguments}, diff(a, b), options);
  ASSERT_TRUE(found) << found.error().toString();
  EXPECT_EQ(found->left.at(found->left.entryComputation().root).opcode, Opcode::Subtract);
  EXPECT_EQ(found->left.instructionCount(), 5u) << "down to the constant";
  const auto one = evaluateModule(found->left, found->arguments),
             other = evaluateModule(found->right, found->arguments);
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->at(0).identical(other->at(0)));
}
TEST(Bisect, BackendsGiveASmallModuleThatStillDiffers) {
  // The evaluator sums products in double precision.
  const Module module = moduleOf(R"(HloModule m

ENTRY e {
  x = f32[8,512] parameter(0)
  y = f32[512,8] parameter(1)
  a = f32[8,512] abs(x)
  b = f32[8,512] add(a, x)
  c = f32[512,8] negate(y)
  p = f32[8,8] dot(b, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  q = f32[8,8] negate(p)
  ROOT r = f32[8,8] add(q, p)
}
)");
  const BisectOptions exact{{0.0, 0.0, 0.0}, 200, {}};
  const std::vector<Literal> arguments = filled(module);
  EXPECT_FALSE(bisectBackends(module, arguments, "evaluator", "evaluator", exact)) << "they do not differ";
  Module summed = module;
  summed.setRoot(summed.entry(), test::named(summed, "q"));
  const auto found = bisectBackends(test::again(summed), arguments, "evaluator", "cpu", exact);
  ASSERT_TRUE(found) << found.error().toString();
  EXPECT_EQ(found->module.instructionCount(), 3u) << printHloText(found->module);
  EXPECT_EQ(found->module.at(found->module.entryComputation().root).opcode, Opcode::Dot);
  const DiffResult same = diff(found->module, found->module);
  const auto shown = compareValues({&found->module, "evaluator", found->arguments},
                                   {&found->module, "cpu", found->arguments}, same, exact.tolerance);
  ASSERT_TRUE(shown);
  EXPECT_FALSE(shown->resultsEqual);
}
TEST(Bisect, WhatTakesTheTimeStays) {
  const Module module = moduleOf(R"(HloModule m

ENTRY e {
  x = f32[4] parameter(0)
  y = f32[96,96] parameter(1)
  n = f32[4] negate(x)
  p = f32[96,96] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  a = f32[4] abs(n)
  ROOT r = (f32[4], f32[96,96]) tuple(a, p)
}
)");
  const auto found = bisectTime(module, filled(module), "evaluator", 0.3, {});
  ASSERT_TRUE(found) << found.error().toString();
  EXPECT_EQ(found->module.instructionCount(), 2u) << printHloText(found->module);
  EXPECT_EQ(found->module.at(found->module.entryComputation().root).opcode, Opcode::Dot);
}

}  // namespace
}  // namespace tessera::value_compare_tests
