// Updates in place: which dynamic-update-slices compute their update where they write it, that those which read what
// they have replaced do not, and that the CPU backend gives the evaluator's values for all of them.
#include <algorithm>

#include "core/passes/fusion/update_in_place.h"
#include "tests/support/like_evaluator.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

struct UpdateCase {
  std::string_view name, update;  // `u`: f32[6,5], written into y: f32[8,9] at (1, 2)
  bool fuses;
};

// y dies in the update; w is another array of its size, i a start that is only known when running.
constexpr UpdateCase kUpdateCases[] = {
    {"of another array", "a = f32[6,5] slice(w), slice={[0:6], [0:5]}\n u = f32[6,5] cosine(a)", true},
    {"of what it replaces", "a = f32[6,5] slice(y), slice={[1:7], [2:7]}\n u = f32[6,5] add(a, v)", true},
    {"of neighbours", "a = f32[6,5] slice(y), slice={[0:6], [2:7]}\n u = f32[6,5] add(a, v)", false},
    {"of every other element",
     "a = f32[6,3] slice(y), slice={[1:7], [2:7:2]}\n z = f32[] constant(0)\n u = f32[6,5] "
     "pad(a, z), padding=0_0x1_1",
     false},
    {"of what it replaces, reversed",
     "a = f32[6,5] slice(y), slice={[1:7], [2:7]}\n b = f32[6,5] reverse(a), dimensions={0}\n u = f32[6,5] add(b, v)",
     false},
    {"of the whole in other dimensions",
     "a = f32[9,8] reshape(y)\n b = f32[6,5] slice(a), slice={[1:7], [2:7]}\n u = f32[6,5] add(b, v)", false},
    {"of a sum of all",
     "z = f32[] constant(0)\n a = f32[] reduce(w, z), dimensions={0,1}, to_apply=sum\n u = f32[6,5] broadcast(a), "
     "dimensions={}",
     false},
};

constexpr std::string_view kSumModule = R"(HloModule m
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
)";

std::string textOf(std::string_view update, std::string_view write) {
  return std::string(kSumModule) +
         "ENTRY e { x = f32[8,9] parameter(0)\n w = f32[8,9] parameter(1)\n v = f32[6,5] parameter(2)\n i = s32[] "
         "parameter(3)\n one = s32[] constant(1)\n two = s32[] constant(2)\n y = f32[8,9] negate(x)\n " +
         std::string(update) + "\n ROOT r = f32[8,9] " + std::string(write) + " }\n";
}
constexpr std::string_view kAtConstants = "dynamic-update-slice(y, u, one, two)";

int fusedUpdates(const Module& module) {
  int n = 0;
  for (InstructionId id : module.entryComputation().instructions)
    n += module.at(id).opcode == Opcode::Fusion && updatedOperand(module, module.at(id)).has_value();
  return n;
}

void expectSameOnCpu(const Module& source, std::string_view name) {
  const auto executable = compiled(source, 2);
  ASSERT_TRUE(executable);
  for (bool special : {false, true}) {
    const std::vector<Literal> in = exampleArguments(source, special);
    const auto wanted = evaluateModule(source, in);
    const auto found = executable->run(in);
    ASSERT_TRUE(wanted && found) << name;
    ASSERT_EQ(wanted->size(), found->size());
    for (size_t i = 0; i < wanted->size(); ++i) expectSameLiteral((*wanted)[i], (*found)[i], 1e-5, std::string(name));
  }
}

TEST(PassesUpdateInPlace, UpdatesAreComputedWhereTheyAreWrittenUnlessTheyReadIt) {
  for (const UpdateCase& c : kUpdateCases) {
    SCOPED_TRACE(std::string(c.name));
    const Module source = moduleFrom(textOf(c.update, kAtConstants));
    const auto optimized = optimize(source);
    ASSERT_TRUE(optimized.has_value());
    EXPECT_EQ(fusedUpdates(*optimized), c.fuses) << printHloText(*optimized);
    EXPECT_EQ(countOf(*optimized, Opcode::Copy), 0) << "y dies in the update";
    expectSameOnCpu(source, c.name);
  }
}

