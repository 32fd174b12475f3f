// Layout assignment: what it drops, what it keeps for those outside, and that bitcasts still mean the same bytes.
#include "core/formats/hlo_text.h"
#include "core/passes/common_subexpressions.h"
#include "core/passes/control/call_inliner.h"
#include "core/passes/dead_code.h"
#include "core/passes/layout/assign_layouts.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

Module assigned(const std::string& entry) {
  const Module source = moduleFrom("HloModule m\nENTRY e {\n" + entry + "\n}\n");
  Module out = derive(source);
  EXPECT_TRUE(assignLayouts(out).has_value());
  EXPECT_TRUE(simplify(out).has_value());
  EXPECT_TRUE(removeDeadCode(out).has_value());
  expectSameValues(source, out);
  return out;
}

// A bitcast sees memory: what a call hands over in another layout is copied before it.
TEST(PassesLayouts, InlinedCallsKeepWhatBitcastsSee) {
  const Module source = moduleFrom(R"(HloModule m
inner { p = f32[3,4]{1,0} parameter(0)
 ROOT flat = f32[12]{0} bitcast(p) }
turned { p = f32[3,4]{1,0} parameter(0)
 ROOT n = f32[3,4]{1,0} negate(p) }
ENTRY e {
 x = f32[3,4]{0,1} parameter(0)
 a = f32[12]{0} call(x), to_apply=inner
 b = f32[3,4]{0,1} call(x), to_apply=turned
 c = f32[12]{0} bitcast(b)
 ROOT r = (f32[12]{0}, f32[12]{0}) tuple(a, c)
}
)");
  Module out = derive(source);
  ASSERT_TRUE(inlineCalls(out).value());
  expectSameValues(source, out);
}

TEST(PassesLayouts, CopiesThatOnlyChangeTheLayoutDisappear) {
  const Module m = assigned(
      "x = f32[3,4]{1,0} parameter(0)\n c = f32[3,4]{0,1} copy(x)\n n = f32[3,4]{0,1} negate(c)\n d = f32[3,4]{1,0} "
      "copy(n)\n ROOT r = f32[3,4]{1,0} abs(d)");
  EXPECT_EQ(countOf(m, Opcode::Copy), 0);
  for (InstructionId id : m.entryComputation().instructions) EXPECT_TRUE(m.shapeOf(id).layout->isRowMajor());
}

TEST(PassesLayouts, TheSignatureKeepsItsOwn) {
  const Module m =
      assigned("x = f32[3,4]{0,1} parameter(0)\n n = f32[3,4]{0,1} negate(x)\n ROOT r = f32[3,4]{0,1} floor(n)");
  const Computation& e = m.entryComputation();
  EXPECT_FALSE(m.shapeOf(e.parameters[0]).layout->isRowMajor());
  EXPECT_FALSE(m.shapeOf(e.root).layout->isRowMajor());
  EXPECT_TRUE(m.shapeOf(m.at(e.root).operands[0]).layout->isRowMajor());
}

TEST(PassesLayouts, BitcastsBecomeWhatTheyMean) {
  const Module a = assigned(
      "x = f32[3,4]{1,0} parameter(0)\n n = f32[3,4]{1,0} negate(x)\n b = f32[4,3]{0,1} bitcast(n)\n ROOT r = "
      "f32[4,3]{0,1} abs(b)");
  EXPECT_EQ(countOf(a, Opcode::Transpose), 1);
  EXPECT_EQ(countOf(a, Opcode::Bitcast), 0);
  const Module b = assigned(
      "x = f32[2,3,4]{1,2,0} parameter(0)\n b = f32[2,12]{1,0} bitcast(x)\n c = f32[4,6]{0,1} bitcast(b)\n d = "
      "f32[24]{0} bitcast(c)\n ROOT r = f32[24]{0} negate(d)");
  EXPECT_EQ(countOf(b, Opcode::Bitcast), 0);
  const Module c = assigned("x = f32[3,4]{0,1} parameter(0)\n ROOT b = f32[4,3]{0,1} bitcast(x)");
  EXPECT_FALSE(c.shapeOf(c.entryComputation().root).layout->isRowMajor());
}

TEST(PassesLayouts, ThereAndBackIsNothing) {
  const Module m = assigned(
      "x = f32[3,4]{1,0} parameter(0)\n b = f32[4,3]{0,1} bitcast(x)\n n = f32[4,3]{0,1} negate(b)\n c = f32[3,4]{1,0} "
      "bitcast(n)\n ROOT r = f32[3,4]{1,0} abs(c)");
  EXPECT_LE(countOf(m, Opcode::Transpose), 2);
  EXPECT_EQ(countOf(m, Opcode::Copy), 0);
}

std::string textOf(const Module& module) { return printHloText(module); }

// The notes of what the passes inserted, each as "user: reason".
std::vector<std::string> insertionsOf(const Module& module) {
  std::vector<std::string> out;
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions)
      if (const auto& from = module.at(id).provenance; from && from->insertion)
        out.push_back(std::string(module.at(from->insertion->user).name) + ": " + std::string(from->insertion->reason));
  return out;
}

