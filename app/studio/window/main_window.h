// MainWindow: the studio's one window: documents as tabs, the current one's canvas in the middle, its panels as docks
// round it, menus above. It makes the parts and connects them, opens and saves files and keeps the session; what
// belongs to one document is in DocumentPane.
#pragma once

#include <QMainWindow>
#include <QMessageBox>
#include <QPointer>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/studio/window/document_pane.h"
#include "core/base/diagnostics.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/picture/picture.h"
#include "editor/document/document_file.h"
#include "editor/document/recovery.h"

class QDockWidget;
class QLabel;
class QMenu;
class QSplitter;
class QToolBar;
class QToolButton;

namespace tessera {

class Actions;
class AddSearch;
class ArrangeController;
class GraphEditController;
class Banner;
class BlockActions;
class Canvas;
class ComputationChooser;
class Document;
class DocumentPane;
class DocumentTabs;
class DockTitles;
class GroupActions;
class LeftBehindBar;
class LessonController;
class RunController;
class SearchBar;
class Navigation;
class PanelDocks;
class PreferenceControl;
class RecentFiles;
class StartPage;
class TaskList;
struct TakenPart;
struct Tour;
class TourGuide;
class Workspaces;
struct Panels;

// A file that is to be opened.
struct OpenRequest {
  QString path;                                        // of text: for messages
  std::optional<QString> text = std::nullopt;          // instead of what a file holds
  std::string instruction = {};                        // to be shown
  std::optional<ShownPart> shown = std::nullopt;       // none: from its project
  std::optional<PanePlace> place = std::nullopt;       // none: all of it
  std::optional<QString> recoveredFor = std::nullopt;  // the path of which it is an unsaved state
  bool again = false;                                  // whatever was changed here
  bool dump = false;                                   // of a dump folder, whose panel is to be seen
};

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // remembers: window, docks, theme and recent files are kept between sessions; scripts leave it off.
  explicit MainWindow(bool remembers, QWidget* parent = nullptr);
  ~MainWindow() override;

  // In a tab of its own, or where nothing would be missed; a file that is open already is shown again. A link to an
  // instruction, FILE#NAME, shows that; a profile goes over the current graph.
  void openFile(const QString& path);
  void newFile();
  void openClipboard();  // HLO, StableHLO or a project as text
  void beginLesson(int lesson);
  void showFirstGraph();   // the content before anything is opened
  bool reopenDocuments();  // of the last session, at their places; false: there are none
  void offerLeftBehind();  // what sessions that ended badly did not save
  // What differs in the pane's graph from a file's, which opens beside it; "": the user chooses one.
  void compareWithFile(DocumentPane& pane, QString path = {});
  bool isBusy() const;  // a document reads, runs or draws

  // --- tabs
  DocumentTabs& tabs() { return *tabs_; }
  bool closeTab(DocumentPane& pane);  // confirms if changes would be lost; false: it stays
  void closeOthers(DocumentPane& pane);
  void goToTab(int step);  // to the right, round
  void makeCurrent(DocumentPane& pane);
  // Another document beside the current one, or the same at another place; again: one alone.
  void split(bool sameDocument);
  DocumentPane* beside() const { return beside_; }  // the other one that is seen; null: the window is not split

  // --- of the current document
  DocumentPane& pane() { return *pane_; }
  Document& document() { return *document_; }
  Canvas& canvas() { return *canvas_; }
  Panels& panels() { return *panels_; }
  Banner& banner() { return *banner_; }
  GraphEditController& graphEdit() { return *graphEdit_; }
  ArrangeController& arrangement() { return *arrangement_; }
  RunController& runController();
  BlockActions& blocks() { return *blocks_; }
  GroupActions& groups() { return *groups_; }
  LessonController& lessons();
  SearchBar& searchBar() { return *searchBar_; }
  AddSearch& addSearch();
  void takeOut();                            // the selection as a document of its own
  void revealInstruction(InstructionId id);  // opens the groups that hide it and brings it into sight

  Navigation& navigation() { return *navigation_; }
  TaskList& tasks() { return *tasks_; }
  Workspaces& workspaces() { return *workspaces_; }
  TourGuide& tours() { return *tours_; }
  void beginTour(const Tour& tour);
  PreferenceControl& preferenceControl() { return *preferences_; }
  void setTheme(Theme theme);
  void takeFont();  // of the program
  Theme theme() const { return theme_; }
  RecentFiles& recentFiles() { return *recentFiles_; }

 signals:
  void firstPictureShown();                               // of the file that was opened last
  void failed(QString message, tessera::ErrorKind kind);  // any document, or a link to what its file has not

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void makeCentre();
  void makeTabs();
  void makeActions();
  void makeFileMenu();
  void makeEditMenu();
  void addBuildItems(QMenu& menu);
  void addFindItems(QMenu& menu);
  void addFlowItems(QMenu& menu);
  void addMeasures(QMenu& menu);
  void addHottestItems(QMenu& menu);
  void makeArrangeMenu();
  void makeViewMenu();
  void addShownItems(QMenu& menu);
  void makeGoMenu();
  void makeRunMenu();
  void makeHelpMenu();
  void makeToolBar();
  void addWorkspaces(QToolBar& bar);
  void addWorkspaceItems(QMenu& menu);
  void workspaceChosen(int before, int now);
  void makeStatusBar();
  void restoreSession();
  void keepSession() const;
  void keepDocuments() const;
  void putAtTheRight(const QString& path);
  void restoreLeft(const Recovery::Left& left);

