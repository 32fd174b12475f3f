// Words in place of drawing: dimensions by letter, ready computations, initial values that are no identity, and what of
// the palette gives a shape.
#include <gtest/gtest.h>

#include "core/edit/palette/palette.h"
#include "core/edit/sizes/dimension_hues.h"
#include "core/edit/sizes/dimension_words.h"
#include "core/edit/sizes/size_names.h"
#include "core/edit/wiring/initial_value.h"
#include "core/edit/wiring/ready_computations.h"
#include "core/evaluate/evaluate.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

constexpr const char* kWordsText = R"(HloModule m

add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
most { c = s8[] parameter(0) d = s8[] parameter(1) ROOT t = s8[] maximum(c, d) }
less { k0 = f32[] parameter(0) k1 = f32[] parameter(1) v0 = s32[] parameter(2) v1 = s32[] parameter(3) )"
                                   R"(ROOT lt = pred[] compare(k0, k1), direction=LT }

ENTRY main {
  x = f32[2,3,4] parameter(0)
  y = s8[5] constant({1, 2, 3, 4, 5})
  zero = f32[] constant(0)
  seven = f32[] constant(7)
  low = s8[] constant(-128)
  none = s8[] constant(0)
  fine = f32[2,4] reduce(x, zero), dimensions={1}, to_apply=add
  odd = f32[2,4] reduce(x, seven), dimensions={1}, to_apply=add
  best = s8[] reduce(y, low), dimensions={0}, to_apply=most
  worse = s8[] reduce(y, none), dimensions={0}, to_apply=most
  keys = f32[4] constant({2, 1, 2, 1})
  places = s32[4] constant({1, 2, 0, 3})
  s = (f32[4], s32[4]) sort(keys, places), dimensions={0}, to_apply=less
  ROOT p = s32[4] get-tuple-element(s), index=1
})";

Module module() { return *readHloText(kWordsText).module; }
InstructionId at(const Module& m, const char* name) { return m.findInstruction(name).value(); }

TEST(EditWords, DimensionsByLetterAndFromTheEnd) {
  const Module m = module();
  const Instruction& reduce = m.at(at(m, "fine"));
  const auto said = [&](const char* words) { return dimensionNumbers(m, reduce, Attr::dimensions, words, nullptr); };
  EXPECT_EQ(said("{i,k}").value(), "{0,2}");
  EXPECT_EQ(said("{-1, -3}").value(), "{2, 0}");
  EXPECT_EQ(said("{1}").value(), "{1}");
  for (const char* wrong : {"{q}", "{-4}", "{-0}", "{-1x}", "{-99999999999999999999}"}) {
    ASSERT_FALSE(said(wrong)) << wrong;
    EXPECT_NE(said(wrong).error().message.find("i, j, k"), std::string::npos) << said(wrong).error().message;
  }
  EXPECT_EQ(dimensionNumbers(m, reduce, Attr::to_apply, "add", nullptr).value(), "add");
}

