// Where the cost of called computations stands, families of scopes, layers by names of several libraries, and what of
// the costliest instructions and of findings is told as one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/overview/findings.h"
#include "core/overview/layers.h"
#include "core/overview/overview.h"
#include "tests/unit/passes/text.h"

namespace tessera::test {
namespace {

std::string named(const std::string& opName) { return ", metadata={op_name=\"" + opName + "\"}"; }

const CostScope* find(const CostScope& root, std::vector<std::string> way) {
  const CostScope* at = &root;
  for (const std::string& name : way) {
    const auto found = std::ranges::find(at->children, name, &CostScope::name);
    if (found == at->children.end()) return nullptr;
    at = &*found;
  }
  return at;
}

// jax writes relative names into what is called, and whole ones once XLA has inlined it.
TEST(CostByScope, WhatIsCalledCountsInTheScopeOfItsCaller) {
  const Module module = moduleFrom(
      "HloModule m\n\nrelu {\n  x = f32[64] parameter(0)\n  ROOT a = f32[64] sine(x)" + named("max") + "\n}\n\n" +
      "whole {\n  x = f32[64] parameter(0)\n  ROOT a = f32[64] cosine(x)" + named("jit(f)/head/cos") + "\n}\n\n" +
      "ENTRY e {\n  x = f32[64] parameter(0)\n  a = f32[64] negate(x)" + named("jit(f)/net/neg") + "\n" +
      "  b = f32[64] call(a), to_apply=relu" + named("jit(f)/net/jit(relu)") + "\n" +
      "  ROOT c = f32[64] call(b), to_apply=whole" + named("jit(f)/net/call") + "\n}\n");
  const CostScope root = costByScope(Workload(module, nullptr));
  ASSERT_EQ(root.children.size(), 1u);
  ASSERT_TRUE(find(root, {"jit(f)", "net"}));
  EXPECT_EQ(find(root, {"jit(f)", "net"})->cost.transcendentals, 64);
  EXPECT_EQ(find(root, {"jit(f)", "net"})->cost.flops, 64);
  ASSERT_TRUE(find(root, {"jit(f)", "head"}));
  EXPECT_EQ(find(root, {"jit(f)", "head"})->cost.transcendentals, 64);
}

std::string chainOf(const std::vector<std::string>& scopes, const std::string& parameters = "") {
  std::string text = "HloModule m\n\nENTRY e {\n  x = f32[64] parameter(0), metadata={op_name=\"x\"}\n" + parameters;
  std::string last = "x";
  for (size_t k = 0; k < scopes.size(); ++k) {
    const std::string name = "v" + std::to_string(k);
    text += "  " + std::string(k + 1 == scopes.size() ? "ROOT " : "") + name + " = f32[64] sine(" + last + ")" +
            named(scopes[k]) + "\n";
    last = name;
  }
  return text + "}\n";
}

std::string hottestOf(const Module& module) {
  const CostScope root = costByScopeFamily(Workload(module, nullptr));
  std::string out;
  for (const CostScope* scope : hottestScope(root)) out += (out.empty() ? "" : " / ") + scope->name;
  return out + " " + std::to_string(std::lround(100 * hottestScope(root).back()->weight / root.weight));
}
std::string hottestIn(const std::vector<std::pair<std::string, int>>& scopes) {
  std::vector<std::string> all;
  for (const auto& [scope, count] : scopes) all.insert(all.end(), static_cast<size_t>(count), scope + "/s");
  return hottestOf(moduleFrom(chainOf(all)));
}

TEST(CostByScope, EachCallerHasItsPartOfWhatItCalls) {
  const Module module = moduleFrom(
      "HloModule m\n\ng {\n  x = f32[64] parameter(0)\n  ROOT a = f32[64] sine(x)\n}\n\n"
      "h {\n  x = f32[64] parameter(0)\n  a = f32[64] call(x), to_apply=g" +
      named("inner/call") + "\n  ROOT b = f32[64] call(a), to_apply=g" + named("inner/call") +
      "\n}\n\nENTRY e {\n  x = f32[64] parameter(0)\n  a = f32[64] call(x), to_apply=g" + named("f/one/call") +
      "\n  b = f32[64] call(a), to_apply=h" + named("f/two/call") + "\n  ROOT c = f32[64] call(b), to_apply=h" +
      named("f/three/call") + "\n}\n");
  const CostScope root = costByScope(Workload(module, nullptr));
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].cost.transcendentals, 5 * 64);
  const auto of = [&](std::vector<std::string> way) {
    const CostScope* found = find(root, std::move(way));
    return found ? found->cost.transcendentals / 64 : -1;
  };
  EXPECT_EQ(of({"f", "one"}), 1);
  EXPECT_EQ(of({"f", "two", "inner"}), 2);
  EXPECT_EQ(of({"f", "three", "inner"}), 2);
}

