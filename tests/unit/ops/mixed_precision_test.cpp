// Floats of different widths in one instruction: accepted, computed in the wider type, rounded to the written one; the
// backend and the evaluator agree bit for bit.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "core/ops/inference/mixed_precision.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

struct MixedCase {
  const char* name;
  const char* body;   // over a = f32[4], h = bf16[4], s = s32[], m = f32[4,4], i = s32[4,4], z = f32[]
  bool mixed = true;  // false: the op itself takes operands of two widths
};

constexpr MixedCase kMixedCases[] = {
    {"add", "ROOT r = bf16[4] add(a, h)"},
    {"widened", "ROOT r = f32[4] add(h, h)"},
    {"narrowed", "ROOT r = bf16[4] multiply(a, a)"},
    {"compare", "ROOT r = pred[4] compare(a, h), direction=LT"},
    {"select", "c = pred[4] compare(a, a), direction=NE\n  ROOT r = bf16[4] select(c, a, h)"},
    {"clamp", "ROOT r = bf16[4] clamp(h, a, h)"},
    {"pad", "ROOT r = bf16[6] pad(h, z), padding=1_1"},
    {"concatenate", "ROOT r = bf16[8] concatenate(a, h), dimensions={0}"},
    {"update", "ROOT r = bf16[4] dynamic-update-slice(h, a, s)"},
    {"reshape", "ROOT r = bf16[2,2] reshape(a)"},
    {"transpose", "ROOT r = bf16[4,4] transpose(m), dimensions={1,0}"},
    {"copy", "ROOT r = bf16[4] copy(a)"},
    {"reduce", "ROOT r = bf16[4] reduce(m, z), dimensions={1}, to_apply=sum"},
    {"window", "ROOT r = bf16[4,3] reduce-window(m, z), window={size=1x2}, to_apply=larger"},
    {"product", "ROOT r = f32[4,4] dot(m, i), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"product_widths", "ROOT r = bf16[4] dot(m, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"inner",
     "n = bf16[4] negate(a)\n  t = (bf16[4], f32[4]) tuple(n, a)\n  g = bf16[4] get-tuple-element(t), index=0\n"
     "  ROOT r = f32[4] subtract(g, a)"},
};

std::string textOf(const MixedCase& mixed) {
  return std::string(R"(HloModule mixed

sum {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

larger {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] maximum(p, q)
}

ENTRY main {
  a = f32[4] parameter(0)
  h = bf16[4] parameter(1)
  s = s32[] parameter(2)
  m = f32[4,4] parameter(3)
  i = s32[4,4] parameter(4)
  z = f32[] parameter(5)
  )") + mixed.body +
         "\n}\n";
}

class OpsMixedPrecision : public testing::TestWithParam<MixedCase> {};

TEST_P(OpsMixedPrecision, WrittenTypeWinsOnBothBackends) {
  const auto read = readHloText(textOf(GetParam()));
  ASSERT_TRUE(read.module) << read.diagnostics.items()[0].toString();
  const Module& module = *read.module;
  const Diagnostics problems = verify(module);
  ASSERT_TRUE(problems.empty()) << problems.items()[0].toString();
  EXPECT_EQ(hasMixedPrecision(module), GetParam().mixed);
  std::vector<Literal> values;
  for (const Shape& shape : entryArgumentShapes(module))
    values.push_back(fillParameter(shape, values.size(), {}).value());
  const auto expected = evaluateModule(module, values);
  ASSERT_TRUE(expected) << expected.error().toString();
  EXPECT_EQ((*expected)[0].shape().type, module.shapeOf(module.entryComputation().root).type);
  for (std::string_view name : backendNames()) {
    auto executable = makeBackend(name).value()->compile(module);
    ASSERT_TRUE(executable) << executable.error().toString();
    const auto found = (*executable)->run(values);
    EXPECT_TRUE(test::sameValues(expected, found, {Tolerance{1e-6, 1e-7}})) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, OpsMixedPrecision, testing::ValuesIn(kMixedCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OpsMixedPrecision, NormalizedModuleVerifiesAndIsNotMixed) {
  for (const MixedCase& mixed : kMixedCases) {
    auto read = readHloText(textOf(mixed));
    ASSERT_TRUE(read.module);
    ASSERT_EQ(normalizePrecision(*read.module).value(), mixed.mixed) << mixed.name;
    EXPECT_FALSE(hasMixedPrecision(*read.module)) << mixed.name;
    const Diagnostics problems = verify(*read.module);
    EXPECT_TRUE(problems.empty()) << mixed.name << ": " << problems.items()[0].toString();
  }
}

// A written tuple that nests otherwise than the operation's result is the verifier's to refuse, and no rounding.
TEST(OpsMixedPrecision, AnotherNestIsNoPrecision) {
  const ReadResult read = readHloText(
      "HloModule m\n\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n  d = "
      "f32[] parameter(3)\n  ROOT l = pred[] compare(a, b), direction=LT\n}\n\n"
      "ENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  ROOT s = ((bf16[4]), bf16[4]) sort(x, y), "
      "dimensions={0}, to_apply=less\n}\n");
  ASSERT_TRUE(read.module) << read.diagnostics.items().front().toString();
  EXPECT_FALSE(hasMixedPrecision(*read.module));
  EXPECT_TRUE(verify(*read.module).hasErrors());
}

TEST(OpsMixedPrecision, WhatHandsOnDataMayNotRound) {
  const auto read = readHloText(
      "HloModule m\n\nENTRY e {\n  a = f32[4] parameter(0)\n  t = (f32[4]) tuple(a)\n"
      "  ROOT r = bf16[4] get-tuple-element(t), index=0\n}\n");
  ASSERT_TRUE(read.module);
  EXPECT_TRUE(verify(*read.module).hasErrors());
}

}  // namespace
}  // namespace tessera
