// Kernels that differ only in where they begin to read are one kernel: the steps of an unrolled loop. What
// they read stays what the program says, whatever its indices are made of.
#include <gtest/gtest.h>

#include "backends/backend.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"
#include "core/ops/inference/infer.h"
#include "tests/support/values.h"

namespace tessera {
namespace {

// The CPU's values are the evaluator's; gives the number of kernels.
int64_t kernelsOf(const std::string& text) {
  ReadResult read = readHloText(text);
  EXPECT_TRUE(read.module) << text;
  EXPECT_FALSE(inferModule(*read.module).hasErrors()) << text;
  std::vector<Literal> arguments;
  for (const Shape& shape : entryArgumentShapes(*read.module))
    arguments.push_back(fillParameter(shape, arguments.size(), FillRule{5, 1.0, 1000}).value());
  const auto expected = evaluateModule(*read.module, arguments);
  EXPECT_TRUE(expected);
  auto executable = makeBackend("cpu").value()->compile(*read.module);
  EXPECT_TRUE(executable) << executable.error().toString();
  const auto found = (*executable)->run(arguments);
  EXPECT_TRUE(found) << found.error().toString();
  EXPECT_TRUE(test::sameValues(expected, found, test::kSameBits)) << text;
  return (*executable)->kernelCounts().kernels;
}

// A product a step, so that the steps cannot become one kernel.
std::string unrolledText(int steps) {
  std::string out =
      "HloModule m\n\nENTRY e {\n  h0 = s32[64,48] parameter(0)\n  w = s32[48,48] parameter(1)\n  x = s32[40,64,48] "
      "parameter(2)\n";
  for (int t = 1; t <= steps; ++t) {
    const std::string i = std::to_string(t), before = std::to_string(t - 1);
    out += "  slice_" + i + " = s32[1,64,48] slice(x), slice={[" + i + ":" + std::to_string(t + 1) +
           "], [0:64], [0:48]}\n" + "  row_" + i + " = s32[64,48] reshape(slice_" + i + ")\n" + "  dot_" + i +
           " = s32[64,48] dot(h" + before + ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" + "  sum_" +
           i + " = s32[64,48] add(dot_" + i + ", row_" + i + ")\n  h" + i + " = s32[64,48] xor(sum_" + i + ", dot_" +
           i + ")\n";
  }
  return out + "  ROOT last = s32[64,48] negate(h" + std::to_string(steps) + ")\n}\n";
}

TEST(CpuOperandStarts, StepsOfAnUnrolledLoopAreOneKernel) {
  EXPECT_EQ(kernelsOf(unrolledText(24)), kernelsOf(unrolledText(3)));
}

std::string entryText(const std::string& root) {
  return "HloModule m\n\nsum {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT r = s32[] add(a, b)\n}\n\n"
         "ENTRY e {\n  x = s32[40,64] parameter(0)\n  y = s32[40,64] parameter(1)\n  zero = s32[] constant(0)\n" +
         root + "}\n";
}

class CpuOperandStartsOf : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(CpuOperandStartsOf, ValuesAreTheEvaluators) { kernelsOf(entryText(GetParam().second)); }

INSTANTIATE_TEST_SUITE_P(
    Programs, CpuOperandStartsOf,
    testing::Values(
        std::pair("TwoStartsOfOneOperand",
                  "  a = s32[7,64] slice(x), slice={[3:10], [0:64]}\n  b = s32[7,64] slice(x), slice={[12:19], "
                  "[0:64]}\n  ROOT r = s32[7,64] subtract(a, b)\n"),
        std::pair("OneConstantForTwoOperands",
                  "  a = s32[7,50] slice(x), slice={[5:12], [5:55]}\n  b = s32[7,50] slice(y), slice={[5:12], "
                  "[0:50]}\n  ROOT r = s32[7,50] subtract(a, b)\n"),
        std::pair(
            "StridedAndReversed",
            "  a = s32[7,20] slice(x), slice={[3:38:5], [2:62:3]}\n  b = s32[7,20] reverse(a), dimensions={0,1}\n  c = "
            "s32[7,20] slice(y), slice={[9:16], [4:24]}\n  ROOT r = s32[7,20] subtract(b, c)\n"),
        std::pair("TheWholeBesideAPart",
                  "  a = s32[40,60] slice(x), slice={[0:40], [4:64]}\n  b = s32[40,60] slice(x), slice={[0:40], "
                  "[0:60]}\n  ROOT r = s32[40,60] multiply(a, b)\n"),
        std::pair("AnIndexThatIsAValue",
                  "  a = s32[7,64] slice(x), slice={[3:10], [0:64]}\n  i = s32[40,64] iota(), iota_dimension=0\n  b = "
                  "s32[7,64] slice(i), slice={[3:10], [0:64]}\n  ROOT r = s32[7,64] multiply(a, b)\n"),
        std::pair("Padded",
                  "  a = s32[7,64] slice(x), slice={[3:10], [0:64]}\n  b = s32[12,64] pad(a, zero), padding=3_2x0_0\n  "
                  "c = s32[12,64] slice(x), slice={[20:32], [0:64]}\n  ROOT r = s32[12,64] add(b, c)\n"),
        std::pair("Concatenated",
                  "  a = s32[7,64] slice(x), slice={[33:40], [0:64]}\n  b = s32[3,64] slice(y), slice={[1:4], "
                  "[0:64]}\n  c = s32[10,64] concatenate(a, b), dimensions={0}\n  ROOT r = s32[10,64] negate(c)\n"),
        std::pair("Reduced",
                  "  a = s32[30,11] slice(x), slice={[10:40], [53:64]}\n  ROOT r = s32[11] reduce(a, zero), "
                  "dimensions={0}, to_apply=sum\n"),
        std::pair("Short",
                  "  a = s32[30,3] slice(x), slice={[10:40], [61:64]}\n  b = s32[30,3] slice(y), slice={[7:37], "
                  "[61:64]}\n  ROOT r = s32[30,3] add(a, b)\n"),
        std::pair("Narrow",
                  "  n = s4[40,64] convert(x)\n  a = s4[7,64] slice(n), slice={[3:10], [0:64]}\n  m = s4[7,64] "
                  "copy(a)\n  ROOT r = s32[7,64] convert(m)\n"),
        std::pair("Updated",
                  "  a = s32[7,64] slice(y), slice={[3:10], [0:64]}\n  i = s32[] constant(9)\n  ROOT r = s32[40,64] "
                  "dynamic-update-slice(x, a, i, zero)\n")),
    [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace tessera