TEST(PassesUpdateInPlace, SlicesAtTheSameComputedStartAreWhatIsReplaced) {
  for (bool same : {true, false}) {
    const std::string start = same ? "i, two" : "two, i";
    const Module source = moduleFrom(
        textOf("a = f32[6,5] dynamic-slice(y, " + start + "), dynamic_slice_sizes={6,5}\n u = f32[6,5] add(a, v)",
               "dynamic-update-slice(y, u, i, two)"));
    const auto optimized = optimize(source);
    ASSERT_TRUE(optimized.has_value());
    EXPECT_EQ(fusedUpdates(*optimized), same);
    expectSameOnCpu(source, start);
  }
}

// What is updated is still read afterwards: the update goes to a copy.
TEST(PassesUpdateInPlace, TheOldArrayIsCopiedWhereItIsReadLater) {
  const Module source =
      moduleFrom(textOf("a = f32[6,5] slice(y), slice={[1:7], [2:7]}\n u = f32[6,5] add(a, v)\n d = f32[8,9] "
                        "dynamic-update-slice(y, u, one, two)",
                        "subtract(d, y)"));
  expectSameOnCpu(source, "read later");
}

// Fusions of the source that write over what they read elsewhere, and in the same place.
TEST(PassesUpdateInPlace, FusionsOfTheSourceAreOverwrittenOnlyWhereThatIsRight) {
  for (bool shifted : {true, false}) {
    const std::string from = shifted ? "[0:6], [1:6]" : "[1:7], [2:7]";
    const Module source = moduleFrom(
        std::string(kSumModule) +
        "f { y = f32[8,9] parameter(1)\n v = f32[6,5] parameter(0)\n one = s32[] constant(1)\n two = s32[] "
        "constant(2)\n a = f32[6,5] slice(y), slice={" +
        from +
        "}\n u = f32[6,5] add(a, v)\n ROOT d = f32[8,9] dynamic-update-slice(y, u, one, two) }\n"
        "ENTRY e { x = f32[8,9] parameter(0)\n v = f32[6,5] parameter(1)\n y = f32[8,9] sine(x)\n ROOT r = f32[8,9] "
        "fusion(v, y), kind=kLoop, calls=f }\n");
    const Instruction& fusion = source.at(source.entryComputation().root);
    EXPECT_EQ(updatedOperand(source, fusion), shifted ? std::nullopt : std::optional<size_t>(1));
    expectSameOnCpu(source, from);
  }
}

// A stencil that adds to its middle, sweep by sweep: scatters at constants, in place, without a copy in the body.
TEST(PassesUpdateInPlace, SweepsOverTwoFieldsUpdateThemInPlace) {
  const std::string state = "(s32[], f32[12,10], f32[12,10])";
  const std::string element = " = f32[12,10] get-tuple-element(s), index=";
  const Module source = moduleFrom(
      std::string(kSumModule) + "c { s = " + state +
      " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(40)\n ROOT p = pred[] compare(i, "
      "n), direction=LT }\nb { s = " +
      state + " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n e" + element + "1\n h" + element +
      "2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n o = s32[2] broadcast(one), dimensions={}\n"
      " l = f32[10,8] slice(e), slice={[0:10], [1:9]}\n r = f32[10,8] slice(e), slice={[2:12], [1:9]}\n"
      " d = f32[10,8] subtract(r, l)\n q = f32[] constant(0.25)\n k = f32[10,8] broadcast(q), dimensions={}\n"
      " v = f32[10,8] multiply(d, k)\n h2 = f32[12,10] scatter(h, o, v), update_window_dims={0,1}, "
      "inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=sum\n"
      " m = f32[10,8] slice(h2), slice={[0:10], [0:8]}\n w = f32[10,8] multiply(m, k)\n"
      " e2 = f32[12,10] scatter(e, o, w), update_window_dims={0,1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=sum\n ROOT t = " +
      state + " tuple(j, e2, h2) }\nENTRY e { x = f32[12,10] parameter(0)\n y = f32[12,10] parameter(1)\n z = s32[] " +
      "constant(0)\n t = " + state + " tuple(z, x, y)\n ROOT l = " + state + " while(t), condition=c, body=b }\n");
  const auto optimized = optimize(source);
  ASSERT_TRUE(optimized.has_value());
  for (ComputationId computation : optimized->order())
    if (computation != optimized->entry())
      for (InstructionId id : optimized->at(computation).instructions) {
        EXPECT_NE(optimized->at(id).opcode, Opcode::Copy);
        EXPECT_NE(optimized->at(id).opcode, Opcode::Scatter);
      }
  expectSameOnCpu(source, "sweeps");
}

}  // namespace
}  // namespace tessera::test
