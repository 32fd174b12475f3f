// What files for other programs hold: every instruction is in one level, wires in the level that holds both ends,
// what is called often appears once; what is seen comes back from its Graphviz file.
#include <gtest/gtest.h>

#include <set>

#include "core/export/excerpt.h"
#include "core/export/html.h"
#include "core/export/levels.h"
#include "core/export/view_dot.h"
#include "core/formats/hlo_text.h"
#include "core/picture/plain_graph.h"

namespace tessera {
namespace {

constexpr const char* kExported = R"(HloModule exported
body {
  t = f32[4] parameter(0)
  a = f32[4] negate(t), metadata={op_name="inner/a"}
  b = f32[4] exponential(a), metadata={op_name="inner/b"}
  ROOT c = f32[4] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  first = f32[4] call(x), to_apply=body, metadata={op_name="m/block/call"}
  one = f32[4] sine(first), metadata={op_name="m/block/sine"}
  two = f32[4] cosine(one), metadata={op_name="m/tail/cosine"}
  three = f32[4] tanh(two), metadata={op_name="m/tail/tanh"}
  ROOT last = f32[4] call(three), to_apply=body
})";

struct Exported {
  Module module = *readHloText(kExported, "test").module;
  Levels levels = levelsOf(module, module.entry());
  const OpenLevel& level(int number) const { return levels.all[static_cast<size_t>(number)]; }
};

TEST(Excerpt, ChosenBoxesWithWhatStandsInThem) {
  const Module module = *readHloText(kExported, "test").module;
  ViewOptions options;
  options.openGroups = {"m/tail"};
  const GraphView view = makeView(module, module.entry(), options);
  const int32_t tail = view.findGroup("m/tail");
  ASSERT_GE(tail, 0);
  std::vector<bool> chosen(view.nodes.size());
  chosen[static_cast<size_t>(tail)] = true;
  chosen = withContent(view, chosen);
  const GraphView part = excerptOf(view, chosen);
  ASSERT_EQ(part.nodes.size(), 3u);  // the group, two and three
  EXPECT_EQ(part.edges.size(), 1u);
  const std::string dot = viewAsDot(part, "part");
  EXPECT_NE(dot.find("tanh"), std::string::npos);
  EXPECT_EQ(dot.find("\"sine"), std::string::npos);

  const Arrangement arrangement = arrange(view);
  const Picture all = draw(module, view, arrangement);
  const Picture picture = excerptOf(all, view, chosen);
  const RectF& frame = arrangement.boxes[static_cast<size_t>(tail)];
  EXPECT_LT(picture.bounds.height, all.bounds.height);
  EXPECT_GE(picture.bounds.width, frame.width);
  size_t wires = 0;
  for (const PictureItem& item : picture.items) wires += item.viewEdge >= 0;
  EXPECT_EQ(wires, 1u);
  EXPECT_TRUE(excerptOf(all, view, std::vector<bool>(view.nodes.size())).items.empty());
}

TEST(Excerpt, WhatIsSeenOfAnArea) {
  const Module module = *readHloText(kExported, "test").module;
  const GraphView view = makeView(module, module.entry(), {});
  const Arrangement arrangement = arrange(view);
  const Picture all = draw(module, view, arrangement);
  const RectF area = arrangement.boxes[0];
  const Picture near = excerptOf(all, area, 1), far = excerptOf(all, area, 0.01f);
  EXPECT_EQ(near.bounds.width, area.width);
  EXPECT_LT(near.items.size(), all.items.size());
  EXPECT_LT(far.items.size(), near.items.size());  // from afar texts are not seen
  for (const PictureItem& item : far.items) EXPECT_EQ(item.minZoom, 0);
}

TEST(ExportLevels, EveryInstructionStandsOnce) {
  const Exported e;
  std::multiset<std::string> names;
  for (const OpenLevel& level : e.levels.all)
    for (const OpenLevel::Box& box : level.boxes)
      if (box.node.kind == ViewNode::Kind::Instruction || box.node.caller)
        names.insert(std::string(e.module.at(box.node.instruction).name));
  EXPECT_EQ(names, (std::multiset<std::string>{"t", "a", "b", "c", "x", "first", "one", "two", "three", "last"}));
}

TEST(ExportLevels, WhatIsCalledTwiceIsOnePage) {
  const Exported e;
  ASSERT_EQ(e.levels.pages.size(), 2u);
  size_t callers = 0;
  for (const OpenLevel& level : e.levels.all)
    for (const OpenLevel::Box& box : level.boxes)
      if (box.node.caller) {
        ++callers;
        EXPECT_EQ(box.opens, std::vector<int>{e.levels.pages[1]});
      }
  EXPECT_EQ(callers, 2u);
}

TEST(ExportLevels, WiresStandWhereBothEndsAre) {
  const Exported e;
  for (const OpenLevel& level : e.levels.all) {
    ASSERT_EQ(level.arrangement.routes.size(), level.edges.size());
    ASSERT_EQ(level.arrangement.boxes.size(), level.boxes.size());
    for (const ViewEdge& edge : level.edges) {
      EXPECT_LT(static_cast<size_t>(edge.from), level.boxes.size());
      EXPECT_LT(static_cast<size_t>(edge.to), level.boxes.size());
      EXPECT_NE(edge.from, edge.to);
    }
  }
  // x -> a group -> … -> last: the page is a chain, whatever the groups are.
  const OpenLevel& page = e.level(e.levels.pages[0]);
  EXPECT_EQ(page.edges.size(), page.boxes.size() - 1);
}

TEST(ExportHtml, NeedsNothingElse) {
  const Exported e;
  const std::string page = toHtmlPage(e.module, {.shown = e.module.entry()});
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* foreign : {"http://", "https://", "src=", "@import", "<link", "@DATA@", "@TITLE@", "@SCRIPT@"})
    EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
  EXPECT_EQ(page, toHtmlPage(e.module, {.shown = e.module.entry()}));
  const std::string asReader = toHtmlPage(e.module, {.shown = e.module.entry(), .theme = std::nullopt});
  EXPECT_NE(asReader, page);
  EXPECT_NE(asReader, toHtmlPage(e.module, {.shown = e.module.entry(), .theme = Theme::Dark}));
}

TEST(ExportDot, GivesBackWhatIsSeen) {
  const Exported e;
  for (const bool open : {false, true}) {
    ViewOptions options;
    if (open) options = initialView(e.module, e.module.entry());
    const GraphView view = makeView(e.module, e.module.entry(), options);
    const auto graph = readDot(viewAsDot(view, "a \"name\""), "test");
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_EQ(graph->name, "a \"name\"");
    const GraphView back = viewOf(*graph);
    EXPECT_EQ(back.nodes.size(), view.nodes.size());
    EXPECT_EQ(back.edges.size(), view.edges.size());
    std::multiset<std::string> titles, found;
    for (const ViewNode& node : view.nodes) titles.insert(node.title);
    for (const ViewNode& node : back.nodes) found.insert(node.title);
    EXPECT_EQ(found, titles);
  }
}

}  // namespace
}  // namespace tessera
