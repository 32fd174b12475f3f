// Programs without op_name: the parts of a training step, orders in which little waits, and where they are parted.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/arrange/arrangement.h"
#include "core/arrange/compact_order.h"
#include "core/arrange/stretches.h"
#include "core/arrange/training_parts.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

// A module's entry with all that the functions ask for; parameters and constants do not count.
struct NamelessProgram {
  Module module;
  UserTable users;
  std::vector<int32_t> positions;
  OperandPlaces operands;
  std::vector<bool> content;

  explicit NamelessProgram(const std::string& text) : module(*readHloText(text, "test").module), users(module) {
    positions.assign(module.instructionSlots(), -1);
    const auto& all = entry().instructions;
    for (size_t k = 0; k < all.size(); ++k) positions[all[k].value] = static_cast<int32_t>(k);
    for (InstructionId id : all) {
      const Instruction& i = module.at(id);
      for (InstructionId operand : i.operands) operands.items.push_back(positions[operand.value]);
      operands.begin.push_back(static_cast<uint32_t>(operands.items.size()));
      content.push_back(i.opcode != Opcode::Parameter && i.opcode != Opcode::Constant);
    }
  }
  const Computation& entry() const { return module.entryComputation(); }
  std::vector<TrainingPart> parts() const {
    return trainingParts(module, entry(), users, positions, operands, content);
  }
  std::vector<int32_t> items() const {
    std::vector<int32_t> out;
    for (size_t k = 0; k < content.size(); ++k)
      if (content[k]) out.push_back(static_cast<int32_t>(k));
    return out;
  }
  std::string namesOf(std::span<const int32_t> places) const {
    std::string out;
    for (int32_t place : places)
      out += (out.empty() ? "" : " ") + std::string(module.at(entry().instructions[at(place)]).name);
    return out;
  }
  std::string namesOf(TrainingPart part) const {
    std::vector<int32_t> out;
    const auto all = parts();
    for (size_t k = 0; k < all.size(); ++k)
      if (all[k] == part) out.push_back(static_cast<int32_t>(k));
    return namesOf(out);
  }
};

// Two linear layers, the sum of squares as loss, gradient descent; worked out by hand.
constexpr const char* kStep = R"(HloModule step
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  w1 = f32[4,4] parameter(0)
  w2 = f32[4,4] parameter(1)
  x = f32[2,4] parameter(2)
  zero = f32[] constant(0)
  rate = f32[4,4] constant({{1,1,1,1},{1,1,1,1},{1,1,1,1},{1,1,1,1}})
  h = f32[2,4] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[2,4] tanh(h)
  y = f32[2,4] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  square = f32[2,4] multiply(y, y)
  loss = f32[] reduce(square, zero), dimensions={0,1}, to_apply=sum
  dy = f32[2,4] add(y, y)
  dw2 = f32[4,4] dot(t, dy), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  dt = f32[2,4] dot(dy, w2), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  slope = f32[2,4] cosine(h)
  dh = f32[2,4] multiply(dt, slope)
  dw1 = f32[4,4] dot(x, dh), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  step1 = f32[4,4] multiply(dw1, rate)
  new1 = f32[4,4] subtract(w1, step1)
  step2 = f32[4,4] multiply(dw2, rate)
  new2 = f32[4,4] subtract(w2, step2)
  ROOT out = (f32[], f32[4,4], f32[4,4]) tuple(loss, new1, new2)
})";

TEST(TrainingParts, OfTwoLayersWithGradientDescent) {
  const NamelessProgram step(kStep);
  EXPECT_EQ(step.namesOf(TrainingPart::Forward), "h t y square loss dy");
  EXPECT_EQ(step.namesOf(TrainingPart::Backward), "dw2 dt slope dh dw1 out");
  EXPECT_EQ(step.namesOf(TrainingPart::Update), "step1 new1 step2 new2");
}

