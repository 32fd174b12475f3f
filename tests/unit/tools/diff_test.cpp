// diff: what is the same graph, and where two graphs part.
#include "core/tools/diff/diff.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

using test::moduleOf;

// What differs between two entries' bodies.
std::vector<std::string> differ(const std::string& left, const std::string& right, const std::string& common = "") {
  const Module a = moduleOf("HloModule a\n" + common + "\nENTRY e {\n" + left + "}\n");
  const Module b = moduleOf("HloModule b\n" + common + "\nENTRY e {\n" + right + "}\n");
  std::vector<std::string> out;
  const DiffResult found = diff(a, b);
  for (const ChangedComputation& one : found.computations)
    for (const Change& change : one.changes) out.push_back(change.what);
  for (const ChangedInstruction& one : found.changed)
    for (const Change& change : one.changes) out.push_back(std::string(a.at(one.left).name) + ": " + change.what);
  for (InstructionId id : found.removed) out.push_back("- " + std::string(a.at(id).name));
  for (InstructionId id : found.added) out.push_back("+ " + std::string(b.at(id).name));
  return out;
}
using Whats = std::vector<std::string>;

const std::string kXY = "  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n";
const std::string kYX = "  y = f32[2] parameter(0)\n  x = f32[2] parameter(1)\n";

