// makeView: what is shown of a computation. Groups of the outline and called computations are open or collapsed; hubs
// (constants, iotas, parameters with many users) are attached beside each user; edges are lifted to the boxes that
// show their ends. One sweep over the visible computations; arrange comes next.
#include "core/arrange/view_builder.h"
#include "core/arrange/view_known.h"

namespace tessera {

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

GraphView makeView(const Module& module, ComputationId computation, const ViewOptions& options) {
  return ViewMaker(module).view(computation, options);
}

int32_t GraphView::findGroup(std::string_view path) const {
  for (size_t n = 0; n < nodes.size(); ++n)
    if (!nodes[n].group.empty() && nodes[n].group == path) return static_cast<int32_t>(n);
  return -1;
}

}  // namespace tessera
