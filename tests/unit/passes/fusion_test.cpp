// Fusion and the whole pipeline: what is fused, what is not, and that values stay.
#include <gtest/gtest.h>

#include "core/evaluate/evaluate.h"
#include "core/passes/buffers/buffer_assignment.h"
#include "core/passes/fusion/instruction_fusion.h"
#include "tests/support/values.h"
#include "tests/unit/base/growth.h"
#include "tests/unit/passes/builder.h"

namespace tessera::test {
namespace {

Module fused(const Module& source) {
  Module m = derive(source);
  auto done = fuseInstructions(m);
  EXPECT_TRUE(done.has_value());
  return m;
}

std::vector<Literal> arguments(const Module& module) {
  std::vector<Literal> out;
  uint64_t leaf = 0;
  for (const Shape& shape : entryArgumentShapes(module))
    out.push_back(fillParameter(shape, leaf++, {0, 1.0, 8}).value());
  return out;
}

// The optimised module gives the source's values, and buffers can be assigned to it.
Module expectSameFused(const Module& source) {
  auto optimized = optimize(source);
  EXPECT_TRUE(optimized.has_value()) << (optimized ? "" : optimized.error().message);
  if (!optimized) return source;
  auto buffers = assignBuffers(*optimized);
  EXPECT_TRUE(buffers.has_value()) << (buffers ? "" : buffers.error().message);
  std::vector<Literal> in = arguments(source);
  auto expected = evaluateModule(source, in), found = evaluateModule(*optimized, in);
  EXPECT_TRUE(sameValues(expected, found, {Tolerance{1e-6, 1e-7}}));
  for (ComputationId computation : optimized->order())
    for (InstructionId id : optimized->at(computation).instructions) {
      EXPECT_TRUE(optimized->at(id).provenance && !optimized->at(id).provenance->sources.empty())
          << optimized->at(id).name;
      for (InstructionId s : optimized->at(id).provenance->sources) EXPECT_TRUE(source.contains(s));
    }
  return *optimized;
}

// Shares of the sum along `over`.
Module softmax(int64_t rows, int64_t columns, int64_t over = 1) {
  Module m;
  ComputationId sum = adder(m);
  Graph g(m, "main");
  Shape all = f32({rows, columns}), row = f32({over == 1 ? rows : columns});
  InstructionId x = g.parameter(all);
  InstructionId e = g.op(Opcode::Exponential, all, {g.op(Opcode::Add, all, {x, x})});
  InstructionId s = g.reduce(row, e, g.constant(0.f), {over}, sum);
  g.entry(g.op(Opcode::Divide, all, {e, g.dims(Opcode::Broadcast, all, s, {1 - over})}));
  return m;
}

TEST(PassesFusion, ChainBecomesOneLoop) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({64, 64}));
  InstructionId y = x;
  for (int i = 0; i < 20; ++i) y = g.op(i % 2 ? Opcode::Negate : Opcode::Abs, f32({64, 64}), {y});
  InstructionId two = g.dims(Opcode::Broadcast, f32({64, 64}), g.constant(2.f), {});
  g.entry(g.op(Opcode::Multiply, f32({64, 64}), {y, two}));
  Module d = fused(m);
  EXPECT_EQ(d.entryComputation().instructions.size(), 2u);
  const Instruction& fusion = d.at(d.entryComputation().root);
  EXPECT_EQ(fusion.opcode, Opcode::Fusion);
  EXPECT_EQ(fusion.attributes->textOr(Attr::kind, ""), "kLoop");
  EXPECT_EQ(fusion.provenance->sources.size(), 22u);
  expectSameFused(m);
}

TEST(PassesFusion, ExpensiveValuesWithTwoReadersAreMaterialised) {
  Module m = softmax(128, 256, 0);
  Module d = fused(m);
  EXPECT_EQ(count(d, d.entry(), Opcode::Fusion), 3) << "exp; its sum; the quotient";
  expectSameFused(m);
}

TEST(PassesFusion, StatisticsOfRowsAreOneLoopWithTheirReaders) {
  Module m = softmax(128, 256);
  Module d = fused(m);
  EXPECT_EQ(count(d, d.entry(), Opcode::Fusion), 1);
  expectSameFused(m);
  Module few = fused(softmax(4, 8192)), longOnes = fused(softmax(64, 10000));
  EXPECT_EQ(count(few, few.entry(), Opcode::Fusion), 3) << "too few rows for all cores";
  EXPECT_EQ(count(longOnes, longOnes.entry(), Opcode::Fusion), 3) << "a row would leave the cache";
}

