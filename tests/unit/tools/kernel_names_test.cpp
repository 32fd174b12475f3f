// The names under which the code of an instruction is found.
#include "core/tools/passes/kernel_names.h"

#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

constexpr const char* kFused = R"(HloModule fused

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum.root = f32[] add(a, b)
}

first {
  p = f32[8] parameter(0)
  zero = f32[] constant(0)
  sine = f32[8] sine(p)
  ROOT r = f32[] reduce(sine, zero), dimensions={0}, to_apply=sum
}

second {
  p.1 = f32[8] parameter(0)
  zero.1 = f32[] constant(0)
  sine.1 = f32[8] sine(p.1)
  ROOT r.1 = f32[] reduce(sine.1, zero.1), dimensions={0}, to_apply=sum
}

longer {
  p.2 = f32[9] parameter(0)
  zero.2 = f32[] constant(0)
  sine.2 = f32[9] sine(p.2)
  ROOT r.2 = f32[] reduce(sine.2, zero.2), dimensions={0}, to_apply=sum
}

body {
  state = f32[8] parameter(0)
  ROOT next = f32[8] negate(state)
}

condition {
  state.1 = f32[8] parameter(0)
  ROOT more = pred[] constant(false)
}

ENTRY main {
  x = f32[8] parameter(0)
  y = f32[9] parameter(1)
  loop = f32[8] while(x), condition=condition, body=body
  fusion = f32[] fusion(x), kind=kLoop, calls=first, metadata={op_name="a"}
  fusion.1 = f32[] fusion(loop), kind=kLoop, calls=second, metadata={op_name="b"}
  fusion.2 = f32[] fusion(y), kind=kLoop, calls=longer
  ROOT all = (f32[], f32[], f32[]) tuple(fusion, fusion.1, fusion.2)
}
)";

using Names = std::vector<std::string>;

TEST(KernelNames, OfEqualFusionsOneHasTheCode) {
  const Module module = test::moduleOf(kFused);
  EXPECT_EQ(kernelNames(module, test::named(module, "fusion.1")), (Names{"fusion.1", "fusion"}));
  EXPECT_EQ(kernelNames(module, test::named(module, "fusion.2")), (Names{"fusion.2"}));
}

TEST(KernelNames, AMemberIsComputedByItsFusion) {
  const Module module = test::moduleOf(kFused);
  EXPECT_EQ(kernelNames(module, test::named(module, "sine")), (Names{"sine", "fusion", "fusion.1"}));
  EXPECT_EQ(kernelNames(module, test::named(module, "sum.root")),
            (Names{"sum.root", "r", "r.1", "r.2", "fusion", "fusion.1", "fusion.2"}));
}

TEST(KernelNames, WhatALoopRunsHasKernelsOfItsOwn) {
  const Module module = test::moduleOf(kFused);
  EXPECT_EQ(kernelNames(module, test::named(module, "next")), (Names{"next"}));
}

}  // namespace
}  // namespace tessera
