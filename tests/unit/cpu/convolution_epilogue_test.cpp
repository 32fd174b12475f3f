// Convolutions and what is done to their elements as one fusion that runs by pieces: which graphs become one, how it
// runs, that values are the evaluator's and the same bits on any number of threads.
#include <gtest/gtest.h>

#include "core/ops/inference/infer.h"
#include "tests/support/like_evaluator.h"

namespace tessera {
namespace {

bool isEnd(const Instruction& in) {
  return in.opcode == Opcode::Fusion && in.attributes->textOr(Attr::kind, "") == "kOutput";
}

// what: of the fusion's step; "": there must be no such fusion.
void expectEnd(const std::string& text, const std::string& what) {
  Module module = test::parsedModule(text);
  ASSERT_FALSE(inferModule(module).hasErrors()) << text;
  const auto inspect = [&](Executable& executable, const Profile&) {
    const Module& optimized = executable.optimized();
    std::string how;
    for (InstructionId id : optimized.entryComputation().instructions)
      if (isEnd(optimized.at(id))) how += executable.list(id, false).value()[0].what;
    EXPECT_EQ(how, what);
  };
  // Sums of f32 in another order; bf16 as its default.
  const bool narrow = text.find("bf16[") != std::string::npos;
  test::expectLikeEvaluator(module, {.threads = {1, 2, 5},
                                     .closeness = narrow ? test::Closeness{} : test::Closeness{Tolerance{1e-4, 1e-4}},
                                     .inspect = inspect});
}

const std::string kHead =
    "HloModule m\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY "
    "e {\n";
constexpr const char* kShards = "convolution (oneDNN), epilogue on each shard";

// a ∗ k with `rest` behind it; s: the result's shape, v: an argument of one value a feature, r: one of the result's
// shape.
std::string program(const std::string& input, const std::string& kernel, const std::string& result,
                    const std::string& feature, const std::string& how, const std::string& rest) {
  std::string text = kHead + "  a = " + input + " parameter(0)\n  k = " + kernel + " parameter(1)\n  v = f32[" +
                     feature + "] parameter(2)\n  r = " + result + " parameter(3)\n  c = " + result +
                     " convolution(a, k), " + how + "\n" + rest + "}\n";
  for (size_t at; (at = text.find("$S")) != std::string::npos;) text.replace(at, 2, result);
  return text;
}

const std::string kBiasAndRelu =
    "  vb = $S broadcast(v), dimensions={3}\n  s = $S add(c, vb)\n  t = $S add(s, r)\n  z = f32[] constant(0)\n  zb = "
    "$S broadcast(z), dimensions={}\n  ROOT m = $S maximum(t, zb)\n";

TEST(CpuConvolutionEpilogue, BiasResidualAndActivationRunOnEachPiece) {
  expectEnd(program("f32[9,18,20,16]", "f32[3,3,16,32]", "f32[9,18,20,32]", "32",
                    "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", kBiasAndRelu),
            kShards);
  expectEnd(program("f32[1,96,40,3]", "f32[5,5,3,24]", "f32[1,96,40,24]", "24",
                    "window={size=5x5 pad=2_2x2_2}, dim_labels=b01f_01io->b01f", kBiasAndRelu),
            kShards);
  expectEnd(program("f32[8,33,33,8]", "f32[3,3,8,64]", "f32[8,17,17,64]", "64",
                    "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", kBiasAndRelu),
            kShards);
}

TEST(CpuConvolutionEpilogue, GroupsDilationAndFeaturesInFront) {
  expectEnd(program("f32[4,24,24,32]", "f32[3,3,1,32]", "f32[4,24,24,32]", "32",
                    "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=32", kBiasAndRelu),
            kShards);
  expectEnd(program("f32[4,24,24,32]", "f32[3,3,8,64]", "f32[4,24,24,64]", "64",
                    "window={size=3x3 pad=2_2x2_2 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=4",
                    kBiasAndRelu),
            kShards);
  expectEnd(program("f32[8,5,24,24]", "f32[32,5,3,3]", "f32[8,32,24,24]", "32",
                    "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01",
                    "  vb = $S broadcast(v), dimensions={1}\n  s = $S multiply(c, vb)\n  ROOT l = $S logistic(s)\n"),
            kShards);
}

// Its own result stays beside where it has another width; what reads rows of features needs the whole of them, which
// pieces have.
TEST(CpuConvolutionEpilogue, ConversionsAndRows) {
  const std::string how = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  expectEnd(program("f32[8,16,16,16]", "f32[3,3,16,32]", "f32[8,16,16,32]", "32", how,
                    "  t = $S tanh(c)\n  ROOT h = bf16[8,16,16,32] convert(t)\n"),
            kShards);
  expectEnd(program("f32[4,16,16,4]", "f32[3,3,4,128]", "f32[4,16,16,128]", "128", how,
                    "  z = f32[] constant(0)\n  m = f32[4,16,16] reduce(c, z), dimensions={3}, to_apply=add\n  mb = $S "
                    "broadcast(m), dimensions={0,1,2}\n  ROOT d = $S subtract(c, mb)\n"),
            kShards);
}

// A stack is unrolled: its stores are several, so that no shard is a range of it.
TEST(CpuConvolutionEpilogue, EpiloguesWithStacks) {
  expectEnd(program("f32[8,33,33,8]", "f32[3,3,8,8]", "f32[8,33,33,8]", "8",
                    "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
                    "  s = f32[8,33,33,4] slice(r), slice={[0:8], [0:33], [0:33], [0:4]}\n"
                    "  t = f32[8,33,33,4] slice(r), slice={[0:8], [0:33], [0:33], [4:8]}\n"
                    "  n = f32[8,33,33,4] negate(t)\n  m = f32[8,33,33,4] multiply(s, s)\n"
                    "  j = $S concatenate(n, m), dimensions={3}\n  ROOT d = $S add(c, j)\n"),
            "convolution (oneDNN), kernel");
}

// What the epilogue cannot overwrite is there for the shard that a thread is at, not as a whole.
TEST(CpuConvolutionEpilogue, NarrowResultsNeedAShardAThread) {
  const Module module = test::parsedModule(
      "HloModule m\n\nENTRY e {\n  a = f16[8,32,32,16] parameter(0)\n  k = f16[3,3,16,32] parameter(1)\n"
      "  ROOT c = f16[8,32,32,32] convolution(a, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n}\n");
  const auto executable = test::compiled(module, 1);
  ASSERT_TRUE(executable);
  constexpr int64_t kElements = 8 * 32 * 32 * 32, kWidened = 8 * 32 * 32 * 16 + 3 * 3 * 16 * 32;
  EXPECT_LT(executable->peakBytes(), 6 * kWidened + 2 * kElements + 2 * kElements);
}

TEST(CpuConvolutionEpilogue, GradientsHaveEndsToo) {
  expectEnd(program("f32[8,12,12,16]", "f32[3,3,16,32]", "f32[8,23,23,32]", "32",
                    "window={size=3x3 pad=1_1x1_1 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", kBiasAndRelu),
            "convolution (oneDNN, data), epilogue on each shard");
}

TEST(CpuConvolutionEpilogue, WhatHasOtherReadersOrIsSmallStaysAlone) {
  const std::string how = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  expectEnd(program("f32[8,16,16,16]", "f32[3,3,16,32]", "f32[8,16,16,32]", "32", how,
                    "  t = $S tanh(c)\n  ROOT p = ($S, $S) tuple(c, t)\n"),
            "");
  expectEnd(program("f32[2,8,8,4]", "f32[3,3,4,8]", "f32[2,8,8,8]", "8", how, "  ROOT t = $S tanh(c)\n"), "");
}

}  // namespace
}  // namespace tessera
