// PanelsOnDemand: brings the panel to the front that an event of the current document is about: results of a run, the
// overview of a large file, a lesson's panel, a chapter of the manual. Used by the main window.
#pragma once

#include <QObject>

class QMainWindow;

namespace tessera {

class CurrentDocument;
class DocumentOpener;
class DocumentPane;
class PaneArea;
class PanelDocks;
class Workspaces;

class PanelsOnDemand : public QObject {
  Q_OBJECT

 public:
  PanelsOnDemand(QMainWindow& window, CurrentDocument& current, PaneArea& area, DocumentOpener& opener,
                 PanelDocks& docks, Workspaces& workspaces, QObject* parent);

  void showChapter(const QString& name);  // of the manual

 private:
  void connectPane(DocumentPane& pane);
  void showArriving(const DocumentPane& pane);
  void showOverview();
  void showOutcome();
  void showLesson(const QString& panel);

  QMainWindow& window_;
  CurrentDocument& current_;
  PanelDocks& docks_;
  Workspaces& workspaces_;
};

}  // namespace tessera
