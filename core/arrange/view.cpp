// makeView: what is shown of a computation. Groups of the outline and called computations are open or collapsed; hubs
// (constants, iotas, parameters with many users) are attached beside each user; edges are lifted to the boxes that
// show their ends. One sweep over the visible computations; arrange comes next.
#include "core/arrange/hidden.h"
#include "core/arrange/view_builder.h"
#include "core/arrange/view_known.h"

namespace tessera {

ViewMaker::ViewMaker(const Module& module) : known_(std::make_unique<Known>(module)) {}
ViewMaker::~ViewMaker() = default;
ViewMaker::ViewMaker(ViewMaker&&) noexcept = default;

GraphView ViewMaker::view(ComputationId computation, const ViewOptions& options, const std::stop_token& stop) {
  GraphView view = ViewBuilder(*known_, options, false, stop).build(computation);
  if (!stop.stop_requested()) leaveOut(view, options.hidden);
  return view;
}

void ViewMaker::setKernels(std::vector<std::string> names) {
  known_->kernels = std::move(names);
  known_->plans[static_cast<size_t>(Grouping::Kernels)].clear();
  known_->groups[static_cast<size_t>(Grouping::Kernels)].clear();
}

const std::vector<GroupPlace>& ViewMaker::groups(ComputationId computation, Grouping grouping) {
  const auto [known, isNew] = known_->groups[static_cast<size_t>(grouping)].try_emplace(computation);
  if (!isNew) return known->second;
  ViewOptions options;
  options.grouping = grouping;
  const GraphView all = ViewBuilder(*known_, options, true, {}).build(computation);
  std::vector<int32_t> place(all.nodes.size(), -1);
  for (size_t n = 0; n < all.nodes.size(); ++n) {
    const ViewNode& node = all.nodes[n];
    if (node.group.empty()) continue;
    place[n] = static_cast<int32_t>(known->second.size());
    known->second.push_back({node.group, node.parent < 0 ? -1 : place[static_cast<size_t>(node.parent)]});
  }
  return known->second;
}

std::vector<std::string> ViewMaker::groupPaths(ComputationId computation, Grouping grouping) {
  std::vector<std::string> out;
  for (const GroupPlace& group : groups(computation, grouping)) out.push_back(group.path);
  return out;
}

GraphView makeView(const Module& module, ComputationId computation, const ViewOptions& options) {
  return ViewMaker(module).view(computation, options);
}

int32_t GraphView::findGroup(std::string_view path) const {
  for (size_t n = 0; n < nodes.size(); ++n)
    if (!nodes[n].group.empty() && nodes[n].group == path) return static_cast<int32_t>(n);
  return -1;
}

}  // namespace tessera
