// `tessera explain` of compiled code: the assembly says for which instruction each stretch of it is, also within a
// fusion, a loop that is one function and a reduction that is split; measured times are beside estimates.
#include <nlohmann/json.hpp>

#include "tests/cli/spawn.h"

namespace tessera {
namespace {

constexpr const char* kComputations =
    "HloModule m\n\nmaximum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT most = f32[] maximum(a, "
    "b)\n}\n\n"
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT both = f32[] add(a, b)\n}\n\n";

class ExplainCode : public testing::Test {
 protected:
  // The marks over the lines that hold a word.
  std::vector<std::string> marksOver(const std::string& assembly, const std::string& word) {
    std::vector<std::string> out;
    std::istringstream lines(assembly);
    std::string mark;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("\t# %"))
        mark = line.substr(3);
      else if (line.find(word) != std::string::npos)
        out.push_back(mark);
    }
    return out;
  }
  std::string assemblyOf(const std::string& program, const std::string& name) {
    scratch_.write("m.hlo", program);
    const Ran ran = scratch_.tessera("explain m.hlo " + name + " --asm --isa=avx2 --json");
    EXPECT_EQ(ran.exit, 0) << ran.err;
    std::string out;
    const auto json = nlohmann::json::parse(ran.out, nullptr, false);
    if (json.is_object())
      for (const auto& instruction : json["optimized"])
        for (const auto& step : instruction["steps"]) out += step["assembly"].get<std::string>();
    return out;
  }
  Scratch scratch_;
};

TEST_F(ExplainCode, MarksWithinAFusion) {
  const std::string assembly =
      assemblyOf(std::string(kComputations) +
                     "ENTRY main {\n  x = f32[1000] parameter(0)\n  y = f32[1000] parameter(1)\n"
                     "  root = f32[1000] sqrt(x), metadata={op_name=\"jit(f)/sqrt\"}\n"
                     "  ROOT part = f32[1000] divide(root, y), metadata={op_name=\"jit(f)/div\"}\n}\n",
                 "part");
  const auto roots = marksOver(assembly, "vsqrtps"), parts = marksOver(assembly, "vdivps");
  ASSERT_FALSE(roots.empty()) << assembly;
  ASSERT_FALSE(parts.empty()) << assembly;
  for (const std::string& mark : roots)
    EXPECT_TRUE(mark.find(" = sqrt, op_name=\"jit(f)/sqrt\"") != std::string::npos) << mark;
  for (const std::string& mark : parts)
    EXPECT_TRUE(mark.find(" = divide, op_name=\"jit(f)/div\"") != std::string::npos) << mark;
  for (const char* noise : {".loc", ".debug", ".Ltmp"}) EXPECT_EQ(assembly.find(noise), std::string::npos) << noise;
}

TEST_F(ExplainCode, MarksOfASoftmax) {
  const std::string assembly = assemblyOf(
      std::string(kComputations) +
          "ENTRY main {\n  x = f32[64,1000] parameter(0)\n  low = f32[] constant(-inf)\n  zero = f32[] constant(0)\n"
          "  high = f32[64] reduce(x, low), dimensions={1}, to_apply=maximum\n  highs = f32[64,1000] broadcast(high), "
          "dimensions={0}\n"
          "  apart = f32[64,1000] subtract(x, highs)\n  powers = f32[64,1000] exponential(apart)\n"
          "  total = f32[64] reduce(powers, zero), dimensions={1}, to_apply=sum\n  totals = f32[64,1000] "
          "broadcast(total), dimensions={0}\n"
          "  ROOT shares = f32[64,1000] divide(powers, totals)\n}\n",
      "shares");
  for (const char* word : {"%most", "= subtract", "= exponential", "%both", "= divide"})
    EXPECT_NE(assembly.find(word), std::string::npos) << word << "\n" << assembly;
  for (const std::string& mark : marksOver(assembly, "vdivps"))
    EXPECT_NE(mark.find(" = divide"), std::string::npos) << mark;
  for (const std::string& mark : marksOver(assembly, "vsubps"))
    EXPECT_TRUE(mark.find(" = subtract") != std::string::npos || mark.find(" = exponential") != std::string::npos)
        << mark;
}

