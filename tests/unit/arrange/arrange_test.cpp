// makeView and arrange: groups, hubs, edges, and that no box is on another.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/arrange/arrangement.h"
#include "core/arrange/scopes.h"
#include "tests/unit/base/growth.h"

namespace tessera {
namespace {

const Shape kEightFloats = Shape::arrayRowMajor(ElementType::F32, {8});

InstructionId add(Module& m, ComputationId c, Opcode opcode, std::vector<InstructionId> operands, std::string name,
                  std::string opName = {}) {
  Instruction i;
  i.opcode = opcode;
  i.name = name;
  i.operands = operands;
  Metadata metadata;
  metadata.opName = std::move(opName);
  if (!metadata.opName.empty()) i.metadata = m.tables().intern(metadata);
  if (opcode == Opcode::Parameter) i.parameterNumber = static_cast<int32_t>(m.at(c).parameters.size());
  return m.add(c, std::move(i), kEightFloats);
}

// p -> tanh, neg in scope a/b -> add(neg, constant)
Module scoped() {
  Module m;
  const ComputationId c = m.addComputation("main");
  m.setEntry(c);
  const auto p = add(m, c, Opcode::Parameter, {}, "p");
  const auto t = add(m, c, Opcode::Tanh, {p}, "t", "jit(f)/a/tanh");
  const auto n = add(m, c, Opcode::Negate, {t}, "n", "jit(f)/a/neg");
  const auto k = add(m, c, Opcode::Iota, {}, "k");
  const auto s = add(m, c, Opcode::Add, {n, k}, "s", "jit(f)/add");
  m.setRoot(c, add(m, c, Opcode::Multiply, {s, s}, "r", "jit(f)/mul"));
  return m;
}

void expectNoOverlap(const GraphView& view, const Arrangement& a) {
  for (size_t i = 0; i < view.nodes.size(); ++i)
    for (size_t j = i + 1; j < view.nodes.size(); ++j)
      if (view.nodes[i].parent == view.nodes[j].parent) {
        EXPECT_FALSE(a.boxes[i].intersects(a.boxes[j])) << view.nodes[i].title << " / " << view.nodes[j].title;
      }
}

TEST(Scopes, SplitsPathsOutsideBrackets) {
  const auto segments = pathSegments("jit(f)/transpose(jvp(a/b))/dot");
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[1], "transpose(jvp(a/b))");
}

TEST(View, CollapsesScopesAndAttachesHubs) {
  const Module m = scoped();
  const GraphView view = makeView(m, m.entry(), {});
  const int32_t group = view.findGroup("jit(f)/a");
  ASSERT_GE(group, 0);
  EXPECT_EQ(view.nodes[static_cast<size_t>(group)].kind, ViewNode::Kind::CollapsedGroup);
  EXPECT_EQ(view.nodes[static_cast<size_t>(group)].instructionCount, 2u);
  EXPECT_EQ(view.boxOf(*m.findInstruction("t")), group);
  EXPECT_EQ(view.nodes[static_cast<size_t>(view.boxOf(*m.findInstruction("k")))].kind, ViewNode::Kind::Attached);
  EXPECT_EQ(view.findGroup("jit(f)"), -1);  // shared by all: no box
}

// An iota that one input reads is a field of its reader; pulled out it is a box of its own, without fields a pill
// beside it.
TEST(View, GeneratedInputsAreFieldsOfTheirReaders) {
  const Module m = scoped();
  ViewOptions options;
  options.fields = true;
  const auto at = [&](const GraphView& view, const char* name) {
    return view.nodes[static_cast<size_t>(view.boxOf(*m.findInstruction(name)))];
  };
  const GraphView view = makeView(m, m.entry(), options);
  EXPECT_EQ(at(view, "k").owner, view.boxOf(*m.findInstruction("s")));
  EXPECT_EQ(at(view, "k").label, "rhs");
  EXPECT_FALSE(at(view, "k").number);
  const Arrangement a = arrange(view);
  const RectF &field = a.boxes[static_cast<size_t>(view.boxOf(*m.findInstruction("k")))],
              &reader = a.boxes[static_cast<size_t>(view.boxOf(*m.findInstruction("s")))];
  EXPECT_GE(field.x, reader.x);
  EXPECT_LE(field.x + field.width, reader.x + reader.width);
  EXPECT_GE(field.y, reader.y);
  EXPECT_LE(field.y + field.height, reader.y + reader.height);
  options.openGroups.insert(at(view, "k").group);
  const GraphView pulled = makeView(m, m.entry(), options);
  EXPECT_EQ(at(pulled, "k").kind, ViewNode::Kind::Instruction);
  EXPECT_TRUE(at(pulled, "k").pulled);
  expectNoOverlap(pulled, arrange(pulled));
}

TEST(View, OpensGroupsAndKeepsBothWiresOfASquare) {
  const Module m = scoped();
  ViewOptions options;
  options.openGroups.insert("jit(f)/a");
  const GraphView view = makeView(m, m.entry(), options);
  const int32_t inner = view.boxOf(*m.findInstruction("t"));
  EXPECT_EQ(view.nodes[static_cast<size_t>(inner)].parent, view.findGroup("jit(f)/a"));
  const int32_t root = view.boxOf(*m.findInstruction("r"));
  EXPECT_EQ(std::count_if(view.edges.begin(), view.edges.end(), [&](const ViewEdge& e) { return e.to == root; }), 2);
}

TEST(Arrange, OpenGroupHoldsItsBoxesAndNothingOverlaps) {
  const Module m = scoped();
  for (bool open : {false, true}) {
    ViewOptions options;
    if (open) options.openGroups.insert("jit(f)/a");
    const GraphView view = makeView(m, m.entry(), options);
    const Arrangement a = arrange(view);
    ASSERT_EQ(a.boxes.size(), view.nodes.size());
    ASSERT_EQ(a.routes.size(), view.edges.size());
    expectNoOverlap(view, a);
    for (size_t v = 0; v < view.nodes.size(); ++v) {
      if (view.nodes[v].parent < 0) continue;
      const RectF& outer = a.boxes[static_cast<size_t>(view.nodes[v].parent)];
      EXPECT_TRUE(outer.contains({a.boxes[v].x, a.boxes[v].y}));
      EXPECT_LE(a.boxes[v].y + a.boxes[v].height, outer.y + outer.height);
    }
  }
}

GraphView chainOf(int nodes) {
  GraphView view;
  for (int32_t v = 0; v < nodes; ++v) {
    ViewNode node;
    node.title = "multiply";
    node.subtitle = "f32 32×128";
    view.nodes.push_back(node);
    if (v >= 1) view.edges.push_back({v - 1 - (v * 7919 % std::min(v, 40)), v, {}, 0});
    if (v >= 500) view.edges.push_back({v - 1 - (v * 31 % 500), v, {}, 1});
  }
  return view;
}

TEST(Arrange, AHundredThousandNodesAreDeterministic) {
  const GraphView view = chainOf(100000);
  const Arrangement a = arrange(view), b = arrange(view);
  for (size_t v = 0; v < view.nodes.size(); v += 97) {
    EXPECT_EQ(a.boxes[v].x, b.boxes[v].x);
    EXPECT_EQ(a.boxes[v].y, b.boxes[v].y);
  }
}

TEST(Arrange, TimeStaysNearLinear) {
  EXPECT_LT(test::growthToFourfold(100000, [](int nodes) { arrange(chainOf(nodes)); }), test::kNearLinear);
}

TEST(Arrange, CyclesBetweenGroupsAndEmptyViews) {
  EXPECT_EQ(arrange({}).boxes.size(), 0u);
  GraphView view;
  view.nodes.resize(3);
  view.edges = {{0, 1, {}, 0}, {1, 2, {}, 0}, {2, 0, {}, 0}};
  expectNoOverlap(view, arrange(view));
}

// 20,000 steps one after the other, each of which also reads a far one.
TEST(Arrange, AnEndlessChainIsSeenAsAWhole) {
  Module m;
  const ComputationId c = m.addComputation("main");
  m.setEntry(c);
  std::vector<InstructionId> steps{add(m, c, Opcode::Parameter, {}, "p")};
  for (size_t k = 1; k < 20000; ++k)
    steps.push_back(add(m, c, Opcode::Add, {steps.back(), steps[k / 2]}, "s" + std::to_string(k)));
  m.setRoot(c, steps.back());
  for (Flow flow : {Flow::Down, Flow::Right}) {
    ViewOptions options;
    options.grouping = Grouping::None;
    GraphView view = makeView(m, c, options);
    view.flow = flow;
    const Arrangement a = arrange(view);
    EXPECT_GT(view.room.zoomOf(a.bounds), 0.01f);
    std::vector<RectF> boxes = a.boxes;
    std::ranges::sort(boxes, {}, &RectF::x);
    for (size_t i = 0; i < boxes.size(); ++i)
      for (size_t j = i + 1; j < boxes.size() && boxes[j].x < boxes[i].x + boxes[i].width; ++j)
        ASSERT_FALSE(boxes[i].intersects(boxes[j]));
  }
}

TEST(Titles, SayWhatANodeDoes) {
  Module m;
  const ComputationId c = m.addComputation("main");
  m.setEntry(c);
  const auto p = add(m, c, Opcode::Parameter, {}, "weights");
  EXPECT_EQ(titleOf(m, p), "weights");
  EXPECT_EQ(subtitleOf(m, p), "f32 8");
  AttributeSet attributes;
  attributes.set(Attr::dimensions, std::vector<int64_t>{1, 0});
  const InstructionId operands[] = {p};
  const auto t = m.add(c, Opcode::Transpose, Shape::arrayRowMajor(ElementType::F32, {32, 128}), operands, attributes);
  EXPECT_EQ(titleOf(m, t), "transpose to 1, 0");
  EXPECT_EQ(subtitleOf(m, t), "f32 32×128");
}

TEST(Titles, OfGradientsNameTheBlock) {
  for (const auto& [name, title] :
       std::map<std::string, std::string>{{"block.linear.v1.gradient", "gradient of linear"},
                                          {"mine.gradient", "gradient of mine"},
                                          {"block.rms.norm.v12", "rms.norm"},
                                          {"relu.3", "relu"}}) {
    Module m;
    const ComputationId callee = m.addComputation(name);
    m.setRoot(callee, add(m, callee, Opcode::Parameter, {}, "p"));
    const ComputationId c = m.addComputation("main");
    m.setEntry(c);
    const auto p = add(m, c, Opcode::Parameter, {}, "p");
    AttributeSet attributes;
    attributes.set(Attr::to_apply, callee);
    const InstructionId operands[] = {p};
    EXPECT_EQ(titleOf(m, m.add(c, Opcode::Call, m.shapeOf(p), operands, attributes)), title);
  }
}

}  // namespace
}  // namespace tessera
