// Which groups are open when a computation is first shown.
#include "core/arrange/view_known.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

// A stack says more closed than as a row of equal boxes, so do many parameters. In a big graph a group that holds
// single instructions only is a detail, and what holds groups is opened first.
bool saysMoreOpen(const Module& module, const ViewNode& group, bool bigGraph) {
  const bool parameters =
      module.at(group.instruction).opcode == Opcode::Parameter && group.boxesInside == group.instructionCount;
  if (parameters) return false;
  return group.repeats == 0 && (!bigGraph || group.instructionCount > 2 * group.boxesInside);
}

}  // namespace

ViewOptions ViewMaker::initialView(ComputationId computation, size_t mostBoxes, Grouping grouping) {
  ViewOptions options;
  options.grouping = grouping;
  const bool big = known_->module.at(computation).instructions.size() > 2 * mostBoxes;
  for (int round = 0; round < 8; ++round) {
    const GraphView now = view(computation, options);
    std::vector<const ViewNode*> closed;
    for (const ViewNode& node : now.nodes)
      if (node.kind == ViewNode::Kind::CollapsedGroup && saysMoreOpen(known_->module, node, big))
        closed.push_back(&node);
    sortWith(closed, [](auto* a, auto* b) { return a->boxesInside < b->boxesInside; });
    size_t boxes = now.nodes.size(), fitting = 0;
    for (; fitting < closed.size() && boxes + closed[fitting]->boxesInside <= mostBoxes; ++fitting)
      boxes += closed[fitting]->boxesInside;
    const bool all = fitting == closed.size();
    if (!all && round > 0) break;  // inside groups all or none: parts of a program that are alike look alike
    for (size_t k = 0; k < fitting; ++k) options.openGroups.insert(closed[k]->group);
    if (!all || fitting == 0) break;  // what lies deeper would be open beside what lies further out and is closed
  }
  return options;
}

ViewOptions initialView(const Module& module, ComputationId computation, size_t mostBoxes) {
  return ViewMaker(module).initialView(computation, mostBoxes);
}

}  // namespace tessera