// Two products with sums that look alike: only the order of the parts tells them apart.
TEST_F(ExplainCode, MarksWithinALoopThatIsOneFunction) {
  const std::string program =
      "HloModule m\n\ncondition {\n  s = (s32[], f32[], f32[]) parameter(0)\n  i = s32[] get-tuple-element(s), "
      "index=0\n  n = s32[] constant(9)\n"
      "  ROOT more = pred[] compare(i, n), direction=LT\n}\n\nbody {\n  s = (s32[], f32[], f32[]) parameter(0)\n  i = "
      "s32[] get-tuple-element(s), index=0\n"
      "  x = f32[] get-tuple-element(s), index=1\n  y = f32[] get-tuple-element(s), index=2\n  one = s32[] "
      "constant(1)\n  j = s32[] add(i, one)\n"
      "  root = f32[] sqrt(x)\n  part = f32[] divide(y, x)\n  ROOT t = (s32[], f32[], f32[]) tuple(j, root, "
      "part)\n}\n\n"
      "ENTRY main {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  z = s32[] constant(0)\n  t = (s32[], f32[], "
      "f32[]) tuple(z, x, y)\n"
      "  ROOT w = (s32[], f32[], f32[]) while(t), condition=condition, body=body\n}\n";
  const std::string assembly = assemblyOf(program, "w");
  const auto roots = marksOver(assembly, "vsqrtss"), parts = marksOver(assembly, "vdivss");
  ASSERT_FALSE(roots.empty()) << assembly;
  ASSERT_FALSE(parts.empty()) << assembly;
  for (const std::string& mark : roots) EXPECT_NE(mark.find(" = sqrt"), std::string::npos) << mark;
  for (const std::string& mark : parts) EXPECT_NE(mark.find(" = divide"), std::string::npos) << mark;
}

TEST_F(ExplainCode, InsertedCopiesSayForWhatAndWhy) {
  scratch_.write("m.hlo",
                 "HloModule m\n\nc {\n  s = (s32[], f32[4096]) parameter(0)\n"
                 "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(1000)\n"
                 "  ROOT p = pred[] compare(i, n), direction=LT\n}\n\n"
                 "b {\n  s = (s32[], f32[4096]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                 "  x = f32[4096] get-tuple-element(s), index=1\n  one = s32[] constant(1)\n"
                 "  j = s32[] add(i, one)\n  y = f32[4096] sine(x)\n"
                 "  ROOT t = (s32[], f32[4096]) tuple(j, y)\n}\n\n"
                 "ENTRY main {\n  x = f32[4096] parameter(0)\n  zero = s32[] constant(0)\n"
                 "  t = (s32[], f32[4096]) tuple(zero, x)\n"
                 "  ROOT l = (s32[], f32[4096]) while(t), condition=c, body=b\n}\n");
  const Ran words = scratch_.tessera("explain m.hlo l --asm"), ran = scratch_.tessera("explain m.hlo l --asm --json");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const std::string reason = "the loop changes its state, which begins as something that may not be written";
  EXPECT_NE(words.out.find("inserted for %l: " + reason + "\n"), std::string::npos) << words.out;
  EXPECT_EQ(words.out.find("frontend_attributes"), std::string::npos);
  const auto told = nlohmann::json::parse(ran.out);
  int notes = 0;
  for (const auto& instruction : told["optimized"])
    notes += instruction.contains("insertion") && instruction["insertion"]["user"] == "l" &&
             instruction["insertion"]["reason"] == reason;
  EXPECT_GE(notes, 1) << ran.out;
}

TEST_F(ExplainCode, MeasuredTimes) {
  scratch_.write("m.hlo",
                 "HloModule m\n\nENTRY main {\n  x = f32[1000] parameter(0)\n  ROOT e = f32[1000] exponential(x)\n}\n");
  const Ran ran = scratch_.tessera("explain m.hlo e --runs=5");
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("us a run in 1 executions, 1000 flops, 8000 bytes: "), std::string::npos) << ran.out;
  const auto json = nlohmann::json::parse(scratch_.tessera("explain m.hlo e --runs=5 --json").out, nullptr, false);
  const auto& measured = json["optimized"][0]["steps"][0]["measured"];
  EXPECT_GT(measured["ns"].get<double>(), 0);
  EXPECT_LE(measured["least_ns"].get<double>(), measured["ns"].get<double>());
}
TEST_F(ExplainCode, MeasuredOnAllDevicesOfTheProgram) {
  scratch_.write("m.hlo",
                 "HloModule m, replica_count=3\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT "
                 "both = f32[] add(a, b)\n}\n\n"
                 "ENTRY main {\n  x = f32[1000] parameter(0)\n  e = f32[1000] exponential(x)\n"
                 "  ROOT all = f32[1000] all-reduce(e), replica_groups={{0,1,2}}, to_apply=sum\n}\n");
  for (const char* name : {"e", "all"}) {
    const Ran ran = scratch_.tessera(std::string("explain m.hlo ") + name + " --runs=3");
    ASSERT_EQ(ran.exit, 0) << ran.err;
    EXPECT_NE(ran.out.find("us a run in 1 executions"), std::string::npos) << ran.out;
  }
}

}  // namespace
}  // namespace tessera
