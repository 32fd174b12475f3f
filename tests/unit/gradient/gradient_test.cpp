// What a gradient adds: names, metadata, no node too many, what is refused and in which words; and the edit of a
// selection.
#include "core/gradient/gradient.h"

#include <gtest/gtest.h>

#include "core/edit/structure/differentiating.h"
#include "core/formats/hlo_text.h"
#include "tests/unit/edit/edited_graph.h"
#include "tests/unit/gradient/checks.h"

namespace tessera::test {
namespace {

constexpr const char* kLayer = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4,3] parameter(0)
  W = f32[3,2] parameter(1)
  b = f32[2] parameter(2)
  xW = f32[4,2] dot(x, W), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/layer/dot"}
  all = f32[4,2] broadcast(b), dimensions={1}
  y = f32[4,2] add(xW, all)
  h = f32[4,2] tanh(y)
  zero = f32[] constant(0)
  ROOT loss = f32[] reduce(h, zero), dimensions={0,1}, to_apply=add
}
)";

struct Made {
  Module module;
  Result<Gradient> gradient;
  std::string line(const char* name) const {
    const auto id = module.findInstruction(name);
    return id ? printInstruction(module, *id) : "";
  }
};

Made gradientOf(const std::string& text, const char* of, std::vector<std::string> wrt) {
  Made out{*readHloText(text).module, Gradient{}};
  GradientRequest request{*out.module.findInstruction(of), {}};
  for (const std::string& name : wrt) request.withRespectTo.push_back(*out.module.findInstruction(name));
  out.gradient = addGradient(out.module, request);
  return out;
}

std::string refusalOf(const std::string& text, const char* of = "y", const char* wrt = "x") {
  const Made made = gradientOf(text, of, {wrt});
  EXPECT_FALSE(made.gradient);
  return made.gradient ? "" : made.gradient.error().toString();
}

std::string program(const std::string& lines, const std::string& before = "") {
  return "HloModule m\n" + before + "ENTRY e {\n" + lines + "}\n";
}

