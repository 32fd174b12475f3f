// Ports of nodes: which there are and in what order, that wires end on them, that rows are ordered by them, and how a
// node is drawn that is read from near and from afar.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/arrange/box_style.h"
#include "core/arrange/curves.h"
#include "core/arrange/detours.h"
#include "core/arrange/flow.h"
#include "core/arrange/placed.h"
#include "core/arrange/sockets.h"
#include "core/arrange/view_ports.h"
#include "core/formats/hlo_text.h"
#include "core/picture/far_text.h"
#include "core/picture/picture.h"

namespace tessera {
namespace {

constexpr const char* kSoftmax = R"(HloModule softmax
largest { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
total { c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT s = f32[] add(c, d) }
ENTRY main {
  x = f32[8,16] parameter(0)
  low = f32[] constant(-inf)
  m = f32[8] reduce(x, low), dimensions={1}, to_apply=largest
  mb = f32[8,16] broadcast(m), dimensions={0}
  sub = f32[8,16] subtract(x, mb)
  e = f32[8,16] exponential(sub)
  zero = f32[] constant(0)
  t = f32[8] reduce(e, zero), dimensions={1}, to_apply=total
  tb = f32[8,16] broadcast(t), dimensions={0}
  ROOT out = f32[8,16] divide(e, tb)
})";
// The operands of the call, the concatenate and the select stand against the order in which they are made.
constexpr const char* kMixed = R"(HloModule mixed
block { x.1 = f32[4] parameter(0)
  weights.2 = f32[4] parameter(1)
  bias.3 = f32[4] parameter(2)
  p = f32[4] multiply(x.1, weights.2)
  q = f32[4] add(p, bias.3)
  ROOT y = f32[4] tanh(q) }
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  c = f32[4] parameter(2)
  called = f32[4] call(c, a, c), to_apply=block
  joined = f32[12] concatenate(called, b, a), dimensions={0}
  small = f32[4] slice(joined), slice={[2:6]}
  is = pred[4] compare(small, b), direction=LT
  ROOT r = f32[4] select(is, c, a)
})";

struct Shown {
  Module module;
  GraphView view;
  Arrangement arrangement;
  explicit Shown(const char* text, bool fields = true) : module(*readHloText(text, "test").module) {
    ViewOptions options;
    options.fields = fields;
    view = makeView(module, module.entry(), options);
    arrangement = arrange(view);
  }
  const ViewNode& node(const char* name) const { return view.nodes[at(view.boxOf(*module.findInstruction(name)))]; }
  bool isWire(const ViewEdge& edge) const { return view.nodes[at(edge.from)].kind != ViewNode::Kind::Attached; }
};

void expectWiresAtPorts(const Shown& shown, const Arrangement& arrangement) {
  size_t seen = 0;
  for (size_t e = 0; e < shown.view.edges.size(); ++e) {
    const ViewEdge& edge = shown.view.edges[e];
    if (!shown.isWire(edge)) continue;
    const RectF &from = arrangement.boxes[at(edge.from)], &to = arrangement.boxes[at(edge.to)];
    const auto port = inputSocket(shown.view.nodes[at(edge.to)], to, edge.operand);
    ASSERT_TRUE(port) << shown.view.nodes[at(edge.to)].title << " " << edge.operand;
    EXPECT_EQ(arrangement.routes[e].back().x, port->x);
    EXPECT_EQ(arrangement.routes[e].back().y, port->y);
    EXPECT_EQ(arrangement.routes[e].front().x, outputSocket(shown.view.nodes[at(edge.from)], from).x);
    ++seen;
  }
  EXPECT_GE(seen, 8u);
}

TEST(Ports, EveryWireEndsOnItsPort) {
  for (const char* text : {kSoftmax, kMixed}) {
    const Shown shown(text);
    expectWiresAtPorts(shown, shown.arrangement);
    Places moved;
    moved.instructions["out"] = moved.instructions["r"] = {700, 30};
    expectWiresAtPorts(shown, arrangePage(shown.module, shown.view, moved));
  }
}