// A file that is one loop: "while / body" says nothing, the functions of its source do.
TEST(CostByScope, InALoopThePathGoesOnWithTheSourceFunctions) {
  std::string text = R"(HloModule m

FileNames
1 "model.py"

FunctionNames
1 "run"
2 "run.<locals>.step"
3 "decay"
4 "force"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=1}
2 {file_name_id=1 function_name_id=2 line=4 end_line=4 column=1 end_column=1}
3 {file_name_id=1 function_name_id=3 line=5 end_line=5 column=1 end_column=1}
4 {file_name_id=1 function_name_id=4 line=6 end_line=6 column=1 end_column=1}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=3 parent_frame_id=3}
4 {file_location_id=4 parent_frame_id=3}

)";
  const auto in = [](int frame) { return ", metadata={op_name=\"sin\" stack_frame_id=" + std::to_string(frame) + "}"; };
  text += "inner {\n  x = f32[64] parameter(0)\n  a = f32[64] sine(x)" + in(3) + "\n  b = f32[64] sine(a)" + in(4) +
          "\n  ROOT c = f32[64] sine(b)" + in(4) + "\n}\n\nENTRY e {\n  x = f32[64] parameter(0)\n" +
          "  ROOT a = f32[64] call(x), to_apply=inner, metadata={op_name=\"jit(run)/while/body/closed_call\" " +
          "stack_frame_id=1}\n}\n";
  const Module module = moduleFrom(text);
  EXPECT_EQ(hottestOf(module), "jit(run) / while / body / force 67");
}

// Five operations of a sixth and a third: the costliest is better than nothing where no scope has a name.
TEST(HottestScope, OfALoopWithoutNamesTheCostliestPartIsTold) {
  const std::string loop = "jit(f)/while/body/";
  EXPECT_EQ(hottestIn({{loop + "a", 1}, {loop + "b", 1}, {loop + "c", 1}, {loop + "d", 1}, {loop + "e", 2}}),
            "jit(f) / while / body / e 33");
  EXPECT_EQ(hottestIn({{"jit(f)/while/body", 4}, {loop + "a", 1}}), "jit(f) / while / body / sine 80");
}

// An optimizer's parts are none the costliest, though it is; and what stands beside the model's largest part counts.
TEST(HottestScope, IsAPartOnlyWhereThatIsMostOfIt) {
  const std::string adam = "jit(step)/adam/", back = "jit(step)/transpose(jvp(net))/";
  EXPECT_EQ(hottestIn({{adam + "a", 10},
                       {adam + "b", 10},
                       {adam + "c", 10},
                       {adam + "d", 10},
                       {back + "blk", 35},
                       {back + "head", 25}}),
            "jit(step) / adam 40");
  EXPECT_EQ(hottestIn({{adam + "a", 10}, {adam + "b", 10}, {back + "blk", 45}, {back + "head", 35}}),
            "jit(step) / transpose(jvp()) / net / blk 45");
  EXPECT_EQ(hottestIn({{adam + "a", 18}, {adam + "b", 17}, {adam + "c", 17}, {back + "blk", 24}, {back + "head", 24}}),
            "jit(step) / adam 52");
}

// What the model is called says nothing, forward or backward.
TEST(HottestScope, LooksThroughTheNameOfTheWhole) {
  EXPECT_EQ(hottestIn({{"jit(f)/jvp(Net)/Conv_0", 10},
                       {"jit(f)/jvp(Net)/Dense_0", 25},
                       {"jit(f)/transpose(jvp(Net))/Conv_0", 15},
                       {"jit(f)/transpose(jvp(Net))/Conv_1", 15},
                       {"jit(f)/transpose(jvp(Net))/Dense_0", 20},
                       {"jit(f)/sgd", 15}}),
            "jit(f) / transpose(jvp()) / Net / Conv × 2 30");
}

TEST(HottestScope, FunctionsOfLibrariesTellAndTheProgramDoesNot) {
  EXPECT_EQ(hottestIn({{"jit(f)/jit(solve)/while/body", 6}, {"jit(f)/a", 3}, {"jit(f)", 1}}), "jit(f) / jit(solve) 60");
  EXPECT_EQ(hottestIn({{"jit(f)", 6}, {"jit(f)/a", 4}}), "jit(f) / sine 60");
}

