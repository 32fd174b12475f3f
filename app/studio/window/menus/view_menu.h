// The View menu: what is shown of the graph, and how the window is laid out.
#pragma once

#include <QObject>

class QMenu;
class QMenuBar;

namespace tessera {

class Actions;
class CurrentDocument;
class PaneArea;
class PanelActions;
class PreferenceControl;
class StartPage;
class Workspaces;

class ViewMenu : public QObject {
  Q_OBJECT

 public:
  ViewMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, PaneArea& area, Workspaces& workspaces,
           PanelActions& panels, PreferenceControl& preferences, StartPage& startPage, QObject* parent);

 private:
  void addZoom(QMenu& menu);
  void addGroups(QMenu& menu);
  void addHiding(QMenu& menu);
  void addGroupings(QMenu& menu);
  void addShownItems(QMenu& menu);  // what can be shown or not
  void addLabels(QMenu& menu);
  void addMeasures(QMenu& menu);  // what the legend's menu has, too, for the keyboard and the list of commands
  void addSplit(QMenu& menu);
  void addWorkspaces(QMenu& menu);

  Actions& actions_;
  CurrentDocument& current_;
  PaneArea& area_;
  Workspaces& workspaces_;
  PanelActions& panels_;
  PreferenceControl& preferences_;
  StartPage& startPage_;
};

}  // namespace tessera