// What is new beside a parent that the user placed: its wires to the same node do not cross.
TEST(Ports, NewParentsStandInTheOrderOfTheOperands) {
  for (const char* placed : {"first", "second", "third"})
    for (const Flow flow : {Flow::Down, Flow::Right}) {
      Shown shown(R"(HloModule parents
ENTRY main {
  first = pred[4] parameter(0)
  second = f32[4] parameter(1)
  third = f32[4] parameter(2)
  ROOT chosen = f32[4] select(first, second, third)
})");
      shown.view.flow = flow;
      Places places;
      places.instructions[placed] = {300, 100};
      const Arrangement page = arrangePage(shown.module, shown.view, places);
      const auto boxOf = [&](const char* name) {
        return along(flow, page.boxes[at(shown.view.boxOf(*shown.module.findInstruction(name)))]);
      };
      EXPECT_LT(boxOf("first").x, boxOf("second").x) << placed << (flow == Flow::Down ? " down" : " right");
      EXPECT_LT(boxOf("second").x, boxOf("third").x) << placed << (flow == Flow::Down ? " down" : " right");
    }
}

TEST(Ports, StandInTheOrderOfTheOperands) {
  const Shown shown(kMixed);
  for (const ViewNode& node : shown.view.nodes) {
    float before = -1;
    for (const ViewPort& port : node.inputs) {
      const float x = inputSocket(node, {0, 0, 200, 50}, port.operand)->x;
      EXPECT_GT(x, before) << node.title << " " << port.operand;
      before = x;
    }
  }
}

TEST(Ports, ACollapsedCallHasOneForEachInput) {
  const Shown shown(kMixed);
  const ViewNode& call = shown.node("called");
  ASSERT_EQ(call.kind, ViewNode::Kind::CollapsedGroup);
  ASSERT_EQ(call.inputs.size(), 3u);
  EXPECT_EQ(call.inputs[0].name, "x");
  EXPECT_EQ(call.inputs[1].name, "weights");
  EXPECT_EQ(call.inputs[2].name, "bias");
  EXPECT_FALSE(call.appends);
  const auto into = std::ranges::count_if(shown.view.edges, [&](const ViewEdge& edge) {
    return edge.to == shown.view.boxOf(*shown.module.findInstruction("called"));
  });
  EXPECT_EQ(into, 3);  // a value that is read twice has two wires
}

TEST(Ports, AreNamedTypedAndOneMoreWhereTheOpTakesAny) {
  const Shown shown(kMixed);
  const ViewNode& select = shown.node("r");
  ASSERT_EQ(select.inputs.size(), 3u);
  EXPECT_EQ(select.inputs[0].type, ElementType::Pred);
  EXPECT_EQ(select.inputs[1].type, ElementType::F32);
  EXPECT_EQ(select.inputs[0].name, "pred");
  EXPECT_TRUE(select.result);
  EXPECT_FALSE(select.appends);
  const ViewNode& joined = shown.node("joined");
  EXPECT_TRUE(joined.appends);
  EXPECT_FALSE(joined.result);
  const RectF box{0, 0, 200, 50};
  EXPECT_GT(appendSocket(joined, box).x, inputSocket(joined, box, 2)->x);
  EXPECT_EQ(inputSocket(joined, box, 3)->x, appendSocket(joined, box).x);
  EXPECT_FALSE(inputSocket(select, box, 3));
}

TEST(Ports, OneMoreStandsBelowTheTitleWhereThereAreTooManyToBeShown) {
  std::string text = "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT t = (";
  for (size_t k = 0; k <= kMostPorts; ++k) text += k ? ", f32[2]" : "f32[2]";
  text += ") tuple(";
  for (size_t k = 0; k <= kMostPorts; ++k) text += k ? ", x" : "x";
  text += ")\n}\n";
  const Shown shown(text.c_str());
  const ViewNode& tuple = shown.node("t");
  ASSERT_TRUE(tuple.appends);
  ASSERT_TRUE(tuple.inputs.empty());
  EXPECT_GT(appendSocket(tuple, {0, 0, 100, 80}, Flow::Right).y, box::kNodeHeight);
}

