// Every rule of simplify has a program here on which it fires; before and after give the same values, with NaN,
// infinities, both zeros and the extreme integers among the arguments. And programs on which a tempting rule must not
// fire.
#include <algorithm>
#include <set>

#include "core/passes/dead_code.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/passes/simplify_cases.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

constexpr std::string_view kComputations = R"(HloModule m
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
most { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] maximum(a, b) }
whole { a = s32[] parameter(0)
 b = s32[] parameter(1)
 ROOT c = s32[] add(a, b) }
second { a = f32[] parameter(0)
 ROOT b = f32[] parameter(1) }
less { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = pred[] compare(a, b), direction=LT }
)";

std::vector<SimplifyCase> allCases() {
  std::vector<SimplifyCase> out;
  for (const auto cases : {arithmeticCases(), logicCases(), shapeCases(), reductionCases()})
    out.insert(out.end(), cases.begin(), cases.end());
  return out;
}

std::string textOf(std::string_view program) {
  std::string out = std::string(kComputations) + "ENTRY main {\n  ";
  for (size_t at = 0; at < program.size(); ++at) {
    if (program.substr(at, 2) == "; ")
      out += "\n ";
    else
      out += program[at];
  }
  return out + "\n}\n";
}

struct Simplified {
  Module source, result;
  std::vector<std::string_view> fired;
};
Simplified simplified(std::string_view program) {
  Simplified out{moduleFrom(textOf(program)), Module(), {}};
  out.result = derive(out.source);
  EXPECT_TRUE(simplify(out.result, &out.fired).has_value());
  EXPECT_TRUE(removeDeadCode(out.result).has_value());
  return out;
}

bool fires(const Simplified& s, std::string_view rule) { return std::ranges::find(s.fired, rule) != s.fired.end(); }

TEST(SimplifyRules, EachFiresAndKeepsValues) {
  for (const SimplifyCase& c : allCases()) {
    SCOPED_TRACE(std::string(c.rule) + ": " + std::string(c.program));
    const Simplified s = simplified(c.program);
    EXPECT_TRUE(fires(s, c.rule)) << printHloText(s.result);
    expectSameValues(s.source, s.result, 1e-6);
  }
}

TEST(SimplifyRules, EveryRuleHasACase) {
  std::set<std::string_view> known;
  for (const SimplifyCase& c : allCases()) known.insert(c.rule);
  std::set<std::string_view> names;
  for (std::string_view name : simplifyRuleNames()) {
    EXPECT_TRUE(known.contains(name)) << name;
    EXPECT_TRUE(names.insert(name).second) << "two rules are called " << name;
  }
}

