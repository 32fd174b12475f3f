// Repeats in sequences, stacks of blocks and numbered scopes, gathering, clusters, and that wires keep clear of boxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/arrange/arrangement.h"
#include "core/arrange/repeats.h"
#include "core/arrange/scopes.h"
#include "core/arrange/source_functions.h"

namespace tessera {
namespace {

const Shape kVector = Shape::arrayRowMajor(ElementType::F32, {8});

InstructionId add(Module& m, Opcode opcode, std::vector<InstructionId> operands, const std::string& opName = {}) {
  Instruction i;
  i.opcode = opcode;
  const std::string name = std::string(nameOf(opcode)) + "." + std::to_string(m.instructionSlots());
  i.name = name;
  i.operands = operands;
  Metadata metadata;
  metadata.opName = opName;
  if (!opName.empty()) i.metadata = m.tables().intern(metadata);
  if (opcode == Opcode::Parameter) i.parameterNumber = static_cast<int32_t>(m.entryComputation().parameters.size());
  return m.add(m.entry(), std::move(i), kVector);
}

Module emptyModule() {
  Module m;
  m.setEntry(m.addComputation("main"));
  return m;
}

const ViewNode* stackOf(const GraphView& view) {
  for (const ViewNode& n : view.nodes)
    if (n.repeats > 0) return &n;
  return nullptr;
}

// `layers` blocks of 12 instructions that read w[k]; without any scope.
// A block reads the parameter whose path has its number in place of {}.
Module unrolled(int layers, const std::string& path = "p['h'][{}]['w']") {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  x = add(m, Opcode::Exponential, {x});
  for (int k = 0; k < layers; ++k) {
    const InstructionId w = add(m, Opcode::Parameter, {}, fmt::format(fmt::runtime(path), k));
    InstructionId y = add(m, Opcode::Multiply, {x, w});
    for (Opcode op : {Opcode::Tanh, Opcode::Negate, Opcode::Sqrt, Opcode::Cbrt, Opcode::Abs, Opcode::Sine,
                      Opcode::Cosine, Opcode::Floor, Opcode::Ceil, Opcode::Sign})
      y = add(m, op, {y});
    x = add(m, Opcode::Add, {x, y});
  }
  m.setRoot(m.entry(), add(m, Opcode::Log, {x}));
  return m;
}

TEST(Repeats, FindsTheShortestPeriodOfTheLongestStretch) {
  std::vector<uint64_t> tokens{90, 91};
  for (int k = 0; k < 10; ++k)
    for (uint64_t t : {1, 2, 3, 4, 5, 6, 7}) tokens.push_back(t);
  tokens.push_back(92);
  const std::vector<uint32_t> cuts(tokens.size());
  const auto found = findRepeats(tokens, cuts);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].begin, 2u);
  EXPECT_EQ(found[0].period, 7u);
  EXPECT_EQ(found[0].count, 10u);
}

TEST(Repeats, TakesThePhaseThatCutsLeast) {
  std::vector<uint64_t> tokens;
  std::vector<uint32_t> cuts;
  for (int k = 0; k < 60; ++k) tokens.push_back(static_cast<uint64_t>(k % 8)), cuts.push_back(k % 8 == 3 ? 0 : 5);
  const auto found = findRepeats(tokens, cuts);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].begin % 8, 3u);
}

TEST(Repeats, NothingInNothing) {
  EXPECT_TRUE(findRepeats({}, {}).empty());
  std::vector<uint64_t> tokens(200);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = i;
  EXPECT_TRUE(findRepeats(tokens, std::vector<uint32_t>(200)).empty());
}

TEST(Outline, UnrolledLayersAreOneStackCalledAfterTheirParameters) {
  const Module m = unrolled(20);
  GraphView view = makeView(m, m.entry(), {});
  const ViewNode* stack = stackOf(view);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->repeats, 20u);
  EXPECT_EQ(stack->title, "p['h'] 0…19");
  EXPECT_LT(view.nodes.size(), 10u);
  ViewOptions options;
  options.openGroups.insert(stack->group);
  view = makeView(m, m.entry(), options);
  size_t members = 0;
  for (const ViewNode& n : view.nodes)
    members += n.kind == ViewNode::Kind::CollapsedGroup && n.title.starts_with("p['h'] ");
  EXPECT_EQ(members, 20u);
}

TEST(Outline, BlocksAreCalledByWhatTheirShortTitlesLeaveOut) {
  const Module m = unrolled(20, "p['params']['encoder'][{}]['attention']['out']['kernel'].value");
  const GraphView view = makeView(m, m.entry(), {});
  ASSERT_TRUE(stackOf(view));
  EXPECT_EQ(stackOf(view)->title, "p['params']['encoder'] 0…19");
}

