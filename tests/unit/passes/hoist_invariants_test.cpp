// What is the same in each round of a loop moves out of it where it is expensive, and stays where reading it from
// memory would cost as much as computing it.
#include "core/passes/control/hoist_invariants.h"
#include "tests/unit/passes/programs.h"

namespace tessera::test {
namespace {

TEST(PassesLoops, InvariantProductsMoveOut) {
  const std::string text = loopText(0, 3, "a = f32[4] tanh(y)\n z = f32[4] add(x, a)");
  const Changed c = after(text, {hoistInvariants});
  EXPECT_TRUE(c.changed);
  int outside = 0;
  for (InstructionId id : c.result.entryComputation().instructions) outside += c.result.at(id).opcode == Opcode::Tanh;
  EXPECT_EQ(outside, 1);
  EXPECT_EQ(countOf(c.result, Opcode::Tanh), 1);
}

TEST(PassesLoops, CheapAndSpreadValuesStayInside) {
  EXPECT_FALSE(after(loopText(0, 3, "a = f32[4] negate(y)\n z = f32[4] add(x, a)"), {hoistInvariants}).changed);
  const std::string spread = R"(
c { s = (s32[], f32[64,64], f32[64]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(3)
 ROOT p = pred[] compare(i, n), direction=LT }
b { s = (s32[], f32[64,64], f32[64]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[64,64] get-tuple-element(s), index=1
 y = f32[64] get-tuple-element(s), index=2
 one = s32[] constant(1)
 j = s32[] add(i, one)
 e = f32[64] exponential(y)
 w = f32[64,64] broadcast(e), dimensions={1}
 z = f32[64,64] add(x, w)
 ROOT t = (s32[], f32[64,64], f32[64]) tuple(j, z, y) }
ENTRY e { a = f32[64,64] parameter(0)
 d = f32[64] parameter(1)
 i = s32[] constant(0)
 t = (s32[], f32[64,64], f32[64]) tuple(i, a, d)
 l = (s32[], f32[64,64], f32[64]) while(t), condition=c, body=b
 ROOT r = f32[64,64] get-tuple-element(l), index=1 }
)";
  const Changed c = after(spread, {hoistInvariants});
  int inEntry = 0;
  for (InstructionId id : c.result.entryComputation().instructions) {
    inEntry += c.result.at(id).opcode == Opcode::Exponential;
    EXPECT_NE(c.result.at(id).opcode, Opcode::Broadcast);
  }
  EXPECT_EQ(inEntry, 1);
}

// A loop over (counter, x: f32[n,n], y: f32[n]); `step` gives z, the new x, from x and y.
std::string matrixLoop(int n, const std::string& step) {
  const std::string all = "f32[" + std::to_string(n) + "," + std::to_string(n) + "]",
                    row = "f32[" + std::to_string(n) + "]", state = "(s32[], " + all + ", " + row + ")";
  std::string text =
      "c { s = STATE parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(3)\n "
      "ROOT p = pred[] compare(i, n), direction=LT }\nb { s = STATE parameter(0)\n i = s32[] "
      "get-tuple-element(s), index=0\n x = ALL get-tuple-element(s), index=1\n y = ROW "
      "get-tuple-element(s), index=2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n" +
      step +
      "\n ROOT t = STATE tuple(j, z, y) }\nENTRY e { a = ALL parameter(0)\n d = ROW parameter(1)\n i = "
      "s32[] constant(0)\n t = STATE tuple(i, a, d)\n l = STATE while(t), condition=c, body=b\n ROOT r = "
      "ALL get-tuple-element(l), index=1 }\n";
  for (const auto& [word, type] : {std::pair<std::string, std::string>{"STATE", state}, {"ALL", all}, {"ROW", row}})
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), type);
  return text;
}
const std::string kMask =
    " p = s32[] constant(0)\n k = INDEX iota(), iota_dimension=0\n l = INDEX iota(), iota_dimension=1\n g = MASK "
    "compare(k, l), direction=GE\n m = ALL convert(g)\n";
std::string maskLoop(int n, const std::string& step) {
  const std::string dims = "[" + std::to_string(n) + "," + std::to_string(n) + "]";
  std::string text = kMask + step;
  for (const auto& [word, type] : {std::pair<std::string, std::string>{"INDEX", "s32"}, {"MASK", "pred"}})
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), type + dims);
  return matrixLoop(n, text);
}

// exp(m * y) of a mask m from two iotas is the same in every round.
TEST(PassesLoops, ExpensiveValuesOfIotasMoveOut) {
  const Changed c = after(maskLoop(8,
                                   " w = ALL broadcast(y), dimensions={0}\n h = ALL multiply(m, w)\n e = ALL "
                                   "exponential(h)\n z = ALL add(x, e)"),
                          {hoistInvariants});
  EXPECT_EQ(inEntry(c.result, Opcode::Exponential), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Exponential), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Iota), 2);
}

// Outside the loop an iota, or what costs little to compute from one, would only be read from memory.
TEST(PassesLoops, CheapValuesOfIotasStayInside) {
  EXPECT_FALSE(after(maskLoop(8, " z = ALL multiply(x, m)"), {hoistInvariants}).changed);
  const std::string parity =
      " q = s32[] constant(2)\n w = INDEX broadcast(q), dimensions={}\n o = INDEX remainder(k, w)\n f = ALL "
      "convert(o)\n z = ALL multiply(x, f)";
  EXPECT_FALSE(after(maskLoop(8, parity), {hoistInvariants}).changed) << "a remainder by a constant is a few products";
}

// Only what is expensive moves: the mask around it would be eight times its size.
TEST(PassesLoops, OfValuesOfIotasOnlyTheExpensivePartMovesOut) {
  const Changed c = after(maskLoop(8,
                                   " v = ROW iota(), iota_dimension=0\n u = ROW exponential(v)\n w = ALL broadcast(u), "
                                   "dimensions={1}\n h = ALL multiply(m, w)\n z = ALL add(x, h)"),
                          {hoistInvariants});
  EXPECT_EQ(inEntry(c.result, Opcode::Exponential), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Multiply), 0);
  EXPECT_EQ(inEntry(c.result, Opcode::Compare), 0);
}

// 32768 * 32768 exponentials would take 4 GiB for as long as the loop runs.
TEST(PassesLoops, ValuesOfIotasThatNeedTooMuchMemoryStayInside) {
  const std::string text = maskLoop(32768, " h = ALL multiply(m, m)\n e = ALL exponential(h)\n z = ALL add(x, e)");
  Module m = derive(moduleFrom("HloModule m\n" + text));
  EXPECT_FALSE(hoistInvariants(m).value());
}

// A product reads its operands from memory: what is the same in each round is stored once.
TEST(PassesLoops, InvariantOperandsOfProductsMoveOut) {
  const Changed c =
      after(maskLoop(8, " w = ALL negate(m)\n z = ALL dot(w, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            {hoistInvariants});
  EXPECT_EQ(inEntry(c.result, Opcode::Negate), 1);
  EXPECT_EQ(countOf(c.result, Opcode::Negate), 1);
  EXPECT_EQ(inEntry(c.result, Opcode::Dot), 0);
}

}  // namespace
}  // namespace tessera::test
