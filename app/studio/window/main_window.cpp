// What the window is made of, who hears whom, and what it shows of the current document.
#include "app/studio/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStatusBar>
#include <QVBoxLayout>

#include "app/studio/actions/actions.h"
#include "app/studio/actions/menu_keys.h"
#include "app/studio/files/left_behind_bar.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/preferences/theme.h"
#include "app/studio/start/start_page.h"
#include "app/studio/start/tour_guide.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/documents/compare_split.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_saver.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/graph_comparison.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/documents/part_taker.h"
#include "app/studio/window/documents/session_keeper.h"
#include "app/studio/window/menus/arrange_menu.h"
#include "app/studio/window/menus/edit_menu.h"
#include "app/studio/window/menus/file_menu.h"
#include "app/studio/window/menus/go_menu.h"
#include "app/studio/window/menus/help_menu.h"
#include "app/studio/window/menus/run_menu.h"
#include "app/studio/window/menus/tool_bar.h"
#include "app/studio/window/menus/view_menu.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panel_actions.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/panels_on_demand.h"
#include "app/studio/window/window_status.h"
#include "app/studio/window/workspaces.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/graph_edit_controller.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/lessons/tour_panel.h"
#include "editor/panels/inspect/source_panel.h"

namespace tessera {
namespace {

// Wholly on the screen with the frame that a window manager draws, which Qt knows only later.
QSize sizeFor(QSize screen) { return QSize(1440, 900).boundedTo(screen - QSize(16, 48)); }

QStringList localFilesOf(const QMimeData& data) {
  QStringList out;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) out << url.toLocalFile();
  return out;
}

}  // namespace

MainWindow::MainWindow(bool remembers, QWidget* parent)
    : QMainWindow(parent),
      remembers_(remembers),
      preferences_(new PreferenceControl(remembers, this)),
      listeners_(new QObject(this)),
      current_(new CurrentDocument(this)),
      recentFiles_(new RecentFiles(this)) {
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setFont(QApplication::font());
  applyTheme(preferences_->theme());  // before there are widgets, each of which would take it over
  resize(sizeFor(screen()->availableSize()));
  tabs_ = new DocumentTabs;
  docks_ = std::make_unique<PanelDocks>(*this);
  makeCentre();
  titles_ = new DockTitles(*this, *docks_);
  workspaces_ = new Workspaces(*this, *docks_);
  status_ = new WindowStatus(*statusBar(), *current_, *area_, *tabs_, *docks_, listeners_);
  navigation_ = new Navigation(*this, *current_, remembers_);
  makeDocuments();
  actions_ = new Actions(this);
  new MenuKeys(this);
  panelActions_ = new PanelActions(*this, *current_, *area_, *docks_, *titles_, *actions_, listeners_);
  makeMenus();
  makeTabs();
  DocumentPane& first = area_->add();
  tabs_->add(first);
  current_->set(first);
  setTheme(preferences_->theme());
  connectPreferences();
  session_->restoreWindow(*this, *workspaces_, *recentFiles_);
  workspaces_->hidePanels();
  startPage_->setRecentFiles(recentFiles_->paths());
  showDocument();
}

// Docks say that they vanish, which must reach a whole window. Panels go with their documents, before the docks.
MainWindow::~MainWindow() {
  hide();
  delete listeners_;
  area_->removeAll();
}

void MainWindow::makeCentre() {
  auto* centre = new QWidget(this);
  startPage_ = new StartPage(centre);
  area_ = new PaneArea(*current_, *tabs_, *docks_, remembers_, centre);
  leftBehind_ = new LeftBehindBar(centre);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(leftBehind_);
  auto* beside = new QHBoxLayout;
  beside->setSpacing(0);
  layout->addLayout(beside, 1);
  auto* tour = new TourPanel(centre);
  tours_ = new TourGuide(
      *tour, [this] { return isBusy(); }, this);
  beside->addWidget(startPage_);
  beside->addWidget(tour);
  beside->addWidget(area_, 1);
  setCentralWidget(centre);
}