TEST(Ports, AnOpenInputIsSaidOnce) {
  const Shown shown(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  ROOT sum = f32[4] add(x, ?)
})");
  const ViewNode& sum = shown.node("sum");
  EXPECT_EQ(sum.subtitle, "needs rhs");
  ASSERT_EQ(sum.inputs.size(), 2u);
  EXPECT_FALSE(sum.inputs[0].open);
  EXPECT_TRUE(sum.inputs[1].open);
}

TEST(Ports, AConstantInARowHasItsPortThere) {
  const Shown shown(kSoftmax);
  EXPECT_EQ(shown.node("m").inputs.size(), 1u);  // what starts the reduction is in its row
  const int32_t field = shown.view.boxOf(*shown.module.findInstruction("low"));
  const RectF &user = shown.arrangement.boxes[at(shown.view.nodes[at(field)].owner)],
              &row = shown.arrangement.boxes[at(field)];
  EXPECT_EQ(besideSocket(user, row).x, user.x);
  EXPECT_EQ(besideSocket(user, row).y, row.y + row.height / 2);
}

// --- order

bool cross(PointF a, PointF b, PointF c, PointF d) {
  const auto side = [](PointF p, PointF q, PointF r) { return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x); };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}
size_t crossingsOf(const Shown& shown) {
  std::vector<std::vector<PointF>> lines;
  for (size_t e = 0; e < shown.view.edges.size(); ++e)
    if (shown.isWire(shown.view.edges[e])) lines.push_back(pointsOn(curveOf(shown.arrangement.routes[e])));
  size_t count = 0;
  for (size_t i = 0; i < lines.size(); ++i)
    for (size_t k = i + 1; k < lines.size(); ++k)
      for (size_t a = 1; a < lines[i].size(); ++a)
        for (size_t b = 1; b < lines[k].size(); ++b)
          count += cross(lines[i][a - 1], lines[i][a], lines[k][b - 1], lines[k][b]);
  return count;
}

TEST(Ports, SoftmaxHasNoCrossing) {
  EXPECT_EQ(crossingsOf(Shown(kSoftmax)), 0u);
  EXPECT_EQ(crossingsOf(Shown(kSoftmax, false)), 0u);
}

TEST(Ports, OperandsOfAnOpComeInTheirOrder) {
  for (const char* line : {"subtract(u, v)", "subtract(v, u)"}) {
    const Shown shown((std::string(R"(HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  u = f32[4] tanh(a)
  v = f32[4] negate(b)
  ROOT r = f32[4] )") + line +
                       "\n}")
                          .c_str());
    EXPECT_EQ(crossingsOf(shown), 0u) << line;
  }
}

// --- ribbons

std::string ribbonOf(int length) {
  std::string out = "HloModule chain\nENTRY main {\n  v0 = f32[8,16] parameter(0)\n";
  for (int i = 1; i < length; ++i)
    out += "  v" + std::to_string(i) + " = f32[8,16] " + (i % 2 ? "tanh" : "negate") + "(v" + std::to_string(i - 1) +
           ")\n";
  return out + "}\n";
}
float zoomInto(const Arrangement& arrangement, float width, float height) {  // with the canvas's margins
  return std::min((width - 48) / arrangement.bounds.width, (height - 48) / arrangement.bounds.height);
}

TEST(Columns, EighteenNodesAreReadableInASmallWindow) {
  EXPECT_GE(zoomInto(Shown(ribbonOf(18).c_str()).arrangement, 757, 560), 0.75f);
  ViewOptions options;
  options.fields = true;
  options.valueStrip = 28;
  const Module module = *readHloText(ribbonOf(18), "test").module;
  EXPECT_GE(zoomInto(arrange(makeView(module, module.entry(), options)), 757, 560), 0.75f);
}

// As many columns as the form of the canvas asks for.
TEST(Columns, LongChainsAreSeenAsAWhole) {
  EXPECT_GE(zoomInto(Shown(ribbonOf(75).c_str()).arrangement, 757, 560), 0.4f);
  ViewOptions plain;
  plain.grouping = Grouping::None;
  const Module module = *readHloText(ribbonOf(450), "test").module;
  const Arrangement arrangement = arrange(makeView(module, module.entry(), plain));
  EXPECT_GE(zoomInto(arrangement, 757, 560), 0.15f);
}

