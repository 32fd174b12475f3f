// Graphviz files read as graphs to look at: nodes with labels, edges, clusters. They hold no operations, so they are no
// Module: core/picture/plain_graph draws them. A reader of our own, tolerant of attributes it does not know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

struct PlainGraph {
  struct Node {
    std::string id;
    std::vector<std::string> lines;  // of its label
    int32_t cluster = -1;
  };
  struct Edge {
    int32_t from = 0, to = 0;
    std::string label;
  };
  struct Cluster {
    std::string label;
    int32_t parent = -1;  // comes before its children
  };
  std::string name;
  bool directed = true;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Cluster> clusters;
};

// "graph", "digraph" or "strict" behind comments, and no computation of header-less HLO that happens to be called so.
bool looksLikeDot(std::string_view content);
// Fails at the first thing that is no dot, with its line; and on more than two million nodes and edges.
Result<PlainGraph> readDot(std::string_view content, const std::string& fileName = {});

}  // namespace tessera