void MainWindow::makeDocuments() {
  connect(area_, &PaneArea::added, listeners_, [this](DocumentPane& pane) { connectPane(pane); });
  connect(current_, &CurrentDocument::changed, listeners_, [this] { showCurrent(); });
  saver_ = new DocumentSaver(*current_, *area_, *recentFiles_, *statusBar(), remembers_, listeners_);
  connect(saver_, &DocumentSaver::saved, this, &MainWindow::showDocument);
  closer_ = new DocumentCloser(*current_, *area_, *tabs_, *saver_, listeners_);
  connect(closer_, &DocumentCloser::lastClosed, workspaces_, &Workspaces::hidePanels);
  connect(closer_, &DocumentCloser::closed, this, &MainWindow::showDocument);
  opener_ = new DocumentOpener(*current_, *area_, *tabs_, *saver_, *closer_, *statusBar(), listeners_);
  connect(opener_, &DocumentOpener::failed, this, &MainWindow::failed);
  connect(navigation_, &Navigation::linkChosen, this, &MainWindow::openFile);
  demand_ = new PanelsOnDemand(*this, *current_, *area_, *opener_, *docks_, *workspaces_, listeners_);
  connect(opener_, &DocumentOpener::arrived, this, &MainWindow::showArrived);
  comparison_ = new GraphComparison(*current_, *area_, *tabs_, *opener_, listeners_);
  parts_ = new PartTaker(*current_, *area_, *closer_, *statusBar(), listeners_);
  session_ = new SessionKeeper(*current_, *area_, *tabs_, *opener_, *closer_, *leftBehind_, remembers_, listeners_);
  connect(workspaces_, &Workspaces::chosen, this, [this] { actions_->update(); });
  new CompareSplit(*current_, *area_, *workspaces_, listeners_);
  connectStartPage();
}

void MainWindow::connectStartPage() {
  connect(opener_, &DocumentOpener::arriving, startPage_, [this](const DocumentPane& pane) {
    startPage_->setVisible(pane.isFirstGraph());
    if (pane.isFirstGraph()) tours_->end();  // what it spoke of is closed
  });
  connect(recentFiles_, &RecentFiles::changed, startPage_,
          [this] { startPage_->setRecentFiles(recentFiles_->paths()); });
  connect(startPage_, &StartPage::fileChosen, this, &MainWindow::openFile);
  connect(startPage_, &StartPage::openWanted, this, [this] { actions_->find(QStringLiteral("open"))->trigger(); });
  connect(startPage_, &StartPage::newWanted, this, [this] {
    opener_->newFile();
    panels().raise(QStringLiteral("palette"));  // to look through what there is
  });
  connect(startPage_, &StartPage::lessonsWanted, this, [this] { opener_->goOnWithLessons(); });
  connect(startPage_, &StartPage::tourWanted, this, &MainWindow::beginTour);
  connect(startPage_, &StartPage::importHelpWanted, this, [this] { demand_->showChapter(QStringLiteral("import")); });
}

// The order is that in which keys are given to actions.
void MainWindow::makeMenus() {
  QMenuBar& bar = *menuBar();
  new FileMenu(bar, *actions_, *current_, *opener_, *saver_, *closer_, *comparison_, *recentFiles_, this);
  new EditMenu(bar, *actions_, *current_, *opener_, *parts_, *preferences_, this);
  new ArrangeMenu(bar, *actions_, *current_, this);
  new ViewMenu(bar, *actions_, *current_, *area_, *workspaces_, *panelActions_, *preferences_, *startPage_, this);
  new GoMenu(bar, *actions_, *current_, *navigation_, *area_, *tabs_, *panelActions_, *statusBar(), this);
  new RunMenu(bar, *actions_, *current_, *opener_, *statusBar(), this);
  auto* help = new HelpMenu(bar, *actions_, *current_, *navigation_, *opener_, *demand_, this);
  connect(help, &HelpMenu::tourWanted, this, &MainWindow::beginTour);
  toolBar_ = new ToolBar(*actions_, *current_, *area_, *workspaces_, this);
  addToolBar(toolBar_);
  navigation_->takeKeys();
}

void MainWindow::makeTabs() {
  menuBar()->setCornerWidget(new TabRow(*tabs_, *menuBar()));
  connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
    if (DocumentPane* pane = tabs_->pane(index)) current_->set(*pane);
  });
}

