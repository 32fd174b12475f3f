// makeView: what is shown of a computation. Groups of the outline and called computations are open or collapsed; hubs
// (constants, iotas, parameters with many users) are attached beside each user; edges are lifted to the boxes that
// show their ends. One sweep over the visible computations; arrange comes next.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/arrange/arrangement.h"
#include "core/arrange/outline.h"
#include "core/arrange/outline_names.h"
#include "core/arrange/view_builder.h"
#include "core/base/sorting.h"
#include "core/ops/op.h"

namespace tessera {

// What all views of a snapshot share.
struct ViewMaker::Known {
  explicit Known(const Module& snapshot) : module(snapshot), users(module), positions(module.instructionSlots(), -1) {
    for (ComputationId id : module.order()) {
      const auto& instructions = module.at(id).instructions;
      for (size_t i = 0; i < instructions.size(); ++i) positions[instructions[i].value] = static_cast<int32_t>(i);
    }
  }

  struct Plan {
    std::vector<bool> hubs;
    Outline outline;
  };
  const Plan& planOf(ComputationId id, Grouping grouping) {
    auto& known = plans[static_cast<size_t>(grouping)];
    const auto [found, isNew] = known.try_emplace(id);
    if (!isNew) return found->second;
    const Computation& computation = module.at(id);
    Plan& plan = found->second;
    for (InstructionId i : computation.instructions)
      plan.hubs.push_back(isHub(module, users, module.at(i), computation));
    plan.outline = outlineFor(computation, grouping, plan.hubs);
    return plan;
  }
  Outline outlineFor(const Computation& computation, Grouping grouping, const std::vector<bool>& hubs) const {
    const auto by = [&](const std::function<std::vector<std::string>(InstructionId)>& segments) {
      return outlineBy(scopesBy(computation, segments), module, computation, users, hubs, positions);
    };
    switch (grouping) {
      case Grouping::Scopes: return outlineOf(module, computation, users, hubs, positions);
      case Grouping::SourceLines: return by([&](InstructionId id) { return sourceSegmentsOf(module, id); });
      case Grouping::Kernels:
        return by([&](InstructionId id) {
          const bool known = id.value < kernels.size() && !kernels[id.value].empty();
          return known ? std::vector<std::string>{kernels[id.value]} : std::vector<std::string>();
        });
      case Grouping::Computations:
      case Grouping::None: break;
    }
    return {{}, std::vector<int32_t>(computation.instructions.size(), -1)};
  }

  size_t copiesOf(const BlockName& block) {
    if (copies.empty())
      for (ComputationId id : module.order())
        for (InstructionId i : module.at(id).instructions)
          if (module.at(i).opcode == Opcode::Call) ++copies[blockNameOf(module.at(i))];
    return copies[block];
  }

  Module module;
  UserTable users;
  std::map<BlockName, size_t> copies;                            // of blocks, once it was asked for
  std::vector<int32_t> positions;                                // by InstructionId value: its place in its computation
  std::array<std::unordered_map<ComputationId, Plan>, 5> plans;  // by grouping
  std::vector<std::string> kernels;
};

namespace {

// A stack says more closed than as a row of equal boxes. In a big graph a group that holds single instructions only is
// a detail, and what holds groups is opened first.
bool saysMoreOpen(const Module& module, const ViewNode& group, bool bigGraph) {
  if (module.at(group.instruction).opcode == Opcode::Parameter) return false;
  return group.repeats == 0 && (!bigGraph || group.instructionCount > 2 * group.boxesInside);
}

}  // namespace

ViewMaker::ViewMaker(const Module& module) : known_(std::make_unique<Known>(module)) {}
ViewMaker::~ViewMaker() = default;
ViewMaker::ViewMaker(ViewMaker&&) noexcept = default;

GraphView ViewMaker::view(ComputationId computation, const ViewOptions& options) {
  return ViewBuilder(*known_, options, false).build(computation);
}

void ViewMaker::setKernels(std::vector<std::string> names) {
  known_->kernels = std::move(names);
  known_->plans[static_cast<size_t>(Grouping::Kernels)].clear();
}

std::vector<std::string> ViewMaker::groupPaths(ComputationId computation, Grouping grouping) {
  ViewOptions options;
  options.grouping = grouping;
  std::vector<std::string> out;
  for (const ViewNode& node : ViewBuilder(*known_, options, true).build(computation).nodes)
    if (!node.group.empty()) out.push_back(node.group);
  return out;
}

ViewOptions ViewMaker::initialView(ComputationId computation, size_t mostBoxes, Grouping grouping) {
  ViewOptions options;
  options.grouping = grouping;
  const bool big = known_->module.at(computation).instructions.size() > 2 * mostBoxes;
  for (int round = 0; round < 8; ++round) {
    const GraphView now = view(computation, options);
    size_t boxes = now.nodes.size();
    std::vector<const ViewNode*> closed;
    for (const ViewNode& node : now.nodes)
      if (node.kind == ViewNode::Kind::CollapsedGroup && saysMoreOpen(known_->module, node, big))
        closed.push_back(&node);
    sortWith(closed, [](auto* a, auto* b) { return a->boxesInside < b->boxesInside; });
    bool opened = false;
    for (const ViewNode* node : closed) {
      if (boxes + node->boxesInside > mostBoxes) break;
      boxes += node->boxesInside;
      opened |= options.openGroups.insert(node->group).second;
    }
    if (!opened) break;
  }
  return options;
}

GraphView makeView(const Module& module, ComputationId computation, const ViewOptions& options) {
  return ViewMaker(module).view(computation, options);
}
ViewOptions initialView(const Module& module, ComputationId computation, size_t mostBoxes) {
  return ViewMaker(module).initialView(computation, mostBoxes);
}

int32_t GraphView::findGroup(std::string_view path) const {
  for (size_t n = 0; n < nodes.size(); ++n)
    if (!nodes[n].group.empty() && nodes[n].group == path) return static_cast<int32_t>(n);
  return -1;
}

}  // namespace tessera
