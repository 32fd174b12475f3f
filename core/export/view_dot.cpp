// See view_dot.h. Nodes are in the clusters of their groups, so those are written inside out.
#include "core/export/view_dot.h"

#include <vector>

#include "core/formats/dot_words.h"

namespace tessera {
namespace {

class DotWriter {
 public:
  explicit DotWriter(const GraphView& view) : view_(view), children_(view.nodes.size() + 1) {
    for (size_t v = 0; v < view.nodes.size(); ++v) childrenOf(view.nodes[v].parent).push_back(v);
  }

  std::string run(const std::string& name) {
    out_ = "digraph " + dot::quoted(dot::cleaned(name)) + " {\n  node [shape=box];\n";
    writeLevel(-1, "  ");
    for (const ViewEdge& edge : view_.edges)
      out_ += "  n" + std::to_string(edge.from) + " -> n" + std::to_string(edge.to) + ";\n";
    return out_ + "}\n";
  }

 private:
  std::vector<size_t>& childrenOf(int32_t parent) { return children_[static_cast<size_t>(parent + 1)]; }

  void writeLevel(int32_t parent, const std::string& indent) {
    for (size_t v : childrenOf(parent)) {
      const ViewNode& node = view_.nodes[v];
      if (node.kind != ViewNode::Kind::OpenGroup) {
        out_ += indent + "n" + std::to_string(v) + " [label=" + labelOf(node) + styleOf(node) + "];\n";
        continue;
      }
      out_ += indent + "subgraph cluster_" + std::to_string(v) + " {\n" + indent +
              "  label=" + dot::quoted(dot::cleaned(node.title)) + ";\n";
      writeLevel(static_cast<int32_t>(v), indent + "  ");
      out_ += indent + "}\n";
    }
  }
  static std::string labelOf(const ViewNode& node) {
    std::string text = node.title;
    if (node.repeats > 0) text += " ×" + std::to_string(node.repeats);
    if (!node.subtitle.empty()) text += "\n" + node.subtitle;
    return dot::quoted(dot::cleaned(text));
  }
  static const char* styleOf(const ViewNode& node) {
    switch (node.kind) {
      case ViewNode::Kind::Attached: return ", shape=oval";
      case ViewNode::Kind::CollapsedGroup: return ", shape=folder";
      default: return "";
    }
  }

  const GraphView& view_;
  std::vector<std::vector<size_t>> children_;  // by parent + 1
  std::string out_;
};

}  // namespace

std::string viewAsDot(const GraphView& view, const std::string& name) { return DotWriter(view).run(name); }

}  // namespace tessera
