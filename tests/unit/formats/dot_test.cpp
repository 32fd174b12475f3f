// Graphviz files: the grammar's corners, what is told apart from HLO, errors with their line, damage.
#include <gtest/gtest.h>

#include "core/formats/dot_reader.h"
#include "core/formats/hlo_text.h"
#include "core/formats/short_text.h"
#include "core/picture/plain_graph.h"

namespace tessera {
namespace {

const char* kDotText = R"(// a comment
/* another */
strict digraph "G\"1" {
# a preprocessor's line
  rankdir=LR; label = "The " + "graph"; node [shape=box, label="\N!"];
  subgraph cluster_a { label=A; a; subgraph cluster_b { label=<<b>B</b> &amp; more>; b [label="one\ntwo\lthree"]; } }
  a:p:ne -> b -> {c d} [label="to \"x\""];
  edge [label=e] c -> c; c -> d; c -> d
  r [shape=record label="{<f0> left|{up|\|down}}"]
  -1.5 -- 2
  subgraph cluster_empty { }
}
)";

TEST(Dot, Grammar) {
  const auto graph = readDot(kDotText);
  ASSERT_TRUE(graph) << graph.error().toString();
  EXPECT_EQ(graph->name, "The graph");
  ASSERT_EQ(graph->nodes.size(), 7u);
  EXPECT_EQ(graph->nodes[0].lines, std::vector<std::string>{"a!"});
  EXPECT_EQ(graph->nodes[1].lines, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(graph->nodes[1].cluster, 1);
  EXPECT_EQ(graph->nodes[4].lines, (std::vector<std::string>{" left", "up", "|down"}));
  EXPECT_EQ(graph->nodes[5].id, "-1.5");
  EXPECT_EQ(graph->clusters[1].label, "B & more");
  EXPECT_EQ(graph->clusters[1].parent, 0);
  ASSERT_EQ(graph->edges.size(), 6u);  // a-b, b-c, b-d, c-c, c-d once, -1.5 to 2
  EXPECT_EQ(graph->edges[2].label, "to \"x\"");
  EXPECT_EQ(graph->edges[3].label, "e");
}

TEST(Dot, IsToldFromHlo) {
  EXPECT_TRUE(looksLikeDot("digraph{}"));
  EXPECT_TRUE(looksLikeDot("# x\n/* y */ STRICT Graph g {"));
  EXPECT_TRUE(looksLikeDot("graph { rankdir=LR; a -- b }"));
  for (const char* hlo :
       {"HloModule graph", "graph {\n  a = f32[2] parameter(0)\n}", "graph {\n ROOT %a = (f32[2]) tuple(b)\n}",
        "digraph {\n  n = negate(x)\n}", "graph (a: f32[]) -> f32[] {", "graphs {", ""})
    EXPECT_FALSE(looksLikeDot(hlo)) << hlo;
}

TEST(Dot, ErrorsSayTheLine) {
  struct Case {
    const char* text;
    uint32_t line;
    const char* expected;
  };
  for (const Case& c :
       {Case{"digraph {\n a ->\n}", 3, "a name"}, Case{"digraph {\n a [label=\"x\n", 2, "a string that ends"},
        Case{"digraph {\n a\n", 3, "}"}, Case{"digraph {\n a [label=<<b>]\n", 2, "an html text that ends"},
        Case{"digraph {\n node;\n}", 2, "["}, Case{"digraph g\n", 2, "{"}, Case{"tree {}", 1, "graph or digraph"}}) {
    const auto graph = readDot(c.text, "f.dot");
    ASSERT_FALSE(graph) << c.text;
    EXPECT_EQ(graph.error().position.line, c.line) << c.text;
    EXPECT_EQ(graph.error().expected, c.expected) << c.text;
    EXPECT_EQ(graph.error().file, "f.dot");
  }
}

TEST(Dot, HostileOnesEnd) {
  std::string deep = "digraph {", wide = "graph { {";
  for (int i = 0; i < 100000; ++i) deep += '{';
  EXPECT_EQ(readDot(deep).error().message, "the Graphviz file has too many nested subgraphs");
  for (int i = 0; i < 3000; ++i) wide += " n" + std::to_string(i);
  EXPECT_EQ(readDot(wide + "} -- { n1 " + wide.substr(9) + "} }").error().message,
            "the Graphviz file has too many edges");
  const std::string whole = kDotText;
  for (size_t n = 0; n < whole.size(); ++n) {
    for (char c : {'"', '\\', '{', '}', '<', '\0', '\xff', '-'}) {
      std::string changed = whole;
      changed[n] = c;
      if (const auto graph = readDot(changed)) drawPlain(*graph, viewOf(*graph), arrange(viewOf(*graph)));
    }
    EXPECT_TRUE(n + 2 > whole.size() || !readDot(whole.substr(0, n)));
  }
}

TEST(Dot, OwnOutputReads) {
  const char* hlo =
      "HloModule m\n\nENTRY %main (a: f32[2]) -> f32[2] {\n  %a = f32[2]{0} parameter(0)\n  ROOT %n = f32[2]{0} "
      "add(%a, %a)\n}\n";
  const auto graph = readDot(printDot(*readHloText(hlo).module));
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->nodes[1].lines, (std::vector<std::string>{"n", "add", "f32[2]{0}"}));
  EXPECT_EQ(graph->edges.size(), 2u);
}

TEST(Dot, Picture) {
  const auto graph = readDot("graph { label=g; a -- b [label=w]; subgraph cluster_1 { label=box; b } a -- a }");
  const GraphView view = viewOf(*graph);
  ASSERT_EQ(view.nodes.size(), 3u);
  EXPECT_EQ(view.nodes[2].parent, 0);
  const Picture picture = drawPlain(*graph, view, arrange(view));
  EXPECT_EQ(picture.items.back().text, "w");
  for (const PictureItem& item : picture.items) EXPECT_FALSE(item.arrow || item.instruction.valid());
}

}  // namespace
}  // namespace tessera
