// Any text as Graphviz: reading ends without a crash, and what is read holds together.
#include "core/formats/dot_reader.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto graph = readDot(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!graph) {
    expect(!graph.error().message.empty(), "a refused graph has a message");
    return 0;
  }
  const auto nodes = static_cast<int32_t>(graph->nodes.size()), clusters = static_cast<int32_t>(graph->clusters.size());
  for (const PlainGraph::Edge& edge : graph->edges)
    expect(edge.from >= 0 && edge.from < nodes && edge.to >= 0 && edge.to < nodes, "an edge joins nodes");
  for (const PlainGraph::Node& node : graph->nodes) expect(node.cluster >= -1 && node.cluster < clusters, "a node stands in a cluster or in none");
  for (int32_t i = 0; i < clusters; ++i) {
    const int32_t parent = graph->clusters[static_cast<size_t>(i)].parent;
    expect(parent >= -1 && parent < i, "a cluster comes after its parent");
  }
  return 0;
}
