// SceneView: which computation of a document is shown, which groups are open in it, and the picture of that, made by
// workers. Used by the canvas, by panels that show sizes, and by navigation.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/result.h"
#include "core/picture/picture.h"
#include "editor/canvas/node_tint.h"
#include "editor/document/scene_maker.h"

namespace tessera {

class Background;
class Document;
struct DimensionHue;

class SceneView : public QObject {
  Q_OBJECT

 public:
  SceneView(Document& document, Background& background) : document_(document), background_(background) {}

  const Scene& scene() const { return state_.scene; }
  ComputationId computation() const { return state_.scene.computation; }
  void showComputation(ComputationId computation);
  void toggleGroup(const QString& group);
  // False when the computation has no such group. Looks for it on the calling thread.
  bool openGroup(const QString& group);
  QStringList groupNames(int most) const;  // of the computation that is shown, outer ones first
  // Opens the groups that hide an instruction (in the computation that shows it) and selects it.
  void reveal(InstructionId id);
  // Takes what is selected off the page; what the next scene shows has no hole in its place.
  void hideSelected();
  void isolateSelected();  // takes off all but that, which is shown as large as it fits
  void showHidden();       // all again
  bool hidesAny() const { return !options().hidden.empty(); }
  void openAllGroups();
  void closeAllGroups();
  // The group that a person looks at, instead of the one instruction that stands for it in the selection; empty: none.
  void selectGroup(const QString& group);
  const QString& selectedGroup() const { return state_.selectedGroup; }
  void lookAtGroup(const QString& group);  // selects one that is drawn and brings it into sight
  // Whether constants, broadcast numbers and iotas that one input reads stand in their readers.
  void showFields(bool shown);
  bool showsFields() const { return fields_; }
  // The room of the canvas as it is now. Files that are opened are arranged for it; what is shown is arranged again by
  // fitToRoom where it was arranged for a clearly smaller or larger one, and by useRoom when it is arranged next.
  void setRoom(Room room);  // too small ones are not taken
  Room room() const { return room_; }
  void useRoom();
  void fitToRoom();
  // Anew, with the groups that it begins with.
  void setGrouping(Grouping grouping);
  Grouping grouping() const { return state_.grouping; }
  void showOverlay(bool shown);
  bool showsOverlay() const { return overlayShown_; }
  // What a panel points at: lit on the canvas, while nothing is searched for. None: nothing.
  void light(std::optional<std::vector<InstructionId>> lit);
  const std::optional<std::vector<InstructionId>>& lit() const { return state_.lit; }
  // What a comparison found of instructions.
  void tint(std::vector<std::pair<InstructionId, NodeTint>> tints);
  const std::vector<std::pair<InstructionId, NodeTint>>& tints() const { return state_.tints; }

  std::vector<DimensionHue> huesOf(InstructionId id) const;  // empty: the module is too big
  // A scene is being made, and so long.
  bool isMaking() const { return state_.making; }
  bool makesFor(int ms) const { return state_.making && since_.hasExpired(ms); }
  QString stage() const { return state_.closes ? tr("Closing all groups") : tr("Arranging"); }
  void cancelMaking();
  // Whether an instruction of the module as it is now has a box of its own or within a group.
  bool isDrawn(InstructionId id) const;
  std::vector<int32_t> selectedBoxes() const;  // the selected group's, else those of the selection; may repeat
  // The selection; of a selected group what of the shown computation is in it.
  std::vector<InstructionId> selectedInstructions() const;

  // --- for Document
  void begin(std::shared_ptr<SceneMaker> maker, Scene scene);  // of another file
  void projectReplaced();
  void runSettingsReplaced();
  void watchedReplaced();
  void arrangeAgain(bool keepView);
  void overlayChanged();
  void leaveRemovedComputation();
  std::shared_ptr<SceneMaker> makerOf(const Module& module) const;
  void remakeMaker();  // of the same module, where nodes get or lose their values
  const std::shared_ptr<SceneMaker>& makerOfScene() const { return state_.maker; }

 signals:
  void changed(bool keepView);
  void makingChanged();
  void cancelled();     // what is drawn stays, or all groups are being closed
  void lightChanged();  // or the tints
  void groupSelected();
  void groupWanted(QString group);  // in sight
  void groupOpened(QString group);  // in place; what is drawn shows it

 private:
  using Work = std::function<Scene(SceneMaker&, const Overlay*, const std::stop_token&)>;
  using Groups = std::function<ViewOptions(SceneMaker&)>;  // which are open; asked by the worker
  // To another computation or with other groups open. Until its scene is there, a change of the graph makes that one
  // anew and not the one that is still shown.
  struct Move {
    bool keepView;
    ComputationId computation;
    Groups groups;
    InstructionId instruction = {};  // invalid: the move is to none
  };
  void make(bool keepView, Work work);
  void arrange(bool keepView, ComputationId computation, Groups groups);
  void setMaking(bool making);
  const ViewOptions& options() const { return state_.wanted ? *state_.wanted : state_.scene.options; }
  ViewOptions& wantedOptions();  // which change what is wanted
  void setHidden(HiddenBoxes hidden, bool keepView);
  void start(Move move);
  void tellOpened();
  void redraw();  // with the overlay as it is now

  struct State {  // of one file
    std::shared_ptr<SceneMaker> maker;
    Scene scene;
    uint64_t requested = 0, shown = 0;
    bool making = false, isOlder = false;  // isOlder: the scene is not of the graph and project as they are now
    bool closes = false;                   // all groups, since arranging was cancelled
    std::stop_source stop = {};            // of what is being made
    std::optional<Move> move;              // its scene is being made
    std::optional<ViewOptions> wanted;     // of the scene that is being made, where a group was toggled
    std::optional<std::vector<InstructionId>> lit;
    std::vector<std::pair<InstructionId, NodeTint>> tints;
    QString selectedGroup, opening;  // opening: a group that the next scene shows open
    Grouping grouping = Grouping::Scopes;
  };
  Document& document_;
  Background& background_;
  State state_;
  QElapsedTimer since_;  // a scene is being made
  bool fields_ = true, overlayShown_ = true;
  Room room_;
};

}  // namespace tessera