TEST(HottestScope, NumbersAloneAreOneFamily) {
  EXPECT_EQ(hottestIn({{"f/h/0/attn", 1}, {"f/h/1/attn", 1}, {"f/h/2/attn", 1}, {"f/h/2/mlp", 1}, {"f/x", 1}}),
            "f / h / × 3 / attn 60");
}

TEST(CostByScope, BlocksThatOnlyANumberTellsApartAreAFamily) {
  const Module module = moduleFrom(
      chainOf({"f/linear/w/s", "f/linear/b/s", "f/linear_1/w/s", "f/linear_2/w/s", "f/res18/s", "f/res20/s"}));
  const CostScope root = costByScopeFamily(Workload(module, nullptr));
  ASSERT_TRUE(find(root, {"f", "linear × 3"}));
  EXPECT_EQ(find(root, {"f", "linear × 3"})->cost.transcendentals, 4 * 64);
  EXPECT_EQ(find(root, {"f", "linear × 3", "w"})->cost.transcendentals, 3 * 64);
  EXPECT_TRUE(find(root, {"f", "res18"}));
  const auto hottest = hottestScope(root);
  ASSERT_EQ(hottest.size(), 3u);
  EXPECT_EQ(hottest[1]->name, "linear × 3");
}

TEST(CostByScope, TheNumberOfAFamilyMayStandBetween) {
  EXPECT_EQ(hottestIn({{"f/enc_0_ff", 2}, {"f/enc_1_ff", 2}, {"f/enc_0_ln", 1}, {"f/enc_1_ln", 1}, {"f/x", 1}}),
            "f / enc_…_ff × 2 57");
}

// Nested loops: the frames of the inner one's body tell of the outer one's functions, too.
TEST(CostByScope, FunctionsThatThePathTellsOfAreNoScopesAgain) {
  std::string text = R"(HloModule m

FileNames
1 "model.py"

FunctionNames
1 "run"
2 "step"
3 "leap"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=1}
2 {file_name_id=1 function_name_id=2 line=4 end_line=4 column=1 end_column=1}
3 {file_name_id=1 function_name_id=3 line=5 end_line=5 column=1 end_column=1}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=3 parent_frame_id=3}
4 {file_location_id=3 parent_frame_id=2}

)";
  const std::string frames = "\" stack_frame_id=3}";
  text += "inner {\n  x = f32[64] parameter(0)\n  ROOT a = f32[64] sine(x), metadata={op_name=\"while/body/sin" +
          frames + "\n}\n\nouter {\n  x = f32[64] parameter(0)\n  ROOT a = f32[64] call(x), to_apply=inner, " +
          "metadata={op_name=\"closed_call/while" + frames +
          "\n}\n\nENTRY e {\n  x = f32[64] parameter(0)\n  ROOT a = f32[64] call(x), to_apply=outer, " +
          "metadata={op_name=\"jit(run)/while/body/closed_call\" stack_frame_id=1}\n}\n";
  const CostScope root = costByScope(Workload(moduleFrom(text), nullptr));
  std::string way;
  for (const CostScope* at = &root; !at->children.empty(); at = &at->children[0]) way += at->children[0].name + " ";
  EXPECT_EQ(way, "jit(run) while body closed_call step leap while body sine ");
}

// A line search whose body differentiates many times: none of the parts is large, the loop is.
TEST(HottestScope, IsTheLoopWhereNoPartOfItIsLarge) {
  std::vector<std::pair<std::string, int>> scopes{{"jit(f)/start", 1}};
  for (int k = 0; k < 14; ++k) scopes.push_back({"jit(f)/while/body/jvp(" + std::string(1, 'a' + k) + ")", 1});
  EXPECT_EQ(hottestIn(scopes), "jit(f) / while / body 93");
}

TEST(CostByScope, OfInstructionsMadeOneTheFirstTells) {
  const Module module = moduleFrom(chainOf({"f/a/transpose;f/b/mul"}));
  EXPECT_TRUE(find(costByScope(Workload(module, nullptr)), {"f", "a"}));
}