TEST(Columns, ShortGraphsStayWhole) {
  const Shown shown(ribbonOf(5).c_str());
  for (size_t v = 1; v < shown.view.nodes.size(); ++v)
    EXPECT_EQ(shown.arrangement.boxes[v].x + shown.arrangement.boxes[v].width / 2,
              shown.arrangement.boxes[0].x + shown.arrangement.boxes[0].width / 2);
}

TEST(Columns, BoxesKeepApartAndWiresKeepTheirPorts) {
  const Shown shown(ribbonOf(30).c_str());
  const auto& boxes = shown.arrangement.boxes;
  for (size_t a = 0; a < boxes.size(); ++a)
    for (size_t b = a + 1; b < boxes.size(); ++b) EXPECT_FALSE(boxes[a].intersects(boxes[b])) << a << " " << b;
  expectWiresAtPorts(shown, shown.arrangement);
  for (size_t e = 0; e < shown.view.edges.size(); ++e)
    EXPECT_TRUE(boxesUnder(shown.view, shown.arrangement, e).empty()) << e;
}

// --- values

// A closed call or group shows what leaves it, as a node does; where several values do, it shows none.
TEST(Strips, ClosedGroupsHaveOneForTheValueThatLeavesThem) {
  const Module module = *readHloText(R"(HloModule m
block { p = f32[4] parameter(0) q = f32[4] tanh(p) r = f32[4] negate(q) ROOT y = f32[4] abs(r) }
ENTRY main {
  a = f32[4] parameter(0)
  called = f32[4] call(a), to_apply=block
  one = f32[4] tanh(called), metadata={op_name="single/tanh"}
  two = f32[4] negate(one), metadata={op_name="single/neg"}
  three = f32[4] exponential(two), metadata={op_name="pair/exp"}
  four = f32[4] negate(three), metadata={op_name="pair/neg"}
  five = f32[4] add(three, two)
  six = f32[4] multiply(four, five)
  ROOT seven = f32[4] add(six, called)
})",
                                     "test")
                             .module;
  ViewOptions options;
  options.valueStrip = 28;
  const GraphView view = makeView(module, module.entry(), options);
  const auto named = [&](const char* name) { return module.findInstruction(name).value(); };
  const auto boxOf = [&](const char* name) -> const ViewNode& { return view.nodes[at(view.boxOf(named(name)))]; };
  for (const char* closed : {"called", "one", "three"})
    ASSERT_TRUE(boxOf(closed).kind == ViewNode::Kind::CollapsedGroup) << closed;
  EXPECT_EQ(boxOf("called").shows(), named("called"));
  EXPECT_EQ(boxOf("one").shows(), named("two"));
  EXPECT_FALSE(boxOf("three").shows().valid());
  EXPECT_EQ(view.stripOf(boxOf("called")), 28);
  EXPECT_EQ(view.stripOf(boxOf("three")), 0);
  const Arrangement arrangement = arrange(view);
  EXPECT_EQ(arrangement.boxes[at(view.boxOf(named("two")))].height,
            arrangement.boxes[at(view.boxOf(named("three")))].height + 28);
}

// --- as it is drawn

TEST(Ports, AreDrawnOnEveryNode) {
  const Shown shown(kMixed);
  const Picture picture = draw(shown.module, shown.view, shown.arrangement);
  for (size_t v = 0; v < shown.view.nodes.size(); ++v) {
    const auto drawn = std::ranges::count_if(picture.items, [&](const PictureItem& item) {
      return item.part == PictureItem::Part::Port && item.viewNode == static_cast<int32_t>(v);
    });
    EXPECT_EQ(drawn, static_cast<long>(shown.view.nodes[v].inputs.size()) + 1) << shown.view.nodes[v].title;
  }
  for (const char* word : {"weights", "lhs", "on_true", "+", "result"})
    EXPECT_TRUE(std::ranges::any_of(picture.items, [&](const PictureItem& item) { return item.text == word; })) << word;
}

