// Composition of element programs: how long a computation may be, and what is refused.
#include <gtest/gtest.h>

#include "core/compose/compose.h"
#include "core/element/interpret.h"
#include "tests/unit/passes/builder.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

constexpr int kMany = 2000;  // more than may be described within one another

// x + y + y + … of scalars, as a reducer may be.
ComputationId longSum(Module& module) {
  Graph g(module, "long");
  const InstructionId x = g.parameter(f32({})), y = g.parameter(f32({}));
  InstructionId sum = x;
  for (int i = 0; i < kMany; ++i) sum = g.op(Opcode::Add, f32({}), {sum, y});
  return g.root(sum);
}

TEST(Compose, LongScalarComputationsNeedNoDeepStack) {
  Module m;
  const auto program = composeScalar(m, longSum(m));
  ASSERT_TRUE(program) << program.error().toString();
  const std::vector<Literal> arguments{Literal::scalar<float>(ElementType::F32, 0.5f),
                                       Literal::scalar<float>(ElementType::F32, 2.0f)};
  const auto out = interpret(*program, arguments);
  ASSERT_TRUE(out) << out.error().toString();
  EXPECT_EQ((*out)[0].data<float>()[0], 0.5f + 2.0f * kMany);
}

TEST(Compose, DeepFusionsOfArraysAreRefused) {
  Module m;
  Graph body(m, "body");
  InstructionId value = body.parameter(f32({4}));
  for (int i = 0; i < kMany; ++i) value = body.op(Opcode::Sine, f32({4}), {value});
  AttributeSet attributes;
  attributes.set(Attr::kind, std::string("kLoop"));
  attributes.set(Attr::calls, body.root(value));
  Graph g(m, "main");
  const InstructionId fusion = g.op(Opcode::Fusion, f32({4}), {g.parameter(f32({4}))}, attributes);
  g.entry(fusion);
  const auto program = composeElement(m, fusion);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Unsupported);
}

// A store of a value that no elements describe is refused, not a store of zeros.
TEST(Compose, LoopsOverWhatHasNoElementsAreRefused) {
  const Module m = moduleFrom(
      "HloModule m\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT\n}\n"
      "body {\n  p = f32[4] parameter(0)\n  u = f32[2] parameter(1)\n  i = s32[] parameter(2)\n"
      "  s = f32[2] sort(u), dimensions={0}, to_apply=less\n"
      "  ROOT d = f32[4] dynamic-update-slice(p, s, i)\n}\n"
      "ENTRY e {\n  p = f32[4] parameter(0)\n  u = f32[2] parameter(1)\n  i = s32[] parameter(2)\n"
      "  ROOT f = f32[4] fusion(p, u, i), kind=kLoop, calls=body\n}\n");
  const auto program = composeLoops(m, m.entryComputation().root);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(program.error().message.find("sort"), std::string::npos) << program.error().message;
}

}  // namespace
}  // namespace tessera::test