// Every dimension that is the same one has one letter and hue, whichever array it is looked at in.
TEST(EditWords, OneLetterAndHueADimension) {
  const Module m = *readHloText(R"(HloModule m

half { h = f32[8,16] parameter(0) two = f32[] constant(2) w = f32[8,16] broadcast(two), dimensions={} )"
                                R"(ROOT q = f32[8,16] divide(h, w) }

ENTRY main {
  x = f32[8,4] parameter(0)
  w = f32[4,16] parameter(1)
  one = f32[1,16] parameter(2)
  y = f32[8,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[16,8] transpose(y), dimensions={1,0}
  ROOT c = f32[8,16] call(y), to_apply=half
})")
                        .module;
  const Sizes sizes(m);
  const DimensionHues hues(m, sizes, nullptr);
  const auto letters = [&](const char* name) {
    std::string out;
    for (const DimensionHue& each : hues.of(at(m, name))) out += each.letter;
    return out;
  };
  EXPECT_EQ(letters("x"), "ij");
  EXPECT_EQ(letters("w").substr(0, 1), "j");
  EXPECT_EQ(letters("y"), letters("x").substr(0, 1) + letters("w").substr(1));
  EXPECT_EQ(letters("t"), letters("y").substr(1) + letters("y").substr(0, 1));
  EXPECT_EQ(letters("q"), letters("y"));  // of the called computation
  EXPECT_EQ(hues.find(at(m, "t"), 0)->hue, hues.find(at(m, "w"), 1)->hue);
  EXPECT_NE(hues.find(at(m, "x"), 0)->hue, hues.find(at(m, "x"), 1)->hue);
  EXPECT_EQ(hues.find(at(m, "one"), 0)->hue, -1);
  EXPECT_EQ(hues.find(at(m, "x"), 2), nullptr);
  EXPECT_EQ(hues.find(InstructionId(), 0), nullptr);
  Project project;
  project.page("main").sizeNames[{"y", 0}] = "B";
  project.page("main").sizeNames[{"w", 1}] = "i";  // a person's own: no other gets that letter
  const SizeNames names = sizeNamesOf(m, sizes, project);
  const DimensionHues named(m, sizes, &names);
  EXPECT_EQ(named.find(at(m, "q"), 0)->letter, "B");
  EXPECT_EQ(named.find(at(m, "t"), 0)->letter, "i");
  EXPECT_EQ(named.find(at(m, "x"), 1)->letter, "j");
  EXPECT_EQ(dimensionLetters(m, m.at(at(m, "y")), Attr::rhs_contracting_dims, &names, &named),
            (std::vector<std::string>{"j", "i"}));
  EXPECT_EQ(*dimensionNumbers(m, m.at(at(m, "y")), Attr::rhs_contracting_dims, "{i}", &names, &named), "{1}");
}

TEST(EditWords, InitialValuesThatAreNoIdentity) {
  const Module m = module();
  for (const char* fine : {"fine", "best", "x", "s"}) EXPECT_FALSE(initialValueWarning(m, at(m, fine))) << fine;
  EXPECT_NE(initialValueWarning(m, at(m, "odd")).value().find("7 is no identity of add"), std::string::npos);
  EXPECT_NE(initialValueWarning(m, at(m, "worse")).value().find("least number"), std::string::npos);
}

TEST(EditWords, ReadyReducersFitTheType) {
  const Module m = module();
  const auto words = readyComputations(m, m.at(at(m, "fine")), Attr::to_apply);
  EXPECT_EQ(words, (std::vector<std::string>{"add", "maximum", "minimum", "multiply"}));
  EXPECT_EQ(readyComputations(m, m.at(at(m, "best")), Attr::to_apply).size(), 7u);
  EXPECT_TRUE(readyComputations(m, m.at(at(m, "x")), Attr::to_apply).empty());
  EXPECT_FALSE(choosingReady(m, at(m, "fine"), Attr::to_apply, "nothing"));
  const auto done = apply(m, choosingReady(m, at(m, "fine"), Attr::to_apply, "max").value());
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty());
  EXPECT_TRUE(done->module.findComputation("maximum.f32").has_value());
}

TEST(EditWords, ALexicographicComparatorDecidesByTheSecondKey) {
  const Module m = module();
  const auto done = apply(m, choosingReady(m, at(m, "s"), Attr::to_apply, "lexicographic descending").value());
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_TRUE(done->diagnostics.empty()) << done->diagnostics.items()[0].toString();
  const std::vector<Literal> arguments{fillParameter(entryArgumentShapes(m)[0], 0, {}).value()};
  const auto values = evaluateModule(done->module, arguments);
  ASSERT_TRUE(values) << values.error().toString();
  const auto order = (*values)[0].data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(order.begin(), order.end()), (std::vector<int32_t>{1, 0, 3, 2}));
}

// Operations whose other inputs stay open take a value too.
TEST(EditWords, WhatTakesAShapeMayHaveOpenInputs) {
  for (const char* line : {"dot", "select", "dynamic-update-slice"}) {
    const auto found =
        searchPaletteFor(line, Shape::array(line[0] == 's' ? ElementType::Pred : ElementType::F32, {2, 3}));
    ASSERT_FALSE(found.empty()) << line;
    EXPECT_EQ(found[0].entry.title, line);
    EXPECT_FALSE(found[0].gives) << line;
  }
}

TEST(EditWords, WhatGivesAShape) {
  const Shape wanted = Shape::array(ElementType::Pred, {2, 3});
  const auto has = [&](const char* line, const char* title) {
    for (const FittingEntry& each : searchPaletteGiving(line, wanted))
      if (each.entry.title == title) return true;
    return false;
  };
  EXPECT_TRUE(has("compare", "compare"));
  EXPECT_TRUE(has("and", "and"));
  EXPECT_TRUE(has("parameter", "parameter"));
  EXPECT_FALSE(has("cosine", "cosine"));
  const Module m = module();
  EXPECT_FALSE(shapeWantedAt(m, at(m, "fine"), 1));
}

}  // namespace
}  // namespace tessera
