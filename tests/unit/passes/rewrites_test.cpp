// Inlining, dead code, common subexpressions and algebra on small modules, and the provenance that they leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/passes/common_subexpressions.h"
#include "core/passes/control/call_inliner.h"
#include "core/passes/control/flatten_control.h"
#include "core/passes/dead_code.h"
#include "core/passes/patterns.h"
#include "core/passes/pipeline.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/passes/builder.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

bool hasSource(const Module& module, InstructionId id, InstructionId source) {
  return std::ranges::binary_search(module.at(id).provenance->sources, source);
}

TEST(PassesDerive, EachInstructionIsItsOwnSource) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(Shape::array(ElementType::F32, {2}));
  g.entry(g.op(Opcode::Negate, f32({2}), {x}));
  Module d = derive(m);
  EXPECT_EQ(d.at(x).provenance->sources, std::vector{x});
  EXPECT_TRUE(d.shapeOf(x).layout.has_value());
  EXPECT_FALSE(m.shapeOf(x).layout.has_value());
}

TEST(PassesInline, NestedCallsBecomeFlat) {
  Module m;
  Graph inner(m, "inner");
  InstructionId a = inner.parameter(f32({4}));
  InstructionId doubled = inner.op(Opcode::Add, f32({4}), {a, a});
  inner.root(doubled);
  AttributeSet callInner;
  callInner.set(Attr::to_apply, inner.computation);
  Graph outer(m, "outer");
  InstructionId b = outer.parameter(f32({4}));
  outer.root(outer.op(Opcode::Call, f32({4}), {outer.op(Opcode::Call, f32({4}), {b}, callInner)}, callInner));
  AttributeSet callOuter;
  callOuter.set(Attr::to_apply, outer.computation);
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({4}));
  InstructionId call = g.op(Opcode::Call, f32({4}), {x}, callOuter);
  g.entry(call);
  Module d = derive(m);
  ASSERT_TRUE(inlineCalls(d).value());
  EXPECT_EQ(d.order().size(), 1u);
  EXPECT_EQ(count(d, d.entry(), Opcode::Call), 0);
  EXPECT_EQ(count(d, d.entry(), Opcode::Add), 2);
  EXPECT_TRUE(hasSource(d, d.entryComputation().root, doubled));
  EXPECT_TRUE(hasSource(d, d.entryComputation().root, call));
}

TEST(PassesDeadCode, DropsWhatNothingNeeds) {
  Module m;
  ComputationId unused = adder(m);
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({4}));
  InstructionId zero = g.constant(0.f);
  InstructionId dead = g.reduce(f32({}), x, zero, {0}, unused);
  g.op(Opcode::Negate, f32({}), {dead});
  g.entry(g.op(Opcode::Abs, f32({4}), {x}));
  Module d = derive(m);
  ASSERT_TRUE(removeDeadCode(d).value());
  EXPECT_EQ(d.entryComputation().instructions.size(), 2u);
  EXPECT_FALSE(d.contains(unused));
  EXPECT_FALSE(removeDeadCode(d).value());
}

TEST(PassesCommonSubexpressions, MergesChainsAndReducers) {
  Module m;
  ComputationId first = adder(m, "first"), second = adder(m, "second");
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({4})), y = g.parameter(f32({4}));
  InstructionId a = g.op(Opcode::Add, f32({4}), {x, y}), b = g.op(Opcode::Add, f32({4}), {y, x});
  InstructionId r = g.reduce(f32({}), a, g.constant(0.f), {0}, first);
  InstructionId s = g.reduce(f32({}), b, g.constant(0.f), {0}, second);
  g.entry(g.op(Opcode::Multiply, f32({}), {r, s}));
  Module d = derive(m);
  ASSERT_TRUE(mergeCommonSubexpressions(d).value());
  const Instruction& root = d.at(d.entryComputation().root);
  EXPECT_EQ(root.operands[0], root.operands[1]);
  EXPECT_EQ(count(d, d.entry(), Opcode::Add), 1);
  EXPECT_EQ(d.order().size(), 2u);
  EXPECT_TRUE(hasSource(d, a, b));
  EXPECT_TRUE(hasSource(d, r, s));
}

