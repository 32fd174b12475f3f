// ToolBar: what people use most, the computation that is shown, the way to it, and the workspaces. Actions are found by
// their names, so it is made after the menus.
#pragma once

#include <QToolBar>

namespace tessera {

class Actions;
class ComputationChooser;
class CurrentDocument;
class DocumentPane;
class PaneArea;
class Workspaces;

class ToolBar : public QToolBar {
  Q_OBJECT

 public:
  ToolBar(Actions& actions, CurrentDocument& current, PaneArea& area, Workspaces& workspaces, QWidget* parent);

  void showDocument();     // another one, or another module of it
  void showComputation();  // the one on the canvas

 private:
  void addUsedMost(Actions& actions);
  void addWorkspaces(Workspaces& workspaces);

  CurrentDocument& current_;
  ComputationChooser* computations_;
  QWidget* crumbs_;  // takes what room there is
};

}  // namespace tessera
