// Attention as one fusion: what is taken into it, what keeps it apart, and that values stay.
#include "core/passes/fusion/attention.h"

#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

constexpr const char* kRowReducers =
    "most {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT m = f32[] maximum(a, b)\n}\n"
    "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";

struct AttentionParts {
  std::string scores =
      " scores = f32[2,16,32] dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={2}\n";
  std::string along = "2";  // of the softmax
  std::string kept = "0,1", reduced = "2,16";
  std::string sum = "sum";
  std::string values =
      " values = f32[2,16,8] dot(weights, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={1}\n";
  std::string end = " ROOT r = f32[2,16,8] negate(values)";
};

std::string textOf(const AttentionParts& p) {
  return "HloModule m\n" + std::string(kRowReducers) +
         "ENTRY e {\n q = f32[2,16,8] parameter(0)\n k = f32[2,32,8] parameter(1)\n v = f32[2,32,8] parameter(2)\n" +
         p.scores + " low = f32[] constant(-inf)\n top = f32[" + p.reduced + "] reduce(scores, low), dimensions={" +
         p.along + "}, to_apply=most\n tops = f32[2,16,32] broadcast(top), dimensions={" + p.kept +
         "}\n shifted = f32[2,16,32] subtract(scores, tops)\n powers = f32[2,16,32] exponential(shifted)\n"
         " zero = f32[] constant(0)\n total = f32[" +
         p.reduced + "] reduce(powers, zero), dimensions={" + p.along + "}, to_apply=" + p.sum +
         "\n totals = f32[2,16,32] broadcast(total), dimensions={" + p.kept +
         "}\n weights = f32[2,16,32] divide(powers, totals)\n" + p.values + p.end + "\n}\n";
}

Module attentionModule(const AttentionParts& p, bool changes) {
  const std::string text = textOf(p);
  const Module source = moduleFrom(text);
  Module out = derive(source);
  DeviceFusions device;
  const auto changed = fuseAttention(out, device);
  EXPECT_TRUE(changed.has_value()) << text;
  EXPECT_EQ(changed.value_or(!changes), changes) << text;
  expectSameValues(source, out);
  return out;
}

// Instructions of the entry that are no parameters and no constants.
std::vector<Opcode> stepsOf(const Module& module) {
  std::vector<Opcode> out;
  for (InstructionId id : module.entryComputation().instructions)
    if (const Opcode opcode = module.at(id).opcode; opcode != Opcode::Parameter && opcode != Opcode::Constant)
      out.push_back(opcode);
  return out;
}

TEST(PassesAttention, IsOneFusion) {
  EXPECT_EQ(stepsOf(attentionModule({}, true)), (std::vector<Opcode>{Opcode::Fusion, Opcode::Negate}));
}
TEST(PassesAttention, TakesInTheMaskAndTheOrderOfTheResult) {
  AttentionParts p;
  p.scores =
      " s = f32[2,16,32] dot(q, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
      "rhs_contracting_dims={2}\n row = s32[2,16,32] iota(), iota_dimension=1\n column = s32[2,16,32] iota(), "
      "iota_dimension=2\n seen = pred[2,16,32] compare(row, column), direction=GE\n little = f32[] constant(-1e9)\n"
      " littles = f32[2,16,32] broadcast(little), dimensions={}\n"
      " scores = f32[2,16,32] select(seen, s, littles)\n";
  p.end = " ROOT r = f32[16,2,8] transpose(values), dimensions={1,0,2}";
  EXPECT_EQ(stepsOf(attentionModule(p, true)), (std::vector<Opcode>{Opcode::Fusion}));
}
TEST(PassesAttention, ReadsPartsAsTheyAreInMemory) {
  AttentionParts p;
  p.scores =
      " all = f32[32,48] parameter(3)\n part = f32[16,16] slice(all), slice={[8:24], [16:32]}\n"
      " heads = f32[16,2,8] reshape(part)\n scores = f32[2,16,32] dot(heads, k), lhs_batch_dims={1}, "
      "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}\n";
  EXPECT_EQ(stepsOf(attentionModule(p, true)), (std::vector<Opcode>{Opcode::Fusion, Opcode::Negate}));
}
// The first one's end is in its own fusion, and no part of how the second one reads its queries.
TEST(PassesAttention, OneBehindTheOther) {
  AttentionParts p;
  p.end =
      " u = f32[8,16,2] transpose(values), dimensions={2,1,0}\n z = f32[2,16,8] transpose(u), dimensions={2,1,0}\n"
      " again = f32[2,16,32] dot(z, k), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
      "rhs_contracting_dims={2}\n top2 = f32[2,16] reduce(again, low), dimensions={2}, to_apply=most\n"
      " tops2 = f32[2,16,32] broadcast(top2), dimensions={0,1}\n shifted2 = f32[2,16,32] subtract(again, tops2)\n"
      " powers2 = f32[2,16,32] exponential(shifted2)\n"
      " total2 = f32[2,16] reduce(powers2, zero), dimensions={2}, to_apply=sum\n"
      " totals2 = f32[2,16,32] broadcast(total2), dimensions={0,1}\n"
      " weights2 = f32[2,16,32] divide(powers2, totals2)\n ROOT r = f32[2,8,16] dot(v, weights2), lhs_batch_dims={0}, "
      "lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={2}";
  EXPECT_EQ(stepsOf(attentionModule(p, true)), (std::vector<Opcode>{Opcode::Fusion, Opcode::Fusion}));
}
TEST(PassesAttention, WithoutAKernelStaysAndSaysWhy) {
  Module module = derive(moduleFrom(textOf({})));
  DeviceFusions device([](const Module&, InstructionId) { return Status(failUnsupported("too long")); });
  const auto changed = fuseAttention(module, device);
  ASSERT_TRUE(changed);
  EXPECT_FALSE(*changed);
  for (InstructionId id : module.entryComputation().instructions) {
    const std::string* why = device.refusalOf(module.at(id));
    EXPECT_EQ(why ? *why : "", module.at(id).name == "values" ? "too long" : "") << module.at(id).name;
  }
}
TEST(PassesAttention, WeightsThatAreReadElsewhereStay) {
  AttentionParts p;
  p.end = " ROOT r = (f32[2,16,8], f32[2,16,32]) tuple(values, weights)";
  attentionModule(p, false);
}
TEST(PassesAttention, ScoresThatAreReadElsewhereStay) {
  AttentionParts p;
  p.end = " ROOT r = (f32[2,16,8], f32[2,16,32]) tuple(values, scores)";
  attentionModule(p, false);
}
TEST(PassesAttention, ASoftmaxOverQueriesIsNone) {
  AttentionParts p;
  p.along = "1", p.kept = "0,2", p.reduced = "2,32";
  attentionModule(p, false);
}
TEST(PassesAttention, AQuotientByAMaximumIsNone) {
  AttentionParts p;
  p.sum = "most";
  attentionModule(p, false);
}
TEST(PassesAttention, ASumOverQueriesIsNone) {
  AttentionParts p;
  p.values =
      " w = f32[2,16,8] parameter(3)\n values = f32[2,32,8] dot(weights, w), lhs_batch_dims={0}, "
      "lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}\n";
  p.end = " ROOT r = f32[2,32,8] negate(values)";
  attentionModule(p, false);
}

}  // namespace
}  // namespace tessera::test