// An optimizer keeps a state under a longer path for each of the weights.
TEST(Outline, BlocksAreCalledByTheirWeightsAndNotByTheStateOfAnOptimizer) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Exponential, {add(m, Opcode::Parameter, {}, "x")});
  for (int k = 0; k < 20; ++k) {
    const InstructionId kept = add(m, Opcode::Parameter, {}, fmt::format("s[1][0].mu['h'][{}]['w']", k));
    const InstructionId w = add(m, Opcode::Parameter, {}, fmt::format("p['h'][{}]['w']", k));
    x = add(m, Opcode::Multiply, {x, kept});
    for (Opcode op : {Opcode::Tanh, Opcode::Negate, Opcode::Sqrt, Opcode::Cbrt}) x = add(m, op, {x});
    x = add(m, Opcode::Add, {x, w});
  }
  m.setRoot(m.entry(), add(m, Opcode::Log, {x}));
  const GraphView view = makeView(m, m.entry(), {});
  ASSERT_TRUE(stackOf(view));
  EXPECT_EQ(stackOf(view)->title, "p['h'] 0…19");
}

// The norm of all gradients reads each of them as soon as it is there. Of three operations of a backward block the
// middle one has this scope.
struct BackwardAndNorm {
  Module m = emptyModule();
  std::vector<InstructionId> backward, norm;
};
BackwardAndNorm backwardAndNorm(int blocks, const char* middle) {
  constexpr const char* kBackward = "jit(step)/transpose(jvp(net))/op";
  BackwardAndNorm out;
  Module& m = out.m;
  InstructionId x = add(m, Opcode::Parameter, {}, "x"), sum = x;
  for (int k = 0; k < blocks; ++k) {
    for (const char* scope : {kBackward, middle, kBackward})
      out.backward.push_back(x = add(m, Opcode::Tanh, {x}, scope));
    out.norm.push_back(add(m, Opcode::Multiply, {x, x}, "jit(step)/square"));
    out.norm.push_back(sum = add(m, Opcode::Add, {sum, out.norm.back()}, "jit(step)/sum"));
  }
  m.setRoot(m.entry(), add(m, Opcode::Tuple, {x, sum}));
  return out;
}

TEST(Outline, WhatReadsEachGradientIsNoBlockWithTheBackwardPart) {
  const BackwardAndNorm made = backwardAndNorm(24, "jit(step)/transpose(jvp(net))/op");
  const GraphView view = makeView(made.m, made.m.entry(), {});
  std::set<int32_t> boxes;
  for (InstructionId id : made.backward) boxes.insert(view.boxOf(id));
  EXPECT_EQ(boxes.size(), 1u);
  for (InstructionId id : made.norm) EXPECT_FALSE(boxes.contains(view.boxOf(id)));
}

TEST(Outline, WhatHasNoScopeIsOfThePartBeforeIt) {
  const BackwardAndNorm made = backwardAndNorm(40, "");
  const GraphView view = makeView(made.m, made.m.entry(), {});
  std::set<int32_t> boxes;
  for (InstructionId id : made.backward) boxes.insert(view.boxOf(id));
  for (InstructionId id : made.norm) EXPECT_FALSE(boxes.contains(view.boxOf(id)));
}

// A compiler's fusions have one scope, whatever they hold: its blocks are of backward and update alike.
TEST(Outline, BlocksOfFusionsHoldBackwardAndUpdate) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  std::vector<InstructionId> updates;
  for (int k = 0; k < 24; ++k) {
    for (Opcode op : {Opcode::Tanh, Opcode::Negate}) x = add(m, op, {x}, "jit(step)/transpose(jvp(net))/op");
    updates.push_back(add(m, Opcode::Fusion, {add(m, Opcode::Multiply, {x, x}, "jit(step)/mul")}, "jit(step)/add"));
  }
  m.setRoot(m.entry(), add(m, Opcode::Tuple, updates));
  const GraphView view = makeView(m, m.entry(), {});
  ASSERT_TRUE(stackOf(view));
  EXPECT_GE(stackOf(view)->repeats, 23u);
}

