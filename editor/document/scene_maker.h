// SceneMaker: pictures of one snapshot of a module. What does not depend on open groups is computed once and kept, so
// that the next picture of a large graph costs a fraction of the first. Shared by workers; one is served at a time.
// Uses core/arrange and core/picture; used by SceneView.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/arrange/arrangement.h"
#include "core/arrange/kept_wires.h"
#include "core/picture/page.h"
#include "core/picture/plain_graph.h"
#include "editor/canvas/spatial_index.h"

namespace tessera {

class DimensionHues;
class Sizes;
struct SizeNames;

// What is worth a look though it is no error.
struct SceneWarning {
  InstructionId instruction;
  std::string text;
};

// One computation as it is drawn.
struct Scene {
  ComputationId computation;
  ViewOptions options;
  std::shared_ptr<const GraphView> view;
  std::shared_ptr<const Arrangement> arrangement;
  std::shared_ptr<const Overlay> overlay;  // on this view's scale; none: no heat
  std::shared_ptr<const Picture> picture;
  std::shared_ptr<const SpatialIndex> index;
  std::shared_ptr<const SizeNames> sizeNames;  // of the whole module; null: no size has a name
  std::shared_ptr<const DimensionHues> hues;   // of the whole module; null: it is too big
  std::vector<SceneWarning> warnings;          // of initial values of reductions
};

class SceneMaker {
 public:
  // plain: a Graphviz graph that is shown in the module's place; null for modules. values: nodes keep a strip for their
  // values.
  explicit SceneMaker(Module module, Project project = {}, std::shared_ptr<const PlainGraph> plain = nullptr,
                      bool values = false)
      : module_(std::move(module)),
        project_(std::make_shared<const Project>(std::move(project))),
        plain_(std::move(plain)),
        values_(values) {}

  // Another arrangement round the same graph; scenes made from now on show it.
  void setProject(Project project);

  // Instructions whose nodes keep a strip for their values, whatever the others do, for scenes made from now on.
  void setWatched(std::set<InstructionId> watched);

  // Another grouping than by scopes; open groups are those of one grouping.
  void setGrouping(Grouping grouping) { grouping_ = grouping; }

  // Generated inputs stand in their readers, for scenes made from now on.
  void setFields(bool shown) { fields_ = shown; }

  // What is drawn now: wires of scenes made from now on keep their ways where they can.
  void setDrawn(ComputationId computation, DrawnPage page);

  // In which a page is to be seen as a whole, for scenes made from now on.
  void setRoom(Room room) { room_ = room; }
  Room room() const { return room_; }

  // The flows that forms asked for, for the maker that comes after.
  std::unordered_map<ComputationId, Flow> flows() {
    const std::lock_guard lock(projectMutex_);
    return flows_;
  }
  void setFlows(std::unordered_map<ComputationId, Flow> flows) { flows_ = std::move(flows); }

  // The file beside the document that gives arguments; empty: there is none.
  void setInputs(std::string name) { inputs_ = std::move(name); }

  ViewOptions initialOptions(ComputationId computation);
  // `options` with every group opened, or with those that hide an instruction.
  ViewOptions allOpened(ComputationId computation, ViewOptions options);
  ViewOptions openedFor(ComputationId computation, ViewOptions options, InstructionId id);
  // `options` with a group opened and those that it lies in, which its name does not tell.
  ViewOptions openedTo(ComputationId computation, ViewOptions options, const std::string& group);
  // Groups of a computation, outer ones first.
  std::vector<std::string> groupPaths(ComputationId computation);

  // The view with `group` open: the group's parts are in it. Nothing is arranged.
  GraphView viewOfParts(ComputationId computation, ViewOptions options, const std::string& group);

  // Without a picture when `stop` was requested, as is redraw().
  Scene make(ComputationId computation, ViewOptions options, const Overlay* overlay, const std::stop_token& stop = {});
  // The same arrangement with another overlay.
  Scene redraw(Scene scene, const Overlay* overlay, const std::stop_token& stop = {}) const;

 private:
  ViewMaker& views();
  ViewMaker& viewsFor(Grouping grouping);
  const Sizes& sizes();
  std::shared_ptr<const SizeNames> sizeNames();
  std::shared_ptr<const DimensionHues> hues(const SizeNames* names);
  const std::vector<SceneWarning>& warnings(ComputationId computation);
  std::vector<std::string> sourcesOf(ComputationId computation);
  std::set<std::string> placedOn(ComputationId computation) const;
  Flow flowOf(const GraphView& view);
  DrawnPage drawnOf(ComputationId computation) const;
  void keepStrips(GraphView& view) const;
  void writeSizes(const Scene& scene, bool hued, ViewNode& node) const;
  void showMuted(Picture& picture, const ProjectPage& page) const;

  std::shared_ptr<const ProjectPage> pageOf(ComputationId computation) const;  // null: it has none

  const Module module_;
  std::shared_ptr<const Project> project_;  // places, frames and notes; groups as they were when the file was opened
  std::set<InstructionId> watched_;
  const std::shared_ptr<const PlainGraph> plain_;
  const bool values_;
  std::string inputs_;
  std::optional<std::vector<std::string>> usual_;  // sources of arguments, once they were asked for
  std::atomic<bool> fields_ = true;
  std::atomic<Grouping> grouping_ = Grouping::Scopes;
  std::atomic<Room> room_ = Room{};
  bool kernelsKnown_ = false;
  mutable std::mutex projectMutex_;
  std::mutex mutex_;
  std::optional<ViewMaker> views_;             // made by the first worker that needs it
  std::shared_ptr<const Sizes> sizes_;         // made for the first name or hue
  std::shared_ptr<const DimensionHues> hues_;  // where no size has a name
  std::unordered_map<ComputationId, std::vector<SceneWarning>> warnings_;
  std::unordered_map<ComputationId, Flow> flows_;  // of pages without a flow of their own
  ComputationId drawnComputation_;
  DrawnPage drawn_;
};

}  // namespace tessera