std::string layersOfPaths(const std::vector<std::string>& paths) {
  std::string parameters;
  for (size_t k = 0; k < paths.size(); ++k)
    parameters +=
        "  p" + std::to_string(k) + " = f32[8] parameter(" + std::to_string(k + 1) + ")" + named(paths[k]) + "\n";
  const Module module = moduleFrom(chainOf({"f/s"}, parameters));
  std::string out;
  for (const auto& each : layersOf(Workload(module, nullptr)))
    out += each.name + " × " + std::to_string(each.count) + " ";
  return out;
}

TEST(Layers, TheFirstOfAFamilyMayHaveNoNumber) {
  EXPECT_EQ(layersOfPaths({"p['linear']['w']", "p['linear_1']['w']", "p['linear_2']['w']", "p['other']['w']"}),
            "linear × 3 ");
  EXPECT_EQ(layersOfPaths({"p['attention/query']['w']", "p['attention_1/query']['w']"}), "attention × 2 ");
  EXPECT_EQ(layersOfPaths({"p['n/a']['w']", "p['n_1/a']['w']", "p['n_2/a']['w']"}), "n × 3 ");
}

TEST(Layers, TheSecondNumberTellsWhereTheFirstIsOne) {
  EXPECT_EQ(layersOfPaths({"p['N_0']['Conv_0']['w']", "p['N_0']['Conv_1']['w']", "p['H_0']['w']"}), "Conv × 2 ");
}

TEST(Layers, ANumberInAWordIsNone) {
  EXPECT_EQ(layersOfPaths({"p['net18/~/block_0/conv']['w']", "p['net18/~/block_1/conv']['w']"}), "block × 2 ");
  EXPECT_EQ(layersOfPaths({"m.blocks[0].w", "m.blocks[1].w"}), "blocks × 2 ");
}

