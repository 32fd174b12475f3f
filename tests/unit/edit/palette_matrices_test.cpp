// Forms of the palette that make matrices or move elements: placed by their line, run, and held against a formula.
#include "core/arrange/arrangement.h"
#include "tests/unit/edit/palette_run.h"

namespace tessera {
namespace {

using palette_run::applied;
using palette_run::expectNear;
using palette_run::firstTitle;
using palette_run::given;
using palette_run::Numbers;
using palette_run::Palette;

TEST(PaletteMatrices, NamesThatPeopleKnow) {
  const std::pair<const char*, const char*> words[] = {{"outer", "outer product of vectors"},
                                                       {"outer product", "outer product of vectors"},
                                                       {"diag", "diagonal"},
                                                       {"eye", "identity matrix"},
                                                       {"identity", "identity matrix"},
                                                       {"identity matrix", "identity matrix"},
                                                       {"roll", "roll"},
                                                       {"rotate", "roll"},
                                                       {"circular shift", "roll"},
                                                       {"upsample", "upsample"},
                                                       {"upsample nearest", "upsample"},
                                                       {"nearest neighbor", "upsample"},
                                                       {"resize", "upsample"}};
  for (const auto& [line, title] : words) EXPECT_EQ(firstTitle(line), title) << line;
  // What these words found before.
  EXPECT_EQ(firstTitle("product"), "reduce product");
  EXPECT_EQ(firstTitle("shift"), "shift-left");
}

TEST(PaletteMatrices, TheOuterProductMultipliesEachByEach) {
  Palette p;
  EXPECT_EQ(p.shape(p.place("outer product", {p.place("f32[2]"), p.place("f32[3]")})), "f32[2,3]");
  Numbers expected;
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 3; ++j) expected.push_back(given(0, i) * given(1, j));
  expectNear(p.result(), expected);
  Palette alone;  // the other is a parameter
  EXPECT_EQ(alone.shape(alone.place("outer", {alone.place("bf16[2,3]")})), "bf16[2,3,4]");
}

TEST(PaletteMatrices, AVectorBecomesADiagonalAndAMatrixGivesIt) {
  expectNear(applied("diag", "f32[2]"), {given(0, 0), 0, 0, given(0, 1)});
  expectNear(applied("diag", "f32[2,2]"), {given(0, 0), given(0, 3)});
  expectNear(applied("diag", "f32[2,3]"), {given(0, 0), given(0, 4)});
  expectNear(applied("diag", "f32[3,2]"), {given(0, 0), given(0, 3)});
  expectNear(applied("diag", "f32[2,2,2]"), {given(0, 0), given(0, 3), given(0, 4), given(0, 7)});
  expectNear(applied("diag", "s32[3,3]"), {0, 1, 2});
  for (const char* type : {"pred", "u8", "bf16", "c64"}) {
    Palette p;
    const auto matrix = p.place("diag", {p.place(std::string(type) + "[3]")});
    EXPECT_EQ(p.shape(matrix), std::string(type) + "[3,3]");
    EXPECT_EQ(p.shape(p.place("diag", {matrix})), std::string(type) + "[3]");
  }
}

TEST(PaletteMatrices, TheIdentityHasASizeOrAShape) {
  Palette p;
  EXPECT_EQ(p.shape(p.place("eye 3")), "f32[3,3]");
  expectNear(p.result(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
  Palette wide;
  EXPECT_EQ(wide.shape(wide.place("identity s32[2,3]")), "s32[2,3]");
  expectNear(wide.result(), {1, 0, 0, 0, 1, 0});
  Palette flags;
  EXPECT_EQ(flags.shape(flags.place("eye pred[2,2]")), "pred[2,2]");
}

TEST(PaletteMatrices, TheIdentityReadsNothingAndIsNoResult) {
  Palette p;
  const auto x = p.place("f32[2,2]"), y = p.place("negate", {x});
  p.place("eye 2", {y});
  EXPECT_EQ(p.module().entryComputation().root, y);
}

TEST(PaletteMatrices, AnOpenInputIsOfferedTheIdentityOfItsShape) {
  const auto found = searchPaletteGiving("identity", Shape::array(ElementType::F32, {5, 5}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].entry.title, "identity matrix");
  ASSERT_TRUE(found[0].entry.shape);
  EXPECT_EQ(toString(*found[0].entry.shape, false), "f32[5,5]");
  for (const FittingEntry& each : searchPaletteGiving("identity", Shape::array(ElementType::F32, {5})))
    EXPECT_NE(each.entry.title, "identity matrix");
}

TEST(PaletteMatrices, ARollGoesRoundTheEnd) {
  expectNear(applied("roll", "f32[4]"), {given(0, 3), given(0, 0), given(0, 1), given(0, 2)});
  expectNear(applied("roll -1", "f32[4]"), {given(0, 1), given(0, 2), given(0, 3), given(0, 0)});
  expectNear(applied("roll 6", "f32[4]"), {given(0, 2), given(0, 3), given(0, 0), given(0, 1)});
  expectNear(applied("roll 4", "f32[4]"), {given(0, 0), given(0, 1), given(0, 2), given(0, 3)});
  expectNear(applied("roll 1 axis=0", "f32[2,2]"), {given(0, 2), given(0, 3), given(0, 0), given(0, 1)});
}

TEST(PaletteMatrices, ARollIsTitledByWhatItDoes) {
  Palette p;
  const auto x = p.place("f32[4,8]");
  const auto title = [&](const std::string& line, std::vector<InstructionId> sources) {
    return titleOf(p.module(), p.place(line, std::move(sources)));
  };
  EXPECT_EQ(title("roll", {x}), "roll 1 along 1");
  EXPECT_EQ(title("roll -3", {x}), "roll -3 along 1");
  EXPECT_EQ(title("roll 1 axis=0", {x}), "roll 1 along 0");
  const auto start = p.place("slice slice={[0:4],[0:2]}", {x}), end = p.place("slice slice={[0:4],[2:8]}", {x});
  EXPECT_EQ(title("concatenate dimensions={1}", {end, start}), "roll -2 along 1");
  EXPECT_EQ(title("concatenate dimensions={1}", {start, end}), "concatenate along 1");
  EXPECT_EQ(title("concatenate dimensions={1}", {end, end}), "concatenate along 1");
  const auto other = p.place("slice slice={[0:4],[0:2]}", {p.place("negate", {x})});
  EXPECT_EQ(title("concatenate dimensions={1}", {end, other}), "concatenate along 1");
}

TEST(PaletteMatrices, AnUpsampledPictureRepeatsItsElements) {
  Palette p;
  EXPECT_EQ(p.shape(p.place("upsample", {p.place("f32[1,2,3,2]")})), "f32[1,4,6,2]");
  Numbers expected;
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 6; ++j)
      for (size_t c = 0; c < 2; ++c) expected.push_back(given(0, (i / 2 * 3 + j / 2) * 2 + c));
  expectNear(p.result(), expected);
  Palette channels;
  EXPECT_EQ(channels.shape(channels.place("upsample nchw 3", {channels.place("f32[1,2,2,1]")})), "f32[1,2,6,3]");
  Palette line;
  EXPECT_EQ(line.shape(line.place("upsample 4", {line.place("s8[2,5,3]")})), "s8[2,20,3]");
}

}  // namespace
}  // namespace tessera
