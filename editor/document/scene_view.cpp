// Every scene is made by a worker from the maker of the module as it is then; of several that are asked for only the
// last one is shown.
#include "editor/document/scene_view.h"

#include <algorithm>
#include <utility>

#include "core/arrange/hidden.h"
#include "core/edit/sizes/dimension_hues.h"
#include "core/formats/module_file.h"
#include "editor/document/background.h"
#include "editor/document/document.h"
#include "editor/document/priorities.h"

namespace tessera {
void SceneView::begin(std::shared_ptr<SceneMaker> maker, Scene scene) {
  state_.stop.request_stop();
  setMaking(false);
  background_.dispose(std::exchange(state_, State{.maker = std::move(maker), .scene = std::move(scene)}));
}

std::shared_ptr<SceneMaker> SceneView::makerOf(const Module& module) const {
  auto made =
      std::make_shared<SceneMaker>(module, document_.project(), nullptr, document_.live().showsValuesOf(module));
  made->setFields(fields_);
  made->setWatched(document_.watched().watched());
  made->setGrouping(grouping());
  if (state_.maker) {
    made->setFlows(state_.maker->flows());
    made->setRoom(state_.maker->room());
  }
  if (const auto inputs = document_.files().inputs()) made->setInputs(inputs->name);
  return made;
}

// The scene that is shown is of an older graph from here on: the new maker does not know all of its instructions.
void SceneView::remakeMaker() {
  ++state_.requested;
  state_.isOlder = true;
  background_.dispose(std::exchange(state_.maker, makerOf(document_.module())));
}

void SceneView::setRoom(Room room) {
  constexpr float kLeast = 160;
  if (std::min(room.width, room.height) >= kLeast) room_ = room;
}

void SceneView::useRoom() {
  if (state_.maker) state_.maker->setRoom(room_);
}

void SceneView::fitToRoom() {
  constexpr float kClearly = 1.2f;  // times as large
  const auto differ = [](float a, float b) { return std::max(a, b) > kClearly * std::min(a, b); };
  if (!scene().view) return;
  const Room& shown = scene().view->room;
  if (!differ(shown.width, room_.width) && !differ(shown.height, room_.height)) return;
  useRoom();
  arrangeAgain(false);
}

void SceneView::projectReplaced() {
  state_.maker->setProject(document_.project());
  state_.isOlder = true;
  arrangeAgain(true);
}

// Parameters say where their values come from, where values are shown.
void SceneView::runSettingsReplaced() {
  state_.maker->setProject(document_.project());
  if (scene().options.sources.empty()) return;
  state_.isOlder = true;
  arrangeAgain(true);
}

void SceneView::watchedReplaced() {
  state_.maker->setWatched(document_.watched().watched());
  state_.isOlder = true;
  arrangeAgain(true);
}

// A computation that came with a step goes with its undo: what is asked of the one that is shown is asked of the entry
// then.
void SceneView::leaveRemovedComputation() {
  if (document_.module().contains(computation())) return;
  state_.scene.computation = document_.module().entry();
  state_.scene.options = {};
  state_.wanted.reset();
}

// Of several that are asked for, the last one alone is waited for.
void SceneView::make(bool keepView, Work work) {
  state_.stop.request_stop();
  state_.stop = std::stop_source();
  setMaking(true);
  state_.maker->setDrawn(scene().computation, {scene().view, scene().arrangement});
  background_.startForFile(
      kArrangement,
      [this, maker = state_.maker, request = ++state_.requested, keepView, work = std::move(work),
       stop = state_.stop.get_token(),
       overlay = overlayShown_ ? document_.measures().overlay() : nullptr]() -> Background::Answer {
        auto scene = std::make_shared<Scene>(work(*maker, overlay.get(), stop));
        return [this, scene, request, keepView] {
          if (request != state_.requested) return;
          state_.shown = request;
          state_.isOlder = state_.closes = false;
          state_.move.reset();
          state_.wanted.reset();
          setMaking(false);
          background_.dispose(std::exchange(state_.scene, std::move(*scene)));
          document_.rememberOpenGroups();
          if (!selectedGroup().isEmpty() && this->scene().view->findGroup(selectedGroup().toStdString()) < 0)
            selectGroup({});
          emit changed(keepView);
          tellOpened();
          document_.live().followScene();
        };
      });
}

void SceneView::arrange(bool keepView, ComputationId computation, Groups groups) {
  make(keepView, [computation, groups = std::move(groups)](SceneMaker& maker, const Overlay* overlay,
                                                           const std::stop_token& stop) {
    return maker.make(computation, groups(maker), overlay, stop);
  });
}

void SceneView::start(Move move) {
  state_.move = move;
  arrange(move.keepView, move.computation, std::move(move.groups));
}

// With what is drawn, where it is of the graph as it is now. Otherwise all groups are closed, which is soon arranged.
void SceneView::cancelMaking() {
  if (!state_.making) return;
  state_.stop.request_stop();
  state_.move.reset();
  state_.wanted.reset();
  state_.opening.clear();
  ++state_.requested;
  if (state_.isOlder) {
    state_.closes = true;
    since_.start();
    closeAllGroups();
  } else {
    state_.shown = state_.requested;
    state_.grouping = scene().options.grouping;
    state_.maker->setGrouping(state_.grouping);
    setMaking(false);
  }
  emit cancelled();
}

void SceneView::setMaking(bool making) {
  if (state_.making == making) return;
  since_.start();
  state_.making = making;
  emit makingChanged();
}

ViewOptions& SceneView::wantedOptions() {
  if (!state_.wanted) state_.wanted = scene().options;
  return *state_.wanted;
}

void SceneView::arrangeAgain(bool keepView) {
  const Module& module = document_.module();
  if (state_.move && module.contains(state_.move->computation) &&
      (!state_.move->instruction.valid() || module.contains(state_.move->instruction)))
    return start(*state_.move);
  state_.move.reset();
  arrange(keepView, computation(), [options = options()](SceneMaker&) { return options; });
}

// A scene that is still of an older graph is made anew.
void SceneView::redraw() {
  if (state_.shown != state_.requested) return arrangeAgain(true);
  make(true, [scene = scene()](SceneMaker& maker, const Overlay* overlay, const std::stop_token& stop) {
    return maker.redraw(scene, overlay, stop);
  });
}

void SceneView::overlayChanged() {
  if (overlayShown_) redraw();
}

void SceneView::showComputation(ComputationId computation) {
  if (!document_.isOpen() || !document_.module().contains(computation)) return;
  if (computation == this->computation()) {
    if (std::exchange(state_.move, std::nullopt)) arrangeAgain(true);
    return;
  }
  start({false, computation, [computation](SceneMaker& maker) { return maker.initialOptions(computation); }});
}

void SceneView::toggleGroup(const QString& group) {
  if (!document_.isOpen()) return;
  auto& open = wantedOptions().openGroups;
  const std::string path = group.toStdString();
  const bool opens = !open.erase(path);
  if (opens) open.insert(path);
  state_.opening = opens ? group : QString();
  arrangeAgain(true);
}

void SceneView::tellOpened() {
  const QString group = std::exchange(state_.opening, QString());
  if (!group.isEmpty() && scene().view->findGroup(group.toStdString()) >= 0) emit groupOpened(group);
}

bool SceneView::openGroup(const QString& group) {
  if (!document_.isOpen()) return false;
  const auto paths = state_.maker->groupPaths(computation());
  const std::string wanted = group.toStdString();
  const auto named = [&](const std::string& path) {  // the whole path, or its last part
    return path == wanted || path.ends_with("/" + wanted);
  };
  const auto found = std::ranges::find_if(paths, named);
  if (found == paths.end()) return false;
  start({true, computation(), [group = *found, computation = computation(), options = options()](SceneMaker& maker) {
           return maker.openedTo(computation, options, group);
         }});
  return true;
}

QStringList SceneView::groupNames(int most) const {
  QStringList out;
  if (!document_.isOpen()) return out;
  for (const std::string& path : state_.maker->groupPaths(computation()))
    if (out.size() < most) out << QString::fromStdString(path);
  return out;
}

void SceneView::reveal(InstructionId id) {
  if (!document_.isOpen() || !document_.module().contains(id)) return;
  document_.select({id});
  const bool here = scene().view->boxOf(id) >= 0;
  const ComputationId shown = here ? computation() : document_.module().at(id).computation;
  start({here, shown,
         [id, shown, here, options = options()](SceneMaker& maker) {
           return maker.openedFor(shown, here ? options : maker.initialOptions(shown), id);
         },
         id});
}

// The group that is looked at, or the boxes of what is selected.
std::vector<int32_t> SceneView::selectedBoxes() const {
  std::vector<int32_t> out;
  if (!document_.isOpen() || !scene().view) return out;
  const int32_t group = selectedGroup().isEmpty() ? -1 : scene().view->findGroup(selectedGroup().toStdString());
  if (group >= 0) return {group};
  for (InstructionId id : document_.selection())
    if (const int32_t box = scene().view->boxOf(id); box >= 0) out.push_back(box);
  return out;
}

std::vector<InstructionId> SceneView::selectedInstructions() const {
  const std::vector<int32_t> boxes = selectedGroup().isEmpty() ? std::vector<int32_t>() : selectedBoxes();
  if (boxes.size() != 1) return document_.selection();
  const GraphView& view = *scene().view;
  const auto isIn = [&](int32_t box) {
    while (box >= 0 && box != boxes[0]) box = view.nodes[static_cast<size_t>(box)].parent;
    return box >= 0;
  };
  std::vector<InstructionId> out;
  for (InstructionId id : document_.module().at(computation()).instructions)
    if (isIn(view.boxOf(id))) out.push_back(id);
  return out.empty() ? document_.selection() : out;
}

void SceneView::setHidden(HiddenBoxes hidden, bool keepView) {
  wantedOptions().hidden = std::move(hidden);
  arrangeAgain(keepView);
}

void SceneView::hideSelected() {
  if (const auto boxes = selectedBoxes(); !boxes.empty())
    setHidden(withHidden(*scene().view, options().hidden, boxes), true);
}

void SceneView::isolateSelected() {
  if (const auto boxes = selectedBoxes(); !boxes.empty())
    setHidden(withAllHiddenBut(*scene().view, options().hidden, boxes), false);
}

void SceneView::showHidden() {
  if (hidesAny()) setHidden({}, true);
}

void SceneView::openAllGroups() {
  if (!document_.isOpen()) return;
  start({true, computation(), [computation = computation(), options = options()](SceneMaker& maker) {
           return maker.allOpened(computation, options);
         }});
}

void SceneView::closeAllGroups() {
  if (!document_.isOpen()) return;
  wantedOptions().openGroups.clear();
  arrangeAgain(true);
}

void SceneView::selectGroup(const QString& group) {
  if (std::exchange(state_.selectedGroup, group) != group) emit groupSelected();
}

void SceneView::lookAtGroup(const QString& group) {
  const int32_t box = scene().view ? scene().view->findGroup(group.toStdString()) : -1;
  if (box < 0) return;
  const ViewNode& node = scene().view->nodes[static_cast<size_t>(box)];
  document_.select({node.instruction});
  if (!node.caller) selectGroup(group);
  emit groupWanted(group);
}

void SceneView::showFields(bool shown) {
  fields_ = shown;
  if (!document_.isOpen() || document_.isPlainGraph()) return;
  state_.maker->setFields(shown);
  state_.isOlder = true;
  arrangeAgain(true);
}

void SceneView::setGrouping(Grouping grouping) {
  if (std::exchange(state_.grouping, grouping) == grouping || !document_.isOpen() || document_.isPlainGraph()) return;
  state_.maker->setGrouping(grouping);
  start({false, computation(),
         [computation = computation()](SceneMaker& maker) { return maker.initialOptions(computation); }});
}

void SceneView::showOverlay(bool shown) {
  if (std::exchange(overlayShown_, shown) != shown && document_.isOpen() && document_.measures().overlay()) redraw();
}

void SceneView::light(std::optional<std::vector<InstructionId>> lit) {
  state_.lit = std::move(lit);
  emit lightChanged();
}

void SceneView::tint(std::vector<std::pair<InstructionId, NodeTint>> tints) {
  state_.tints = std::move(tints);
  emit lightChanged();
}

std::vector<DimensionHue> SceneView::huesOf(InstructionId id) const {
  return scene().hues ? scene().hues->of(id) : std::vector<DimensionHue>();
}

bool SceneView::isDrawn(InstructionId id) const {
  const auto& view = scene().view;
  return view && document_.module().contains(id) && id.value < view->boxes.size() && view->boxOf(id) >= 0;
}

}  // namespace tessera