// Each new parameter depends on both gradients, by their norm.
TEST(TrainingParts, AreToldApartWhereGradientsAreClipped) {
  std::string text = kStep;
  const auto replace = [&](const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  replace("  step1 = f32[4,4] multiply(dw1, rate)\n", R"(  square1 = f32[4,4] multiply(dw1, dw1)
  sum1 = f32[] reduce(square1, zero), dimensions={0,1}, to_apply=sum
  square2 = f32[4,4] multiply(dw2, dw2)
  sum2 = f32[] reduce(square2, zero), dimensions={0,1}, to_apply=sum
  norm = f32[] add(sum1, sum2)
  clip = f32[] rsqrt(norm)
  spread = f32[4,4] broadcast(clip), dimensions={}
  step1 = f32[4,4] multiply(dw1, spread)
)");
  replace("multiply(dw2, rate)", "multiply(dw2, spread)");
  const NamelessProgram step(text);
  EXPECT_EQ(step.namesOf(TrainingPart::Forward), "h t y square loss dy");
  EXPECT_EQ(step.namesOf(TrainingPart::Backward), "dw2 dt slope dh dw1 square1 sum1 square2 sum2 out");
  EXPECT_EQ(step.namesOf(TrainingPart::Update), "norm clip spread step1 new1 step2 new2");
}

// Outputs have the shapes of inputs, but no product reads a weight twice: a decode step with its caches.
TEST(TrainingParts, AnInferenceStepHasNone) {
  const NamelessProgram decode(R"(HloModule decode
ENTRY main {
  cache = f32[8,4] parameter(0)
  w1 = f32[4,4] parameter(1)
  w2 = f32[4,4] parameter(2)
  x = f32[1,4] parameter(3)
  place = s32[] parameter(4)
  zero = s32[] constant(0)
  key = f32[1,4] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  kept = f32[8,4] dynamic-update-slice(cache, key, place, zero)
  scores = f32[1,8] dot(x, kept), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  mixed = f32[1,4] dot(scores, kept), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = f32[1,4] dot(mixed, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT out = (f32[1,4], f32[8,4]) tuple(y, kept)
})");
  EXPECT_TRUE(decode.parts().empty());
}

// `aside` reads a parameter alone: it is computed where it is needed, not first.
TEST(CompactOrder, WhatIsAsideComesBeforeItsReader) {
  const NamelessProgram program(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  aside = f32[4] negate(x)
  a = f32[4] tanh(x)
  b = f32[4] tanh(a)
  c = f32[4] tanh(b)
  d = f32[4] tanh(c)
  e = f32[4] tanh(d)
  f = f32[4] tanh(e)
  ROOT g = f32[4] add(aside, f)
})");
  const auto order = compactOrder(program.items(), program.operands, Toward::Results);
  EXPECT_EQ(program.namesOf(order), "a b c d e f aside g");
  EXPECT_EQ(valuesAcross(order, program.operands), (std::vector<uint32_t>{0, 1, 1, 1, 1, 1, 1, 2, 0}));
}

// The mirror image: the gradient of a weight is read by nothing else, and comes as soon as it can be computed.
TEST(CompactOrder, TowardTheInputsWhatIsAsideComesAtOnce) {
  const NamelessProgram program(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] tanh(x)
  b = f32[4] tanh(a)
  c = f32[4] tanh(b)
  d = f32[4] tanh(c)
  e = f32[4] tanh(d)
  f = f32[4] tanh(e)
  aside = f32[4] negate(a)
  ROOT out = (f32[4], f32[4]) tuple(aside, f)
})");
  std::vector<int32_t> items = program.items();
  items.pop_back();  // the tuple
  EXPECT_EQ(program.namesOf(compactOrder(items, program.operands, Toward::Inputs)), "a aside b c d e f");
}

TEST(Stretches, ArePartedWhereItCostsLeast) {
  std::vector<float> costs(31, 4);
  costs[0] = costs[30] = 0;
  costs[9] = costs[21] = 1;
  EXPECT_EQ(stretchesOf(costs, 3), (std::vector<size_t>{9, 21, 30}));
  EXPECT_EQ(stretchesOf(costs, 1), std::vector<size_t>{30});
}

// Parameters of one block stay together: five values of each block are read, none crosses a boundary.
TEST(Stretches, KeepBlocksOfParametersTogether) {
  std::string text = "HloModule m\nENTRY main {\n", roots;
  for (int k = 0; k < 30; ++k) {
    const std::string name = "p__h___" + std::to_string(k / 10) + "___w" + std::to_string(k % 10) + "__";
    text += "  " + name + ".1 = f32[4] parameter(" + std::to_string(k) + ")\n";
    text += "  n" + std::to_string(k) + " = f32[4] negate(" + name + ".1)\n";
  }
  const NamelessProgram program(text + "  ROOT r = f32[4] add(n0, n1)\n}");
  std::vector<int32_t> items = program.items();
  items.pop_back();
  const auto costs = partingCosts(program.module, program.entry(), items, program.operands);
  EXPECT_EQ(stretchesOf(costs, 3), (std::vector<size_t>{10, 20, 30}));
}

// --- groups

// A chain of blocks that differ in their shapes, so that they are no stack.
std::string unevenChain(int length) {
  constexpr const char* kOps[] = {"tanh", "negate", "exponential", "abs", "sine"};
  std::string out = "HloModule chain\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= length; ++i)
    out +=
        "  v" + std::to_string(i) + " = f32[8] " + kOps[(i * i / 7 + i / 3) % 5] + "(v" + std::to_string(i - 1) + ")\n";
  return out + "}\n";
}

TEST(Nameless, AFewInstructionsStayAsTheyAre) {
  const NamelessProgram program(unevenChain(60));
  EXPECT_EQ(makeView(program.module, program.module.entry(), {}).nodes.size(), 61u);
}

TEST(Nameless, ManyAreAFewStretches) {
  const NamelessProgram program(unevenChain(400));
  const GraphView view = makeView(program.module, program.module.entry(), {});
  EXPECT_LE(view.nodes.size(), 20u);
  for (const ViewEdge& edge : view.edges) EXPECT_LT(edge.from, edge.to);
}

}  // namespace
}  // namespace tessera
