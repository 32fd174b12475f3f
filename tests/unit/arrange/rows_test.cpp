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

TEST(MainPath, RunsStraightWhateverItsPortsAre) {
  constexpr int32_t kLength = 6;  // so short that it is not folded into columns
  GraphView view = boxes(kLength);
  for (int32_t k = 1; k < kLength; ++k) {
    view.nodes[at(k)].inputs = {{.name = "lhs", .operand = 0}, {.name = "rhs", .operand = 1}};
    view.edges.push_back({k - 1, k, {}, 1});
  }
  for (int32_t k = 1; k < kLength; k += 3) {  // something else at the other port
    view.nodes.push_back(view.nodes[0]);
    view.edges.push_back({static_cast<int32_t>(view.nodes.size()) - 1, k, {}, 0});
  }
  const Arrangement a = arrange(view);
  for (int32_t k = 1; k < kLength; ++k) EXPECT_NEAR(centre(a.boxes[at(k)]), centre(a.boxes[0]), 1) << k;
}

TEST(Fan, WiderThanAPageStandsAtBothSidesOfItsTrunk) {
  GraphView view = boxes(31, "fusion of a rather long name that needs much room");
  for (int32_t k = 1; k < 31; ++k) view.edges.push_back({0, k, {}, 0});
  const Arrangement a = arrange(view);
  const auto [left, right] = std::ranges::minmax(a.boxes, {}, &RectF::x);
  const float middle = (left.x + right.x + right.width) / 2;
  EXPECT_NEAR(centre(a.boxes[0]), middle, 0.25f * (right.x + right.width - left.x));
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