TEST(Gradient, NodesHaveReadableNamesAndAreFew) {
  const Made made = gradientOf(kLayer, "loss", {"W", "b"});
  ASSERT_TRUE(made.gradient) << made.gradient.error().toString();
  EXPECT_EQ(made.module.at(made.gradient->gradients[0]).name, "d_W");
  EXPECT_EQ(made.module.at(made.gradient->gradients[1]).name, "d_b");
  EXPECT_NE(made.line("d_W").find("dot(%x, %d_y), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
            std::string::npos)
      << made.line("d_W");
  // one, its broadcast, h·h, ones, 1 - h·h, d_W, and the sum for d_b with its reuse of the zero that is there
  EXPECT_LE(made.gradient->added.size(), 7u) << printHloText(made.module);
  EXPECT_FALSE(made.module.findInstruction("d_x"));
}

TEST(Gradient, MetadataPairsForwardAndBackward) {
  const Made made = gradientOf(kLayer, "loss", {"W"});
  ASSERT_TRUE(made.gradient);
  EXPECT_NE(made.line("d_W").find("op_name=\"jit(f)/transpose(layer)/dot\""), std::string::npos) << made.line("d_W");
  EXPECT_NE(made.line("d_y").find("op_name=\"transpose(h)\""), std::string::npos) << made.line("d_y");
}

TEST(Gradient, OfWhatItDoesNotDependOnItIsZero) {
  const Made made = gradientOf(
      program("  x = f32[2] parameter(0)\n  z = f32[3] parameter(1)\n  ROOT y = f32[2] sine(x)\n"), "y", {"z", "x"});
  ASSERT_TRUE(made.gradient);
  EXPECT_NE(made.line("d_z").find("f32[3]{0} broadcast("), std::string::npos) << made.line("d_z");
}

TEST(Gradient, TwoParametersMayShareOne) {
  const Made made = gradientOf(
      program("  x = f32[2] parameter(0)\n  z = f32[2] parameter(1)\n  ROOT y = f32[2] add(x, z)\n"), "y", {"x", "z"});
  ASSERT_TRUE(made.gradient);
  EXPECT_EQ(made.gradient->gradients[0], made.gradient->gradients[1]);
}

TEST(Gradient, ARefusalNamesInstructionOpAndReason) {
  const std::string loop = refusalOf(
      program("  x = f32[] parameter(0)\n  ROOT y = f32[] while(x), condition=c, body=b\n",
              "c { s = f32[] parameter(0) k = f32[] constant(9) ROOT p = pred[] compare(s, k), direction=LT }\n"
              "b { s = f32[] parameter(0) ROOT m = f32[] multiply(s, s) }\n"));
  EXPECT_NE(loop.find("%y"), std::string::npos) << loop;
  EXPECT_NE(loop.find("how often the loop runs is not known"), std::string::npos) << loop;
  const std::string call =
      refusalOf(program("  x = f32[2] parameter(0)\n  ROOT y = f32[2] custom-call(x), custom_call_target=\"mine\"\n"));
  EXPECT_NE(call.find("%y: nothing is known of the derivative of the custom call \"mine\""), std::string::npos) << call;
  const std::string inside =
      refusalOf(program("  x = f32[2] parameter(0)\n  ROOT y = f32[2] call(x), to_apply=f\n",
                        "f { a = f32[2] parameter(0) ROOT c = f32[2] custom-call(a), custom_call_target=\"mine\" }\n"));
  EXPECT_NE(inside.find("%c: "), std::string::npos) << inside;
  const std::string integers = refusalOf(program("  x = s32[2] parameter(0)\n  ROOT y = s32[2] negate(x)\n"));
  EXPECT_NE(integers.find("%x is no array of floats"), std::string::npos) << integers;
}

// Nodes that compute a gradient, by opcode.
size_t addedOf(const Made& made, Opcode opcode) {
  return static_cast<size_t>(std::ranges::count_if(
      made.gradient->added, [&](InstructionId id) { return made.module.at(id).opcode == opcode; }));
}

TEST(Gradient, ZerosAreKeptOnlyWhereADerivativeMayBeInfinite) {
  const char* relu =
      "  x = f32[2] parameter(0)\n  b = f32[2] parameter(1)\n  s = f32[2] add(x, b)\n  z = f32[] constant(0)\n"
      "  zs = f32[2] broadcast(z), dimensions={}\n  p = pred[2] compare(s, zs), direction=GT\n"
      "  ROOT y = f32[2] select(p, s, zs)\n";
  const Made plain = gradientOf(program(relu), "y", {"x", "b"});
  ASSERT_TRUE(plain.gradient);
  EXPECT_EQ(addedOf(plain, Opcode::Compare), 0u);
  EXPECT_EQ(addedOf(plain, Opcode::Select), 1u);
  std::string text = program(relu);
  text.replace(text.find("add(x, b)"), 9, "divide(x, b)");
  const Made divided = gradientOf(text, "y", {"x"});
  ASSERT_TRUE(divided.gradient);
  EXPECT_EQ(addedOf(divided, Opcode::Compare), 1u);
}

TEST(Gradient, LayoutsOfALoopsStateMayDiffer) {
  const Made made = gradientOf(
      program("  x = f32[2,3]{0,1} parameter(0)\n  z = s32[] constant(0)\n"
              "  t = (s32[], f32[2,3]{0,1}) tuple(z, x)\n  w = (s32[], f32[2,3]{0,1}) while(t), condition=c, body=b\n"
              "  ROOT y = f32[2,3]{0,1} get-tuple-element(w), index=1\n",
              "c { s = (s32[], f32[2,3]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0 k = s32[] "
              "constant(3) ROOT p = pred[] compare(i, k), direction=LT }\n"
              "b { s = (s32[], f32[2,3]{1,0}) parameter(0) i = s32[] get-tuple-element(s), index=0 o = s32[] "
              "constant(1) j = s32[] add(i, o) v = f32[2,3]{1,0} get-tuple-element(s), index=1 m = f32[2,3]{1,0} "
              "multiply(v, v) ROOT t = (s32[], f32[2,3]{1,0}) tuple(j, m) }\n"),
      "y", {"x"});
  EXPECT_TRUE(made.gradient) << made.gradient.error().toString();
}

TEST(Gradient, WhatNobodyCanDifferentiateIsSaid) {
  const std::string complex = refusalOf(program("  x = c64[2] parameter(0)\n  ROOT y = c64[2] sine(x)\n"));
  EXPECT_NE(complex.find("%y is complex"), std::string::npos) << complex;
  const std::string dynamic = refusalOf(program("  x = f32[<=4] parameter(0)\n  ROOT y = f32[<=4] sine(x)\n"));
  EXPECT_NE(dynamic.find("%y: sizes that are known only while running"), std::string::npos) << dynamic;
  const std::string open = [] {
    Made made{*readHloText(program("  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, x)\n")).module, Gradient{}};
    const InstructionId y = *made.module.findInstruction("y"), x = *made.module.findInstruction("x");
    const InstructionId operands[] = {x, {}};
    made.module.setOperands(y, operands);
    const auto refused = addGradient(made.module, {y, {x}});
    return refused ? std::string() : refused.error().message;
  }();
  EXPECT_NE(open.find("%y has an open input"), std::string::npos) << open;
}

TEST(Gradient, OfAGatheredArrayIsScatteredOverTheDevices) {
  const Made made = gradientOf(
      "HloModule m, num_partitions=4\nENTRY e {\n  x = f32[2] parameter(0)\n"
      "  ROOT y = f32[8] all-gather(x), channel_id=1, replica_groups={{0,1,2,3}}, "
      "dimensions={0}, use_global_device_ids=true\n}\n",
      "y", {"x"});
  ASSERT_TRUE(made.gradient) << made.gradient.error().toString();
  EXPECT_NE(made.line("d_x").find("f32[2]{0} reduce-scatter("), std::string::npos) << made.line("d_x");
}

TEST(Gradient, ABranchThatIsRefusedButNotNeededIsNoHindrance) {
  const Made made = gradientOf(program("  x = f32[2] parameter(0)\n  z = f32[2] parameter(1)\n"
                                       "  c = f32[2] custom-call(z), custom_call_target=\"mine\"\n"
                                       "  ROOT y = f32[2] multiply(x, c)\n"),
                               "y", {"x"});
  EXPECT_TRUE(made.gradient) << made.gradient.error().toString();
}

// Only what the value is made of needs to be finished: a graph that is being built holds more.
TEST(Gradient, WhatIsUnfinishedOrWrongBesideItIsLeftAlone) {
  const char* const beside[] = {"call(x)",
                                "call(?), to_apply=two",
                                "call(x), to_apply=two",
                                "fusion(x), kind=kLoop",
                                "while(x)",
                                "while(x), body=two",
                                "while(?), condition=two, body=two",
                                "conditional(?)",
                                "conditional(p, x)",
                                "conditional(p, x), branch_computations={two}",
                                "conditional(p, x, x), branch_computations={two, two}",
                                "get-tuple-element(x), index=7",
                                "tuple(x, ?)",
                                "add(x, ?)"};
  for (const std::string line : beside) {
    const ReadResult read = readHloText(program("  x = f32[2] parameter(0)\n  p = s32[] parameter(1)\n  u = ? " + line +
                                                    "\n  v = ? negate(u)\n  ROOT y = f32[2] sine(x)\n",
                                                "two { a = f32[3] parameter(0) b = f32[3] parameter(1) "
                                                "ROOT s = f32[3] add(a, b) }\n"));
    ASSERT_TRUE(read.module) << line;
    Module module = *read.module;
    const auto made = addGradient(module, {*module.findInstruction("y"), {*module.findInstruction("x")}});
    EXPECT_TRUE(made) << line << ": " << made.error().toString();
    // With the value it is refused, and nothing else happens.
    Module other = *read.module;
    EXPECT_FALSE(addGradient(other, {*other.findInstruction("v"), {*other.findInstruction("x")}})) << line;
  }
}

TEST(Gradient, SmallFloatsKeepTheirTypes) {
  const Made made = gradientOf(
      program(
          "  x = bf16[2] parameter(0)\n  w = f32[2] convert(x)\n  s = f32[2] sine(w)\n  ROOT y = bf16[2] convert(s)\n"),
      "y", {"x"});
  ASSERT_TRUE(made.gradient);
  EXPECT_EQ(made.module.shapeOf(made.gradient->gradients[0]).type, ElementType::BF16);
}

TEST(Gradient, CalledComputationsThatWereTriedAreNotLeftBehind) {
  const Made made = gradientOf(
      program(
          "  x = f32[] parameter(0)\n  z = s32[] constant(0)\n  t = (s32[], f32[], f32[]) tuple(z, x, x)\n"
          "  l = (s32[], f32[], f32[]) while(t), condition=c, body=b\n  ROOT y = f32[] get-tuple-element(l), index=1\n",
          "c { s = (s32[], f32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 k = s32[] constant(3) "
          "ROOT p = pred[] compare(i, k), direction=LT }\n"
          "b { s = (s32[], f32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 a = f32[] "
          "get-tuple-element(s), index=1 d = f32[] get-tuple-element(s), index=2 o = s32[] constant(1) j = s32[] "
          "add(i, o) "
          "m = f32[] multiply(a, d) n = f32[] add(d, a) ROOT t = (s32[], f32[], f32[]) tuple(j, m, n) }\n"),
      "y", {"x"});
  ASSERT_TRUE(made.gradient) << made.gradient.error().toString();
  expectTidy(
      [&] {
        Module module = made.module;
        module.setRoot(module.entry(), made.gradient->gradients[0]);
        return module;
      }(),
      {made.gradient->gradients, {}});
  size_t uncalled = 0;
  for (ComputationId id : made.module.order()) {
    bool called = id == made.module.entry();
    for (ComputationId other : made.module.order())
      for (InstructionId in : made.module.at(other).instructions)
        for (ComputationId callee : made.module.callees(made.module.at(in))) called = called || callee == id;
    if (!called) ++uncalled;
  }
  EXPECT_EQ(uncalled, 0u);
}

// --- the edit

struct Selected : EditedGraph {
  using EditedGraph::EditedGraph;
  Result<AddGradient> of(std::initializer_list<const char*> names) const {
    std::vector<InstructionId> ids;
    for (const char* name : names) ids.push_back(at(name));
    return gradientOfSelection(module(), ids);
  }
  std::string names(const AddGradient& action) const {
    std::string out = std::string(module().at(action.of).name) + ":";
    for (InstructionId id : action.withRespectTo) out += " " + std::string(module().at(id).name);
    return out;
  }
};

TEST(GradientOfSelection, TakesWhatAPersonMeans) {
  const Selected g(kLayer);
  EXPECT_EQ(g.names(*g.of({"loss"})), "loss: x W b");
  EXPECT_EQ(g.names(*g.of({"W", "loss", "b"})), "loss: W b");
  EXPECT_EQ(g.names(*g.of({"loss", "y"})), "loss: y");
  EXPECT_EQ(g.names(*g.of({"loss", "h", "y"})), "loss: xW all");
}

TEST(GradientOfSelection, SaysWhatItCannotTake) {
  const Selected g(kLayer);
  EXPECT_NE(g.of({}).error().message.find("select a value"), std::string::npos);
  EXPECT_NE(g.of({"xW", "all"}).error().message.find("depends on all others"), std::string::npos);
  EXPECT_NE(g.of({"zero"}).error().message.find("depends on no parameter"), std::string::npos);
}

TEST(GradientOfSelection, IsOneStepThatCanBeUndone) {
  Selected g(kLayer);
  const std::string before = printHloText(g.module());
  const auto done = g.history.perform({"Gradient", {*g.of({"loss", "W", "b"})}});
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_FALSE(done->diagnostics.hasErrors()) << done->diagnostics.items()[0].toString();
  ASSERT_EQ(done->added.size(), 2u);
  EXPECT_EQ(g.module().at(done->added[0]).name, "d_W");
  EXPECT_EQ(g.module().entryComputation().root, g.at("loss"));
  g.history.undo();
  EXPECT_EQ(printHloText(g.module()), before);
}

TEST(GradientOfSelection, ARefusalLeavesTheGraphAsItIs) {
  Selected g(
      program("  x = f32[2] parameter(0)\n  ROOT y = f32[2] custom-call(x), custom_call_target=\"mine\"\n").c_str());
  const std::string before = printHloText(g.module());
  const auto done = g.history.perform({"Gradient", {*g.of({"y"})}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().instructionName, "y");
  EXPECT_EQ(printHloText(g.module()), before);
}

}  // namespace
}  // namespace tessera::test
