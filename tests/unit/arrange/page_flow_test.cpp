// Pages that flow to the right: ports at the sides of nodes, wires that run along, boxes apart; which way a graph's
// form asks for; chains that change an array's form as one pill.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/arrange/detours.h"
#include "core/arrange/flow.h"
#include "core/arrange/placed.h"
#include "core/arrange/sockets.h"
#include "core/formats/hlo_text.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

constexpr const char* kPerceptron = R"(HloModule perceptron
block { x.1 = f32[4,3] parameter(0)
  t.2 = f32[4,3] parameter(1)
  p = f32[4,3] subtract(x.1, t.2)
  q = f32[4,3] multiply(p, p)
  r = f32[4,3] negate(q)
  ROOT y = f32[4,3] tanh(r) }
ENTRY main {
  x = f32[4,8] parameter(0)
  w = f32[8,16] parameter(1)
  product = f32[4,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bias = f32[16] parameter(2)
  spread = f32[4,16] broadcast(bias), dimensions={1}
  sum = f32[4,16] add(product, spread)
  zero = f32[] constant(0)
  zeros = f32[4,16] broadcast(zero), dimensions={}
  relu = f32[4,16] maximum(sum, zeros)
  w2 = f32[16,3] parameter(3)
  out = f32[4,3] dot(relu, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  targets = f32[4,3] parameter(4)
  ROOT loss = f32[4,3] call(out, targets), to_apply=block
})";

struct Page {
  Module module;
  GraphView view;
  Arrangement arrangement;
  explicit Page(const char* text, std::set<std::string> open = {}) : module(*readHloText(text, "test").module) {
    ViewOptions options;
    options.fields = options.chips = true;
    options.openGroups.insert(open.begin(), open.end());
    view = makeView(module, module.entry(), options);
    view.flow = Flow::Right;
    arrangement = arrangePage(module, view, {});
  }
  int32_t boxOf(const char* name) const { return view.boxOf(*module.findInstruction(name)); }
  const ViewNode& node(const char* name) const { return view.nodes[at(boxOf(name))]; }
  const RectF& rect(const char* name) const { return arrangement.boxes[at(boxOf(name))]; }
  bool isWire(const ViewEdge& edge) const { return view.nodes[at(edge.from)].kind != ViewNode::Kind::Attached; }
};

// Along the page, but for those that lead to a line below: a page that is long for a canvas has several.
void expectWiresAlong(const Page& page) {
  size_t along = 0, wires = 0;
  for (size_t e = 0; e < page.view.edges.size(); ++e) {
    const ViewEdge& edge = page.view.edges[e];
    if (!page.isWire(edge)) continue;
    const RectF &from = page.arrangement.boxes[at(edge.from)], &to = page.arrangement.boxes[at(edge.to)];
    const auto port = inputSocket(page.view.nodes[at(edge.to)], to, edge.operand, Flow::Right);
    const auto& route = page.arrangement.routes[e];
    ASSERT_GE(route.size(), 2u);
    if (port) {
      EXPECT_EQ(port->x, to.x);
      EXPECT_EQ(route.back().x, port->x);
      EXPECT_EQ(route.back().y, port->y);
    }
    EXPECT_EQ(route.front().x, from.x + from.width) << page.view.nodes[at(edge.from)].title;
    ++wires;
    along += route.front().x < route.back().x;
    EXPECT_TRUE(route.front().x < route.back().x || from.y + from.height < to.y) << page.view.nodes[at(edge.to)].title;
    EXPECT_TRUE(boxesUnder(page.view, page.arrangement, e).empty());
  }
  EXPECT_GE(along * 4, wires * 3);
}

TEST(FlowToTheRight, WiresRunAlongAndEndAtTheSides) {
  expectWiresAlong(Page(kPerceptron));
  expectWiresAlong(Page(kPerceptron, {"loss"}));  // with the call open
}

TEST(FlowToTheRight, BoxesKeepApart) {
  for (const bool open : {false, true}) {
    const Page page(kPerceptron, open ? std::set<std::string>{"loss"} : std::set<std::string>());
    const auto& boxes = page.arrangement.boxes;
    for (size_t a = 0; a < boxes.size(); ++a)
      for (size_t b = a + 1; b < boxes.size(); ++b) {
        const bool fields = page.view.nodes[a].owner >= 0 || page.view.nodes[b].owner >= 0;
        if (page.view.nodes[a].parent != page.view.nodes[b].parent || fields) continue;
        EXPECT_FALSE(boxes[a].intersects(boxes[b])) << page.view.nodes[a].title << " " << page.view.nodes[b].title;
      }
  }
}

// The results of a chain are on one line.
TEST(FlowToTheRight, AChainIsStraight) {
  const Page page(
      "HloModule c\nENTRY main {\n  a = f32[8] parameter(0)\n  b = f32[8] tanh(a)\n  c = f32[8] negate(b)\n  ROOT d = "
      "f32[8] exponential(c)\n}");
  for (const auto& route : page.arrangement.routes) EXPECT_EQ(route.front().y, route.back().y);
}

TEST(FlowToTheRight, InputsHaveRowsInTheirOrder) {
  const Page page(kPerceptron);
  const ViewNode& add = page.node("sum");
  const RectF& box = page.rect("sum");
  const PointF lhs = *inputSocket(add, box, 0, Flow::Right), rhs = *inputSocket(add, box, 1, Flow::Right);
  EXPECT_LT(lhs.y, rhs.y);
  EXPECT_GT(lhs.y, outputSocket(add, box, Flow::Right).y);
  EXPECT_LT(rhs.y, box.y + box.height);
  for (size_t v = 0; v < page.view.nodes.size(); ++v) {
    if (page.view.nodes[v].owner < 0) continue;
    const RectF &field = page.arrangement.boxes[v], &user = page.arrangement.boxes[at(page.view.nodes[v].owner)];
    EXPECT_TRUE(user.contains({field.x, field.y}) &&
                user.contains({field.x + field.width - 1, field.y + field.height}));
  }
}

// What was placed stays, and what is new comes behind what it reads.
TEST(FlowToTheRight, NewBoxesComeBehindWhatTheyRead) {
  const Page page(kPerceptron);
  Places places;
  for (const char* name : {"x", "w", "product", "bias", "spread", "sum", "relu", "w2", "targets"})
    if (page.boxOf(name) >= 0) places.instructions[name] = {page.rect(name).x + 500, page.rect(name).y + 70};
  const Arrangement moved = arrangePage(page.module, page.view, places);
  const auto rect = [&](const char* name) { return moved.boxes[at(page.boxOf(name))]; };
  EXPECT_EQ(rect("sum").x, page.rect("sum").x + 500);
  EXPECT_EQ(rect("sum").y, page.rect("sum").y + 70);
  EXPECT_GT(rect("out").x, rect("relu").x + rect("relu").width);
}

// A second reader of a value stands in line with the first, and what it brings along beside it.
TEST(FlowToTheRight, NewBoxesBringTheirInputsAlong) {
  const std::string first =
      "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  low = f32[4] parameter(1)\n"
      "  high = f32[4] parameter(2)\n  ROOT a = f32[4] clamp(low, x, high)\n";
  const Page before((first + "}").c_str());
  const Page page((first + "  low2 = f32[4] parameter(3)\n  high2 = f32[4] parameter(4)\n"
                           "  b = f32[4] clamp(low2, x, high2)\n}")
                      .c_str());
  Places places;
  for (const char* name : {"x", "low", "high", "a"})
    places.instructions[name] = {before.rect(name).x, before.rect(name).y};
  const Arrangement made = arrangePage(page.module, page.view, places);
  const auto rect = [&](const char* name) { return made.boxes[at(page.boxOf(name))]; };
  EXPECT_EQ(rect("b").x, rect("a").x);
  EXPECT_EQ(rect("low2").x, rect("high2").x);
  EXPECT_LT(rect("low2").x + rect("low2").width, rect("b").x);
  EXPECT_LT(rect("low2").y, rect("high2").y);
  for (const char* name : {"low2", "high2"})
    EXPECT_LT(std::abs(rect(name).y - rect("b").y), 2 * rect("b").height + rect("low").height) << name;
  for (size_t a = 0; a < made.boxes.size(); ++a)
    for (size_t b = 0; b < a; ++b) EXPECT_FALSE(made.boxes[a].intersects(made.boxes[b]));
}

Places placesOfAll(const Page& page) {
  Places out;
  for (size_t v = 0; v < page.view.nodes.size(); ++v) {
    const ViewNode& node = page.view.nodes[v];
    const PointF corner{page.arrangement.boxes[v].x, page.arrangement.boxes[v].y};
    const bool isGroup = node.kind == ViewNode::Kind::CollapsedGroup || node.kind == ViewNode::Kind::OpenGroup;
    if (const std::string within = withinGroup(page.module, page.view, static_cast<int32_t>(v)); !within.empty())
      out.groups[within] = corner;
    else if (isGroup)
      out.groups[node.group] = corner;
    else if (node.kind == ViewNode::Kind::Instruction)
      out.instructions[std::string(page.module.at(node.instruction).name)] = corner;
  }
  return out;
}

// Its reader stands on another level.
TEST(FlowToTheRight, ANewInputOfAnOpenGroupFindsRoom) {
  const Page closed(kPerceptron);
  const Page page(kPerceptron, {closed.node("loss").group});
  ASSERT_GT(page.view.nodes.size(), closed.view.nodes.size());
  Places places = placesOfAll(page);
  places.instructions.erase("targets");
  const Arrangement made = arrangePage(page.module, page.view, places);
  for (size_t a = 0; a < made.boxes.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      const ViewNode &first = page.view.nodes[a], &second = page.view.nodes[b];
      if (first.parent != second.parent || first.owner >= 0 || second.owner >= 0) continue;
      EXPECT_FALSE(made.boxes[a].intersects(made.boxes[b])) << first.title << ", " << second.title;
    }
}

// Of wires that both pages have: how many run otherwise.
size_t wiresThatMoved(const Page& before, const Page& after, const Arrangement& made) {
  const auto nameOf = [](const Page& page, int32_t box) {
    return std::string(page.module.at(page.view.nodes[at(box)].instruction).name);
  };
  size_t out = 0;
  for (size_t e = 0; e < after.view.edges.size(); ++e)
    for (size_t k = 0; k < before.view.edges.size(); ++k) {
      const ViewEdge &a = after.view.edges[e], &b = before.view.edges[k];
      const bool same = a.operand == b.operand && nameOf(after, a.from) == nameOf(before, b.from) &&
                        nameOf(after, a.to) == nameOf(before, b.to);
      out += same && !std::ranges::equal(made.routes[e], before.arrangement.routes[k],
                                         [](PointF p, PointF q) { return p.x == q.x && p.y == q.y; });
    }
  return out;
}

// A node goes into a wire: the others run as they did.
TEST(FlowToTheRight, WiresWhoseEndsStayRunAsTheyDid) {
  const auto text = [](bool more) {
    std::string out = "HloModule m\nENTRY main {\n";
    for (int k = 0; k < 6; ++k) out += fmt::format("  p{0} = f32[4] parameter({0})\n", k);
    out += "  a = f32[4] add(p0, p1)\n  b = f32[4] multiply(a, p2)\n";
    if (more) out += "  new = f32[4] negate(b)\n";
    out += fmt::format("  c = f32[4] subtract({}, p3)\n", more ? "new" : "b");
    return out +
           "  d = f32[4] divide(c, p4)\n  e = f32[4] maximum(d, p5)\n  f = f32[4] minimum(e, p0)\n"
           "  g = f32[4] power(f, p1)\n  h = f32[4] add(g, p2)\n  i = f32[4] atan2(h, p3)\n"
           "  ROOT j = f32[4] subtract(i, a)\n}";
  };
  const Page before(text(false).c_str()), after(text(true).c_str());
  const Places places = placesOfAll(before);
  // Instructions are the same ones for the studio; here they are by number, which differs behind the new one.
  GraphView view = before.view;
  for (ViewNode& node : view.nodes)
    node.instruction = *after.module.findInstruction(before.module.at(node.instruction).name);
  for (ViewEdge& wire : view.edges) wire.value = *after.module.findInstruction(before.module.at(wire.value).name);
  const DrawnPage drawn{std::make_shared<GraphView>(std::move(view)),
                        std::make_shared<Arrangement>(before.arrangement)};
  const Arrangement made = arrangePage(after.module, after.view, places, {}, drawn);
  EXPECT_EQ(wiresThatMoved(before, after, made), 0u);
  EXPECT_GT(wiresThatMoved(before, after, arrangePage(after.module, after.view, places)), 0u);
  for (size_t e = 0; e < after.view.edges.size(); ++e) EXPECT_TRUE(boxesUnder(after.view, made, e).empty()) << e;
}

// The zoom at which a view is seen whole.
float zoomIn(GraphView view, Flow flow) {
  view.flow = flow;
  return view.room.zoomOf(arrange(view).bounds);
}

GraphView viewOf(const std::string& text) {
  const Module module = *readHloText(text, "test").module;
  ViewOptions options;
  options.grouping = Grouping::None;
  return makeView(module, module.entry(), options);
}

// Nodes of a long title.
std::string chainText(int nodes) {
  std::string out = "HloModule chain\nENTRY main {\n  t0 = f32[8] parameter(0)\n";
  for (int i = 1; i < nodes; ++i)
    out += (i + 1 < nodes ? "  t" : "  ROOT t") + std::to_string(i) + " = f32[8] exponential-minus-one(t" +
           std::to_string(i - 1) + ")\n";
  return out + "}";
}

std::string fanText(int branches) {
  std::string out = "HloModule fan\nENTRY main {\n", names;
  for (int i = 0; i < branches; ++i) {
    const std::string k = std::to_string(i);
    out += "  p" + k + " = f32[8] parameter(" + k + ")\n  t" + k + " = f32[8] tanh(p" + k + ")\n";
    names += (i ? ", t" : "t") + k;
  }
  return out + "  ROOT all = f32[" + std::to_string(8 * branches) + "] concatenate(" + names + "), dimensions={0}\n}";
}

// Nodes are wider than high: one level of many is seen larger when it stands in a column.
TEST(FlowByForm, IsTheWayInWhichAGraphIsSeenLarger) {
  EXPECT_EQ(flowByForm(viewOf(kPerceptron)), Flow::Right);
  EXPECT_EQ(flowByForm(viewOf(fanText(14))), Flow::Right);
  for (const std::string& text : {std::string(kPerceptron), fanText(14), fanText(40), chainText(20), chainText(90)}) {
    const GraphView view = viewOf(text);
    const float right = zoomIn(view, Flow::Right), down = zoomIn(view, Flow::Down);
    const bool toTheRight = flowByForm(view) == Flow::Right;
    EXPECT_GE(toTheRight ? right : down, std::min(0.75f, (toTheRight ? down : right) / 1.2f)) << text;
  }
  EXPECT_EQ(flowByForm(viewOf(chainText(301))), Flow::Down);
}

// --- chains

constexpr const char* kChained = R"(HloModule chained
ENTRY main {
  x = f32[2,3] parameter(0)
  flat = f32[6] reshape(x)
  wide = f32[4,6] broadcast(flat), dimensions={1}
  half = bf16[4,6] convert(wide)
  ROOT out = bf16[4,6] negate(half)
})";