  DocumentPane& addPane(DocumentPane* twinOf = nullptr);  // without a tab, and hidden
  void connectPane(DocumentPane& pane);
  void connectPaneNews(DocumentPane& pane);
  void shareSourceFolders(DocumentPane& pane);
  void connectViews(DocumentPane& pane);
  void connectLessons(DocumentPane& pane);
  void showBeside(DocumentPane& pane, DocumentPane& other);
  void openMerged(DocumentPane& from);
  void openPart(Document* whole, Result<TakenPart> part);
  DocumentPane* paneOf(const QString& path) const;
  std::vector<DocumentPane*> allPanes() const;
  void startOpening(const OpenRequest& request);
  void openNext();
  void openProfile(const QString& path);
  bool openDump(const QString& folder);  // false: it is none
  void showLinked(const std::string& instruction);
  void openingCancelled(DocumentPane& pane);
  void openingFailed(DocumentPane& pane, const QString& message);
  void openExample(const QString& name, const std::string& hlo);
  void reload(DocumentPane& pane);
  void openAgain(DocumentPane& pane, const OpenRequest& request);
  void removePane(DocumentPane& pane);
  void showStart();
  void forget(DocumentPane& pane);

  void followFocus();
  void unsplit();
  void leaveSplit(DocumentPane& pane);
  void dropTwins();
  void putInPlaceOf(DocumentPane& before, DocumentPane& pane);
  void shareRoom(QList<int> widths);
  DocumentPane& addTwin(DocumentPane& of);
  void showHeaders();
  void connectHeader(DocumentPane& pane);
  void putBeside(DocumentPane& half, DocumentPane& wanted);

  void arrived(DocumentPane& pane);  // another document is open
  void showOutcome();                // of a run
  void showScene();
  void showProgress();
  void showZoom();
  void showDocumentFacts();
  void updateActions();
  bool hasSelection() const;
  QPoint pointerOnCanvas() const;
  void showRecentFiles();
  void chooseFile();
  void chooseProfile();
  void chooseDump();
  void save(bool ask);
  QMessageBox::StandardButton askToRewrite(const QString& name);  // SaveAll: under another name
  bool mayLoseChanges(DocumentPane& pane);
  void exportGraph();
  void showOverview();
  void addGroupings(QMenu& menu);
  void addPanelItem(QMenu& menu, QDockWidget& dock);
  void addPanelActions(QMenu& menu);
  void showPanelMenu(QDockWidget& dock, QPoint at);
  QDockWidget* panelInHand() const;
  void followPanelFocus(const QWidget* now);
  void closePanels(const QList<QDockWidget*>& panels);
  void goToPart(int step);
  void showAbout();
  void showChapter(const QString& name);  // of the manual

  // What menus act on: the current pane and, for short, its parts; makeCurrent() alone changes them.
  DocumentPane* pane_ = nullptr;
  Document* document_ = nullptr;
  Canvas* canvas_ = nullptr;
  GraphEditController* graphEdit_ = nullptr;
  ArrangeController* arrangement_ = nullptr;
  BlockActions* blocks_ = nullptr;
  GroupActions* groups_ = nullptr;
  Panels* panels_ = nullptr;
  Banner* banner_ = nullptr;
  SearchBar* searchBar_ = nullptr;

  DocumentPane* beside_ = nullptr;
  bool splitToCompare_ = false;       // by the workspace, which takes it back
  QPointer<DocumentPane> comparing_;  // with the file that opens
  TourGuide* tours_ = nullptr;
  int taking_ = 0;          // parts whose inputs are being recorded
  QThreadPool takingPool_;  // its destructor waits for them

  Actions* actions_ = nullptr;
  Navigation* navigation_ = nullptr;
  PreferenceControl* preferences_ = nullptr;
  std::unique_ptr<PanelDocks> docks_;
  DockTitles* titles_ = nullptr;
  QDockWidget *menuOf_ = nullptr, *focused_ = nullptr;  // the panel whose menu is open, and that with the focus
  QMenu* panelsMenu_ = nullptr;
  Workspaces* workspaces_ = nullptr;
  StartPage* startPage_ = nullptr;
  DocumentTabs* tabs_ = nullptr;
  QSplitter* area_ = nullptr;         // where panes are shown
  DocumentPane* opening_ = nullptr;   // its file is being read
  OpenRequest request_;               // for that
  std::vector<OpenRequest> waiting_;  // to be opened after it
  std::function<void()> whenAllAreOpen_;
  LeftBehindBar* leftBehind_ = nullptr;
  ComputationChooser* computations_ = nullptr;
  QWidget* crumbs_ = nullptr;
  QLabel *factsLabel_ = nullptr, *zoomLabel_ = nullptr;
  TaskList* tasks_ = nullptr;
  QToolButton *blockOffer_ = nullptr, *problems_ = nullptr;
  QMenu* recentMenu_ = nullptr;
  RecentFiles* recentFiles_ = nullptr;
  Theme theme_ = Theme::Light;
  bool remembers_ = false;
};

}  // namespace tessera
