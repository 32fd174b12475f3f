// Composition of element programs: how long a computation may be.
#include <gtest/gtest.h>

#include "core/compose/compose.h"
#include "core/element/interpret.h"
#include "tests/unit/passes_builder.h"

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

}  // namespace
}  // namespace tessera::test
