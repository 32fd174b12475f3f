// diff: what is the same graph, and where two graphs part.
#include "core/tools/diff.h"
#include "tests/unit/tools_test_modules.h"

namespace tessera {
namespace {

using test::moduleOf;

// Differences of two entries' bodies.
std::vector<std::string> differ(const std::string& left, const std::string& right, const std::string& common = "") {
  const Module a = moduleOf("HloModule a\n" + common + "\nENTRY e {\n" + left + "}\n");
  const Module b = moduleOf("HloModule b\n" + common + "\nENTRY e {\n" + right + "}\n");
  std::vector<std::string> out;
  for (const Difference& difference : diff(a, b).differences) out.push_back(difference.what);
  return out;
}
using Whats = std::vector<std::string>;

const std::string kXY = "  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n";
const std::string kYX = "  y = f32[2] parameter(0)\n  x = f32[2] parameter(1)\n";

TEST(Diff, AModuleIsLikeItself) {
  const Module module = moduleOf(test::kMeanSquares);
  const ModuleDiff same = diff(module, module);
  EXPECT_TRUE(same.differences.empty());
  EXPECT_EQ(same.matched, module.instructionCount());
}
TEST(Diff, NamesAndParameterOrderDoNotCount) {
  EXPECT_EQ(differ(kXY + "  ROOT r = f32[2] subtract(x, y)\n", kYX + "  ROOT other = f32[2] subtract(x, y)\n"),
            Whats());
}
TEST(Diff, OperandOrderCounts) {
  EXPECT_EQ(differ(kXY + "  n = f32[2] negate(y)\n  ROOT r = f32[2] subtract(x, n)\n",
                   kXY + "  n = f32[2] negate(y)\n  ROOT r = f32[2] subtract(n, x)\n"),
            (Whats{"opcode", "opcode"}));
}
TEST(Diff, SharingCounts) {
  EXPECT_EQ(differ(kXY + "  ROOT r = f32[2] add(x, y)\n", "  x = f32[2] parameter(0)\n  ROOT r = f32[2] add(x, x)\n"),
            (Whats{"sharing", "missing"}));
}
TEST(Diff, OpcodeAttributeShapeAndValue) {
  const std::string x = "  x = f32[2,2] parameter(0)\n";
  EXPECT_EQ(differ(x + "  ROOT r = f32[2,2] sine(x)\n", x + "  ROOT r = f32[2,2] cosine(x)\n"), (Whats{"opcode"}));
  EXPECT_EQ(differ(x + "  ROOT r = f32[2,2] transpose(x), dimensions={0,1}\n",
                   x + "  ROOT r = f32[2,2] transpose(x), dimensions={1,0}\n"),
            (Whats{"attribute dimensions"}));
  EXPECT_EQ(differ("  ROOT c = f32[] constant(1)\n", "  ROOT c = f32[] constant(2)\n"), (Whats{"value"}));
  EXPECT_EQ(differ("  ROOT c = f32[2] parameter(0)\n", "  ROOT c = f32[3] parameter(0)\n"), (Whats{"shape"}));
}
TEST(Diff, AnAbsentAttributeIsItsDefault) {
  const std::string x = "  x = s32[4] parameter(0)\n", less = R"(
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
)";
  EXPECT_EQ(differ(x + "  ROOT r = s32[4] sort(x), dimensions={0}, to_apply=less\n",
                   x + "  ROOT r = s32[4] sort(x), dimensions={0}, is_stable=false, to_apply=less\n", less),
            Whats());
}
TEST(Diff, OperandsOfACallFollowItsParameters) {
  const std::string one =
      "\nf {\n  a = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  ROOT r = f32[2] subtract(a, b)\n}\n";
  const std::string other =
      "\nf {\n  b = f32[2] parameter(0)\n  a = f32[2] parameter(1)\n  ROOT r = f32[2] subtract(a, b)\n}\n";
  const auto whole = [](const std::string& f, const std::string& call) {
    return moduleOf("HloModule m\n" + f + "\nENTRY e {\n" + kXY + "  n = f32[2] negate(x)\n  ROOT r = f32[2] call(" +
                    call + "), to_apply=f\n}\n");
  };
  EXPECT_TRUE(diff(whole(one, "n, y"), whole(other, "y, n")).differences.empty());
  EXPECT_FALSE(diff(whole(one, "n, y"), whole(other, "n, y")).differences.empty());
}
TEST(Diff, AReducersParametersAreItsOrder) {
  const auto whole = [](const char* body) {
    return moduleOf(
        std::string("HloModule m\n\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] ") +
        body +
        "\n}\n\nENTRY e {\n  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n  ROOT r = f32[] reduce(x, z), "
        "dimensions={0}, to_apply=f\n}\n");
  };
  EXPECT_TRUE(diff(whole("subtract(a, b)"), whole("subtract(a, b)")).differences.empty());
  EXPECT_FALSE(diff(whole("subtract(a, b)"), whole("subtract(b, a)")).differences.empty());
}
TEST(Diff, OneComputationOrACopyOfIt) {
  const std::string f = "\nf {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] negate(a)\n}\n";
  const std::string g = "\ng {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] negate(a)\n}\n";
  const auto whole = [&](const std::string& computations, const char* second) {
    return moduleOf("HloModule m\n" + computations +
                    "\nENTRY e {\n  x = f32[2] parameter(0)\n  a = f32[2] call(x), to_apply=f\n"
                    "  ROOT b = f32[2] call(a), to_apply=" +
                    second + "\n}\n");
  };
  EXPECT_TRUE(diff(whole(f, "f"), whole(f + g, "g")).differences.empty());
  EXPECT_TRUE(diff(whole(f + g, "g"), whole(f, "f")).differences.empty());
}
TEST(Diff, AnInsertedInstructionIsToldOnce) {
  const Module a =
      moduleOf("HloModule m\n\nENTRY e {\n" + kXY + "  s = f32[2] add(x, y)\n  ROOT r = f32[2] sine(s)\n}\n");
  const Module b = moduleOf("HloModule m\n\nENTRY e {\n" + kXY +
                            "  s = f32[2] add(x, y)\n  n = f32[2] negate(s)\n  ROOT r = f32[2] sine(n)\n}\n");
  const ModuleDiff found = diff(a, b);
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].what, "opcode");
  EXPECT_EQ(found.differences[0].place, "%e: %s | %e: %n");
}

}  // namespace
}  // namespace tessera
