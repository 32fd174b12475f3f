// What files for other programs hold: every instruction stands in one level, wires in the level that holds both ends,
// what is called often stands once; what is seen comes back from its Graphviz file.
#include <gtest/gtest.h>

#include <set>

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
  const Level& level(int number) const { return levels.all[static_cast<size_t>(number)]; }
};

TEST(ExportLevels, EveryInstructionStandsOnce) {
  const Exported e;
  std::multiset<std::string> names;
  for (const Level& level : e.levels.all)
    for (const Level::Box& box : level.boxes)
      if (box.node.kind == ViewNode::Kind::Instruction || box.node.caller)
        names.insert(std::string(e.module.at(box.node.instruction).name));
  EXPECT_EQ(names, (std::multiset<std::string>{"t", "a", "b", "c", "x", "first", "one", "two", "three", "last"}));
}

TEST(ExportLevels, WhatIsCalledTwiceIsOnePage) {
  const Exported e;
  ASSERT_EQ(e.levels.pages.size(), 2u);
  size_t callers = 0;
  for (const Level& level : e.levels.all)
    for (const Level::Box& box : level.boxes)
      if (box.node.caller) {
        ++callers;
        EXPECT_EQ(box.opens, std::vector<int>{e.levels.pages[1]});
      }
  EXPECT_EQ(callers, 2u);
}

TEST(ExportLevels, WiresStandWhereBothEndsAre) {
  const Exported e;
  for (const Level& level : e.levels.all) {
    ASSERT_EQ(level.arrangement.routes.size(), level.edges.size());
    ASSERT_EQ(level.arrangement.boxes.size(), level.boxes.size());
    for (const ViewEdge& edge : level.edges) {
      EXPECT_LT(static_cast<size_t>(edge.from), level.boxes.size());
      EXPECT_LT(static_cast<size_t>(edge.to), level.boxes.size());
      EXPECT_NE(edge.from, edge.to);
    }
  }
  // x -> a group -> … -> last: the page is a chain, whatever the groups are.
  const Level& page = e.level(e.levels.pages[0]);
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
