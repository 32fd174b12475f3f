// WindowStatus: the status bar: what the current document has, its errors, blocks that can be updated, background
// tasks of all documents, the zoom. Used by the main window.
#pragma once

#include <QObject>

class QLabel;
class QStatusBar;
class QToolButton;

namespace tessera {

class CurrentDocument;
class DocumentPane;
class DocumentTabs;
class PaneArea;
class PanelDocks;
class TaskList;

class WindowStatus : public QObject {
  Q_OBJECT

 public:
  WindowStatus(QStatusBar& bar, CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, PanelDocks& docks,
               QObject* parent);

  TaskList& tasks() { return *tasks_; }
  void showFacts();  // also in the title of the diagnostics panel
  void showZoom();
  void showTasks();  // the current document's first; others with their names

 private:
  void makeWidgets(QStatusBar& bar);
  void connectPane(DocumentPane& pane, QStatusBar& bar);

  CurrentDocument& current_;
  PaneArea& area_;
  DocumentTabs& tabs_;
  PanelDocks& docks_;
  QLabel *facts_ = nullptr, *zoom_ = nullptr;
  QToolButton *problems_ = nullptr, *blockOffer_ = nullptr;
  TaskList* tasks_ = nullptr;
};

}  // namespace tessera