TEST(Outline, ABlockWithOtherShapesStandsOut) {
  Module m = emptyModule();
  const Shape wide = Shape::arrayRowMajor(ElementType::F32, {64});
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  for (int k = 0; k < 5; ++k)
    for (Opcode op : {Opcode::Tanh, Opcode::Negate}) {
      x = add(m, op, {x}, "f/layer_" + std::to_string(k) + "/op");
      if (k == 3) m.setShape(x, wide);
    }
  m.setRoot(m.entry(), add(m, Opcode::Exponential, {x}, "f/exp"));
  const GraphView view = makeView(m, m.entry(), {});
  const ViewNode* stack = stackOf(view);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->subtitle, "5 × 2 instructions · 1 of 5 with other shapes");
  ViewOptions options;
  options.openGroups.insert(stack->group);
  const GraphView opened = makeView(m, m.entry(), options);
  std::set<std::string> unlike;
  for (const ViewNode& n : opened.nodes)
    if (n.subtitle.find("other shapes: 512 B, elsewhere 64 B") != std::string::npos) unlike.insert(n.title);
  EXPECT_EQ(unlike, (std::set<std::string>{"layer_3"}));
}

TEST(Outline, NumberedScopesOfOneStructureAreAStack) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  for (int k = 0; k < 5; ++k)
    for (Opcode op : {Opcode::Tanh, Opcode::Negate}) x = add(m, op, {x}, "f/layer_" + std::to_string(k) + "/op");
  m.setRoot(m.entry(), add(m, Opcode::Exponential, {x}, "f/exp"));
  const GraphView view = makeView(m, m.entry(), {});
  const ViewNode* stack = stackOf(view);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->title, "layer_0…4");
  EXPECT_EQ(stack->repeats, 5u);
  EXPECT_EQ(view.nodes.size(), 3u);  // x, the stack, exp
}

TEST(Outline, TheRangeOfAStackStandsAtTheNumberOfItsScopes) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  for (int k = 0; k < 3; ++k)
    for (Opcode op : {Opcode::Tanh, Opcode::Negate}) x = add(m, op, {x}, fmt::format("f/cell_{}.step/op", k));
  m.setRoot(m.entry(), add(m, Opcode::Exponential, {x}, "f/exp"));
  const GraphView view = makeView(m, m.entry(), {});
  ASSERT_TRUE(stackOf(view));
  EXPECT_EQ(stackOf(view)->title, "cell_0…2.step");
}

TEST(Outline, AScopeThatTheDataLeavesAndEntersAgainIsTwoGroups) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  for (int k = 0; k < 2; ++k) {
    x = add(m, Opcode::Tanh, {x}, "f/relu/op");
    x = add(m, Opcode::Negate, {x}, "f/relu/op");
    x = add(m, Opcode::Exponential, {x}, "f/exp");
  }
  m.setRoot(m.entry(), x);
  const GraphView view = makeView(m, m.entry(), {});
  EXPECT_EQ(std::count_if(view.nodes.begin(), view.nodes.end(), [](auto& n) { return n.title == "relu"; }), 2);
  EXPECT_GE(view.findGroup("f/relu"), 0);
  EXPECT_GE(view.findGroup("f/relu~2"), 0);
}

TEST(Outline, TheFirstPictureOfAnythingHasFewBoxes) {
  Module m = emptyModule();
  std::vector<InstructionId> values;
  for (int k = 0; k < 300; ++k) values.push_back(add(m, Opcode::Parameter, {}, "w" + std::to_string(k)));
  uint64_t random = 1;
  constexpr Opcode kOps[] = {Opcode::Add, Opcode::Multiply, Opcode::Maximum, Opcode::Subtract, Opcode::Divide};
  for (int k = 0; k < 5000; ++k) {
    auto pick = [&] {
      return random = random * 6364136223846793005ull + 1, (random >> 33) % std::min<size_t>(values.size(), 90);
    };
    const InstructionId a = values[values.size() - 1 - pick()], b = values[values.size() - 1 - pick()];
    values.push_back(add(m, kOps[pick() % 5], {a, b}));
  }
  m.setRoot(m.entry(), values.back());
  ViewMaker maker(m);
  const GraphView view = maker.view(m.entry(), maker.initialView(m.entry()));
  EXPECT_LE(view.nodes.size(), 300u);
  for (InstructionId id : values) EXPECT_GE(view.boxOf(id), 0);
  EXPECT_FALSE(maker.groupPaths(m.entry()).empty());
}

std::set<std::string> groupsBy(ViewMaker& maker, const Module& m, Grouping grouping) {
  std::set<std::string> out;
  ViewOptions options;
  options.grouping = grouping;
  for (const ViewNode& node : maker.view(m.entry(), options).nodes)
    if (!node.group.empty()) out.insert(node.title);
  return out;
}

