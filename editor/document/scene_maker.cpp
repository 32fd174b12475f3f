// View, arrangement, picture and index of a computation, in this order.
#include "editor/document/scene_maker.h"

#include <algorithm>
#include <utility>

#include "core/arrange/flow.h"
#include "core/edit/sizes/dimension_hues.h"
#include "core/edit/sizes/size_names.h"
#include "core/edit/wiring/initial_value.h"
#include "core/evaluate/argument_source.h"
#include "core/evaluate/usual_sources.h"
#include "core/tools/kernels.h"
#include "editor/canvas/canvas.h"

namespace tessera {
namespace {
constexpr size_t kFewBoxes = 30;  // what can be read without zooming
constexpr float kValueStrip = 28, kEnlargedStrip = 150;
constexpr size_t kMaxWarnings = 400;
constexpr size_t kMaxHued = 20000, kMaxHuedBoxes = 4000;  // instructions; beyond, the first picture would wait
}  // namespace

ViewMaker& SceneMaker::views() {
  if (!views_) views_.emplace(module_);
  return *views_;
}

// What becomes one kernel is found out by the passes, once and only where somebody asks.
ViewMaker& SceneMaker::viewsFor(Grouping grouping) {
  if (grouping == Grouping::Kernels && !std::exchange(kernelsKnown_, true)) views().setKernels(kernelsOf(module_));
  return views();
}

void SceneMaker::setProject(Project project) {
  auto fresh = std::make_shared<const Project>(std::move(project));
  const std::lock_guard lock(projectMutex_);
  project_ = std::move(fresh);
}

void SceneMaker::setWatched(std::set<InstructionId> watched) {
  const std::lock_guard lock(projectMutex_);
  watched_ = std::move(watched);
}

std::shared_ptr<const ProjectPage> SceneMaker::pageOf(ComputationId computation) const {
  const std::lock_guard lock(projectMutex_);
  const ProjectPage* page = project_->find(module_.at(computation).name);
  return page ? std::shared_ptr<const ProjectPage>(project_, page) : nullptr;
}

ViewOptions SceneMaker::initialOptions(ComputationId computation) {
  if (plain_) return {};
  const std::lock_guard lock(mutex_);
  const Grouping grouping = grouping_;
  ViewOptions options = viewsFor(grouping).initialView(computation, kFewBoxes, grouping);
  const auto page = grouping == Grouping::Scopes ? pageOf(computation) : nullptr;
  if (page) applyGroups(*page, options);
  return options;
}

std::vector<std::string> SceneMaker::groupPaths(ComputationId computation) {
  if (plain_) return {};
  const std::lock_guard lock(mutex_);
  const Grouping grouping = grouping_;
  return viewsFor(grouping).groupPaths(computation, grouping);
}

ViewOptions SceneMaker::allOpened(ComputationId computation, ViewOptions options) {
  const auto paths = groupPaths(computation);
  options.openGroups.insert(paths.begin(), paths.end());
  return options;
}

ViewOptions SceneMaker::openedFor(ComputationId computation, ViewOptions options, InstructionId id) {
  const std::lock_guard lock(mutex_);
  while (true) {  // ends: each round opens one more group, or the one that shows all again
    options.grouping = grouping_;
    const GraphView view = viewsFor(options.grouping).view(computation, options);
    const int32_t box = view.boxOf(id);
    if (box < 0 && options.hidden.empty()) return options;
    if (box < 0) {
      options.hidden = {};
      continue;
    }
    const ViewNode& node = view.nodes[static_cast<size_t>(box)];
    if (node.kind != ViewNode::Kind::CollapsedGroup || !options.openGroups.insert(node.group).second) return options;
  }
}

ViewOptions SceneMaker::openedTo(ComputationId computation, ViewOptions options, const std::string& group) {
  if (plain_) return options;
  const std::lock_guard lock(mutex_);
  const Grouping grouping = grouping_;
  const std::vector<GroupPlace>& groups = viewsFor(grouping).groups(computation, grouping);
  const auto found = std::ranges::find(groups, group, &GroupPlace::path);
  for (int32_t at = found == groups.end() ? -1 : static_cast<int32_t>(found - groups.begin()); at >= 0;
       at = groups[static_cast<size_t>(at)].parent)
    options.openGroups.insert(groups[static_cast<size_t>(at)].path);
  return options;
}

GraphView SceneMaker::viewOfParts(ComputationId computation, ViewOptions options, const std::string& group) {
  if (plain_) return {};
  options.openGroups.insert(group);
  options.grouping = grouping_;
  const std::lock_guard lock(mutex_);
  return viewsFor(options.grouping).view(computation, options);
}

Scene SceneMaker::make(ComputationId computation, ViewOptions options, const Overlay* overlay,
                       const std::stop_token& stop) {
  Scene scene;
  scene.computation = computation;
  scene.options = std::move(options);
  scene.options.chips = true;
  scene.options.placed = placedOn(computation);
  scene.options.sources = sourcesOf(computation);
  scene.options.fields = fields_;
  scene.options.grouping = grouping_;
  scene.options.valueStrip = values_ ? kValueStrip : 0;
  if (plain_) {
    GraphView view = viewOf(*plain_);
    view.room = room_;
    scene.view = std::make_shared<const GraphView>(std::move(view));
  } else {
    const std::lock_guard lock(mutex_);
    GraphView view = viewsFor(scene.options.grouping).view(computation, scene.options, stop);
    if (stop.stop_requested()) return scene;
    scene.sizeNames = sizeNames();
    scene.hues = hues(scene.sizeNames.get());
    scene.warnings = warnings(computation);
    const bool hued = scene.hues && view.nodes.size() <= kMaxHuedBoxes;
    for (ViewNode& node : view.nodes) writeSizes(scene, hued, node);
    view.room = room_;
    view.flow = flowOf(view);
    keepStrips(view);
    scene.view = std::make_shared<const GraphView>(std::move(view));
  }
  const auto page = plain_ ? nullptr : pageOf(computation);
  scene.arrangement = std::make_shared<const Arrangement>(
      plain_ ? arrange(*scene.view, stop)
             : arrangePage(module_, *scene.view, page ? placesOf(*page) : Places(), stop, drawnOf(computation)));
  if (stop.stop_requested()) return scene;
  return redraw(std::move(scene), overlay, stop);
}

void SceneMaker::setDrawn(ComputationId computation, DrawnPage page) {
  const std::lock_guard lock(projectMutex_);
  drawnComputation_ = computation;
  drawn_ = std::move(page);
}

DrawnPage SceneMaker::drawnOf(ComputationId computation) const {
  const std::lock_guard lock(projectMutex_);
  return computation == drawnComputation_ ? drawn_ : DrawnPage();
}

// By argument, in a few words; empty where parameters show no values.
std::vector<std::string> SceneMaker::sourcesOf(ComputationId computation) {
  if (!values_ || plain_ || computation != module_.entry()) return {};
  const auto project = [this] {
    const std::lock_guard lock(projectMutex_);
    return project_;
  }();
  const std::lock_guard lock(mutex_);
  if (!usual_) usual_ = usualSources(module_);
  std::vector<std::string> out;
  for (size_t leaf = 0; leaf < usual_->size(); ++leaf) {
    const auto said = project->run.sources.find(static_cast<int64_t>(leaf));
    out.push_back(said != project->run.sources.end() ? shortSource(said->second)
                  : !inputs_.empty()                 ? inputs_
                                                     : shortSource(project->run.usual ? (*usual_)[leaf] : "rule"));
  }
  return out;
}

// By name: the instructions that have a place on a page.
std::set<std::string> SceneMaker::placedOn(ComputationId computation) const {
  std::set<std::string> out;
  if (const auto page = plain_ ? nullptr : pageOf(computation))
    for (const auto& [name, place] : page->instructions) out.insert(name);
  return out;
}

// What a form asked for stays, whatever is opened or added.
Flow SceneMaker::flowOf(const GraphView& view) {
  const auto page = pageOf(view.computation);
  const auto project = [this] {
    const std::lock_guard lock(projectMutex_);
    return project_;
  }();
  if (const auto said = tessera::flowOf(*project, page.get())) return *said;
  const auto known = flows();
  if (const auto found = known.find(view.computation); found != known.end()) return found->second;
  const Flow flow = flowByForm(view);
  const std::lock_guard lock(projectMutex_);
  return flows_.try_emplace(view.computation, flow).first->second;
}

// Of nodes whose values are watched where the others show none, and of those that are shown large.
void SceneMaker::keepStrips(GraphView& view) const {
  const auto watched = [this] {
    const std::lock_guard lock(projectMutex_);
    return watched_;
  }();
  const auto page = pageOf(view.computation);
  const auto isLarge = [&](const ViewNode& node) {
    return page && (node.kind == ViewNode::Kind::Instruction || node.caller) && module_.contains(node.instruction) &&
           page->enlarged.contains(std::string(module_.at(node.instruction).name));
  };
  if (watched.empty() && (!values_ || !page || page->enlarged.empty())) return;
  for (ViewNode& node : view.nodes) {
    const bool asked = watched.contains(node.shows());
    if (node.chip || (!values_ && !asked)) continue;
    if (isLarge(node))
      node.strip = kEnlargedStrip;
    else if (asked)
      node.strip = kValueStrip;
  }
}

// The names and hues of a result's sizes.
void SceneMaker::writeSizes(const Scene& scene, bool hued, ViewNode& node) const {
  const bool instruction = node.kind == ViewNode::Kind::Instruction;
  if (!instruction && node.kind != ViewNode::Kind::Attached) return;
  const auto* names = scene.sizeNames ? scene.sizeNames->find(node.instruction) : nullptr;
  const bool coloured = hued && instruction && !node.chip;
  const Shape& shape = module_.shapeOf(node.instruction);
  if ((!names && !coloured) || !shape.isArray()) return;
  if (node.subtitle != subtitleOf(module_, node.instruction)) return;  // it says what is missing
  std::vector<std::string> words;
  if (names)
    for (const SizeNames::Named& each : *names) words.push_back(each.name);
  SizedText text = arrayText(shape, words);
  if (names) node.subtitle = std::move(text.text);
  if (!coloured) return;
  node.sizes = std::move(text.sizes);
  for (const DimensionHue& each : scene.hues->of(node.instruction))
    node.hues.push_back(each.hue < 0 ? int8_t{-1} : static_cast<int8_t>(each.hue % kHues));
}

// Called with mutex_ held.
std::shared_ptr<const SizeNames> SceneMaker::sizeNames() {
  const auto project = [this] {
    const std::lock_guard lock(projectMutex_);
    return project_;
  }();
  if (std::ranges::all_of(project->pages, [](const ProjectPage& page) { return page.sizeNames.empty(); }))
    return nullptr;
  return std::make_shared<const SizeNames>(sizeNamesOf(module_, sizes(), *project));
}

// These two with mutex_ held, too.
const Sizes& SceneMaker::sizes() {
  if (!sizes_) sizes_ = std::make_shared<const Sizes>(module_);
  return *sizes_;
}

std::shared_ptr<const DimensionHues> SceneMaker::hues(const SizeNames* names) {
  if (module_.instructionCount() > kMaxHued) return nullptr;
  if (names) return std::make_shared<const DimensionHues>(module_, sizes(), names);
  if (!hues_) hues_ = std::make_shared<const DimensionHues>(module_, sizes(), nullptr);
  return hues_;
}

// With mutex_ held. Some values are found out by evaluating what they come from: once for a snapshot.
const std::vector<SceneWarning>& SceneMaker::warnings(ComputationId computation) {
  const auto [known, isNew] = warnings_.try_emplace(computation);
  if (!isNew) return known->second;
  for (InstructionId id : module_.at(computation).instructions) {
    if (known->second.size() >= kMaxWarnings) break;
    if (auto text = initialValueWarning(module_, id)) known->second.push_back({id, *std::move(text)});
  }
  return known->second;
}

// A muted node is hatched and says so: runs bypass it.
void SceneMaker::showMuted(Picture& picture, const ProjectPage& page) const {
  if (page.muted.empty()) return;
  for (PictureItem& item : picture.items) {
    if (item.viewNode < 0 || !module_.contains(item.instruction) ||
        !page.muted.contains(std::string(module_.at(item.instruction).name)))
      continue;
    if (item.kind == PictureItem::Kind::Box) {
      item.hatched = item.stroked;
      item.fill = ColorRole::NodeFill;
    } else if (item.part == PictureItem::Part::Title) {
      item.text = "muted: " + item.text;
      item.bounds.width = textWidth(item.text, item.size, true);
      item.fill = ColorRole::NodeSubtext;
    }
  }
}

Scene SceneMaker::redraw(Scene scene, const Overlay* overlay, const std::stop_token& stop) const {
  scene.overlay = overlay ? std::make_shared<const Overlay>(scaledTo(*scene.view, *overlay)) : nullptr;
  Picture picture = plain_ ? drawPlain(*plain_, *scene.view, *scene.arrangement)
                           : draw(module_, *scene.view, *scene.arrangement, scene.overlay.get(), stop);
  if (stop.stop_requested()) return scene;
  if (const auto page = pageOf(scene.computation)) {
    picture = withPage(std::move(picture), *page);
    showMuted(picture, *page);
  }
  scene.picture = std::make_shared<const Picture>(std::move(picture));
  scene.index = Canvas::makeIndex(*scene.picture);
  return scene;
}

}  // namespace tessera
