// The display list: contrast of the colours, text measures, heat scale, SVG.
#include <gtest/gtest.h>

#include <cmath>

#include "core/picture/picture.h"

namespace tessera {
namespace {

double channel(uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double luminance(Rgba c) { return 0.2126 * channel(c.r) + 0.7152 * channel(c.g) + 0.0722 * channel(c.b); }
double contrast(ColorRole a, ColorRole b, Theme theme) {
  const double x = luminance(colorOf(a, theme)), y = luminance(colorOf(b, theme));
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Colors, TextIsReadableOnEveryFill) {
  for (Theme theme : {Theme::Light, Theme::Dark}) {
    for (int role = static_cast<int>(ColorRole::Elementwise); role <= static_cast<int>(ColorRole::BoundOverhead);
         ++role)
      EXPECT_GE(contrast(ColorRole::NodeText, static_cast<ColorRole>(role), theme), 4.5) << role;
    for (ColorRole fill : {ColorRole::NodeFill, ColorRole::GroupFill}) {
      EXPECT_GE(contrast(ColorRole::NodeText, fill, theme), 4.5);
      EXPECT_GE(contrast(ColorRole::NodeSubtext, fill, theme), 4.5);
      EXPECT_GE(contrast(ColorRole::GroupText, fill, theme), 4.5);
    }
    for (int hue = 0; hue < kHues; ++hue)
      for (ColorRole fill : {ColorRole::NodeFill, ColorRole::GroupFill, ColorRole::Background})
        EXPECT_GE(contrast(hueRole(hue), fill, theme), 4.5) << hue;
    for (ColorRole line : {ColorRole::Wire, ColorRole::NodeBorder, ColorRole::GroupBorder})
      EXPECT_GE(contrast(line, ColorRole::Background, theme), 2);
    EXPECT_GE(contrast(ColorRole::Error, ColorRole::Background, theme), 4.5);
  }
}

TEST(Text, MeasuresLikeTheFont) {
  EXPECT_FLOAT_EQ(textWidth(" ", 2048), 651);
  EXPECT_FLOAT_EQ(textWidth(" ", 2048, true), 713);
  EXPECT_GT(textWidth("32×128", 12), textWidth("32128", 12));
  EXPECT_EQ(textWidth("", 12), 0);
  EXPECT_GT(textWidth("\xff\xfe", 12), 0);  // broken text has a width too
}

TEST(Text, ElidesToAWidth) {
  EXPECT_EQ(elideText("add", 12, 100), "add");
  const std::string cut = elideText("a very long title of a node", 12, 60);
  EXPECT_LE(textWidth(cut, 12), 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_EQ(elideText("add", 12, 1), "");
}

TEST(Overlay, HeatIsLogarithmic) {
  Profile profile;
  profile.runs = 2;
  profile.sources = {{InstructionId(3), 2e6, 0, 0, true}, {InstructionId(1), 2e4, 0, 0, false}};
  const Overlay overlay = overlayOf(profile);
  ASSERT_TRUE(overlay.find(InstructionId(3)));
  EXPECT_DOUBLE_EQ(overlay.find(InstructionId(3))->value, 1e6);
  EXPECT_DOUBLE_EQ(overlay.heatOf(1e6), 1);
  EXPECT_NEAR(overlay.heatOf(1e4), 0.5, 1e-9);
  EXPECT_FALSE(overlay.find(InstructionId(1))->measured);
  EXPECT_FALSE(overlay.find(InstructionId(2)));
  EXPECT_EQ(durationText(999.7), "1.00 µs");
  EXPECT_EQ(durationText(0), "0 ns");
}

// Instructions 0 and 1 are in a closed group: it is the hottest box, and the open group round all does not count.
TEST(Overlay, ScalesToTheHottestBoxThatIsShown) {
  GraphView view;
  view.nodes.resize(3);
  view.nodes[0].kind = ViewNode::Kind::OpenGroup;
  view.nodes[1].kind = ViewNode::Kind::CollapsedGroup;
  view.nodes[0].parent = -1;
  view.nodes[1].parent = view.nodes[2].parent = 0;
  view.boxes = {1, 1, 2};
  Profile profile;
  profile.runs = 1;
  profile.sources = {
      {InstructionId(0), 300, 0, 0, true}, {InstructionId(1), 200, 0, 0, false}, {InstructionId(2), 400, 0, 0, true}};
  const Overlay overlay = overlayOf(profile);
  const auto boxes = boxEntries(view, overlay);
  EXPECT_EQ(boxes[0].value, 900);
  EXPECT_EQ(boxes[1].value, 500);
  EXPECT_FALSE(boxes[1].measured);
  EXPECT_TRUE(boxes[2].measured);
  EXPECT_EQ(overlay.hot, 400);
  EXPECT_EQ(scaledTo(view, overlay).hot, 500);
}

// A fusion whose members are not shown has their time; where they are, the group was measured as one.
TEST(Overlay, WholesCountWhereTheirInsideIsNotShown) {
  Overlay overlay;
  overlay.entries = {{InstructionId(1), {.value = 30}}, {InstructionId(2), {.value = 10}}};
  overlay.wholes = {{InstructionId(0), InstructionId(1), {.value = 40, .measured = true}}};
  GraphView view;
  view.nodes.resize(1);
  view.nodes[0].parent = -1;
  view.boxes = {0, -1, -1};
  EXPECT_EQ(boxEntries(view, overlay)[0].value, 40);
  view.nodes[0].kind = ViewNode::Kind::CollapsedGroup;
  view.nodes[0].caller = true;
  view.boxes = {0, 0, 0};
  EXPECT_EQ(boxEntries(view, overlay)[0].value, 40);
  EXPECT_TRUE(boxEntries(view, overlay)[0].measured);
  EXPECT_EQ(overlay.find(InstructionId(0))->value, 40);
}

TEST(Overlay, TheErrorOfAGroupIsItsLargest) {
  Overlay overlay{.kind = OverlayKind::Largest, .unit = OverlayUnit::Error};
  overlay.entries = {{InstructionId(0), {.value = 3, .measured = true}},
                     {InstructionId(1), {.value = 2, .measured = true}}};
  GraphView view;
  view.nodes.resize(1);
  view.nodes[0].parent = -1;
  view.boxes = {0, 0};
  EXPECT_EQ(boxEntries(view, overlay)[0].value, 3);
  EXPECT_EQ(scaledTo(view, overlay).hot, 3);
  EXPECT_FALSE(overlay.hasEstimates());
}

TEST(Overlay, AnInfiniteErrorLeavesTheScaleOfTheOthers) {
  Overlay overlay{.kind = OverlayKind::Largest, .unit = OverlayUnit::Error};
  overlay.entries = {{InstructionId(0), {.value = INFINITY}}, {InstructionId(1), {.value = 2}}};
  GraphView view;
  view.nodes.resize(2);
  view.nodes[0].parent = view.nodes[1].parent = -1;
  view.boxes = {0, 1};
  const Overlay scaled = scaledTo(view, overlay);
  EXPECT_EQ(scaled.hot, 2);
  EXPECT_EQ(scaled.heatOf(INFINITY), 1);
  EXPECT_LT(scaled.heatOf(0.1), 1);
}

TEST(Overlay, RatiosAndBoundsOfGroupsAreThoseOfTheSums) {
  Overlay intensity{.kind = OverlayKind::Ratio, .unit = OverlayUnit::FlopsPerByte};
  Overlay::Entry sum{.value = 100, .per = 10, .measured = true};
  intensity.add(sum, {.value = 0, .per = 90});
  EXPECT_DOUBLE_EQ(intensity.numberOf(sum), 1);
  EXPECT_FALSE(sum.measured);
  Overlay bound{.kind = OverlayKind::Bound};
  EXPECT_EQ(bound.textOf({.value = 1, .per = 5, .rest = 2}), "memory");
  EXPECT_EQ(roleOf(bound, {.value = 1, .per = 5, .rest = 2}), ColorRole::BoundMemory);
  Overlay difference{.kind = OverlayKind::Difference, .cold = 1, .hot = 100};
  EXPECT_EQ(difference.textOf({.value = -50}), "−50 ns");
  EXPECT_EQ(roleOf(difference, {.value = -100}), ColorRole::Cool4);
  EXPECT_EQ(roleOf(difference, {.value = 100}), ColorRole::Heat9);
  Overlay share{.unit = OverlayUnit::Share, .cold = 1, .hot = 0, .linear = true};
  EXPECT_DOUBLE_EQ(share.heatOf(0.25), 0.75);
}

TEST(Svg, EscapesAndDrawsEveryItem) {
  Picture picture;
  picture.bounds = {0, 0, 100, 50};
  PictureItem text;
  text.kind = PictureItem::Kind::Text;
  text.text = "a < b & c";
  picture.items.push_back(text);
  PictureItem path;
  path.kind = PictureItem::Kind::Path;
  path.points = {{0, 0}, {0, 10}};
  path.arrow = true;
  picture.items.push_back(path);
  const std::string svg = toSvg(picture, Theme::Dark);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("M0.0 0.0L0.0 10.0"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace tessera