void MainWindow::connectPreferences() {
  connect(preferences_, &PreferenceControl::themeChanged, this, &MainWindow::setTheme);
  connect(preferences_, &PreferenceControl::fontChanged, this, &MainWindow::takeFont);
  connect(preferences_, &PreferenceControl::keysWanted, this, [this] {
    activateWindow();
    navigation_->showKeys();
  });
}

// --- panes

void MainWindow::connectPane(DocumentPane& pane) {
  actions_->addCanvas(pane.canvas());
  const auto whenCurrent = [this, &pane](auto act) {
    return [this, &pane, act] {
      if (current_->is(pane)) act();
    };
  };
  connect(&pane, &DocumentPane::pictureShown, listeners_, whenCurrent([this] { showScene(); }));
  connect(&pane, &DocumentPane::firstPainted, listeners_, whenCurrent([this] { emit firstPictureShown(); }));
  connect(&pane, &DocumentPane::changed, listeners_,
          [this, &pane] { current_->is(pane) ? showDocument() : tabs_->refresh(); });
  connect(&pane, &DocumentPane::progressed, listeners_, [this] { actions_->updateOne(QStringLiteral("cancel")); });
  connect(&pane.document(), &Document::failed, listeners_,
          [this](const QString& message, ErrorKind kind) { emit failed(message, kind); });
  sharePreferences(pane);
}

// They are the user's, not a document's.
void MainWindow::sharePreferences(DocumentPane& pane) {
  SourcePanel& source = *pane.panels().source;
  source.setFolders(preferences_->sourceFolders());
  connect(preferences_, &PreferenceControl::sourceFoldersChanged, &source, &SourcePanel::setFolders);
  connect(&source, &SourcePanel::foldersChanged, preferences_,
          [this, &source] { preferences_->setSourceFolders(source.folders()); });
  connect(&pane.lessons(), &LessonController::progressed, preferences_, &PreferenceControl::keepLessons);
}

bool MainWindow::isBusy() const { return area_->isBusy() || opener_->isBusy() || parts_->isBusy(); }
void MainWindow::openFile(const QString& path) { opener_->open(path); }
AddSearch& MainWindow::addSearch() const { return pane().graphEdit().search(); }

// --- what is shown

void MainWindow::showCurrent() {
  navigation_->list().hide();  // it lists what another document has
  centralWidget()->setFocusProxy(&canvas());
  if (!pane().isAncestorOf(QApplication::focusWidget())) canvas().setFocus();
  toolBar_->showDocument();
  showScene();
  status_->showZoom();
  status_->showTasks();
}

void MainWindow::showArrived() {
  if (const QString& path = document().file().path(); !path.isEmpty()) recentFiles_->add(path);
  canvas().setFocus();
  toolBar_->showDocument();
  showDocument();
}

void MainWindow::showScene() {
  showDocument();
  toolBar_->showComputation();
}

void MainWindow::showDocument() {
  actions_->update();
  const bool open = current_->isOpen();
  tabs_->refresh();
  tabs_->parentWidget()->setVisible(open && !pane().isFirstGraph());
  setWindowTitle(open ? tr("%1[*] — Tessera").arg(tabs_->titleOf(pane().original())) : tr("Tessera"));
  setWindowModified(open && document().file().isModified());
  status_->showFacts();
  area_->showHeaders();
}

void MainWindow::beginTour(const Tour& tour) {
  startPage_->hide();
  tours_->begin(tour);
}

void MainWindow::takeFont() { setFont(QApplication::font()); }

Theme MainWindow::theme() const { return area_->theme(); }

void MainWindow::setTheme(Theme theme) {
  area_->setTheme(theme);
  applyTheme(theme);
  setPalette(QApplication::palette());  // before the event loop runs, an application tells its widgets nothing
  startPage_->showThumbnails(theme);
  actions_->update();
}

// --- the window

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!localFilesOf(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QStringList paths = localFilesOf(*event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  for (const QString& path : paths) openFile(path);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!closer_->mayCloseAll()) return event->ignore();
  for (DocumentPane* pane : area_->all()) pane->document().cancel();
  session_->keepDocuments();
  session_->keepWindow(*this, *workspaces_, *recentFiles_);
  QMainWindow::closeEvent(event);
}

}  // namespace tessera
