// Conditionals: known branches, small ones as selects, results that nobody reads, and work that branches have in
// common.
#include "core/passes/control/move_out_of_branches.h"
#include "core/passes/control/simplify_conditionals.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

std::string branches(const std::string& chooser, const std::string& yes, const std::string& no,
                     const std::string& root) {
  return "y { p = (f32[4], f32[100]) parameter(0)\n a = f32[4] get-tuple-element(p), index=0\n b = f32[100] "
         "get-tuple-element(p), index=1\n" +
         yes +
         "}\nn { p = (f32[4], f32[100]) parameter(0)\n a = f32[4] get-tuple-element(p), index=0\n b = f32[100] "
         "get-tuple-element(p), index=1\n" +
         no + "}\nENTRY e { a = f32[4] parameter(0)\n b = f32[100] parameter(1)\n " + chooser +
         "\n t = (f32[4], f32[100]) tuple(a, b)\n" + root + " }\n";
}

TEST(PassesConditionals, KnownBranchesAreInlined) {
  const std::string root = " ROOT r = f32[4] conditional(c, t, t), true_computation=y, false_computation=n";
  const Changed c =
      after(branches("c = pred[] constant(false)", "ROOT r = f32[4] negate(a)\n", "ROOT r = f32[4] abs(a)\n", root),
            {simplifyConditionals});
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Abs), 1);
  const std::string byIndex = " ROOT r = f32[4] conditional(c, t, t), branch_computations={y, n}";
  const Changed d =
      after(branches("c = s32[] constant(-7)", "ROOT r = f32[4] negate(a)\n", "ROOT r = f32[4] abs(a)\n", byIndex),
            {simplifyConditionals});
  EXPECT_EQ(countOf(d.result, Opcode::Abs), 1) << "an index out of range takes the last";
}

TEST(PassesConditionals, SmallOnesBecomeSelects) {
  const std::string root =
      " r = (f32[4], f32[4]) conditional(c, t, t), true_computation=y, false_computation=n\n ROOT q = f32[4] "
      "get-tuple-element(r), index=1";
  const Changed c =
      after(branches("c = pred[] parameter(2)", "n = f32[4] negate(a)\n ROOT r = (f32[4], f32[4]) tuple(a, n)\n",
                     "n = f32[4] exponential(a)\n ROOT r = (f32[4], f32[4]) tuple(n, a)\n", root),
            {simplifyConditionals, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 0);
  EXPECT_EQ(countOf(c.result, Opcode::Select), 1);
}

// Both branches of a select are computed: only few elementwise operations, constants and what costs nothing to move.
TEST(PassesConditionals, OnlyCheapBranchesBecomeSelects) {
  const std::string root = " ROOT r = f32[4] conditional(c, t, t), true_computation=y, false_computation=n";
  const auto left = [&](const std::string& branch) {
    const Changed c = after(branches("c = pred[] parameter(2)", branch, "ROOT r = f32[4] negate(a)\n", root),
                            {simplifyConditionals, simplify});
    return countOf(c.result, Opcode::Conditional);
  };
  const std::string index = "i = s32[4] iota(), iota_dimension=0\n f = f32[4] convert(i)\n";
  EXPECT_EQ(left("q = f32[2,2] reshape(a)\n e = f32[2,2] cosine(q)\n ROOT r = f32[4] reshape(e)\n"), 0);
  EXPECT_EQ(left(index + " ROOT r = f32[4] multiply(a, f)\n"), 0);
  EXPECT_EQ(left("k = f32[] constant(3)\n s = f32[4] broadcast(k), dimensions={}\n ROOT r = f32[4] add(a, s)\n"), 0);
  EXPECT_EQ(left("ROOT r = f32[4] reverse(a), dimensions={0}\n"), 1);
  EXPECT_EQ(left("ROOT r = f32[4] slice(b), slice={[3:7]}\n"), 1);
  EXPECT_EQ(left("s = f32[100] negate(b)\n ROOT r = f32[4] slice(s), slice={[3:7]}\n"), 1) << "too many elements";
  std::string chain = "v0 = f32[4] cosine(a)\n";
  for (int i = 1; i < 100; ++i) chain += "v" + std::to_string(i) + " = f32[4] cosine(v" + std::to_string(i - 1) + ")\n";
  EXPECT_EQ(left(chain + " ROOT r = f32[4] negate(v99)\n"), 1) << "too many operations";
}

// Two branches over (x, y); `yes` and `no` give their results.
std::string branchesOverMatrices(const std::string& yes, const std::string& no, const std::string& result) {
  const std::string head =
      " { p = (f32[8,8], f32[8,8]) parameter(0)\n x = f32[8,8] get-tuple-element(p), index=0\n y = f32[8,8] "
      "get-tuple-element(p), index=1\n";
  return "sum { u = f32[] parameter(0)\n v = f32[] parameter(1)\n ROOT w = f32[] add(u, v) }\nyes" + head + yes +
         "}\nno" + head + no +
         "}\nENTRY e { a = f32[8,8] parameter(0)\n b = f32[8,8] parameter(1)\n c = pred[] parameter(2)\n t = "
         "(f32[8,8], f32[8,8]) tuple(a, b)\n ROOT r = " +
         result + " conditional(c, t, t), true_computation=yes, false_computation=no }\n";
}
constexpr const char* kProduct = "d = f32[8,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

TEST(PassesBranches, ExpensiveBeginningsStandOnceOutside) {
  const Changed c = after(branchesOverMatrices(kProduct + std::string(" ROOT r = f32[8,8] negate(d)\n"),
                                               kProduct + std::string(" ROOT r = f32[8,8] tanh(d)\n"), "f32[8,8]"),
                          {moveOutOfBranches});
  EXPECT_EQ(inEntry(c.result, Opcode::Dot), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Dot), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 1);
  for (InstructionId id : c.result.entryComputation().instructions)
    EXPECT_TRUE(c.result.at(id).opcode != Opcode::Dot || c.result.at(id).provenance->sources.size() == 2);
}

