// The schedule for memory: a right order, never with a higher peak than the given one, and lower where that is easy to
// see.
#include <algorithm>
#include <map>
#include <random>

#include "core/ops/inference/infer.h"
#include "core/passes/buffers/schedule.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

// Most bytes alive at once, parameters and constants left out; every value lives from its making to its last reader.
int64_t peakOf(const Module& m) {
  const std::vector<InstructionId>& order = m.entryComputation().instructions;
  std::map<uint32_t, size_t> last;
  for (size_t at = 0; at < order.size(); ++at) {
    last[order[at].value] = std::max(last[order[at].value], at);
    for (InstructionId operand : m.at(order[at]).operands) last[operand.value] = at;
  }
  int64_t live = 0, most = 0;
  const auto bytes = [&](InstructionId id) {
    const Opcode opcode = m.at(id).opcode;
    return opcode == Opcode::Parameter || opcode == Opcode::Tuple ? 0 : m.shapeOf(id).denseBytes().value_or(0);
  };
  for (size_t at = 0; at < order.size(); ++at) {
    live += bytes(order[at]);
    most = std::max(most, live);
    for (size_t before = 0; before <= at; ++before)
      if (last[order[before].value] == at) live -= bytes(order[before]);
  }
  return most;
}

// Random sums of vectors of many sizes, all used in the end.
std::string randomProgram(uint32_t seed) {
  std::mt19937 random(seed);
  std::string out = "HloModule m\nENTRY e {\n p = f32[] parameter(0)\n";
  std::vector<std::pair<std::string, int>> values;
  std::vector<bool> used;
  for (int i = 0; i < 24; ++i) {
    const int size = 1 << (random() % 8);
    const std::string name = "v" + std::to_string(i), shape = "f32[" + std::to_string(size) + "]";
    const std::string source = "q" + std::to_string(i);
    if (values.empty() || random() % 3 == 0) {
      out += " " + source + " = f32[] negate(p)\n";
    } else {
      const size_t from = random() % values.size();
      used[from] = true;
      const std::string scalar = "t" + std::to_string(i);
      out += " " + scalar + " = f32[1] slice(" + values[from].first + "), slice={[0:1]}\n " + source +
             " = f32[] reshape(" + scalar + ")\n";
    }
    out += " " + name + " = " + shape + " broadcast(" + source + "), dimensions={}\n";
    values.push_back({name, size});
    used.push_back(false);
  }
  std::string shapes, names;
  for (size_t i = 0; i < values.size(); ++i) {
    if (used[i]) continue;
    shapes += (shapes.empty() ? "" : ", ") + ("f32[" + std::to_string(values[i].second) + "]");
    names += (names.empty() ? "" : ", ") + values[i].first;
  }
  return out + " ROOT r = (" + shapes + ") tuple(" + names + ")\n}\n";
}

// Layouts of a scheduled module are final: one that hands a value on in another layout only gets its order.
TEST(PassesSchedule, OnlyAModuleWhoseLayoutsAgreeIsMarked) {
  for (const char* layout : {"{1,0}", "{0,1}"}) {
    Module m = moduleFrom(std::string("HloModule m\ninner { p = f32[3,4]") + layout +
                          " parameter(0)\n ROOT n = f32[3,4]{1,0} negate(p) }\nENTRY e {\n x = f32[3,4]{1,0} "
                          "parameter(0)\n ROOT c = f32[3,4]{1,0} call(x), to_apply=inner\n}\n");
    ASSERT_TRUE(scheduleModule(m).has_value());
    EXPECT_EQ(m.config().isScheduled.value_or(false), std::string(layout) == "{1,0}");
    EXPECT_TRUE(verify(m).empty());
  }
}

TEST(PassesSchedule, IsRightAndNeverWorse) {
  int better = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const Module source = moduleFrom(randomProgram(seed));
    Module m = derive(source);
    const int64_t before = peakOf(m);
    ASSERT_TRUE(scheduleModule(m).has_value());
    ASSERT_EQ(m.entryComputation().instructions.size(), source.entryComputation().instructions.size());
    expectSameValues(source, m);
    EXPECT_LE(peakOf(m), before) << seed;
    better += peakOf(m) < before;
  }
  EXPECT_GT(better, 20);
}

TEST(PassesSchedule, WhatFreesComesFirst) {
  // Four big values, each needed for a small one: as listed all are alive at once.
  const Module source = moduleFrom(R"(HloModule m
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[1000] parameter(0)
 z = f32[] constant(0)
 a = f32[1000] negate(x)
 b = f32[1000] tanh(x)
 c = f32[1000] abs(x)
 d = f32[1000] exponential(x)
 sa = f32[] reduce(a, z), dimensions={0}, to_apply=sum
 sb = f32[] reduce(b, z), dimensions={0}, to_apply=sum
 sc = f32[] reduce(c, z), dimensions={0}, to_apply=sum
 sd = f32[] reduce(d, z), dimensions={0}, to_apply=sum
 ROOT r = (f32[], f32[], f32[], f32[]) tuple(sa, sb, sc, sd) }
)");
  Module m = derive(source);
  EXPECT_GE(peakOf(m), 16000);
  ASSERT_TRUE(scheduleModule(m).value());
  EXPECT_LT(peakOf(m), 4100);
}

}  // namespace
}  // namespace tessera::test
