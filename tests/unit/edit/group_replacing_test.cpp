// A part of a graph gives way to another that fits: values, several results, inside called computations, undo; and what
// does not fit.
#include <gtest/gtest.h>

#include "core/edit/palette/palette.h"
#include "core/edit/palette/replacing.h"
#include "core/edit/structure/grouping.h"
#include "tests/unit/edit/edited_graph.h"

namespace tessera {
namespace {

constexpr const char* kReplacedGraph = R"(HloModule m

sum {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] add(p, q)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  a = f32[4]{0} add(x, y)
  b = f32[4]{0} multiply(a, a)
  c = f32[4]{0} negate(a)
  d = f32[4]{0} subtract(b, c)
  ROOT out = (f32[4]{0}, f32[4]{0}) tuple(d, c)
})";

struct ReplacingGraph : test::EditedGraph {
  ReplacingGraph() : EditedGraph(kReplacedGraph) {}
  std::vector<InstructionId> ids(std::initializer_list<const char*> names) const {
    std::vector<InstructionId> out;
    for (const char* name : names) out.push_back(at(name));
    return out;
  }
  Result<EditResult> replace(std::initializer_list<const char*> names, const std::string& text) {
    return history.perform({"Put back", {ReplaceGroup{ids(names), text}}});
  }
};

// Not in that of what it reads, whose group may be closed.
TEST(EditReplacing, AnotherOperationStaysInTheScope) {
  test::EditedGraph g(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  sum = f32[4] add(x, x), metadata={op_name="jit(f)/net/dense/add"}
  ROOT out = f32[4] tanh(sum), metadata={op_name="jit(f)/net/tanh"}
})");
  for (const char* line : {"relu", "exp", "softmax"}) {
    const auto found = searchPalette(line, 1);
    ASSERT_FALSE(found.empty()) << line;
    const auto edit = replacing(g.module(), g.at("out"), found[0]);
    ASSERT_TRUE(edit) << line << edit.error().toString();
    const auto done = g.history.perform(*edit);
    ASSERT_TRUE(done) << line << done.error().toString();
    const Metadata* metadata = g.module().at(done->added.back()).metadata;
    ASSERT_TRUE(metadata) << line;
    EXPECT_TRUE(metadata->opName.starts_with("jit(f)/net/")) << line << metadata->opName;
    EXPECT_FALSE(metadata->opName.starts_with("jit(f)/net/dense")) << line << metadata->opName;
    g.history.undo();
  }
}

TEST(EditReplacing, WhatWasTakenOutGoesBackAsItWas) {
  ReplacingGraph g;
  const auto before = g.values();
  const Module part = *selectionAsModule(g.module(), g.ids({"b", "c"}), "part");
  const auto done = g.replace({"b", "c"}, printHloText(part));
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_FALSE(done->diagnostics.hasErrors());
  EXPECT_EQ(g.module().order().size(), 2u);  // nothing is left of the way
  g.expectValues(before);
  EXPECT_TRUE(g.at("b").valid() && g.at("c").valid()) << "names stay";
  EXPECT_EQ(std::ranges::count(done->added, g.at("b")), 1);
  EXPECT_EQ(std::ranges::count(done->added, g.at("c")), 1);
  g.history.undo();
  EXPECT_TRUE(g.at("b").valid());
}

// The same with another formula and a computation of its own.
TEST(EditReplacing, AnotherPartComputesSomethingElse) {
  ReplacingGraph g;
  const std::string text = R"(HloModule part

sum {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] maximum(p, q)
}

ENTRY main {
  in = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  most = f32[] reduce(in, zero), dimensions={0}, to_apply=sum
  ROOT wide = f32[4]{0} broadcast(most), dimensions={}
})";
  const auto done = g.replace({"c"}, text);
  ASSERT_TRUE(done) << done.error().toString();
  EXPECT_FALSE(done->diagnostics.hasErrors());
  EXPECT_FALSE(g.at("c").valid());
  EXPECT_TRUE(g.at("most").valid());
  const auto values = g.values();
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[1].data<float>()[0], values[1].data<float>()[3]);
}

TEST(EditReplacing, WhatDoesNotFitSaysWhere) {
  ReplacingGraph g;
  const auto refused = [&](const char* text) {
    const auto done = g.replace({"b", "c"}, text);
    EXPECT_FALSE(done);
    return done ? std::string() : done.error().toString();
  };
  EXPECT_NE(refused("HloModule p\n\nENTRY e {\n  ROOT i = f32[4] parameter(0)\n}\n").find("results"),
            std::string::npos);
  EXPECT_NE(refused("HloModule p\n\nENTRY e {\n  i = f32[5] parameter(0)\n  ROOT t = (f32[5], f32[5]) tuple(i, i)\n}\n")
                .find("input 0"),
            std::string::npos);
  EXPECT_NE(refused("HloModule p\n\nENTRY e {\n  i = f32[4] parameter(0)\n  j = f32[4] parameter(1)\n  ROOT t = "
                    "(f32[4], f32[4]) tuple(i, j)\n}\n")
                .find("inputs"),
            std::string::npos);
  EXPECT_NE(refused("no module").size(), 0u);
  EXPECT_TRUE(g.at("b").valid());
}

}  // namespace
}  // namespace tessera