TEST(Diff, AModuleIsLikeItself) {
  const Module module = moduleOf(test::kMeanSquares);
  const DiffResult same = diff(module, module);
  EXPECT_TRUE(same.same());
  EXPECT_EQ(same.matched, module.instructionCount());
}
TEST(Diff, NamesAndParameterOrderDoNotCount) {
  EXPECT_EQ(differ(kXY + "  ROOT r = f32[2] subtract(x, y)\n", kYX + "  ROOT other = f32[2] subtract(x, y)\n"),
            Whats());
}
TEST(Diff, OperandOrderCounts) {
  EXPECT_EQ(differ(kXY + "  n = f32[2] negate(y)\n  ROOT r = f32[2] subtract(x, n)\n",
                   kXY + "  n = f32[2] negate(y)\n  ROOT r = f32[2] subtract(n, x)\n"),
            (Whats{"r: operand 0", "r: operand 1"}));
}
TEST(Diff, SharingCounts) {
  EXPECT_EQ(differ(kXY + "  ROOT r = f32[2] add(x, y)\n", "  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x, x)\n"),
            (Whats{"r: operand 1", "- y"}));
}
TEST(Diff, OpcodeAttributeShapeAndValue) {
  const std::string x = "  x = f32[2,2] parameter(0)\n";
  EXPECT_EQ(differ(x + "  ROOT r = f32[2,2] sine(x)\n", x + "  ROOT r = f32[2,2] cosine(x)\n"), (Whats{"r: opcode"}));
  EXPECT_EQ(differ(x + "  ROOT r = f32[2,2] transpose(x), dimensions={0,1}\n",
                   x + "  ROOT r = f32[2,2] transpose(x), dimensions={1,0}\n"),
            (Whats{"r: attribute dimensions"}));
  EXPECT_EQ(differ("  ROOT c = f32[] constant(1)\n", "  ROOT c = f32[] constant(2)\n"), (Whats{"c: value"}));
  EXPECT_EQ(differ("  ROOT c = f32[2] parameter(0)\n", "  ROOT c = f32[3] parameter(0)\n"), (Whats{"c: shape"}));
}
TEST(Diff, AnAbsentAttributeIsItsDefault) {
  const std::string x = "  x = s32[4] parameter(0)\n", less = R"(
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
)";
  EXPECT_EQ(differ(x + "  ROOT r = s32[4] sort(x), dimensions={0}, to_apply=less\n",
                   x + "  ROOT r = s32[4] sort(x), dimensions={0}, is_stable=false, to_apply=less\n", less),
            Whats());
}
TEST(Diff, OperandsOfACallFollowItsParameters) {
  const std::string one =
      "\nf {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  ROOT r = f32[2] subtract(a, b)\n}\n";
  const std::string other =
      "\nf {\n  b = f32[2] parameter(0)\n  a = f32[2] parameter(1)\n  ROOT r = f32[2] subtract(a, b)\n}\n";
  const auto whole = [](const std::string& f, const std::string& call) {
    return moduleOf("HloModule m\n" + f + "\nENTRY e {\n" + kXY + "  n = f32[2] negate(x)\n  ROOT r = f32[2] call(" +
                    call + "), to_apply=f\n}\n");
  };
  EXPECT_TRUE(diff(whole(one, "n, y"), whole(other, "y, n")).same());
  EXPECT_FALSE(diff(whole(one, "n, y"), whole(other, "n, y")).same());
}
TEST(Diff, AReducersParametersAreItsOrder) {
  const auto whole = [](const char* body) {
    return moduleOf(
        std::string("HloModule m\n\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] ") +
        body +
        "\n}\n\nENTRY e {\n  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n  ROOT r = f32[] reduce(x, z), "
        "dimensions={0}, to_apply=f\n}\n");
  };
  EXPECT_TRUE(diff(whole("subtract(a, b)"), whole("subtract(a, b)")).same());
  EXPECT_FALSE(diff(whole("subtract(a, b)"), whole("subtract(b, a)")).same());
}
TEST(Diff, OneComputationOrACopyOfIt) {
  const std::string f = "\nf {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] negate(a)\n}\n";
  const std::string g = "\ng {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] negate(a)\n}\n";
  const auto whole = [&](const std::string& computations, const char* second) {
    return moduleOf("HloModule m\n" + computations +
                    "\nENTRY e {\n  x = f32[2] parameter(0)\n  a = f32[2] call(x), to_apply=f\n"
                    "  ROOT b = f32[2] call(a), to_apply=" +
                    second + "\n}\n");
  };
  EXPECT_TRUE(diff(whole(f, "f"), whole(f + g, "g")).same());
  EXPECT_TRUE(diff(whole(f + g, "g"), whole(f, "f")).same());
}
TEST(Diff, AnInsertedInstructionIsAddedAndTheOthersStayMatched) {
  const std::string head = kXY + "  s = f32[2] add(x, y)\n";
  EXPECT_EQ(differ(head + "  ROOT r = f32[2] sine(s)\n", head + "  n = f32[2] negate(s)\n  ROOT r = f32[2] sine(n)\n"),
            (Whats{"r: operand 0", "+ n"}));
  EXPECT_EQ(differ(head + "  n = f32[2] negate(s)\n  ROOT r = f32[2] sine(n)\n", head + "  ROOT r = f32[2] sine(s)\n"),
            (Whats{"r: operand 0", "- n"}));
  EXPECT_EQ(differ(head + "  ROOT r = f32[2] sine(s)\n", head + "  n = f32[2] sine(s)\n  ROOT r = f32[2] negate(n)\n"),
            (Whats{"root", "+ r"}));
}
TEST(Diff, LayoutIsToldApartFromShape) {
  EXPECT_EQ(differ("  ROOT c = f32[2,3]{1,0} parameter(0)\n", "  ROOT c = f32[2,3]{0,1} parameter(0)\n"),
            (Whats{"c: layout"}));
}
TEST(Diff, OtherLayoutsLeavePartnersWhereCopiesCame) {
  const std::string x = "  x = f32[2,3]{1,0} parameter(0)\n";
  EXPECT_EQ(
      differ(x + "  t = f32[2,3]{1,0} negate(x)\n  ROOT r = f32[2,3]{1,0} sine(t)\n",
             x + "  t = f32[2,3]{0,1} negate(x)\n  c = f32[2,3]{1,0} copy(t)\n  ROOT r = f32[2,3]{1,0} sine(c)\n"),
      (Whats{"t: layout", "r: operand 0", "+ c"}));
}
TEST(Diff, TheOnlyOneOfItsKindStaysWhenAllAroundItChanges) {
  EXPECT_EQ(
      differ(kXY + "  a = f32[2] sine(x)\n  d = f32[2] divide(a, y)\n  ROOT r = f32[2] negate(d)\n",
             kXY + "  p = f32[2] cosine(y)\n  q = f32[2] abs(p)\n  u = f32[2] tanh(x)\n  v = f32[2] exponential(u)\n"
                   "  d = f32[2] divide(q, v)\n  w = f32[2] floor(d)\n  z = f32[2] ceil(w)\n"
                   "  k = f32[2] log(z)\n  ROOT r = f32[2] sqrt(k)\n"),
      (Whats{"root", "d: operand 0", "d: operand 1", "- a", "- r", "+ p", "+ q", "+ u", "+ v", "+ w", "+ z", "+ k",
             "+ r"}));
}
TEST(Diff, OperandsOfCommutativeOpsMayChangePlaces) {
  const std::string n = kXY + "  n = f32[2] negate(y)\n";
  EXPECT_EQ(differ(n + "  ROOT r = f32[2] add(x, n)\n", n + "  ROOT r = f32[2] add(n, x)\n"), Whats());
  EXPECT_EQ(differ(n + "  ROOT r = pred[2] compare(x, n), direction=EQ\n",
                   n + "  ROOT r = pred[2] compare(n, x), direction=EQ\n"),
            Whats());
  EXPECT_EQ(differ(n + "  ROOT r = pred[2] compare(x, n), direction=LT\n",
                   n + "  ROOT r = pred[2] compare(n, x), direction=LT\n"),
            (Whats{"r: operand 0", "r: operand 1"}));
}
TEST(Diff, AnotherSizeEverywhereLeavesPartners) {
  const auto whole = [](const std::string& shape) {
    return "  x = " + shape + " parameter(0)\n  n = " + shape + " negate(x)\n  s = " + shape +
           " sine(n)\n  ROOT r = " + shape + " add(s, x)\n";
  };
  EXPECT_EQ(differ(whole("f32[2]"), whole("f32[4]")), (Whats{"x: shape", "n: shape", "s: shape", "r: shape"}));
}
TEST(Diff, AnEditInsideACalledComputationIsToldThere) {
  const auto f = [](const char* op) {
    return std::string("\nf {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  m = f32[2] ") + op +
           "(a, b)\n  ROOT r = f32[2] sine(m)\n}\n";
  };
  const auto whole = [&](const char* op) {
    return moduleOf("HloModule m\n" + f(op) + "\nENTRY e {\n" + kXY + "  ROOT r = f32[2] call(x, y), to_apply=f\n}\n");
  };
  const Module a = whole("subtract"), b = whole("divide");
  const DiffResult found = diff(a, b);
  ASSERT_EQ(found.changed.size(), 1u);
  EXPECT_EQ(a.at(found.changed[0].left).name, "m");
  EXPECT_EQ(found.changed[0].changes[0].what, "opcode");
  EXPECT_TRUE(found.added.empty() && found.removed.empty() && found.computations.empty());
}
TEST(Diff, AliasesAreComparedByTheirParameters) {
  const auto whole = [](const std::string& header, const std::string& body) {
    return moduleOf("HloModule m" + header + "\n\nENTRY e {\n" + body + "  ROOT r = f32[2] subtract(x, y)\n}\n");
  };
  const Module a = whole(", input_output_alias={ {}: (0, {}, may-alias) }", kXY);
  EXPECT_TRUE(diff(a, whole(", input_output_alias={ {}: (1, {}, may-alias) }", kYX)).same());
  EXPECT_FALSE(diff(a, whole(", input_output_alias={ {}: (0, {}, may-alias) }", kYX)).same());
  EXPECT_FALSE(diff(a, whole("", kXY)).same());
}
TEST(Diff, StatesAndPartnersOfBothSidesAgree) {
  const std::string head = "HloModule m\n\nENTRY e {\n" + kXY + "  s = f32[2] add(x, y)\n";
  const Module a = moduleOf(head + "  ROOT r = f32[2] sine(s)\n}\n");
  const Module b = moduleOf(head + "  n = f32[2] negate(s)\n  ROOT r = f32[2] sine(n)\n}\n");
  const DiffResult found = diff(a, b);
  const InstructionId r = test::named(a, "r"), other = test::named(b, "r");
  EXPECT_EQ(found.left[r.value].state, DiffState::Changed);
  EXPECT_EQ(found.left[r.value].partner, other);
  EXPECT_EQ(found.right[other.value].partner, r);
  EXPECT_EQ(found.right[test::named(b, "n").value].state, DiffState::Added);
  EXPECT_FALSE(found.right[test::named(b, "n").value].partner.valid());
  EXPECT_EQ(found.left[test::named(a, "s").value].state, DiffState::Matched);
  EXPECT_EQ(found.matched, 3u);
}
TEST(Diff, CostsOfBoth) {
  const Module a = moduleOf("HloModule m\n\nENTRY e {\n" + kXY + "  ROOT r = f32[2] add(x, y)\n}\n");
  const Module b =
      moduleOf("HloModule m\n\nENTRY e {\n" + kXY + "  s = f32[2] add(x, y)\n  ROOT r = f32[2] multiply(s, y)\n}\n");
  const CostDelta cost = costDelta(a, b);
  EXPECT_EQ(cost.right.flops - cost.left.flops, 2);
  EXPECT_EQ(cost.right.bytesAccessed - cost.left.bytesAccessed, 24);
  EXPECT_EQ(cost.rightPeak - cost.leftPeak, 8);
}

}  // namespace
}  // namespace tessera