// At 36 %, too: there in a size that can be read.
TEST(Ports, ResultIsMarkedFromAfar) {
  const Shown shown(kMixed);
  const Picture picture = draw(shown.module, shown.view, shown.arrangement);
  for (const double zoom : {1., 0.5, 0.36}) {
    const auto mark = std::ranges::find(picture.items, "result", &PictureItem::text);
    ASSERT_TRUE(mark != picture.items.end() && mark->isSeenAt(zoom)) << zoom;
    const std::vector<PictureItem> lines = seenAt(*mark, zoom);
    ASSERT_EQ(lines.size(), 1u) << zoom;
    EXPECT_EQ(lines[0].text, "result") << zoom;
    EXPECT_GE(lines[0].size * zoom, 9) << zoom;
  }
}

TEST(Ports, ResultsMarkFromAfarIsPartOfThePicture) {
  Shown shown(kMixed);
  for (const Room room : {Room{2000, 2000}, Room{200, 150}}) {
    shown.view.room = room;
    const Picture picture = draw(shown.module, shown.view, shown.arrangement);
    const auto mark = std::ranges::find(picture.items, "result", &PictureItem::text);
    ASSERT_TRUE(mark != picture.items.end());
    const RectF &all = picture.bounds, &own = mark->room;
    const bool isInside = own.x >= all.x && own.y >= all.y && own.x + own.width <= all.x + all.width &&
                          own.y + own.height <= all.y + all.height;
    EXPECT_EQ(isInside, room.width < 1000);
  }
}

// From afar the mark stands where no box is, else nowhere.
TEST(Ports, ResultsMarkFromAfarTouchesNoBox) {
  const Shown shown(kMixed);
  const auto result = static_cast<size_t>(shown.view.boxOf(*shown.module.findInstruction("r")));
  const RectF b = shown.arrangement.boxes[result];
  const std::vector<RectF> near = {
      {b.x, b.y + b.height + 20, b.width, 40}, {b.x + b.width + 20, b.y, 90, b.height}, {b.x, b.y - 60, b.width, 40}};
  for (size_t count = 0; count <= near.size(); ++count) {
    Arrangement crowded = shown.arrangement;
    size_t put = 0;
    for (size_t v = 0; v < crowded.boxes.size(); ++v)
      if (v != result) crowded.boxes[v] = put < count ? near[put++] : RectF{b.x - 9000, b.y, 90, 40};
    ASSERT_EQ(put, count);
    const Picture picture = draw(shown.module, shown.view, crowded);
    const auto mark = std::ranges::find(picture.items, "result", &PictureItem::text);
    ASSERT_TRUE(mark != picture.items.end() && mark->isSeenAt(1)) << count;
    EXPECT_EQ(mark->isSeenAt(0.36), count < near.size()) << count;
    if (count == near.size()) continue;
    for (const RectF& box : crowded.boxes) EXPECT_FALSE(mark->room.intersects(box)) << count;
  }
}

TEST(FarText, IsAsLargeAsCanBeReadAndFitsIntoItsBox) {
  const Shown shown(kSoftmax);
  const Picture picture = draw(shown.module, shown.view, shown.arrangement);
  constexpr float kMargins = 2 * 3 / 0.4f;
  size_t seen = 0, full = 0;
  for (const PictureItem& item : picture.items) {
    if (item.room.width <= 0) continue;
    EXPECT_EQ(seenAt(item, 1).front().size, item.size);
    for (const PictureItem& line : seenAt(item, 0.4)) {
      EXPECT_LE(line.size * 0.4f, kFarText);
      EXPECT_GE(line.size * 0.4f, 9);
      if (line.size * 0.4f < kFarText)  // rather smaller than cut
        EXPECT_GT(textWidth(item.text, kFarText / 0.4f, true), item.room.width - kMargins);
      else
        ++full;
      EXPECT_GE(line.bounds.x, item.room.x);
      EXPECT_LE(line.bounds.x + line.bounds.width, item.room.x + item.room.width);
      EXPECT_GE(line.bounds.y, item.room.y - 1);
      ++seen;
    }
  }
  EXPECT_GE(seen, 6u);
  EXPECT_GE(full, 1u);
}