TEST(PassesCommonSubexpressions, KeepsWhatDiffersInAttributes) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({4, 4}));
  InstructionId a = g.dims(Opcode::Transpose, f32({4, 4}), x, {1, 0}),
                b = g.dims(Opcode::Transpose, f32({4, 4}), x, {0, 1});
  g.entry(g.op(Opcode::Add, f32({4, 4}), {a, b}));
  Module d = derive(m);
  ASSERT_TRUE(mergeCommonSubexpressions(d).has_value());
  EXPECT_EQ(count(d, d.entry(), Opcode::Transpose), 2);
}

TEST(PassesCommonSubexpressions, MergesCallsOfPureTargets) {
  const auto callsLeft = [](const std::string& operands, const std::string& attributes) {
    const std::string call =
        " = f32[4] custom-call(" + operands + "), custom_call_target=\"target\"" + attributes + "\n";
    Module m = test::moduleFrom("HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  a" + call + "  b" + call +
                                "  ROOT r = f32[4] add(a, b)\n}\n");
    EXPECT_TRUE(mergeCommonSubexpressions(m).has_value());
    return count(m, m.entry(), Opcode::CustomCall);
  };
  EXPECT_EQ(callsLeft("x", ""), 1);
  EXPECT_EQ(callsLeft("x", ", custom_call_has_side_effect=true"), 2);
  EXPECT_EQ(callsLeft("", ""), 2);
}

// Attributes name one computation or a list of them.
TEST(PassesCommonSubexpressions, ListsOfComputationsNameTheOneThatIsKept) {
  Module m = test::moduleFrom(
      "HloModule m\nfirst {\n  a = f32[] parameter(0)\n  ROOT n = f32[] negate(a)\n}\n"
      "second {\n  b = f32[] parameter(0)\n  ROOT n = f32[] negate(b)\n}\n"
      "ENTRY main {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] custom-call(x), custom_call_target=\"target\", "
      "called_computations={first, second}\n}\n");
  ASSERT_TRUE(mergeCommonSubexpressions(m).value());
  const std::vector<ComputationId> callees = m.callees(m.at(m.entryComputation().root));
  ASSERT_EQ(callees.size(), 2u);
  EXPECT_EQ(m.at(callees[0]).name, "first");
  EXPECT_EQ(callees[1], callees[0]);
}

TEST(PassesPatterns, SplatValuesOfEveryWholeType) {
  const auto valueOf = [](const std::string& type, const std::string& value) {
    const Module m = test::moduleFrom("HloModule m\nENTRY e {\n  c = " + type + "[] constant(" + value +
                                      ")\n  o = " + type + "[1] reshape(c)\n  s = " + type +
                                      "[] reshape(o)\n  ROOT b = " + type + "[4] broadcast(s), dimensions={}\n}\n");
    return splatValue(m, m.entryComputation().root);
  };
  for (const char* type : {"s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"})
    EXPECT_EQ(valueOf(type, "3"), 3.0) << type;
  for (const char* type : {"f16", "bf16", "f32", "f64"}) {
    EXPECT_EQ(valueOf(type, "-2.5"), -2.5) << type;
    EXPECT_EQ(valueOf(type, "inf"), std::numeric_limits<double>::infinity()) << type;
  }
  EXPECT_EQ(valueOf("f16", "5.9604645e-08"), 0x1p-24);
  EXPECT_EQ(valueOf("s8", "-128"), -128.0);
  EXPECT_EQ(valueOf("pred", "true"), 1.0);
  for (const char* type : {"s64", "u64"}) {
    EXPECT_EQ(valueOf(type, "9007199254740992"), 0x1p53);
    EXPECT_EQ(valueOf(type, "9007199254740993"), std::nullopt) << "no double is this number";
  }
  EXPECT_EQ(valueOf("s64", "-9007199254740993"), std::nullopt);
  EXPECT_EQ(valueOf("u64", "18446744073709551615"), std::nullopt);
  EXPECT_EQ(valueOf("c64", "(1, 0)"), std::nullopt);
}

