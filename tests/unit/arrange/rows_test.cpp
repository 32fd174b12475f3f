// Rows of a small level: least total wire span, adjacent connected components, straight main paths, symmetric fans; and
// one wire from each box to an instruction with very many operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/arrange/arrangement.h"
#include "core/arrange/short_rows.h"
#include "core/formats/hlo_text.h"

namespace tessera {
namespace {

using Wires = std::vector<std::pair<int32_t, int32_t>>;

int spanOf(const Wires& wires, const std::vector<int32_t>& rows) {
  int sum = 0;
  for (const auto& [from, to] : wires) sum += rows[at(to)] - rows[at(from)];
  return sum;
}
// By trying all rows below `count`.
int leastSpan(int count, const Wires& wires) {
  std::vector<int32_t> rows(static_cast<size_t>(count), 0);
  int least = INT32_MAX;
  for (;;) {
    if (std::ranges::all_of(wires, [&](const auto& w) { return rows[at(w.first)] < rows[at(w.second)]; }))
      least = std::min(least, spanOf(wires, rows));
    size_t k = 0;
    while (k < rows.size() && ++rows[k] == count) rows[k++] = 0;
    if (k == rows.size()) return least;
  }
}
// A connected one without cycles, wires once.
Wires randomWires(int count, std::mt19937& random) {
  Wires out;
  for (int32_t to = 1; to < count; ++to)
    for (int32_t from = 0; from < to; ++from)
      if (random() % 3 == 0 || from == static_cast<int32_t>(random()) % to) out.push_back({from, to});
  for (int32_t to = 1; to < count; ++to)
    if (std::ranges::none_of(out, [&](const auto& w) { return w.second == to; })) out.push_back({to - 1, to});
  return out;
}

TEST(ShortRows, SpanTheLeast) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int count = 2 + round % 5;
    const Wires wires = randomWires(count, random);
    const std::vector<int32_t> rows = shortestRows(static_cast<size_t>(count), wires);
    for (const auto& [from, to] : wires) EXPECT_LT(rows[at(from)], rows[at(to)]);
    EXPECT_EQ(*std::ranges::min_element(rows), 0);
    EXPECT_EQ(spanOf(wires, rows), leastSpan(count, wires)) << "round " << round;
  }
}
TEST(ShortRows, OfNothingAndOfOneBox) {
  EXPECT_TRUE(shortestRows(0, {}).empty());
  EXPECT_EQ(shortestRows(1, {}), std::vector<int32_t>{0});
}

GraphView boxes(int count, const std::string& title = "multiply") {
  GraphView view;
  for (int k = 0; k < count; ++k) {
    ViewNode node;
    node.title = title;
    node.subtitle = "f32 32×128";
    view.nodes.push_back(std::move(node));
  }
  return view;
}
float centre(const RectF& box) { return box.x + box.width / 2; }

// Forty pairs are wider than a page.
TEST(Pieces, StandTogetherOnSeveralShelves) {
  GraphView view = boxes(80);
  for (int32_t k = 0; k < 40; ++k) view.edges.push_back({2 * k, 2 * k + 1, {}, 0});
  const Arrangement a = arrange(view);
  float lowest = 0;
  for (const ViewEdge& edge : view.edges) {
    const RectF &from = a.boxes[at(edge.from)], &to = a.boxes[at(edge.to)];
    EXPECT_LT(to.y - from.y, 2 * from.height);
    EXPECT_NEAR(centre(to), centre(from), 1);
    lowest = std::max(lowest, to.y);
  }
  EXPECT_GT(lowest, 2.5f * a.boxes[0].height);  // a second shelf
}

// A chain of six, so short that it is not folded into columns, in which some wires end at a second port.
GraphView chainOf6(const std::vector<int32_t>& atSecondPorts) {
  GraphView view = boxes(6);
  for (int32_t k = 1; k < 6; ++k) view.edges.push_back({k - 1, k, {}, 0});
  for (int32_t k : atSecondPorts) {
    view.nodes[at(k)].inputs = {{.name = "lhs", .operand = 0}, {.name = "rhs", .operand = 1}};
    view.edges[at(k - 1)].operand = 1;
  }
  return view;
}
TEST(MainPath, RunsStraightWhateverItsPortsAre) {
  const Arrangement a = arrange(chainOf6({3}));
  for (int32_t k = 1; k < 6; ++k) EXPECT_NEAR(centre(a.boxes[at(k)]), centre(a.boxes[0]), 1) << k;
}
TEST(MainPath, IsBentWhereItsWiresWouldBeMuchLonger) {
  const Arrangement a = arrange(chainOf6({1, 2, 3, 4, 5}));
  for (const auto& route : a.routes) EXPECT_NEAR(route.front().x, route.back().x, 1);
}

