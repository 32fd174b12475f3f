// Boxes that a person took off a page.
#include "core/arrange/hidden.h"

#include <gtest/gtest.h>

#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

struct HidingPage {
  Module module = *readHloText(R"(HloModule hides
part { p = f32[4] parameter(0)
  q = f32[4] tanh(p)
  r = f32[4] negate(q)
  s = f32[4] exponential(r)
  ROOT t = f32[4] cosine(s) }
ENTRY main {
  x = f32[4] parameter(0)
  one = f32[4] constant({1, 1, 1, 1})
  a = f32[4] add(x, one)
  called = f32[4] call(a), to_apply=part
  ROOT b = f32[4] multiply(called, a)
})",
                               "test")
                       .module;
  ViewMaker maker{module};
  ViewOptions options;

  HidingPage() {
    for (std::string& path : maker.groupPaths(module.entry())) options.openGroups.insert(std::move(path));
  }
  GraphView view() { return maker.view(module.entry(), options); }
  int32_t box(const GraphView& view, const char* name) { return view.boxOf(*module.findInstruction(name)); }
  // All that is said of boxes is of boxes that are there.
  void expectWhole(const GraphView& view) {
    const auto isThere = [&](int32_t v) { return v >= 0 && at(v) < view.nodes.size(); };
    for (const ViewNode& node : view.nodes) EXPECT_TRUE(node.parent < 0 || isThere(node.parent));
    for (const ViewEdge& edge : view.edges) EXPECT_TRUE(isThere(edge.from) && isThere(edge.to));
    for (int32_t v : view.boxes) EXPECT_TRUE(v < 0 || isThere(v));
  }
};

TEST(Hidden, ABoxGoesWithItsWiresAndWhatIsBesideIt) {
  HidingPage shown;
  const GraphView all = shown.view();
  const int32_t a = shown.box(all, "a");
  shown.options.hidden = withHidden(all, {}, std::span(&a, 1));
  const GraphView view = shown.view();
  shown.expectWhole(view);
  EXPECT_EQ(shown.box(view, "a"), -1);
  EXPECT_EQ(shown.box(view, "one"), -1);
  EXPECT_GE(shown.box(view, "x"), 0);
  for (const ViewEdge& edge : view.edges) EXPECT_NE(edge.value, *shown.module.findInstruction("a"));
}

TEST(Hidden, AGroupGoesWithAllThatIsInIt) {
  HidingPage shown;
  const GraphView all = shown.view();
  const int32_t group = all.nodes[at(shown.box(all, "q"))].parent;
  ASSERT_GE(group, 0);
  shown.options.hidden = withHidden(all, {}, std::span(&group, 1));
  const GraphView view = shown.view();
  shown.expectWhole(view);
  for (const char* name : {"p", "q", "t"}) EXPECT_EQ(shown.box(view, name), -1) << name;
  EXPECT_GE(shown.box(view, "b"), 0);
}

TEST(Hidden, OfWhatIsLeftAloneTheGroupsRoundItStay) {
  HidingPage shown;
  const GraphView all = shown.view();
  const int32_t boxes[] = {shown.box(all, "r"), shown.box(all, "s")};
  shown.options.hidden = withAllHiddenBut(all, {}, boxes);
  const GraphView view = shown.view();
  shown.expectWhole(view);
  EXPECT_EQ(view.edges.size(), 1u);
  EXPECT_EQ(view.nodes.size(), 3u);  // the two and their group
  for (const char* name : {"a", "q", "t", "b"}) EXPECT_EQ(shown.box(view, name), -1) << name;
}

TEST(Hidden, AConstantIsLeftWithItsReader) {
  HidingPage shown;
  const GraphView all = shown.view();
  const int32_t one = shown.box(all, "one");
  shown.options.hidden = withAllHiddenBut(all, {}, std::span(&one, 1));
  const GraphView view = shown.view();
  EXPECT_GE(shown.box(view, "one"), 0);
  EXPECT_GE(shown.box(view, "a"), 0);
  EXPECT_EQ(view.nodes.size(), 2u);
}

}  // namespace
}  // namespace tessera