TEST(PassesSimplify, BiasChainBecomesOneBroadcast) {
  Module m;
  Graph g(m, "main");
  InstructionId bias = g.parameter(f32({64}));
  InstructionId a = g.op(Opcode::Reshape, f32({1, 64}), {bias});
  InstructionId b = g.dims(Opcode::Broadcast, f32({1, 64}), a, {0, 1});
  InstructionId c = g.op(Opcode::Reshape, f32({64}), {b});
  g.entry(g.dims(Opcode::Broadcast, f32({16, 64}), c, {1}));
  Module d = derive(m);
  ASSERT_TRUE(simplify(d).value());
  ASSERT_TRUE(removeDeadCode(d).value());
  EXPECT_EQ(d.entryComputation().instructions.size(), 2u);
  EXPECT_EQ(d.at(d.entryComputation().root).operands[0], bias);
  EXPECT_FALSE(simplify(d).value());
}

TEST(PassesSimplify, ArithmeticIsExact) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({}));
  InstructionId plusZero = g.op(Opcode::Add, f32({}), {x, g.constant(0.f)});
  InstructionId timesOne = g.op(Opcode::Multiply, f32({}), {plusZero, g.constant(1.f)});
  InstructionId half = g.op(Opcode::Divide, f32({}), {timesOne, g.constant(2.f)});
  g.entry(g.op(Opcode::Divide, f32({}), {half, g.constant(3.f)}));
  Module d = derive(m);
  ASSERT_TRUE(simplify(d).value());
  EXPECT_EQ(count(d, d.entry(), Opcode::Add), 1) << "-0 + 0 is not -0";
  EXPECT_EQ(d.at(d.entryComputation().root).opcode, Opcode::Divide);
  EXPECT_EQ(d.at(d.at(d.entryComputation().root).operands[0]).opcode, Opcode::Multiply);
}

TEST(PassesSimplify, TransposeFoldsIntoDot) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({8, 4})), y = g.parameter(f32({16, 8}));
  InstructionId t = g.dims(Opcode::Transpose, f32({8, 16}), y, {1, 0});
  AttributeSet dims;
  dims.set(Attr::lhs_contracting_dims, std::vector<int64_t>{0});
  dims.set(Attr::rhs_contracting_dims, std::vector<int64_t>{0});
  g.entry(g.op(Opcode::Dot, f32({4, 16}), {x, t}, dims));
  Module d = derive(m);
  ASSERT_TRUE(simplify(d).value());
  const Instruction& dot = d.at(d.entryComputation().root);
  EXPECT_EQ(dot.operands[1], y);
  EXPECT_EQ(dot.attributes->ints(Attr::rhs_contracting_dims), std::vector<int64_t>{1});
  EXPECT_TRUE(hasSource(d, dot.id, t));
}

TEST(PassesSimplify, TupleOfItsElements) {
  Module m;
  Graph g(m, "main");
  InstructionId x = g.parameter(f32({2})), y = g.parameter(f32({3}));
  InstructionId pair = g.tuple({x, y});
  g.entry(g.op(Opcode::Negate, f32({3}), {g.element(pair, 1)}));
  Module d = derive(m);
  ASSERT_TRUE(simplify(d).value());
  EXPECT_EQ(d.at(d.entryComputation().root).operands[0], y);
}

TEST(PassesFlatten, SharedBodyGetsACopy) {
  Module m;
  Shape state = Shape::tuple({s32(), f32({4})});
  ComputationId condition = below(m, state, 3);
  Graph body(m, "body");
  InstructionId p = body.parameter(state);
  InstructionId next = body.op(Opcode::Add, s32(), {body.element(p, 0), body.constant(1)});
  body.root(body.tuple({next, body.op(Opcode::Negate, f32({4}), {body.element(p, 1)})}));
  Graph g(m, "main");
  InstructionId init = g.parameter(state);
  g.entry(g.loop(g.loop(init, condition, body.computation), condition, body.computation));
  Module d = derive(m);
  ASSERT_TRUE(flattenControl(d).value());
  EXPECT_EQ(d.order().size(), 5u);
  EXPECT_FALSE(flattenControl(d).value());
}

}  // namespace
}  // namespace tessera::test