TEST(FarText, IsBrokenBetweenWordsWhereTwoLinesFit) {
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.text = "broadcast along 0";
  item.bold = true;
  item.size = 12;
  item.room = {0, 0, 190, 60};
  const auto lines = seenAt(item, 0.5);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text + " " + lines[1].text, item.text);
  EXPECT_LT(lines[0].bounds.y, lines[1].bounds.y);
  item.room.width = 20;
  EXPECT_TRUE(seenAt(item, 0.5).empty());
}

// Elements of a tuple differ by their numbers alone.
TEST(FarText, KeepsTheNumberOfWhatIsCut) {
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.text = "element 3";
  item.bold = true;
  item.size = 12;
  item.room = {0, 0, 100, 26};
  const auto lines = seenAt(item, 0.4);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].text.ends_with("… 3")) << lines[0].text;
  EXPECT_LE(lines[0].bounds.width, item.room.width);
}

// A name is not cut where it can be broken, and loses its detail before its beginning.
TEST(FarText, ShowsWhatFits) {
  const auto linesIn = [](const char* text, float width, float height) {
    PictureItem item;
    item.kind = PictureItem::Kind::Text;
    item.text = text;
    item.bold = true;
    item.size = 12;
    item.room = {0, 0, width, height};
    std::string out;
    for (const PictureItem& line : seenAt(item, 0.5)) out += (out.empty() ? "" : "|") + line.text;
    return out;
  };
  EXPECT_EQ(linesIn("multi_head_attention", 150, 60), "multi_head_|attention");
  EXPECT_EQ(linesIn("multi_head_attention", 110, 90), "multi_|head_|attention");
  EXPECT_EQ(linesIn("gradient of blk: p['h'][3]['fc']", 260, 40), "gradient of blk");
  EXPECT_EQ(linesIn("▸ GroupNorm_0", 90, 60), "▸ Group|Norm_0");
  EXPECT_EQ(linesIn("▸ gpt", 90, 60), "▸ gpt");
  const auto wholeWords = [&](const char* text, float width, float height) {
    std::string out = linesIn(text, width, height);
    for (size_t at; (at = out.find("-|")) != out.npos;) out.erase(at, 2);
    std::ranges::replace(out, '|', ' ');
    return out;
  };
  EXPECT_EQ(linesIn("subtract", 80, 60).find('|'), 5u);  // behind "subt-"
  EXPECT_EQ(wholeWords("subtract", 80, 60), "subtract");
  EXPECT_EQ(wholeWords("compare > 0", 80, 90), "compare > 0");
  EXPECT_EQ(linesIn("…['Dense_0']['kernel']", 400, 26), "…['Dense_0']['kernel']");
  EXPECT_EQ(linesIn("…['Dense_0']['kernel']", 220, 26), "Dense_0 kernel");
  EXPECT_EQ(linesIn("ps['trunk'][0][1]", 110, 26), "trunk 0 1");
  EXPECT_EQ(linesIn("…['Dense_0']['kernel']", 110, 26), "kernel");
  EXPECT_TRUE(linesIn("trace ×2", 60, 26).starts_with("tr")) << linesIn("trace ×2", 60, 26);
  EXPECT_TRUE(linesIn("layers 0…95 ×96", 100, 26).ends_with("… ×96")) << linesIn("layers 0…95 ×96", 100, 26);
}

// What is cut to its box from near may have more room from afar.
TEST(FarText, SaysTheWholeTitle) {
  PictureItem item;
  item.kind = PictureItem::Kind::Text;
  item.text = "gradient of the first…";
  item.whole = "gradient of the first layers";
  item.bold = true;
  item.size = 12;
  item.room = {0, 0, 280, 60};
  const auto lines = seenAt(item, 0.5);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text + " " + lines[1].text, item.whole);
  EXPECT_EQ(seenAt(item, 1)[0].text, item.text);
}

}  // namespace
}  // namespace tessera
