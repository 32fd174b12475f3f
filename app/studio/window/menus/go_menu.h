// The Go menu: where one goes: to a place by words, along values, along what the colours say, back and forward, to
// other documents and panels.
#pragma once

#include <QObject>

class QMenu;
class QMenuBar;
class QStatusBar;

namespace tessera {

class Actions;
class CurrentDocument;
class DocumentTabs;
class Navigation;
class PaneArea;
class PanelActions;

class GoMenu : public QObject {
  Q_OBJECT

 public:
  GoMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, Navigation& navigation, PaneArea& area,
         DocumentTabs& tabs, PanelActions& panels, QStatusBar& status, QObject* parent);

 private:
  void addLink(QMenu& menu);
  void addFlowItems(QMenu& menu);
  void addHottestItems(QMenu& menu);
  void addDocuments(QMenu& menu);

  Actions& actions_;
  CurrentDocument& current_;
  Navigation& navigation_;
  PaneArea& area_;
  DocumentTabs& tabs_;
  PanelActions& panels_;
  QStatusBar& status_;
};

}  // namespace tessera