GraphView viewOfChain(const Module& module, std::unordered_set<std::string> open, std::set<std::string> placed = {}) {
  ViewOptions options;
  options.chips = true;
  options.openGroups = std::move(open);
  options.placed = std::move(placed);
  return makeView(module, module.entry(), options);
}

TEST(ShapeChains, AreOnePillOnTheWire) {
  const Module module = *readHloText(kChained, "test").module;
  const GraphView view = viewOfChain(module, {});
  ASSERT_EQ(view.nodes.size(), 3u);
  const int32_t pill = view.boxOf(*module.findInstruction("half"));
  EXPECT_EQ(view.boxOf(*module.findInstruction("flat")), pill);
  EXPECT_TRUE(view.nodes[at(pill)].chip);
  EXPECT_EQ(view.nodes[at(pill)].instructionCount, 3u);
  EXPECT_EQ(chipText(view.nodes[at(pill)]), "▸ bf16 4×6");
  ASSERT_EQ(view.edges.size(), 2u);
  EXPECT_TRUE(inputSocket(view.nodes[at(pill)], {0, 0, 80, 19}, view.edges[0].operand));
}

TEST(ShapeChains, OpenAndStayOpenWhereAMemberHasAPlace) {
  const Module module = *readHloText(kChained, "test").module;
  EXPECT_EQ(viewOfChain(module, {"half"}).nodes.size(), 5u);
  EXPECT_EQ(viewOfChain(module, {}, {"half"}).nodes.size(), 3u);  // the pill's own place
  EXPECT_EQ(viewOfChain(module, {}, {"wide"}).nodes.size(), 4u);
}