// What looks simple and is not.
constexpr std::string_view kNever[] = {
    "x = f32[11] parameter(0); c = f32[] constant(0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] add(x, "
    "z)",
    "x = f32[11] parameter(0); ROOT r = f32[11] subtract(x, x)",
    "x = f32[11] parameter(0); c = f32[] constant(0); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
    "multiply(x, z)",
    "x = f32[11] parameter(0); c = f32[] constant(0.5); z = f32[11] broadcast(c), dimensions={}; ROOT r = f32[11] "
    "power(x, z)",
    "x = s32[11] parameter(0); c = s32[] constant(2); z = s32[11] broadcast(c), dimensions={}; ROOT r = s32[11] "
    "divide(x, z)",
    "x = f32[11] parameter(0); y = f32[11] parameter(1); c = pred[11] compare(x, y), direction=LT; ROOT r = pred[11] "
    "not(c)",
    "x = f32[11] parameter(0); ROOT r = pred[11] compare(x, x), direction=EQ",
    "x = f32[11] parameter(0); y = bf16[11] convert(x); ROOT r = f32[11] convert(y)",
    "x = s32[11] parameter(0); y = f32[11] convert(x); ROOT r = s32[11] convert(y)",
    "x = f32[11] parameter(0); y = f32[11] parameter(1); d = f32[11] subtract(x, y); ROOT r = f32[11] negate(d)",
    "x = f32[11] parameter(0); e = f32[11] exponential(x); ROOT r = f32[11] log(e)",
    "x = f32[3,5] parameter(0); c = f32[] constant(1); y = f32[3,8] pad(x, c), padding=0_0x1_2; z = f32[] constant(0); "
    "ROOT r = f32[3] reduce(y, z), dimensions={1}, to_apply=sum",
    "x = f32[11,1] parameter(0); c = f32[] constant(0); y = f32[11,4] pad(x, c), padding=0_0x1_2; ROOT r = f32[11] "
    "reduce(y, c), dimensions={1}, to_apply=sum",
    "x = f32[6,4] parameter(0); y = f32[2,12] reshape(x); c = f32[] constant(0); ROOT r = f32[2] reduce(y, c), "
    "dimensions={1}, to_apply=sum",
    "x = s32[3] parameter(0); i = s32[1] parameter(1); ROOT r = s32[] gather(x, i), offset_dims={}, "
    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={0}",
    "x = f32[7] parameter(0); u = f32[5] parameter(1); i = s32[1] parameter(2); ROOT r = f32[7] scatter(x, i, u), "
    "update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
    "to_apply=second",
    "x = f32[7] parameter(0); u = f32[2,3] parameter(1); i = s32[2] constant({1, 2}); ROOT r = f32[7] scatter(x, i, "
    "u), "
    "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
    "to_apply=sum",
    "x = pred[11] parameter(0); y = u8[11] bitcast-convert(x); ROOT r = s8[11] bitcast-convert(y)",
    "x = s8[11] parameter(0); y = u8[11] bitcast-convert(x); ROOT r = pred[11] bitcast-convert(y)",
    "x = f32[6] parameter(0); y = f32[6] parameter(1); a = f32[3] slice(x), slice={[0:3]}; b = f32[3] slice(y), "
    "slice={[3:6]}; ROOT r = f32[6] concatenate(a, b), dimensions={0}",
    "x = f32[6] parameter(0); a = f32[3] slice(x), slice={[0:3]}; b = f32[6] cosine(x); ROOT r = f32[9] concatenate(a, "
    "b), dimensions={0}",
    "x = f32[4] parameter(0); y = f32[3] parameter(1); a = f32[7] concatenate(x, y), dimensions={0}; n = f32[7] "
    "cosine(a); z = f32[] constant(0); s = f32[] reduce(n, z), dimensions={0}, to_apply=sum; b = f32[7] broadcast(s), "
    "dimensions={}; ROOT r = f32[7] add(n, b)",
    "x = f32[4] parameter(0); y = f32[3] parameter(1); a = f32[7] concatenate(x, y), dimensions={0}; b = f32[7] "
    "concatenate(y, x), dimensions={0}; d = f32[7] multiply(a, b); z = f32[] constant(0); ROOT r = f32[] reduce(d, z), "
    "dimensions={0}, to_apply=sum",
    "i = s8[200] iota(), iota_dimension=0; c = s8[] constant(0); z = s8[200] broadcast(c), dimensions={}; ROOT r = "
    "pred[200] compare(i, z), direction=LT",
};

TEST(SimplifyRules, TemptingOnesDoNotFire) {
  for (std::string_view program : kNever) {
    SCOPED_TRACE(std::string(program));
    const Simplified s = simplified(program);
    EXPECT_TRUE(s.fired.empty()) << s.fired[0];
    expectSameValues(s.source, s.result);
  }
}

TEST(SimplifyRules, AGatherOfEmptySlicesReadsNothing) {
  const Module m =
      moduleFrom(textOf("x = s32[3] parameter(0); i = s32[] constant(99); ROOT r = s32[] gather(x, i), offset_dims={}, "
                        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, slice_sizes={0}"));
  const Literal x = parseLiteral("{7, 8, 9}", Shape::arrayRowMajor(ElementType::S32, {3})).value();
  const auto out = evaluateModule(m, std::vector{x});
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ((*out)[0].data<int32_t>()[0], 0);
}

TEST(SimplifyRules, AreAtRestAfterOneSweep) {
  for (const SimplifyCase& c : allCases()) {
    SCOPED_TRACE(std::string(c.program));
    Simplified s = simplified(c.program);
    Module again = s.result;
    std::vector<std::string_view> fired;
    ASSERT_TRUE(simplify(again, &fired).has_value());
    EXPECT_TRUE(fired.empty()) << fired[0];
  }
}

}  // namespace
}  // namespace tessera::test
