// Along what a kernel's vectors lie: values are the same either way, so the code is asked. Sums of rows take several
// elements of a row at once and add the lanes up at the end; sums of columns take several columns; neither gathers.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "tests/unit/passes/text.h"

namespace tessera {
namespace {

struct Code {
  bool addsLanes = false, gathers = false;
  bool operator==(const Code&) const = default;
};
constexpr Code kAlongTheSum{true, false}, kAcrossTheSum{false, false};

// Of the only kernel, before LLVM's passes.
Code codeOf(const std::string& body) {
  const Module module = test::moduleFrom(
      "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  z = f32[] constant(0)\n" +
      body + "}\n");
  CompileOptions options;
  options.isa = "avx2";
  auto executable = makeBackend("cpu").value()->compile(module, options);
  if (!executable) {
    ADD_FAILURE() << executable.error().toString();
    return {};
  }
  const auto steps = (*executable)->list((*executable)->optimized().entryComputation().root, true).value();
  EXPECT_EQ(steps.size(), 1u);
  const std::string& ir = steps.at(0).irBefore;
  EXPECT_NE(ir.find("fadd <"), std::string::npos) << "no vectors in\n" << ir;
  return {ir.find("fadd <4 x float>") != std::string::npos, ir.find("gather") != std::string::npos};
}

TEST(CpuLanes, LieAlongWhatIsContiguous) {
  EXPECT_EQ(codeOf("  x = f32[64,4096] parameter(0)\n"
                   "  ROOT r = f32[64] reduce(x, z), dimensions={1}, to_apply=sum\n"),
            kAlongTheSum);
  EXPECT_EQ(codeOf("  x = f32[64,4096] parameter(0)\n"
                   "  ROOT r = f32[4096] reduce(x, z), dimensions={0}, to_apply=sum\n"),
            kAcrossTheSum);
  EXPECT_EQ(codeOf("  x = f32[64,64,64] parameter(0)\n"
                   "  ROOT r = f32[64,64] reduce(x, z), dimensions={1}, to_apply=sum\n"),
            kAcrossTheSum);
}

// Rows of several whole vectors are not transposed; those that would mask a part of a vector are.
TEST(CpuLanes, LieAlongShortRowsOfWholeVectors) {
  const auto rowsOf = [](const std::string& length) {
    return codeOf("  x = f32[512," + length + "] parameter(0)\n" +
                  "  ROOT r = f32[512] reduce(x, z), dimensions={1}, to_apply=sum\n");
  };
  EXPECT_EQ(rowsOf("32"), kAlongTheSum);
  EXPECT_EQ(rowsOf("28"), kAcrossTheSum);
  EXPECT_EQ(rowsOf("8"), kAcrossTheSum);
}

// What is read once a sum has no say.
TEST(CpuLanes, OfSumsThatAreUsedFollowTheSum) {
  EXPECT_EQ(codeOf("  x = f32[64,4096] parameter(0)\n  y = f32[64] parameter(1)\n"
                   "  s = f32[64] reduce(x, z), dimensions={1}, to_apply=sum\n  ROOT r = f32[64] multiply(s, y)\n"),
            kAlongTheSum);
}

}  // namespace
}  // namespace tessera