// A loop of five trips; `weight` is what its product reads beside the state: stacked or shared. `stack` is what slices
// are of, made of `stored` and `x`.
std::string layersOfLoop(const std::string& weight, const std::string& stack = "negate(stored)") {
  const Module module = moduleFrom(R"(HloModule m
body {
  s = (s32[], f32[8,8], f32[5,8,8], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8,8] get-tuple-element(s), index=1
  stack = f32[5,8,8] get-tuple-element(s), index=2
  shared = f32[8,8] get-tuple-element(s), index=3
  zero = s32[] constant(0)
  slice = f32[1,8,8] dynamic-slice(stack, i, zero, zero), dynamic_slice_sizes={1,8,8}
  stacked = f32[8,8] reshape(slice)
  y = f32[8,8] dot(x, )" + weight + R"(), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT out = (s32[], f32[8,8], f32[5,8,8], f32[8,8]) tuple(next, y, stack, shared)
}
condition {
  s = (s32[], f32[8,8], f32[5,8,8], f32[8,8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  end = s32[] constant(5)
  ROOT less = pred[] compare(i, end), direction=LT
}
ENTRY main {
  x = f32[8,8] parameter(0)
  stored = f32[5,8,8] parameter(1)
  stack = f32[5,8,8] )" + stack + R"(
  shared = f32[8,8] parameter(2)
  zero = s32[] constant(0)
  state = (s32[], f32[8,8], f32[5,8,8], f32[8,8]) tuple(zero, x, stack, shared)
  loop = (s32[], f32[8,8], f32[5,8,8], f32[8,8]) while(state), condition=condition, body=body
  ROOT y = f32[8,8] get-tuple-element(loop), index=1
})");
  const Workload work(module, nullptr);
  std::string out;
  for (const auto& each : layersOf(work)) out += "layers " + each.name + " ";
  for (const auto& each : loopsOf(work)) out += each.name + " × " + std::to_string(each.count);
  return out;
}

TEST(Layers, TripsAreLayersWhereEachHasItsWeights) {
  EXPECT_EQ(layersOfLoop("stacked"), "layers loop loop × 5");
  EXPECT_EQ(layersOfLoop("shared"), "loop × 5");
  EXPECT_EQ(layersOfLoop("x"), "loop × 5");
  EXPECT_EQ(layersOfLoop("stacked", "dot(stored, x), lhs_contracting_dims={2}, rhs_contracting_dims={0}"), "loop × 5");
}

// Of 24 blocks: a line for d0 that reads the value before, then tanh, negate and a sum with it.
std::vector<Overview::Layers> layersOfBlocks(const std::string& first) {
  std::string text = "HloModule m\nENTRY main {\n  x = f32[8,8] parameter(0)\n";
  for (int k = 0; k < 24; ++k) text += fmt::format("  w{} = f32[8,8] parameter({})\n", k, k + 1);
  for (int k = 0; k < 24; ++k) {
    const std::string from = k == 0 ? "x" : fmt::format("sum{}", k - 1);
    text += fmt::format(
        "  d{0} = f32[8,8] {2}\n  t{0} = f32[8,8] tanh(d{0})\n  n{0} = f32[8,8] negate(t{0})\n"
        "  sum{0} = f32[8,8] add({1}, n{0})\n",
        k, from, fmt::format(fmt::runtime(first), from, k));
  }
  const Module module = moduleFrom(text + "  ROOT out = f32[8,8] abs(sum23)\n}");
  return layersOf(Workload(module, nullptr));
}

TEST(Layers, WithoutNamesEqualBlocksThatMultiplyAreCounted) {
  const auto layers = layersOfBlocks("dot({0}, w{1}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}");
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_GE(layers[0].count, 20);
  EXPECT_EQ(layers[0].from, "blocks");
  EXPECT_TRUE(layersOfBlocks("subtract({0}, w{1})").empty());  // elementwise work is no layer
}

// The gradient of each parameter and the step that it takes, one after the other.
TEST(Layers, UpdatesOfParametersAreNone) {
  constexpr int kParameters = 24;
  std::string text = "HloModule m\nENTRY main {\n  x = f32[8,8] parameter(0)\n", results, shapes;
  for (int k = 0; k < kParameters; ++k) {
    text += fmt::format(
        "  w{0} = f32[8,8] parameter({1})\n  m{0} = f32[8,8] parameter({2})\n  y{0} = f32[8,8] parameter({3})\n"
        "  g{0} = f32[8,8] dot(x, y{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
        "  rate{0} = f32[] constant(0.9)\n  rates{0} = f32[8,8] broadcast(rate{0}), dimensions={{}}\n"
        "  kept{0} = f32[8,8] multiply(m{0}, rates{0})\n  next{0} = f32[8,8] add(g{0}, kept{0})\n"
        "  few{0} = f32[] constant(-0.01)\n  fews{0} = f32[8,8] broadcast(few{0}), dimensions={{}}\n"
        "  step{0} = f32[8,8] multiply(next{0}, fews{0})\n  new{0} = f32[8,8] add(w{0}, step{0})\n",
        k, 3 * k + 1, 3 * k + 2, 3 * k + 3);
    results += fmt::format("{}new{}, next{}", k > 0 ? ", " : "", k, k);
    shapes += k > 0 ? ", f32[8,8], f32[8,8]" : "f32[8,8], f32[8,8]";
  }
  const Module module = moduleFrom(text + "  ROOT out = (" + shapes + ") tuple(" + results + ")\n}");
  EXPECT_TRUE(layersOf(Workload(module, nullptr)).empty());
}

TEST(Overview, CostlyInstructionsThatAreAlikeAreToldOnce) {
  const Module module = moduleFrom(chainOf({"f/block_0/s", "f/block_1/s", "f/head/s"}));
  const Overview overview = overviewOf(Workload(module, nullptr));
  ASSERT_EQ(overview.top.size(), 2u);
  EXPECT_EQ(overview.top[0].alike, 2u);
  EXPECT_EQ(overview.top[0].cost.transcendentals, 2 * 64);
  EXPECT_EQ(overview.top[1].alike, 1u);
}

TEST(Findings, TheLeastOfARuleAreOne) {
  std::string text = "HloModule m, is_scheduled=true\n\nENTRY e {\n  x0 = f32[1024] parameter(0)\n";
  for (int k = 0; k < 12; ++k) {
    const std::string shape = "f32[" + std::to_string(1024 - k) + "]";
    text += "  cut" + std::to_string(k) + " = " + shape + " slice(x0), slice={[0:" + std::to_string(1024 - k) + "]}\n";
    text += "  c" + std::to_string(k) + " = " + shape + " copy(cut" + std::to_string(k) + ")\n";
  }
  text += "  ROOT r = f32[1024] negate(x0)\n}\n";
  const Module module = moduleFrom(text);
  std::vector<Finding> found = findingsOf(Workload(module, nullptr));
  std::erase_if(found, [](const Finding& f) { return f.rule != "copies"; });
  ASSERT_EQ(found.size(), 7u);
  size_t places = 0, rest = 0;
  for (const Finding& f : found) {
    places += f.instructions.size();
    rest += f.text.starts_with("6 more kinds of these at 6 places");
  }
  EXPECT_EQ(places, 12u);
  EXPECT_EQ(rest, 1u);
}

}  // namespace
}  // namespace tessera::test