TEST(Fan, WiderThanAPageStandsAtBothSidesOfItsTrunk) {
  GraphView view = boxes(31, "fusion of a rather long name that needs much room");
  for (int32_t k = 1; k < 31; ++k) view.edges.push_back({0, k, {}, 0});
  const Arrangement a = arrange(view);
  const auto [left, right] = std::ranges::minmax(a.boxes, {}, &RectF::x);
  const float middle = (left.x + right.x + right.width) / 2;
  EXPECT_NEAR(centre(a.boxes[0]), middle, 0.25f * (right.x + right.width - left.x));
}

size_t crossingsOf(const GraphView& view, const Arrangement& a) {
  const auto turn = [](PointF p, PointF q, PointF r) {
    return static_cast<double>(q.x - p.x) * (r.y - p.y) - static_cast<double>(q.y - p.y) * (r.x - p.x);
  };
  const auto cross = [&](const std::vector<PointF>& one, const std::vector<PointF>& other) {
    for (size_t i = 1; i < one.size(); ++i)
      for (size_t k = 1; k < other.size(); ++k)
        if (turn(one[i - 1], one[i], other[k - 1]) * turn(one[i - 1], one[i], other[k]) < 0 &&
            turn(other[k - 1], other[k], one[i - 1]) * turn(other[k - 1], other[k], one[i]) < 0)
          return true;
    return false;
  };
  size_t out = 0;
  for (size_t e = 0; e < view.edges.size(); ++e)
    for (size_t f = e + 1; f < view.edges.size(); ++f) {
      const ViewEdge &x = view.edges[e], &y = view.edges[f];
      if (x.from != y.from && x.to != y.to && x.from != y.to && x.to != y.from) out += cross(a.routes[e], a.routes[f]);
    }
  return out;
}

// A number that scales each gradient, beside which the state of each stands: moments of an optimizer.
TEST(Hub, StandsAboveWhatItsWiresRunBetween) {
  constexpr int32_t kParts = 8;
  GraphView view = boxes(1 + 4 * kParts);
  for (int32_t k = 0; k < kParts; ++k) {
    const int32_t state = 1 + 4 * k, scaled = state + 1, decayed = state + 2, sum = state + 3;
    view.edges.push_back({0, scaled, {}, 0});
    view.edges.push_back({state, decayed, {}, 0});
    view.edges.push_back({scaled, sum, {}, 0});
    view.edges.push_back({decayed, sum, {}, 1});
  }
  const Arrangement a = arrange(view);
  for (int32_t k = 0; k < kParts; ++k) EXPECT_LT(a.boxes[0].y + a.boxes[0].height, a.boxes[at(1 + 4 * k)].y);
  EXPECT_EQ(crossingsOf(view, a), 0u);
}
// Where nothing is won the rows stay as short as they are.
TEST(Hub, StaysInItsRowWhereItsWiresCrossNothing) {
  GraphView view = boxes(8);
  for (int32_t k = 2; k < 8; ++k) view.edges.push_back({k == 7 ? 1 : 0, k, {}, 0});
  view.edges.push_back({1, 6, {}, 1});
  const Arrangement a = arrange(view);
  EXPECT_EQ(a.boxes[0].y, a.boxes[1].y);
}

TEST(ManyOperands, OneWireStandsForAllThatABoxGives) {
  std::string text = "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n", operands, shapes;
  for (int k = 0; k < 100; ++k) {
    const std::string name = "n" + std::to_string(k);
    text +=
        "  " + name + " = f32[2] negate(x), metadata={op_name=\"jit(f)/" + (k < 60 ? "left" : "right") + "/neg\"}\n";
    operands += (k ? ", " : "") + name;
    shapes += k ? ", f32[2]" : "f32[2]";
  }
  text += "  ROOT t = (" + shapes + ") tuple(" + operands + ")\n}\n";
  const Module module = *readHloText(text, "m.hlo").module;
  const GraphView view = makeView(module, module.entry(), {});
  const int32_t tuple = view.boxOf(module.entryComputation().root);
  EXPECT_TRUE(view.nodes[at(tuple)].inputs.empty());
  std::vector<int32_t> sources;
  for (const ViewEdge& edge : view.edges)
    if (edge.to == tuple) sources.push_back(edge.from);
  const size_t wires = sources.size();
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  EXPECT_EQ(wires, sources.size());
  EXPECT_LE(wires, 4u);
}

}  // namespace
}  // namespace tessera