TEST(Grouping, ByScopesLinesKernelsOrNothing) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  const auto from = [&](InstructionId id, const char* file, int line) {
    Metadata metadata = *m.at(id).metadata;
    metadata.sourceFile = file;
    metadata.sourceLine = line;
    m.edit(id).metadata = m.tables().intern(metadata);
  };
  std::vector<InstructionId> all;
  for (int k = 0; k < 4; ++k) {
    all.push_back(x = add(m, k % 2 ? Opcode::Tanh : Opcode::Negate, {x}, k < 2 ? "f/net/op" : "f/head/op"));
    from(x, k < 3 ? "/home/a/model.py" : "/home/a/loss.py", k < 2 ? 10 : 20);
  }
  all.push_back(x = add(m, Opcode::Negate, {x}, "f/head/op"));
  from(x, "/home/a/loss.py", 20);
  m.setRoot(m.entry(), x);
  ViewMaker maker(m);
  EXPECT_EQ(groupsBy(maker, m, Grouping::Scopes), (std::set<std::string>{"net", "head"}));
  EXPECT_EQ(groupsBy(maker, m, Grouping::SourceLines), (std::set<std::string>{"model.py", "loss.py:20"}));
  EXPECT_TRUE(groupsBy(maker, m, Grouping::Computations).empty());
  EXPECT_TRUE(groupsBy(maker, m, Grouping::None).empty());
  EXPECT_TRUE(groupsBy(maker, m, Grouping::Kernels).empty());
  std::vector<std::string> kernels(m.instructionSlots());
  kernels[all[1].value] = kernels[all[2].value] = "fusion";
  maker.setKernels(kernels);
  EXPECT_EQ(groupsBy(maker, m, Grouping::Kernels), (std::set<std::string>{"fusion"}));
  EXPECT_EQ(maker.groupPaths(m.entry(), Grouping::Kernels), std::vector<std::string>{"fusion"});
}

TEST(Scopes, TransformsAreScopesOfTheirOwn) {
  Module m = emptyModule();
  add(m, Opcode::Parameter, {}, "x");
  add(m, Opcode::Tanh, {}, "jit(f)/transpose(jvp(net/layer_1))/mul");
  const ScopeTree tree = scopesOf(m, m.entryComputation());
  ASSERT_EQ(tree.scopes.size(), 4u);
  EXPECT_EQ(tree.scopes[1].name, "transpose(jvp())");
  EXPECT_EQ(tree.scopes[3].path, "jit(f)/transpose(jvp())/net/layer_1");
  EXPECT_EQ(numberPattern("layer_12.b3"), "layer_#.b#");
  EXPECT_EQ(lastNumber("layer_12"), 12);
  EXPECT_EQ(lastNumber("relu"), -1);
}

// Two numbered families whose blocks take turns: as two stacks each would be above and below the other.
TEST(Outline, StacksThatNeedEachOtherDoNotFold) {
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {}, "x");
  for (int k = 0; k < 5; ++k) {
    for (Opcode op : {Opcode::Tanh, Opcode::Negate}) x = add(m, op, {x}, "f/Conv_" + std::to_string(k) + "/op");
    for (Opcode op : {Opcode::Sine, Opcode::Floor}) x = add(m, op, {x}, "f/Norm_" + std::to_string(k) + "/op");
  }
  m.setRoot(m.entry(), add(m, Opcode::Exponential, {x}, "f/exp"));
  const GraphView view = makeView(m, m.entry(), {});
  EXPECT_EQ(stackOf(view), nullptr);
  for (const ViewEdge& edge : view.edges) EXPECT_LT(edge.from, edge.to);  // boxes come in the program's order
}

TEST(Outline, ManyParametersFoldByArgument) {
  Module m = emptyModule();
  std::vector<InstructionId> all;
  for (const char* argument : {"p", "s"})
    for (int k = 0; k < 20; ++k)
      all.push_back(add(m, Opcode::Parameter, {}, std::string(argument) + "[" + std::to_string(k) + "]"));
  InstructionId sum = add(m, Opcode::Tuple, all);
  m.setRoot(m.entry(), sum);
  const GraphView view = makeView(m, m.entry(), {});
  ASSERT_EQ(view.nodes.size(), 3u);
  EXPECT_EQ(view.nodes[0].title, "parameters p");
  EXPECT_EQ(view.nodes[1].title, "parameters s");
}

TEST(Names, OfFunctions) {
  EXPECT_EQ(shortFunctionName("scale_by_adam.<locals>.update_fn"), "scale_by_adam");
  EXPECT_EQ(shortFunctionName("gpt.<locals>.blk"), "blk");
  EXPECT_EQ(shortFunctionName("linen.<locals>.UNet.__call__"), "UNet");
  EXPECT_EQ(shortFunctionName("tree_update_moment.<locals>.<lambda>"), "tree_update_moment");
  EXPECT_EQ(shortFunctionName("<lambda>"), "");
}

