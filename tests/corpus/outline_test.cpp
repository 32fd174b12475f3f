// Groups of real programs: no folded picture has a cycle, whatever is open; groups have telling names; patterns are
// recognised where a person finds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/arrange/arrangement.h"
#include "core/arrange/flow.h"
#include "core/arrange/recognise.h"
#include "core/formats/hlo_text.h"
#include "tests/corpus/corpus.h"

namespace tessera {
namespace {

Module programOf(const std::string& file) {
  ReadResult read = readHloText(slurp(corpusTexts() / file), file);
  EXPECT_TRUE(read.module) << file;
  return read.module ? *std::move(read.module) : Module();
}

// A box on a cycle of boxes in one container; -1: there is none. Wires count between the two boxes that the container
// of both draws.
int32_t boxOnCycle(const GraphView& view) {
  const size_t boxes = view.nodes.size();
  const auto depthOf = [&](int32_t box) {
    int32_t depth = 0;
    while ((box = view.nodes[at(box)].parent) >= 0) ++depth;
    return depth;
  };
  std::vector<std::vector<int32_t>> next(boxes);
  std::vector<int32_t> open(boxes);
  for (const ViewEdge& edge : view.edges) {
    int32_t from = edge.from, to = edge.to;
    while (depthOf(from) > depthOf(to)) from = view.nodes[at(from)].parent;
    while (depthOf(to) > depthOf(from)) to = view.nodes[at(to)].parent;
    while (view.nodes[at(from)].parent != view.nodes[at(to)].parent)
      from = view.nodes[at(from)].parent, to = view.nodes[at(to)].parent;
    if (from != to) next[at(from)].push_back(to), ++open[at(to)];
  }
  std::vector<int32_t> ready;
  for (size_t b = 0; b < boxes; ++b)
    if (open[b] == 0) ready.push_back(static_cast<int32_t>(b));
  for (size_t k = 0; k < ready.size(); ++k)
    for (int32_t user : next[at(ready[k])])
      if (--open[at(user)] == 0) ready.push_back(user);
  for (size_t b = 0; b < boxes; ++b)
    if (open[b] > 0) return static_cast<int32_t>(b);
  return -1;
}

void expectNoCycle(const GraphView& view, const std::string& what) {
  const int32_t box = boxOnCycle(view);
  EXPECT_LT(box, 0) << what << ": " << view.nodes[at(std::max(box, 0))].title << " "
                    << view.nodes[at(std::max(box, 0))].group;
}

class FoldedCorpus : public testing::TestWithParam<std::string> {};

TEST_P(FoldedCorpus, HasNoCycleWhateverIsOpen) {
  const Module module = programOf(GetParam());
  ViewMaker maker(module);
  expectNoCycle(maker.view(module.entry(), {}), "all closed");
  ViewOptions options = maker.initialView(module.entry());
  expectNoCycle(maker.view(module.entry(), options), "first picture");
  for (const std::string& path : maker.groupPaths(module.entry())) options.openGroups.insert(path);
  expectNoCycle(maker.view(module.entry(), options), "all open");
}

INSTANTIATE_TEST_SUITE_P(All, FoldedCorpus,
                         testing::ValuesIn(corpusFiles([](const std::string& file) { return !isBad(file); })),
                         [](const auto& named) { return testName(named.param); });

// --- names

std::vector<std::string> titlesOf(const Module& module, bool groupsOnly = true) {
  ViewMaker maker(module);
  ViewOptions options;
  for (const std::string& path : maker.groupPaths(module.entry())) options.openGroups.insert(path);
  std::vector<std::string> out;
  for (const ViewNode& node : maker.view(module.entry(), options).nodes)
    if (!groupsOnly || (!node.group.empty() && !node.caller)) out.push_back(node.title);
  return out;
}

bool hasTitle(const std::vector<std::string>& titles, const std::string& part) {
  return std::ranges::any_of(titles, [&](const std::string& t) { return t.find(part) != std::string::npos; });
}

// The functions that the program was written in, from its stack frames.
TEST(NamesInCorpus, SourceFunctionsNameWhatNoScopeNames) {
  const auto titles = titlesOf(programOf("gpt_tiny_train/before.hlo"));
  for (const char* name : {"attention", "layernorm", "xent", "scale_by_adam", "add_decayed_weights", "apply_updates"})
    EXPECT_TRUE(hasTitle(titles, name)) << name;
}

TEST_P(FoldedCorpus, NoNameOfAGroupIsACount) {
  for (const std::string& title : titlesOf(programOf(GetParam())))
    EXPECT_FALSE(title.empty() || title[0] == ' ' || std::isdigit(static_cast<unsigned char>(title[0]))) << title;
}

// What stands closed side by side on the first picture of an optimised program can be told apart.
TEST(NamesInCorpus, FewNamesakesSideBySide) {
  for (const char* file :
       {"gpt_tiny_train/after.hlo", "gpt_tiny_scan_train/after.hlo", "gpt96_micro2_train/before.hlo"}) {
    const Module module = programOf(file);
    ViewMaker maker(module);
    std::map<std::pair<int32_t, std::string>, int> closed;
    for (const ViewNode& node : maker.view(module.entry(), maker.initialView(module.entry())).nodes)
      if (node.kind == ViewNode::Kind::CollapsedGroup && node.title.starts_with("jit(step)"))
        ++closed[{node.parent, node.title}];
    for (const auto& [name, count] : closed) EXPECT_LE(count, 2) << file << ": " << name.second;
  }
}

TEST(NamesInCorpus, ForwardAndBackwardSaySo) {
  const Module module = programOf("gpt96_micro2_train/before.hlo");
  ViewMaker maker(module);
  bool forward = false, backward = false;
  for (const ViewNode& node : maker.view(module.entry(), maker.initialView(module.entry())).nodes) {
    forward |= node.subtitle.ends_with("forward");
    backward |= node.subtitle.ends_with("backward");
  }
  EXPECT_TRUE(forward);
  EXPECT_TRUE(backward);
}

TEST(NamesInCorpus, FusionsAreTitledByWhatTheyDo) {
  const Module module = programOf("gpt_tiny_train/after.hlo");
  for (const std::string& title : titlesOf(module, false))
    EXPECT_EQ(title.find("fused_computation"), std::string::npos) << title;
}

// --- without op_name

// As a dump is that was printed without metadata.
Module namelessProgramOf(const std::string& file) {
  Module module = programOf(file);
  for (ComputationId computation : module.order())
    for (InstructionId id : module.at(computation).instructions) module.edit(id).metadata = nullptr;
  return module;
}

struct Nameless {
  std::string file;
  std::ptrdiff_t mostBoxes;        // of the page with everything closed, constants beside their readers aside
  std::vector<std::string> names;  // of groups
};
void PrintTo(const Nameless& n, std::ostream* out) { *out << n.file; }
class NamelessCorpus : public testing::TestWithParam<Nameless> {};

TEST_P(NamelessCorpus, IsReadableAsAWhole) {
  const Module module = namelessProgramOf(GetParam().file);
  ViewMaker maker(module);
  EXPECT_LE(std::ranges::count_if(maker.view(module.entry(), {}).nodes,
                                  [](const ViewNode& node) { return node.kind != ViewNode::Kind::Attached; }),
            GetParam().mostBoxes);
  GraphView view = maker.view(module.entry(), maker.initialView(module.entry(), 40));
  view.flow = flowByForm(view);
  const RectF bounds = arrange(view).bounds;
  EXPECT_GE(view.room.zoomOf(bounds), 0.3f) << bounds.width << " × " << bounds.height;
}

TEST_P(NamelessCorpus, HasNoCycleWhateverIsOpen) {
  const Module module = namelessProgramOf(GetParam().file);
  ViewMaker maker(module);
  ViewOptions options = maker.initialView(module.entry());
  expectNoCycle(maker.view(module.entry(), options), "first picture");
  for (const std::string& path : maker.groupPaths(module.entry())) options.openGroups.insert(path);
  expectNoCycle(maker.view(module.entry(), options), "all open");
}

TEST_P(NamelessCorpus, GroupsAreNamedByWhatTheyDo) {
  const std::vector<std::string> titles = titlesOf(namelessProgramOf(GetParam().file));
  for (const std::string& title : titles)
    EXPECT_FALSE(title.empty() || std::isdigit(static_cast<unsigned char>(title[0]))) << title;
  for (const std::string& name : GetParam().names) EXPECT_TRUE(hasTitle(titles, name)) << name;
}

INSTANTIATE_TEST_SUITE_P(
    ByHand, NamelessCorpus,
    testing::Values(Nameless{"gpt_tiny_train/before.hlo", 20, {"forward", "backward", "attention", "Adam", "MLP"}},
                    Nameless{"resnet18_train/before.hlo", 20, {"forward", "backward", "batch norm"}},
                    Nameless{"unet_fwd/before.hlo", 30, {"group norm"}},
                    Nameless{"vit_s_fwd/before.hlo", 30, {"attention", "layer norm"}},
                    Nameless{"gpt96_micro2_train/before.hlo", 30, {"forward", "backward", "Adam"}},
                    Nameless{"mlp_mnist_sgd_train/before.hlo", 80, {}}, Nameless{"attention_grad/before.hlo", 90, {}},
                    Nameless{"gnn_train/before.hlo", 30, {}}, Nameless{"diffusion_sampler/before.hlo", 40, {}}),
    [](const auto& named) { return testName(named.param.file); });

// --- patterns

struct Told {
  std::string file;
  Pattern pattern;
  size_t least;  // how often a person finds it
};
void PrintTo(const Told& t, std::ostream* out) { *out << t.file << " " << nameOf(t.pattern); }
class PatternsInCorpus : public testing::TestWithParam<Told> {};

TEST_P(PatternsInCorpus, AreRecognised) {
  const Module module = programOf(GetParam().file);
  const UserTable users(module);
  std::vector<int32_t> positions(module.instructionSlots(), -1);
  for (ComputationId id : module.order())
    for (size_t k = 0; k < module.at(id).instructions.size(); ++k)
      positions[module.at(id).instructions[k].value] = static_cast<int32_t>(k);
  const auto found = recognise(module, module.entryComputation(), users, positions);
  EXPECT_GE(std::ranges::count(found, GetParam().pattern, &Recognised::pattern),
            static_cast<std::ptrdiff_t>(GetParam().least));
}

INSTANTIATE_TEST_SUITE_P(
    ByHand, PatternsInCorpus,
    testing::Values(
        Told{"attention/before.hlo", Pattern::Attention, 1}, Told{"softmax/before.hlo", Pattern::Softmax, 1},
        Told{"softmax/after.hlo", Pattern::Softmax, 1}, Told{"attention/after.hlo", Pattern::Attention, 1},
        Told{"gpt_tiny_train/before.hlo", Pattern::Attention, 2},
        Told{"gpt_tiny_train/before.hlo", Pattern::LayerNorm, 5}, Told{"gpt_tiny_train/before.hlo", Pattern::Mlp, 2},
        Told{"gpt_tiny_train/before.hlo", Pattern::CrossEntropy, 1},
        Told{"gpt_tiny_train/before.hlo", Pattern::Embedding, 1}, Told{"gpt_tiny_train/before.hlo", Pattern::Adam, 28},
        Told{"gpt96_micro2_train/before.hlo", Pattern::Attention, 192}, Told{"rmsnorm/before.hlo", Pattern::RmsNorm, 1},
        Told{"batchnorm_train/before.hlo", Pattern::BatchNorm, 1},
        Told{"resnet18_fwd/before.hlo", Pattern::BatchNorm, 17},
        Told{"resnet18_train/before.hlo", Pattern::BatchNorm, 17}, Told{"unet_fwd/before.hlo", Pattern::GroupNorm, 14},
        Told{"mlp_mnist_sgd_train/before.hlo", Pattern::Momentum, 6}, Told{"nnx_mlp_train/before.hlo", Pattern::Sgd, 6},
        Told{"rng_threefry/before.hlo", Pattern::RandomBits, 1}),
    [](const auto& named) { return testName(named.param.file + "_" + std::string(nameOf(named.param.pattern))); });

// What only looks like one: a division by a sum of something else, a root of something that is no variance.
TEST(PatternsInCorpus, NothingIsRecognisedWhereNothingIs) {
  for (const char* file : {"black_scholes/before.hlo", "nbody/before.hlo", "fft_1d/before.hlo", "matmul/before.hlo"}) {
    const Module module = programOf(file);
    const UserTable users(module);
    std::vector<int32_t> positions(module.instructionSlots(), 0);
    for (const Recognised& found : recognise(module, module.entryComputation(), users, positions))
      ADD_FAILURE() << file << ": " << nameOf(found.pattern);
  }
}

std::string patternsIn(const std::string& text) {
  const ReadResult read = readHloText(text, "step.hlo");
  if (!read.module) return "unreadable";
  const Module& module = *read.module;
  std::vector<int32_t> positions(module.instructionSlots(), 0);
  std::string out;
  for (const Recognised& found : recognise(module, module.entryComputation(), UserTable(module), positions))
    out += fmt::format("{} ", nameOf(found.pattern));
  return out;
}

// Steps of a recurrence, and an image that is resized by a matrix made of positions.
TEST(PatternsInCorpus, ProductsAndActivationsAloneMakeNoMlp) {
  const std::string head = R"(HloModule m
ENTRY e {
  x = f32[2,7] parameter(0)
  w = f32[7,8] parameter(1)
  u = f32[8,8] parameter(2)
  y = f32[2,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[2,8] tanh(y)
)";
  EXPECT_EQ(patternsIn(head + R"(  ROOT z = f32[2,8] dot(h, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"),
            "MLP ");
  EXPECT_EQ(patternsIn(head + R"(  z = f32[2,8] dot(h, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  sum = f32[2,8] add(y, z)
  next = f32[2,8] tanh(sum)
  ROOT last = f32[2,8] dot(next, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"),
            "");
  EXPECT_EQ(patternsIn(head + R"(  places = f32[8,3] iota(), iota_dimension=0
  zero = f32[] constant(0)
  zeros = f32[8,3] broadcast(zero), dimensions={}
  weights = f32[8,3] maximum(places, zeros)
  ROOT z = f32[2,3] dot(h, weights), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"),
            "");
}

// p - 0.1 · d, where `direction` makes d of the gradient g, the kept m and p.
std::string optimizerOf(const std::string& direction) {
  return patternsIn(fmt::format(R"(HloModule m
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY step {{
  p = f32[8,4] parameter(0)
  g = f32[8,4] parameter(1)
  m = f32[8,4] parameter(2)
  zero = f32[] constant(0)
  squares = f32[8,4] multiply(g, g)
  most = f32[] constant(0.9)
  mosts = f32[8,4] broadcast(most), dimensions={{}}
  rate = f32[] constant(0.1)
  rates = f32[8,4] broadcast(rate), dimensions={{}}
  {}
  change = f32[8,4] multiply(rates, d)
  ROOT next = f32[8,4] subtract(p, change)
}}
)",
                                direction));
}

TEST(PatternsInCorpus, AnOptimizerIsToldByTheRootThatScalesItsStep) {
  const std::string divided = "\n  d = f32[8,4] divide(g, n)";
  EXPECT_EQ(optimizerOf("n = f32[8,4] sqrt(squares)" + divided), "Adam ");
  EXPECT_EQ(optimizerOf("s = f32[] reduce(squares, zero), dimensions={0,1}, to_apply=sum\n"
                        "  norm = f32[] sqrt(s)\n  n = f32[8,4] broadcast(norm), dimensions={}" +
                        divided),
            "SGD ");
  EXPECT_EQ(optimizerOf("s = f32[4] reduce(squares, zero), dimensions={0}, to_apply=sum\n"
                        "  root = f32[4] sqrt(s)\n  n = f32[8,4] broadcast(root), dimensions={1}" +
                        divided),
            "");
}

// At the root of the squares and at the step.
TEST(PatternsInCorpus, AnOptimizerIsToldByTheSquaresThatItKeeps) {
  const std::string averaged =
      "old = f32[8,4] multiply(mosts, m)\n  new = f32[8,4] multiply(rates, squares)\n  v = f32[8,4] add(old, new)\n  ";
  EXPECT_EQ(optimizerOf(averaged + "n = f32[8,4] rsqrt(v)\n  d = f32[8,4] multiply(g, n)"), "RMSprop RMSprop ");
  EXPECT_EQ(optimizerOf(averaged + "n = f32[8,4] sqrt(v)\n  d = f32[8,4] divide(g, n)"), "RMSprop RMSprop ");
  EXPECT_EQ(optimizerOf("v = f32[8,4] add(m, squares)\n  n = f32[8,4] rsqrt(v)\n  d = f32[8,4] multiply(g, n)"),
            "Adagrad Adagrad ");
  // The gradient is a sum over a batch, or clipped by the norm of all.
  const std::string kept =
      "q = f32[8,4] parameter(3)\n  batch = f32[2,8,4] parameter(4)\n"
      "  sums = f32[8,4] reduce(batch, zero), dimensions={0}, to_apply=sum\n"
      "  square = f32[8,4] multiply(sums, sums)\n  old = f32[8,4] multiply(mosts, m)\n  new = f32[8,4] multiply(rates, "
      "square)\n"
      "  v = f32[8,4] add(old, new)\n  n = f32[8,4] sqrt(v)\n  old1 = f32[8,4] multiply(mosts, q)\n"
      "  new1 = f32[8,4] multiply(rates, sums)\n  mean = f32[8,4] add(old1, new1)\n  ";
  EXPECT_EQ(optimizerOf(kept + "d = f32[8,4] divide(mean, n)"), "Adam Adam ");
}

TEST(PatternsInCorpus, AnOptimizerIsToldByWhatItsStepIsMadeOf) {
  const std::string old = "old = f32[8,4] multiply(mosts, m)\n  ";
  const std::string decay = "decay = f32[8,4] multiply(rates, p)\n  ";
  EXPECT_EQ(optimizerOf(old + "d = f32[8,4] add(old, g)"), "momentum ");
  EXPECT_EQ(optimizerOf(decay + "d = f32[8,4] add(g, decay)"), "SGD ");
  EXPECT_EQ(optimizerOf(decay + old + "next_m = f32[8,4] add(old, g)\n  d = f32[8,4] add(next_m, decay)"), "momentum ");
  EXPECT_EQ(optimizerOf(decay + old +
                        "new = f32[8,4] multiply(rates, g)\n  mix = f32[8,4] add(old, new)\n"
                        "  signs = f32[8,4] sign(mix)\n  d = f32[8,4] add(signs, decay)"),
            "Lion ");
  EXPECT_EQ(optimizerOf("signs = f32[8,4] sign(g)\n  d = f32[8,4] multiply(signs, g)"), "");
}

// Squares as sums over rows and columns, which are kept; of a vector the squares themselves. A rate that is a number is
// that of other optimizers.
std::string optimizerThatKeeps(const std::string& rate, bool vector) {
  const std::string matrix = R"(
  p = f32[8,4] parameter(0)
  g = f32[8,4] parameter(1)
  rows = f32[8] parameter(2)
  columns = f32[4] parameter(3)
  squares = f32[8,4] multiply(g, g)
  keep8 = f32[8] broadcast(rate), dimensions={}
  take8 = f32[8] broadcast(rest), dimensions={}
  sums8 = f32[8] reduce(squares, zero), dimensions={1}, to_apply=sum
  new8 = f32[8] multiply(sums8, take8)
  old8 = f32[8] multiply(keep8, rows)
  v8 = f32[8] add(old8, new8)
  root8 = f32[8] rsqrt(v8)
  by8 = f32[8,4] broadcast(root8), dimensions={0}
  part = f32[8,4] multiply(g, by8)
  keep4 = f32[4] broadcast(rate), dimensions={}
  take4 = f32[4] broadcast(rest), dimensions={}
  sums4 = f32[4] reduce(squares, zero), dimensions={0}, to_apply=sum
  new4 = f32[4] multiply(sums4, take4)
  old4 = f32[4] multiply(keep4, columns)
  v4 = f32[4] add(old4, new4)
  halves = f32[4] broadcast(half), dimensions={}
  root4 = f32[4] power(v4, halves)
  by4 = f32[8,4] broadcast(root4), dimensions={1}
  u = f32[8,4] multiply(part, by4)
  rates = f32[8,4] broadcast(scale), dimensions={}
  change = f32[8,4] multiply(u, rates)
  ROOT next = f32[8,4] add(p, change)
)";
  const std::string line = R"(
  p = f32[8] parameter(0)
  g = f32[8] parameter(1)
  squares = f32[8] multiply(g, g)
  kept = f32[8] parameter(2)
  keep8 = f32[8] broadcast(rate), dimensions={}
  take8 = f32[8] broadcast(rest), dimensions={}
  new8 = f32[8] multiply(squares, take8)
  old8 = f32[8] multiply(keep8, kept)
  v8 = f32[8] add(old8, new8)
  root8 = f32[8] rsqrt(v8)
  u = f32[8] multiply(g, root8)
  rates = f32[8] broadcast(scale), dimensions={}
  change = f32[8] multiply(u, rates)
  ROOT next = f32[8] add(p, change)
)";
  return patternsIn(fmt::format(R"(HloModule m
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY step {{
  zero = f32[] constant(0)
  half = f32[] constant(-0.5)
  scale = f32[] constant(-0.001)
  one = f32[] constant(1)
  {}
  rest = f32[] subtract(one, rate)
  {}
}}
)",
                                rate, vector ? line : matrix));
}

TEST(PatternsInCorpus, AdafactorIsToldByTheSumsThatItKeeps) {
  const std::string computed =
      "count = f32[] parameter(4)\n  slow = f32[] constant(-0.8)\n"
      "  power = f32[] power(count, slow)\n  rate = f32[] subtract(one, power)";
  const std::string computedOfVector =
      "count = f32[] parameter(3)\n  slow = f32[] constant(-0.8)\n"
      "  power = f32[] power(count, slow)\n  rate = f32[] subtract(one, power)";
  EXPECT_EQ(optimizerThatKeeps(computed, false), "Adafactor ");
  EXPECT_EQ(optimizerThatKeeps("rate = f32[] constant(0.99)", false), "Adafactor ");
  EXPECT_EQ(optimizerThatKeeps(computedOfVector, true), "Adafactor ");
  EXPECT_NE(optimizerThatKeeps("rate = f32[] constant(0.99)", true), "Adafactor ");
}

}  // namespace
}  // namespace tessera
