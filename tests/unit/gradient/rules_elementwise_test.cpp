// Rules of functions of one, two and three numbers, of complex numbers and of what chooses and rounds, against finite
// differences; and that every opcode has a rule or a reason.
#include <gtest/gtest.h>

#include "core/gradient/rules.h"
#include "core/ops/op.h"
#include "tests/unit/gradient/checks.h"
#include "tests/unit/gradient/programs.h"

namespace tessera::test {
namespace {

void expectUnary(const std::string& op, double low = -1, double high = 1, bool complex = true) {
  expectGradient(programOf("x = f64[5] parameter(0);ROOT y = f64[5] " + op + "(x)"), {low, high});
  if (complex) expectGradient(programOf("x = c128[3] parameter(0);ROOT y = c128[3] " + op + "(x)"), {0.2, 0.8});
}

void expectBinary(const std::string& op, double low = -1, double high = 1, bool complex = false) {
  expectGradient(programOf("x = f64[5] parameter(0);y = f64[5] parameter(1);ROOT z = f64[5] " + op + "(x, y)"),
                 {low, high});
  if (complex)
    expectGradient(programOf("x = c128[3] parameter(0);y = c128[3] parameter(1);ROOT z = c128[3] " + op + "(x, y)"),
                   {0.3, 0.9});
}

TEST(GradientRules, EveryOpcodeHasARuleOrAReason) {
  for (const OpDef* op : allOps()) {
    const gradient::RuleEntry* entry = gradient::ruleOf(op->opcode);
    ASSERT_TRUE(entry) << nameOf(op->opcode) << " is missing in core/gradient/rules.cpp";
    EXPECT_EQ(entry->opcode, op->opcode);
    if (entry->kind == gradient::Differentiable::Yes)
      EXPECT_TRUE(entry->rule) << nameOf(op->opcode);
    else
      EXPECT_FALSE(entry->reason.empty()) << nameOf(op->opcode) << " has neither rule nor reason";
  }
}

TEST(GradientRules, FunctionsOfOneNumber) {
  for (const char* op :
       {"negate", "exponential", "exponential-minus-one", "log-plus-one", "logistic", "sine", "cosine", "tan", "tanh"})
    expectUnary(op, -0.9, 1);
  for (const char* op : {"log", "sqrt", "rsqrt"}) expectUnary(op, 0.3, 2);
  for (const char* op : {"asin", "acos", "atanh"}) expectUnary(op, -0.8, 0.8, false);
  for (const char* op : {"sinh", "cosh", "asinh", "erf", "abs"}) expectUnary(op, -1, 1, false);
  expectUnary("cbrt", 0.3, 2, false);
  expectUnary("acosh", 1.3, 3, false);
}

TEST(GradientRules, FunctionsOfTwoNumbers) {
  for (const char* op : {"add", "subtract", "multiply"}) expectBinary(op, -1, 1, true);
  expectBinary("divide", 0.4, 2, true);
  expectBinary("power", 0.4, 2, true);
  expectBinary("atan2", 0.4, 2);
  expectBinary("remainder", 0.3, 2);
  expectBinary("maximum");
  expectBinary("minimum");
}

TEST(GradientRules, APowerWithAConstantExponentHoldsAtZeroAndBelow) {
  for (const char* exponent : {"0", "1", "2", "3"})
    expectGradient(programOf("x = f64[5] parameter(0);c = f64[] constant(" + std::string(exponent) +
                             ");p = f64[5] broadcast(c), dimensions={};ROOT y = f64[5] power(x, p)"));
  expectGradient(
      programOf("x = f64[2] parameter(0);z = f64[2] constant({0, 0});m = f64[2] multiply(x, z);"
                "c = f64[] constant(2);p = f64[2] broadcast(c), dimensions={};ROOT y = f64[2] power(m, p)"));
}

TEST(GradientRules, EqualValuesShareAMaximum) {
  expectGradient(programOf("x = f64[5] parameter(0);ROOT y = f64[5] maximum(x, x)"), {.twice = false});
}

TEST(GradientRules, ComplexNumbersAndTheirParts) {
  expectGradient(programOf("x = c128[4] parameter(0);ROOT y = f64[4] abs(x)"), {0.2, 1});
  expectGradient(programOf("x = c128[4] parameter(0);ROOT y = c128[4] sign(x)"), {0.2, 1});
  expectGradient(
      programOf("x = c128[4] parameter(0);r = f64[4] real(x);i = f64[4] imag(x);ROOT y = f64[4] multiply(r, i)"));
  expectGradient(
      programOf("x = f64[4] parameter(0);y = f64[4] parameter(1);z = c128[4] complex(x, y);"
                "ROOT w = c128[4] multiply(z, z)"));
  expectGradient(programOf("x = f64[4] parameter(0);z = c128[4] convert(x);ROOT w = c128[4] multiply(z, z)"));
}

TEST(GradientRules, ChoicesAndConversions) {
  expectGradient(
      programOf("x = f64[6] parameter(0);y = f64[6] parameter(1);p = pred[6] compare(x, y), direction=LT;"
                "ROOT z = f64[6] select(p, x, y)"));
  expectGradient(
      programOf("x = f64[6] parameter(0);y = f64[6] parameter(1);p = pred[] constant(true);"
                "ROOT z = f64[6] select(p, x, y)"));
  expectGradient(
      programOf("a = f64[] parameter(0);x = f64[9] parameter(1);b = f64[] parameter(2);c = f64[] constant(0.9);"
                "high = f64[] add(b, c);low = f64[] subtract(a, c);ROOT z = f64[9] clamp(low, x, high)"),
      {-1, 1});
  expectGradient(
      programOf("a = f64[6] parameter(0);x = f64[6] parameter(1);b = f64[6] parameter(2);"
                "ROOT z = f64[6] clamp(a, x, b)"));
}

TEST(GradientRules, BranchesThatAreNotTakenGiveZeros) {
  const std::string positive = "z = f64[4] constant({0, 0, 0, 0});p = pred[4] compare(x, z), direction=GT;";
  // Below 0 they have no value.
  for (const char* branch : {"r = f64[4] sqrt(x);", "l = f64[4] log(x);r = f64[4] multiply(l, x);"})
    expectGradient(programOf("x = f64[4] parameter(0);" + positive + branch + "ROOT y = f64[4] select(p, r, x)"),
                   {.twice = false});
  // Through steps between, a call of the branch and a call of the choice.
  expectGradient(programOf("x = f64[4] parameter(0);" + positive +
                               "l = f64[4] call(x), to_apply=log_of;b = f64[2,4] broadcast(l), dimensions={1};"
                               "s = f64[1,4] slice(b), slice={[1:2], [0:4]};r = f64[4] reshape(s);"
                               "ROOT y = f64[4] call(p, r, x), to_apply=where",
                           "log_of { a = f64[4] parameter(0) ROOT l = f64[4] log(a) }\n"
                           "where { p = pred[4] parameter(0) a = f64[4] parameter(1) b = f64[4] parameter(2) "
                           "ROOT s = f64[4] select(p, a, b) }\n"),
                 {.twice = false});
}

TEST(GradientRules, RandomNumbersMoveWithTheirParameters) {
  for (const char* distribution : {"rng_uniform", "rng_normal"})
    expectGradient(
        programOf("a = f64[] parameter(0);b = f64[] parameter(1);two = f64[] constant(3);c = f64[] add(b, two);"
                  "ROOT r = f64[5] rng(a, c), distribution=" +
                  std::string(distribution)),
        {.twice = false});
}

TEST(GradientRules, Roundings) {
  expectGradient(
      programOf("x = f64[3] parameter(0);f = f64[3] floor(x);c = f64[3] ceil(x);a = f64[3] round-nearest-afz(x);"
                "e = f64[3] round-nearest-even(x);s = f64[3] sign(x);m = f64[3] multiply(f, x);"
                "n = f64[3] multiply(c, m);o = f64[3] add(n, a);q = f64[3] add(o, e);ROOT r = f64[3] add(q, s)"),
      {0.1, 0.4});
}

}  // namespace
}  // namespace tessera::test
