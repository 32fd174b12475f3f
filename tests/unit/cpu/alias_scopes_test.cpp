// What kernels of the CPU backend tell LLVM of their arrays: the promise by program, and what comes of it in the code.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

// Before LLVM's passes and after, of the kernel of the optimised module's instruction that does `opcode`.
StepListing codeOf(const std::string& text, Opcode opcode) {
  auto read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  auto executable = makeBackend("cpu").value()->compile(*read.module);
  EXPECT_TRUE(executable) << executable.error().toString();
  const Module& module = (*executable)->optimized();
  for (InstructionId id : module.entryComputation().instructions) {
    if (module.at(id).opcode != opcode) continue;
    auto steps = (*executable)->list(id, true);
    for (StepListing& step : *steps)
      if (!step.irAfter.empty()) return std::move(step);
  }
  ADD_FAILURE() << "no kernel in " << text;
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CpuAliasScopes, WhatMayBeWrittenOverIsNotTakenForApart) {
  const StepListing inPlace = codeOf(
      "HloModule m\n\nENTRY e {\n  a = f32[64,128] parameter(0)\n  ROOT n = f32[64,128] sine(a)\n}\n", Opcode::Sine);
  EXPECT_FALSE(has(inPlace.irBefore, "!noalias"));
  const StepListing wider =
      codeOf("HloModule m\n\nENTRY e {\n  a = f32[64,128] parameter(0)\n  ROOT n = f64[64,128] convert(a)\n}\n",
             Opcode::Convert);
  EXPECT_TRUE(has(wider.irBefore, "!noalias") && has(wider.irBefore, "!alias.scope"));
}

// A loop over x and two arrays that stay as they are: these are read before it. All are too large for registers.
TEST(CpuAliasScopes, WhatALoopNeverWritesIsReadBeforeIt) {
  const std::string tuple = "(s32[], f32[80], f32[80], f32[80])";
  const StepListing loop =
      codeOf("HloModule m\n\nc {\n  p = " + tuple +
                 " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(1000)\n"
                 "  ROOT l = pred[] compare(i, n), direction=LT\n}\n\nb {\n  p = " +
                 tuple +
                 " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
                 "  x = f32[80] get-tuple-element(p), index=1\n  w = f32[80] get-tuple-element(p), index=2\n  d = "
                 "f32[80] get-tuple-element(p), index=3\n"
                 "  xs = f32[16] slice(x), slice={[0:16]}\n  ws = f32[16] slice(w), slice={[0:16]}\n"
                 "  ds = f32[16] slice(d), slice={[0:16]}\n  zero = s32[] constant(0)\n"
                 "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  y = f32[16] multiply(xs, ws)\n  v = f32[16] "
                 "add(y, ds)\n  z = f32[80] dynamic-update-slice(x, v, zero)\n  ROOT t = " +
                 tuple +
                 " tuple(j, z, w, d)\n}\n\n"
                 "ENTRY e {\n  i = s32[] constant(0)\n  x = f32[80] parameter(0)\n  w = f32[80] parameter(1)\n  d = "
                 "f32[80] parameter(2)\n"
                 "  t = " +
                 tuple + " tuple(i, x, w, d)\n  l = " + tuple +
                 " while(t), condition=c, body=b\n  ROOT r = f32[80] get-tuple-element(l), index=1\n}\n",
             Opcode::While);
  const std::string& code = loop.irAfter;
  const size_t begin = code.find("\nwhile:");
  ASSERT_NE(begin, std::string::npos) << code;
  auto vectorLoads = [](std::string_view part) {
    int count = 0;
    for (size_t at = 0; (at = part.find("= load <", at)) != std::string_view::npos; ++at) ++count;
    return count;
  };
  const int before = vectorLoads(std::string_view(code).substr(0, begin)),
            after = vectorLoads(std::string_view(code).substr(begin));
  EXPECT_GT(before, 0) << code;
  EXPECT_EQ(before, 2 * after) << code;
}

}  // namespace
}  // namespace tessera