// --- wires

bool passesThrough(const std::vector<PointF>& route, const RectF& box) {
  for (size_t k = 1; k < route.size(); ++k)
    for (int s = 0; s <= 20; ++s) {
      const float t = static_cast<float>(s) / 20;
      const PointF p{route[k - 1].x + (route[k].x - route[k - 1].x) * t,
                     route[k - 1].y + (route[k].y - route[k - 1].y) * t};
      if (p.x > box.x + 1 && p.x < box.x + box.width - 1 && p.y > box.y + 1 && p.y < box.y + box.height - 1)
        return true;
    }
  return false;
}

TEST(Arrange, NoWirePassesBehindABoxThatItDoesNotConcern) {
  GraphView view;
  uint64_t random = 7;
  auto pick = [&](uint64_t n) {
    return random = random * 6364136223846793005ull + 1442695040888963407ull, (random >> 33) % n;
  };
  for (int32_t v = 0; v < 150; ++v) {
    ViewNode node;
    node.title = v % 3 == 0 ? "reduce max over 1, 2" : "add";
    node.subtitle = "f32 8";
    view.nodes.push_back(node);
    for (int k = 0; k < 2 && v > 0; ++k)
      view.edges.push_back({v - 1 - static_cast<int32_t>(pick(static_cast<uint64_t>(std::min(v, 40)))), v, {}, k});
  }
  const Arrangement a = arrange(view);
  for (size_t e = 0; e < view.edges.size(); ++e)
    for (size_t v = 0; v < view.nodes.size(); ++v)
      if (static_cast<int32_t>(v) != view.edges[e].from && static_cast<int32_t>(v) != view.edges[e].to) {
        EXPECT_FALSE(passesThrough(a.routes[e], a.boxes[v])) << e << " behind " << v;
      }
}

TEST(Arrange, APlanarLadderHasNoCrossings) {
  GraphView view;  // two chains with rungs
  for (int32_t v = 0; v < 24; ++v) {
    ViewNode node;
    node.title = "add";
    view.nodes.push_back(node);
    if (v >= 2) view.edges.push_back({v - 2, v, {}, 0});
    if (v >= 3 && v % 2 == 1) view.edges.push_back({v - 3, v, {}, 1});
  }
  const Arrangement a = arrange(view);
  int crossings = 0;
  for (size_t i = 0; i < a.routes.size(); ++i)
    for (size_t j = i + 1; j < a.routes.size(); ++j) {
      const auto &x = a.routes[i], &y = a.routes[j];
      const bool sameRows = std::abs(x.front().y - y.front().y) < 1 && std::abs(x.back().y - y.back().y) < 1;
      if (sameRows && (x.front().x - y.front().x) * (x.back().x - y.back().x) < 0) ++crossings;
    }
  EXPECT_EQ(crossings, 0);
}

// An op_name of 300 KB: every scope keeps its path, which is quadratic in the depth and in the length of a name.
TEST(Scopes, AnEndlessOpNameIsCut) {
  std::string deep, nested;
  while (deep.size() < 300000) deep += "a/";
  while (nested.size() < 300000) nested += "jvp(b/";
  const std::string long_(300000, 'x');
  for (const std::string& opName : {deep + "add", nested, long_ + "/add", long_ + "/" + long_ + "/add", long_}) {
    Module m = emptyModule();
    InstructionId x = add(m, Opcode::Parameter, {}, opName);
    for (int i = 0; i < 3; ++i) x = add(m, Opcode::Add, {x, x}, opName);
    m.setRoot(m.entry(), x);
    size_t bytes = 0;
    for (const Scope& scope : scopesOf(m, m.entryComputation()).scopes) bytes += scope.path.size();
    EXPECT_LT(bytes, 2000000u);
    const ViewOptions options = initialView(m, m.entry());
    const GraphView view = makeView(m, m.entry(), options);
    for (const RectF& box : arrange(view).boxes) EXPECT_LT(box.width, 5000);
  }
}

TEST(Scopes, LongNamesThatDifferStayTwo) {
  const std::string name(5000, 'x');
  Module m = emptyModule();
  InstructionId x = add(m, Opcode::Parameter, {});
  for (const char* end : {"a", "b"})
    for (int i = 0; i < 2; ++i) x = add(m, Opcode::Tanh, {x}, name + end + "/tanh");
  EXPECT_EQ(scopesOf(m, m.entryComputation()).scopes.size(), 2u);
}

}  // namespace
}  // namespace tessera