TEST(PassesBranches, ChainsOfCommonWorkMoveWhole) {
  const std::string chain = kProduct + std::string(
                                           " z = f32[] constant(0)\n e = f32[8,8] exponential(d)\n s = f32[8] "
                                           "reduce(e, z), dimensions={1}, to_apply=sum\n");
  const Changed c = after(
      branchesOverMatrices(chain + " ROOT r = f32[8] negate(s)\n", chain + " ROOT r = f32[8] cosine(s)\n", "f32[8]"),
      {moveOutOfBranches});
  EXPECT_EQ(inEntry(c.result, Opcode::Reduce), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Dot), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Exponential), 1);
}

TEST(PassesBranches, CheapOrDifferentBeginningsStay) {
  const Changed cheap = after(branchesOverMatrices(" d = f32[8,8] add(x, y)\n ROOT r = f32[8,8] negate(d)\n",
                                                   " d = f32[8,8] add(x, y)\n ROOT r = f32[8,8] tanh(d)\n", "f32[8,8]"),
                              {moveOutOfBranches});
  EXPECT_FALSE(cheap.changed);
  const Changed other = after(
      branchesOverMatrices(
          kProduct + std::string(" ROOT r = f32[8,8] negate(d)\n"),
          " d = f32[8,8] dot(y, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT r = f32[8,8] tanh(d)\n",
          "f32[8,8]"),
      {moveOutOfBranches});
  EXPECT_FALSE(other.changed);
}

TEST(PassesBranches, WideningEndsStandOnceOutside) {
  const std::string rows =
      " z = f32[] constant(0)\n s = f32[8] reduce(NAME, z), dimensions={1}, to_apply=sum\n m = s32[8] convert(s)\n n = "
      "s8[8] convert(m)\n k = f32[8] convert(n)\n w = f32[8,8] broadcast(k), dimensions={1}\n";
  auto of = [&](const char* name) {
    std::string text = rows;
    return text.replace(text.find("NAME"), 4, name) + " ROOT r = (f32[8,8], f32[8,8]) tuple(w, " + name + ")\n";
  };
  const Changed c = after(branchesOverMatrices(of("x"), of("y"), "(f32[8,8], f32[8,8])"), {moveOutOfBranches});
  EXPECT_EQ(inEntry(c.result, Opcode::Broadcast), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Broadcast), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Convert), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Convert), 5);
}

TEST(PassesBranches, EndsThatGrowNothingStay) {
  const Changed c =
      after(branchesOverMatrices(" ROOT r = f32[8,8] tanh(x)\n", " ROOT r = f32[8,8] tanh(y)\n", "f32[8,8]"),
            {moveOutOfBranches});
  EXPECT_FALSE(c.changed);
}

TEST(PassesConditionals, UnreadResultsAreDropped) {
  const std::string root =
      " r = (f32[100], f32[100], f32[4]) conditional(c, t, t), true_computation=y, false_computation=n\n q = f32[100] "
      "get-tuple-element(r), index=1\n w = f32[4] get-tuple-element(r), index=2\n ROOT z = (f32[100], f32[4]) tuple(q, "
      "w)";
  const Changed c =
      after(branches("c = pred[] parameter(2)",
                     "n = f32[100] negate(b)\n ROOT r = (f32[100], f32[100], f32[4]) tuple(n, b, a)\n",
                     "n = f32[100] exponential(b)\n ROOT r = (f32[100], f32[100], f32[4]) tuple(b, n, a)\n", root),
            {simplifyConditionals, simplify});
  EXPECT_EQ(countOf(c.result, Opcode::Conditional), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Negate), 0);
  const Instruction& root_ = c.result.at(c.result.entryComputation().root);
  EXPECT_EQ(root_.operands[1], c.result.entryComputation().parameters[0]) << "both branches hand it through";
}

}  // namespace
}  // namespace tessera::test
