// A box is known by its instruction, a group by its path: both stay what they are when groups are opened and closed.
#include "core/arrange/hidden.h"

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

bool isHidden(const HiddenBoxes& hidden, const ViewNode& node) {
  return node.group.empty() || node.owner >= 0 ? hidden.instructions.contains(node.instruction.value)
                                               : hidden.groups.contains(node.group);
}

void add(HiddenBoxes& hidden, const ViewNode& node) {
  if (node.kind == ViewNode::Kind::Attached) return;  // goes with what it is beside
  if (node.group.empty())
    hidden.instructions.insert(node.instruction.value);
  else
    hidden.groups.insert(node.group);
}

// By box: it goes. Parents come before their children.
std::vector<bool> goneFrom(const GraphView& view, const HiddenBoxes& hidden) {
  std::vector<bool> gone(view.nodes.size());
  std::vector<size_t> left(view.nodes.size());  // children of open groups
  for (size_t v = 0; v < gone.size(); ++v) {
    const ViewNode& node = view.nodes[v];
    gone[v] = (node.parent >= 0 && gone[at(node.parent)]) ||
              (node.kind != ViewNode::Kind::Attached && isHidden(hidden, node));
    if (node.parent >= 0 && !gone[v] && node.kind != ViewNode::Kind::Attached) ++left[at(node.parent)];
  }
  for (size_t v = gone.size(); v-- > 0;) {
    const ViewNode& node = view.nodes[v];
    if (gone[v] || node.kind != ViewNode::Kind::OpenGroup || left[v] > 0) continue;
    gone[v] = true;
    if (node.parent >= 0) --left[at(node.parent)];
  }
  for (const ViewEdge& edge : view.edges)
    if (view.nodes[at(edge.from)].kind == ViewNode::Kind::Attached && gone[at(edge.to)]) gone[at(edge.from)] = true;
  return gone;
}

}  // namespace

void leaveOut(GraphView& view, const HiddenBoxes& hidden) {
  if (hidden.empty()) return;
  const std::vector<bool> gone = goneFrom(view, hidden);
  std::vector<int32_t> number(gone.size(), -1);
  std::vector<ViewNode> nodes;
  for (size_t v = 0; v < gone.size(); ++v) {
    if (gone[v]) continue;
    number[v] = static_cast<int32_t>(nodes.size());
    nodes.push_back(std::move(view.nodes[v]));
  }
  const auto renumber = [&](int32_t& box) {
    if (box >= 0) box = number[at(box)];
  };
  for (ViewNode& node : nodes) renumber(node.parent), renumber(node.owner);
  for (int32_t& box : view.boxes) renumber(box);
  std::erase_if(view.edges, [&](const ViewEdge& edge) { return gone[at(edge.from)] || gone[at(edge.to)]; });
  for (ViewEdge& edge : view.edges) renumber(edge.from), renumber(edge.to);
  view.nodes = std::move(nodes);
}

HiddenBoxes withHidden(const GraphView& view, HiddenBoxes hidden, std::span<const int32_t> boxes) {
  for (int32_t v : boxes) add(hidden, view.nodes[at(v)]);
  return hidden;
}

HiddenBoxes withAllHiddenBut(const GraphView& view, HiddenBoxes hidden, std::span<const int32_t> boxes) {
  std::vector<bool> isAround(view.nodes.size()), isIn(view.nodes.size());
  std::vector<int32_t> kept(boxes.begin(), boxes.end());
  for (const ViewEdge& edge : view.edges)  // what is beside a reader stays with it
    if (view.nodes[at(edge.from)].kind == ViewNode::Kind::Attached &&
        std::ranges::find(boxes, edge.from) != boxes.end())
      kept.push_back(edge.to);
  for (int32_t v : kept) {
    isIn[at(v)] = true;
    for (int32_t outer = view.nodes[at(v)].parent; outer >= 0; outer = view.nodes[at(outer)].parent)
      isAround[at(outer)] = true;
  }
  for (size_t v = 0; v < view.nodes.size(); ++v) {
    const ViewNode& node = view.nodes[v];
    if (node.parent >= 0 && isIn[at(node.parent)]) isIn[v] = true;
    const bool goesWithOuter = node.parent >= 0 && !isAround[at(node.parent)];
    if (!isIn[v] && !isAround[v] && !goesWithOuter) add(hidden, node);
  }
  return hidden;
}

}  // namespace tessera
