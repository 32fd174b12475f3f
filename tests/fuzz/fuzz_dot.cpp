// Any bytes as a Graphviz file: an error with its place, or a graph that is arranged and drawn.
#include "core/picture/plain_graph.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  looksLikeDot(text);
  const auto graph = readDot(text);
  if (!graph) {
    expect(graph.error().position.line > 0, "an error has its line", graph.error().toString());
    return 0;
  }
  constexpr size_t kFew = 2000;
  if (graph->nodes.size() + graph->edges.size() > kFew) return 0;
  const GraphView view = viewOf(*graph);
  const Picture picture = drawPlain(*graph, view, arrange(view));
  expect(picture.items.size() >= graph->nodes.size(), "every node is drawn");
  return 0;
}