TEST(ShapeChains, OneAloneIsANode) {
  const Module module =
      *readHloText("HloModule m\nENTRY main {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[6] reshape(x)\n}", "test")
           .module;
  for (const ViewNode& node : viewOfChain(module, {}).nodes) EXPECT_FALSE(node.chip);
}

// A chain that is read from above is folded where it is to be seen in a wide room, and stays whole in a high one.
TEST(Columns, AreMadeForTheRoom) {
  std::string text = "HloModule chain\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i < 24; ++i) text += "  v" + std::to_string(i) + " = f32[8] negate(v" + std::to_string(i - 1) + ")\n";
  GraphView view = viewOf(text + "  ROOT out = f32[8] abs(v23)\n}");
  view.flow = Flow::Down;
  view.room = {900, 400};
  const RectF wide = arrange(view).bounds;
  EXPECT_GT(wide.width, wide.height);
  view.room = {400, 3000};
  const RectF high = arrange(view).bounds;
  EXPECT_GT(high.height, 10 * high.width);
}

// What is inside stays inside, and no wire runs through a box.
TEST(Columns, AnOpenGroupFoldsToo) {
  std::string text = "HloModule deep\npart { p = f32[8,16] parameter(0)\n";
  for (int i = 0; i < 22; ++i)
    text += "  v" + std::to_string(i) + " = f32[8,16] " + (i % 2 ? "tanh(" : "negate(") +
            (i ? "v" + std::to_string(i - 1) : "p") + ")\n";
  text += R"(ROOT w = f32[8,16] add(v21, v4) }
ENTRY main {
  x = f32[8,16] parameter(0)
  a = f32[8,16] abs(x)
  called = f32[8,16] call(a), to_apply=part
  ROOT d = f32[8,16] subtract(called, a)
})";
  const Module module = *readHloText(text, "test").module;
  ViewMaker maker(module);
  ViewOptions options;
  const auto paths = maker.groupPaths(module.entry());
  options.openGroups.insert(paths.begin(), paths.end());
  for (const Flow flow : {Flow::Down, Flow::Right}) {
    GraphView view = maker.view(module.entry(), options);
    view.flow = flow;
    const Arrangement arrangement = arrangePage(module, view, {});
    const int32_t group = view.nodes[at(view.boxOf(module.findInstruction("v0").value()))].parent;
    ASSERT_GE(group, 0);
    const RectF& frame = arrangement.boxes[at(group)];
    for (size_t v = 0; v < view.nodes.size(); ++v) {
      if (view.nodes[v].parent != group) continue;
      const RectF& box = arrangement.boxes[v];
      EXPECT_TRUE(box.x >= frame.x && box.y >= frame.y && box.x + box.width <= frame.x + frame.width &&
                  box.y + box.height <= frame.y + frame.height)
          << v;
    }
    for (size_t e = 0; e < view.edges.size(); ++e) EXPECT_TRUE(boxesUnder(view, arrangement, e).empty()) << e;
    EXPECT_GE(view.room.zoomOf(arrangement.bounds), 0.5f);
  }
}

}  // namespace
}  // namespace tessera
