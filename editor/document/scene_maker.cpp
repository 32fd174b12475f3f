// View, arrangement, picture and index of a computation, in this order.
#include "editor/document/scene_maker.h"

#include "core/arrange/sockets.h"
#include "editor/canvas/canvas.h"

namespace tessera {
namespace {
constexpr size_t kFewBoxes = 40;  // what can be read without zooming
constexpr float kValueStrip = 28;
}

ViewMaker& SceneMaker::views() {
  if (!views_) views_.emplace(module_);
  return *views_;
}

ViewOptions SceneMaker::initialOptions(ComputationId computation) {
  if (plain_) return {};
  const std::lock_guard lock(mutex_);
  ViewOptions options = views().initialView(computation, kFewBoxes);
  if (const ProjectPage* page = pageOf(computation)) applyGroups(*page, options);
  return options;
}

std::vector<std::string> SceneMaker::groupPaths(ComputationId computation) {
  if (plain_) return {};
  const std::lock_guard lock(mutex_);
  return views().groupPaths(computation);
}

ViewOptions SceneMaker::allOpened(ComputationId computation, ViewOptions options) {
  const auto paths = groupPaths(computation);
  options.openGroups.insert(paths.begin(), paths.end());
  return options;
}

ViewOptions SceneMaker::openedFor(ComputationId computation, ViewOptions options, InstructionId id) {
  const std::lock_guard lock(mutex_);
  while (true) {  // ends: each round opens one more group
    const GraphView view = views().view(computation, options);
    const int32_t box = view.boxOf(id);
    if (box < 0) return options;
    const ViewNode& node = view.nodes[static_cast<size_t>(box)];
    if (node.kind != ViewNode::Kind::CollapsedGroup || !options.openGroups.insert(node.group).second) return options;
  }
}

Scene SceneMaker::make(ComputationId computation, ViewOptions options, const Overlay* overlay) {
  Scene scene;
  scene.computation = computation;
  scene.options = std::move(options);
  scene.options.chips = true;
  scene.options.valueStrip = values_ ? kValueStrip : 0;
  if (plain_) {
    scene.view = std::make_shared<const GraphView>(viewOf(*plain_));
  } else {
    const std::lock_guard lock(mutex_);
    scene.view = std::make_shared<const GraphView>(views().view(computation, scene.options));
  }
  Arrangement arrangement = arrange(*scene.view);
  if (const ProjectPage* page = pageOf(computation)) placeBoxes(module_, *scene.view, placesOf(*page), arrangement);
  if (!plain_) endAtSockets(module_, *scene.view, arrangement);
  scene.arrangement = std::make_shared<const Arrangement>(std::move(arrangement));
  return redraw(std::move(scene), overlay);
}

Scene SceneMaker::redraw(Scene scene, const Overlay* overlay) const {
  scene.overlay = overlay ? std::make_shared<const Overlay>(scaledTo(*scene.view, *overlay)) : nullptr;
  Picture picture = plain_ ? drawPlain(*plain_, *scene.view, *scene.arrangement)
                           : draw(module_, *scene.view, *scene.arrangement, scene.overlay.get());
  if (const ProjectPage* page = pageOf(scene.computation)) picture = withPage(std::move(picture), *page);
  scene.picture = std::make_shared<const Picture>(std::move(picture));
  scene.index = Canvas::makeIndex(*scene.picture);
  return scene;
}

}  // namespace tessera
