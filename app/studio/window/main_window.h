// MainWindow: the studio's one window: documents as tabs, the current one's canvas in the middle, its panels as docks
// round it, menus above, the status bar below. It makes the parts and connects them; each idea is a class of its own.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/studio/window/documents/current_document.h"
#include "core/base/diagnostics.h"
#include "core/picture/picture.h"

namespace tessera {

class Actions;
class AddSearch;
class CompareSplit;
class DockTitles;
class DocumentCloser;
class DocumentOpener;
class DocumentSaver;
class DocumentTabs;
class GraphComparison;
class LeftBehindBar;
class Navigation;
class PaneArea;
class PanelActions;
class PanelDocks;
class PanelsOnDemand;
class PartTaker;
class PreferenceControl;
class RecentFiles;
class SessionKeeper;
class StartPage;
class ToolBar;
class TourGuide;
class WindowStatus;
class Workspaces;
struct Tour;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // remembers: window, docks, theme and recent files are kept between sessions; scripts leave it off.
  explicit MainWindow(bool remembers, QWidget* parent = nullptr);
  ~MainWindow() override;

  void openFile(const QString& path);  // see DocumentOpener::open
  bool isBusy() const;                 // a document is opened, reads, runs or draws
  void setTheme(Theme theme);
  Theme theme() const;

  // --- of the current document
  DocumentPane& pane() const { return current_->pane(); }
  Document& document() const { return current_->document(); }
  Canvas& canvas() const { return current_->canvas(); }
  Panels& panels() const { return current_->panels(); }
  Banner& banner() const { return current_->banner(); }
  AddSearch& addSearch() const;

  // --- parts
  CurrentDocument& current() { return *current_; }
  DocumentTabs& tabs() { return *tabs_; }
  PaneArea& area() { return *area_; }
  DocumentOpener& opener() { return *opener_; }
  DocumentCloser& closer() { return *closer_; }
  GraphComparison& comparison() { return *comparison_; }
  PartTaker& parts() { return *parts_; }
  SessionKeeper& session() { return *session_; }
  RecentFiles& recentFiles() { return *recentFiles_; }
  Navigation& navigation() { return *navigation_; }
  WindowStatus& status() { return *status_; }
  Workspaces& workspaces() { return *workspaces_; }
  TourGuide& tours() { return *tours_; }
  PreferenceControl& preferenceControl() { return *preferences_; }

 signals:
  void firstPictureShown();                               // of the file that was opened last
  void failed(QString message, tessera::ErrorKind kind);  // any document, or a link to what its file has not

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void makeCentre();
  void makeDocuments();
  void makeTabs();
  void connectPreferences();
  void connectStartPage();
  void connectPane(DocumentPane& pane);
  void sharePreferences(DocumentPane& pane);
  void showCurrent();  // everything that menus, tool bar, docks and status bar show is of this one then
  void showArrived();
  void showScene();
  void showDocument();  // what menus, titles and the status bar say of it
  void beginTour(const Tour& tour);
  void takeFont();  // of the program

  void makeMenus();

  const bool remembers_;
  PreferenceControl* preferences_;
  QObject* listeners_;  // what listens to panes: deleted before them
  CurrentDocument* current_;
  DocumentTabs* tabs_;
  RecentFiles* recentFiles_;
  std::unique_ptr<PanelDocks> docks_;
  PaneArea* area_ = nullptr;
  StartPage* startPage_ = nullptr;
  LeftBehindBar* leftBehind_ = nullptr;
  TourGuide* tours_ = nullptr;
  DockTitles* titles_ = nullptr;
  Workspaces* workspaces_ = nullptr;
  WindowStatus* status_ = nullptr;
  DocumentSaver* saver_ = nullptr;
  DocumentCloser* closer_ = nullptr;
  DocumentOpener* opener_ = nullptr;
  GraphComparison* comparison_ = nullptr;
  PartTaker* parts_ = nullptr;
  SessionKeeper* session_ = nullptr;
  PanelsOnDemand* demand_ = nullptr;
  Actions* actions_ = nullptr;
  PanelActions* panelActions_ = nullptr;
  Navigation* navigation_ = nullptr;
  ToolBar* toolBar_ = nullptr;
};

}  // namespace tessera
