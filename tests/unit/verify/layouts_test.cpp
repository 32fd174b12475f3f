// The verifier of layouts in scheduled modules, where they are final: each rule has a module that breaks it and one
// that does not.
#include "tests/unit/verify/modules.h"

namespace tessera::test {
namespace {

// A schedule comes after layout assignment; before it layouts may still be chosen.
void refusedWhenScheduled(const std::string& text) {
  refused("layout", kScheduled + text);
  taken(kPlain + text);
}

TEST(VerifyLayouts, WhatHandsAValueOnKeepsItsLayout) {
  const std::string p = "ENTRY e {\n p = f32[2,3]{1,0} parameter(0)\n";
  refusedWhenScheduled(p + " ROOT t = (f32[2,3]{0,1}) tuple(p)\n}");
  refusedWhenScheduled(p + " ROOT t = f32[2,3]{0,1} opt-barrier(p)\n}");
  refusedWhenScheduled(
      "ENTRY e {\n p = (f32[2,3]{1,0}, s32[]) parameter(0)\n ROOT t = f32[2,3]{0,1} get-tuple-element(p), index=0\n}");
  refusedWhenScheduled(p + " i = s32[] constant(0)\n ROOT d = f32[2,3]{0,1} dynamic-update-slice(p, p, i, i)\n}");
  refusedWhenScheduled(
      p + " s = (f32[2,3]{1,0}, f32[2,3]{0,1}, u32[]) copy-start(p)\n ROOT d = f32[2,3]{1,0} copy-done(s)\n}");
  refusedWhenScheduled(
      p + " s = (f32[2,3]{1,0}, f32[2,3]{1,0}, u32[]) copy-start(p)\n ROOT d = f32[2,3]{0,1} copy-done(s)\n}");
  taken(kScheduled + p + " ROOT n = f32[2,3]{0,1} negate(p)\n}");
  taken(kScheduled + p + " ROOT n = f32[2,3]{0,1} copy(p)\n}");
  taken(kScheduled + p +
        " s = (f32[2,3]{1,0:S(1)}, f32[2,3]{1,0}, u32[]) copy-start(p)\n ROOT d = f32[2,3]{1,0:S(1)} copy-done(s)\n}");
}

TEST(VerifyLayouts, CallsAndTheirBodiesAgree) {
  const std::string body = "b {\n p = f32[2,3]{1,0} parameter(0)\n ROOT n = f32[2,3]{0,1} negate(p)\n}\n";
  const std::string flag = "c {\n p = f32[2,3]{1,0} parameter(0)\n ROOT k = pred[] constant(false)\n}\n";
  const std::string p = "ENTRY e {\n p = f32[2,3]{1,0} parameter(0)\n";
  refusedWhenScheduled(body + p + " ROOT t = f32[2,3]{1,0} call(p), to_apply=b\n}");
  refusedWhenScheduled(body + p + " ROOT t = f32[2,3]{1,0} fusion(p), kind=kLoop, calls=b\n}");
  refusedWhenScheduled(body + flag + p + " ROOT t = f32[2,3]{1,0} while(p), condition=c, body=b\n}");
  refusedWhenScheduled(body + p +
                       " k = pred[] constant(true)\n ROOT t = f32[2,3]{1,0} conditional(k, p, p), true_computation=b, "
                       "false_computation=b\n}");
  refusedWhenScheduled(
      body + "ENTRY e {\n p = f32[2,3]{0,1} parameter(0)\n ROOT t = f32[2,3]{0,1} fusion(p), kind=kLoop, calls=b\n}");
  taken(kScheduled + body + p + " ROOT t = f32[2,3]{0,1} fusion(p), kind=kLoop, calls=b\n}");
  taken(
      kScheduled +
      "b {\n p = f32[2,3]{1,0:T(8,128)} parameter(0)\n i = s32[] constant(0)\n ROOT d = f32[2,3]{1,0} "
      "dynamic-update-slice(p, p, i, i)\n}\n"
      "ENTRY e {\n p = f32[2,3]{1,0:T(8,128)} parameter(0)\n ROOT t = f32[2,3]{1,0} fusion(p), kind=kLoop, calls=b\n}");
}

// A branch has one argument; further parameters, or none, are refused as such and compared with no operand.
TEST(VerifyLayouts, ABranchWithTooManyOrNoParametersHasItsOwnError) {
  const std::string one = "n {\n p = f32[2,3]{1,0} parameter(0)\n ROOT n = f32[2,3]{1,0} negate(p)\n}\n";
  const std::string entry =
      "ENTRY e {\n k = pred[] constant(true)\n p = f32[2,3]{1,0} parameter(0)\n ROOT t = f32[2,3]{1,0} "
      "conditional(k, p, p), true_computation=y, false_computation=n\n}";
  for (const char* branch :
       {"y {\n p = f32[2,3]{1,0} parameter(0)\n q = f32[2,3]{0,1} parameter(1)\n ROOT s = f32[2,3]{1,0} add(p, q)\n}\n",
        "y {\n z = f32[] constant(0)\n ROOT s = f32[2,3]{1,0} broadcast(z), dimensions={}\n}\n"}) {
    const std::vector<std::string> found = labelsOf(kScheduled + branch + one + entry);
    EXPECT_EQ(found, std::vector<std::string>{"conditional.C3"}) << branch;
  }
}

TEST(VerifyLayouts, ABitcastKeepsTheBuffer) {
  const std::string p = "ENTRY e {\n p = f32[2,130]{1,0:T(8,128)} parameter(0)\n";
  refusedWhenScheduled(p + " ROOT b = f32[300]{0:T(256)} bitcast(p)\n}");
  taken(kScheduled + p + " ROOT b = f32[260]{0} bitcast(p)\n}");
  taken(kScheduled + p + " ROOT b = f32[16,128]{1,0:T(8,128)} bitcast(p)\n}");
}

TEST(VerifyLayouts, HostMemoryIsCopiedAsItLies) {
  refusedWhenScheduled("ENTRY e {\n p = f32[2,3]{1,0:S(5)} parameter(0)\n ROOT n = f32[2,3]{0,1} copy(p)\n}");
  taken(kScheduled + "ENTRY e {\n p = f32[2,3]{1,0:S(5)} parameter(0)\n ROOT n = f32[2,3]{1,0} copy(p)\n}");
}

TEST(VerifyLayouts, TheEntryHasTheModulesLayouts) {
  const std::string entry = "\nENTRY e {\n p = f32[2,3]{1,0} parameter(0)\n ROOT n = f32[2,3]{1,0} negate(p)\n}";
  refused("layout",
          "HloModule m, is_scheduled=true, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}" + entry);
  refused("layout",
          "HloModule m, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{0,1}}" + entry);
  taken("HloModule m, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0:T(8,128)})->f32[2,3]{1,0:S(1)}}" +
        entry);
  taken("HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}" + entry);
}

}  // namespace
}  // namespace tessera::test