TEST(PassesFusion, TinyProgramsBecomeOneLoop) {
  Module m = softmax(2, 4);
  Module d = fused(m);
  EXPECT_EQ(count(d, d.entry(), Opcode::Fusion), 1);
  expectSameFused(m);
}

TEST(PassesFusion, CheapValuesAreComputedTwiceButChainsOfThemAreNot) {
  for (int length : {1, 60}) {
    Module m;
    ComputationId sum = adder(m);
    Graph g(m, "main");
    Shape all = f32({512, 512});
    InstructionId x = g.parameter(all);
    for (int i = 0; i < length; ++i) x = g.op(Opcode::Add, all, {x, x});
    InstructionId s = g.reduce(f32({512}), x, g.constant(0.f), {1}, sum);
    g.entry(g.tuple({s, g.reduce(f32({512}), x, g.constant(0.f), {0}, sum)}));
    Module d = fused(m);
    EXPECT_EQ(count(d, d.entry(), Opcode::Fusion), length == 1 ? 2 : 3) << length;
  }
}

// Two values a round that need each other, as random bits have: all rounds are one loop, and a number that every round
// reads is not stored as an array.
TEST(PassesFusion, RoundsOfTwoValuesBecomeOneLoop) {
  Module m;
  Graph g(m, "main");
  const Shape all = f32({1 << 16});
  const InstructionId x = g.parameter(all), factor = g.dims(Opcode::Broadcast, all, g.parameter(f32({})), {});
  InstructionId a = x, b = g.op(Opcode::Negate, all, {x});
  for (int i = 0; i < 40; ++i) {
    a = g.op(Opcode::Add, all, {a, b});
    b = g.op(Opcode::Subtract, all, {g.op(Opcode::Multiply, all, {b, factor}), a});
  }
  g.entry(g.op(Opcode::Multiply, all, {a, b}));
  EXPECT_EQ(count(fused(m), fused(m).entry(), Opcode::Fusion), 1);
}

TEST(PassesFusion, LoopsAndPipelineKeepValues) {
  Module m;
  Shape state = Shape::tuple({s32(), f32({32}), f32({32}), f32({32})});
  ComputationId condition = below(m, state, 7);
  Graph body(m, "body");
  InstructionId p = body.parameter(state);
  InstructionId i = body.op(Opcode::Add, s32(), {body.element(p, 0), body.constant(1)});
  InstructionId a = body.element(p, 1), b = body.element(p, 2), w = body.element(p, 3);
  InstructionId product = body.op(Opcode::Multiply, f32({32}), {a, w});
  body.root(body.tuple({i, body.op(Opcode::Tanh, f32({32}), {body.op(Opcode::Add, f32({32}), {b, product})}), a, w}));
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({32})), y = g.parameter(f32({32})), z = g.parameter(f32({32}));
  InstructionId loop = g.loop(g.tuple({g.constant(0), x, y, z}), condition, body.computation);
  g.entry(g.tuple({g.element(loop, 1), g.op(Opcode::Subtract, f32({32}), {g.element(loop, 2), x})}));
  expectSameFused(m);
}

// Blocks of six instructions, optimised and placed.
void optimizeChain(int blocks) {
  Module m;
  ComputationId sum = adder(m);
  Graph g(m, "main");
  Shape all = f32({32, 64});
  InstructionId x = g.parameter(all);
  for (int i = 0; i < blocks; ++i) {
    InstructionId s = g.reduce(f32({32}), x, g.constant(0.f), {1}, sum);
    InstructionId y = g.op(Opcode::Subtract, all, {x, g.dims(Opcode::Broadcast, all, s, {0})});
    x = g.op(Opcode::Tanh, all, {g.op(Opcode::Multiply, all, {y, y})});
  }
  g.entry(x);
  auto d = optimize(m);
  ASSERT_TRUE(d.has_value());
  ASSERT_TRUE(assignBuffers(*d).has_value());
}

TEST(PassesFusion, BigModulesStayNearLinear) { EXPECT_LT(growthToFourfold(10000, optimizeChain), kNearLinear); }

}  // namespace
}  // namespace tessera::test