TEST(PassesLayouts, InsertedInstructionsNoteTheirUserAndWhy) {
  const Module bitcast = assigned(
      "x = f32[3,4]{1,0} parameter(0)\n n = f32[3,4]{1,0} negate(x)\n b = f32[4,3]{0,1} bitcast(n)\n ROOT r = "
      "f32[4,3]{0,1} abs(b)");
  EXPECT_EQ(insertionsOf(bitcast),
            std::vector<std::string>{"b: the same bytes under another layout are the values in another order"});
  const Module tuple = assigned("x = f32[3,4]{0,1} parameter(0)\n ROOT pair = (f32[3,4]{1,0}) tuple(x)");
  EXPECT_EQ(insertionsOf(tuple), std::vector<std::string>{"pair: its elements are passed on in this layout"});
  EXPECT_EQ(textOf(tuple).find("frontend_attributes"), std::string::npos) << textOf(tuple);
}

// Equal instructions that two users need are one.
TEST(PassesLayouts, InsertionsMakeNoDifference) {
  Module m = assigned(
      "x = f32[3,4]{1,0} parameter(0)\n a = f32[4,3]{0,1} bitcast(x)\n b = f32[4,3]{0,1} bitcast(x)\n"
      " c = f32[4,3]{0,1} negate(a)\n d = f32[4,3]{0,1} abs(b)\n ROOT r = f32[4,3]{0,1} add(c, d)");
  EXPECT_TRUE(mergeCommonSubexpressions(m).has_value());
  EXPECT_EQ(countOf(m, Opcode::Transpose), 1) << textOf(m);
}

TEST(PassesLayouts, OtherTypesKeepTheirBytes) {
  const Module m = assigned(
      "x = f32[3,4]{0,1} parameter(0)\n n = f32[3,4]{0,1} negate(x)\n b = s32[4,3]{1,0} bitcast(n)\n ROOT r = "
      "s32[4,3]{1,0} not(b)");
  EXPECT_EQ(countOf(m, Opcode::Bitcast), 1);
}

TEST(PassesLayouts, TuplesAgreeWithWhatTheyHold) {
  // The parameter keeps its layout, and so does the tuple that hands it on to the result.
  const Module a = assigned(
      "x = f32[3,4]{0,1} parameter(0)\n n = f32[3,4]{0,1} floor(x)\n ROOT r = (f32[3,4]{0,1}, f32[3,4]{0,1}) tuple(x, "
      "n)");
  EXPECT_EQ(countOf(a, Opcode::Copy), 0);
  const Module b = assigned("x = f32[3,4]{0,1} parameter(0)\n ROOT r = (f32[3,4]{1,0}) tuple(x)");
  const Instruction& root = b.at(b.entryComputation().root);
  EXPECT_EQ(root.shape->elements[0], b.shapeOf(root.operands[0]));
}

TEST(PassesLayouts, LoopsAndConstants) {
  const Module source = moduleFrom(R"(HloModule m
c { s = (s32[], f32[2,3]{0,1}) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT p = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[2,3]{0,1}) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[2,3]{0,1} get-tuple-element(s), index=1
 k = f32[2,3]{0,1} constant({{1,2,3},{4,5,6}})
 one = s32[] constant(1)
 j = s32[] add(i, one)
 z = f32[2,3]{0,1} add(x, k)
 ROOT t = (s32[], f32[2,3]{0,1}) tuple(j, z) }
ENTRY e { a = f32[2,3]{0,1} parameter(0)
 i = s32[] constant(0)
 t = (s32[], f32[2,3]{0,1}) tuple(i, a)
 l = (s32[], f32[2,3]{0,1}) while(t), condition=c, body=b
 ROOT r = f32[2,3]{0,1} get-tuple-element(l), index=1 }
)");
  Module out = derive(source);
  EXPECT_TRUE(assignLayouts(out).value());
  expectSameValues(source, out);
  EXPECT_FALSE(assignLayouts(out).value());
}

// A state that is an array, of pred too, says nothing of what the condition gives.
TEST(PassesLayouts, LoopsOverOneArray) {
  for (const auto& [type, end, isBelow] : {std::tuple("f32", "9", "LT"), std::tuple("pred", "true", "NE")}) {
    const std::string array = std::string(type) + "[3,4]{0,1} ", one = std::string(type) + "[] ",
                      last = "n = " + one + "constant(" + end + ")\n ROOT ";
    const Module source =
        moduleFrom("HloModule m\nc { s = " + array + "parameter(0)\n e = " + type +
                   "[1,1]{0,1} slice(s), slice={[0:1], [0:1]}\n f = " + one + "reshape(e)\n " + last +
                   "p = pred[] compare(f, n), direction=" + isBelow + " }\nb { s = " + array + "parameter(0)\n " +
                   last + "t = " + array + "broadcast(n), dimensions={} }\nENTRY e { x = " + array +
                   "parameter(0)\n ROOT w = " + array + "while(x), condition=c, body=b }\n");
    Module out = derive(source);
    EXPECT_TRUE(assignLayouts(out).value());
    expectSameValues(source, out);
    EXPECT_NE(textOf(out).find("%c (s: " + std::string(type) + "[3,4]) -> pred[] {"), std::string::npos) << textOf(out);
  }
}

}  // namespace
}  // namespace tessera::test
