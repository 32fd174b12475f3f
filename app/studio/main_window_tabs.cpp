// Documents of the window: a pane and a tab each, one of them current. A file is read by a pane that nobody sees yet,
// so that one that does not open leaves what is open alone; files that are asked for meanwhile wait.
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLayout>
#include <QMenuBar>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <algorithm>

#include "app/studio/actions.h"
#include "app/studio/document_pane.h"
#include "app/studio/document_tabs.h"
#include "app/studio/main_window.h"
#include "app/studio/navigation.h"
#include "app/studio/panels.h"
#include "app/studio/start_page.h"
#include "core/profile/sources/profile_source.h"
#include "core/tools/find_instruction.h"
#include "core/tools/link.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"
#include "editor/panels/compiled_panel.h"
#include "editor/panels/diff_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/memory_panel.h"
#include "editor/panels/overview_panel.h"
#include "editor/panels/source_panel.h"

namespace tessera {
namespace {

bool isLarge(const Document& document) {
  return !document.isPlainGraph() && document.module().instructionCount() > kLargeModule;
}

}  // namespace

void MainWindow::makeTabs() {
  tabs_ = new DocumentTabs;
  menuBar()->setCornerWidget(new TabRow(*tabs_, *menuBar()));
  connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
    if (DocumentPane* pane = tabs_->pane(index)) makeCurrent(*pane);
  });
  connect(tabs_, &QTabBar::tabCloseRequested, this, [this](int index) {
    if (DocumentPane* pane = tabs_->pane(index)) closeTab(*pane);
  });
  connect(tabs_, &DocumentTabs::othersCloseWanted, this, [this](int index) { closeOthers(*tabs_->pane(index)); });
}

std::vector<DocumentPane*> MainWindow::allPanes() const {
  const auto all = area_->findChildren<DocumentPane*>(QString(), Qt::FindDirectChildrenOnly);
  return {all.begin(), all.end()};
}

DocumentPane* MainWindow::paneOf(const QString& path) const {
  if (path.isEmpty()) return nullptr;
  const QFileInfo wanted(path);
  for (DocumentPane* pane : tabs_->panes())
    if (const QString& open = pane->document().file().path(); !open.isEmpty() && QFileInfo(open) == wanted) return pane;
  return nullptr;
}

bool MainWindow::isBusy() const {
  for (const DocumentPane* pane : allPanes())
    if (pane->document().isBusy() || pane->panels().compiled->isBusy() || pane->panels().memory->isBusy() ||
        pane->panels().differences->isBusy() ||
        (pane->isVisible() && (!pane->canvas().tilesReady() || pane->canvas().viewport().isGliding())))
      return true;
  return opening_ || !waiting_.empty();
}

// --- panes

DocumentPane& MainWindow::addPane(DocumentPane* twinOf) {
  auto* pane = new DocumentPane(*docks_, remembers_, twinOf, area_);
  pane->hide();
  pane->setTheme(theme_);
  crumbs_->layout()->addWidget(&pane->breadcrumbs());
  actions_->addCanvas(pane->canvas());
  connectPane(*pane);
  connectPaneNews(*pane);
  connectHeader(*pane);
  shareSourceFolders(*pane);
  connectViews(*pane);
  if (remembers_ && !twinOf) pane->keepAside(Recovery::usualFolder());
  return *pane;
}

void MainWindow::connectPane(DocumentPane& pane) {
  connect(&pane, &DocumentPane::arrived, this, [this, &pane] { arrived(pane); });
  connect(&pane.document(), &Document::failed, this, [this, &pane](const QString& message, ErrorKind kind) {
    if (opening_ == &pane) openingFailed(pane, message);
    emit failed(message, kind);
  });
  connect(&pane, &DocumentPane::progressed, this, &MainWindow::showProgress);
  connect(pane.panels().help, &HelpPanel::exampleWanted, this, &MainWindow::openExample);
  connect(&pane.groups(), &GroupActions::extracted, this, [this](const QString& path) {
    addRecentFile(path);
    statusBar()->showMessage(tr("Extracted to %1; it stands under File › Open recent").arg(path), 6000);
  });
}

// They are the user's, not a document's.
void MainWindow::shareSourceFolders(DocumentPane& pane) {
  SourcePanel& source = *pane.panels().source;
  source.setFolders(sourceFolders_);
  connect(&source, &SourcePanel::foldersChanged, this, [this, &source] {
    sourceFolders_ = source.folders();
    if (remembers_) QSettings().setValue(QStringLiteral("sourceFolders"), sourceFolders_);
    for (const DocumentPane* each : allPanes())
      if (each->panels().source != &source) each->panels().source->setFolders(sourceFolders_);
  });
}

// What the window shows of the current document alone.
void MainWindow::connectPaneNews(DocumentPane& pane) {
  const auto whenCurrent = [this, &pane](auto act) {
    return [this, &pane, act] {
      if (pane_ == &pane) act();
    };
  };
  connect(&pane, &DocumentPane::pictureShown, this, whenCurrent([this] { showScene(); }));
  connect(&pane, &DocumentPane::firstPainted, this, whenCurrent([this] { emit firstPictureShown(); }));
  connect(&pane.canvas().viewport(), &Viewport::zoomChanged, this, whenCurrent([this] { showZoom(); }));
  connect(&pane, &DocumentPane::roomWanted, this, whenCurrent([this] { docks_->lower(); }));
  connect(&pane, &DocumentPane::changed, this, [this, &pane] { pane_ == &pane ? updateActions() : tabs_->refresh(); });
  connect(&pane, &DocumentPane::panelWanted, this, [this, &pane](const QString& name) {
    if (pane_ == &pane) docks_->raise(name);
  });
  connect(&pane.document().run(), &ProgramRun::profileOpened, this, [this, &pane](const QString& summary) {
    if (&pane_->document() != &pane.document()) return;
    docks_->raise(QStringLiteral("profile"));
    statusBar()->showMessage(summary, 10000);
  });
  // In the next event: filling the table and laying it out are a frame each at 100,000 rows.
  connect(&pane, &DocumentPane::outcomeCame, this, whenCurrent([this] { docks_->raise(QStringLiteral("results")); }),
          Qt::QueuedConnection);
}

// Everything that menus, tool bar, docks and status bar show is of this one then.
void MainWindow::makeCurrent(DocumentPane& pane) {
  if (pane_ == &pane) return;
  DocumentPane* before = std::exchange(pane_, &pane);
  document_ = &pane.document();
  canvas_ = &pane.canvas();
  graphEdit_ = &pane.graphEdit();
  arrangement_ = &pane.arrangement();
  blocks_ = &pane.blocks();
  groups_ = &pane.groups();
  panels_ = &pane.panels();
  banner_ = &pane.banner();
  searchBar_ = &pane.searchBar();
  const QSignalBlocker blocker(tabs_);
  tabs_->setCurrentIndex(tabs_->indexOf(pane.original()));
  setUpdatesEnabled(false);
  docks_->show(pane.panels());
  if (before) {
    before->setCurrent(false);
    before->breadcrumbs().hide();
  }
  if (beside_ == &pane)
    beside_ = before;
  else if (before)
    putInPlaceOf(*before, pane);
  else
    pane.show();
  pane.setCurrent(true);
  pane.breadcrumbs().show();
  dropTwins();
  setUpdatesEnabled(true);
  navigation_->list().hide();  // it lists what another document has
  centralWidget()->setFocusProxy(canvas_);
  if (!pane.isAncestorOf(QApplication::focusWidget())) canvas_->setFocus();
  updateComputations();
  showScene();
  showZoom();
  showProgress();
}

// --- opening

void MainWindow::openFile(const QString& path) {
  const LinkParts link = splitLink(path.toStdString());
  waiting_.push_back({.path = QString::fromStdString(link.file), .instruction = link.name});
  if (!opening_) openNext();
}

void MainWindow::openNext() {
  opening_ = nullptr;
  request_ = {};
  if (!waiting_.empty()) {
    const OpenRequest next = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    if (!looksLikeProfile(next.path.toStdString())) return startOpening(next);
    openProfile(next.path);
    return openNext();
  }
  if (const auto act = std::exchange(whenAllAreOpen_, nullptr)) act();
  keepDocuments();
}

// Recovered changes take the place of their file, where nothing else was done to it here.
void MainWindow::startOpening(const OpenRequest& request) {
  DocumentPane* there = paneOf(request.recoveredFor.value_or(request.path));
  if (there && !request.recoveredFor) return openAgain(*there, request);
  const bool replaces = there && !there->hasUnsavedWork();
  opening_ = replaces ? there : pane_->isUntouched() ? &pane_->original() : &addPane();
  request_ = request;
  DocumentFile& file = opening_->document().file();
  if (request.recoveredFor)
    file.openRecovered(request.path, *request.recoveredFor);
  else
    file.open(request.path, request.shown);
}

// What the disk has now, where that is something else.
void MainWindow::openAgain(DocumentPane& pane, const OpenRequest& request) {
  makeCurrent(pane);
  if (!pane.document().file().differsOnDisk() || !mayLoseChanges(pane)) {
    showLinked(request.instruction);
    return openNext();
  }
  opening_ = &pane;
  request_ = request;
  pane.document().file().open(request.path);
}

// Over the graph that is open; without one, or over the first graph, the module inside becomes a document.
void MainWindow::openProfile(const QString& path) {
  if (pane_->isFirstGraph()) newFile();
  document_->run().openProfile(path);
}

void MainWindow::showLinked(const std::string& instruction) {
  if (instruction.empty()) return;
  const auto id = instructionNamed(document_->module(), instruction);
  if (id) return revealInstruction(*id);
  const QString message = QString::fromStdString(id.error().message);
  banner_->showMessage(message);
  emit failed(message, id.error().kind);
}

// What is wrong with it is said beside what is open.
void MainWindow::openingFailed(DocumentPane& pane, const QString& message) {
  if (tabs_->indexOf(pane) < 0) {
    comparing_ = nullptr;
    document_->noteRefused(pane.document().diagnostics());
    banner_->showMessage(message);
    pane.deleteLater();
  }
  openNext();
}

void MainWindow::newFile() {
  const bool fresh = !document_->isOpen() || pane_->isFirstGraph();
  (fresh ? *pane_ : addPane()).document().file().create();
}

void MainWindow::openExample(const QString& name, const std::string& hlo) {
  DocumentPane& pane = pane_->isUntouched() ? *pane_ : addPane();
  const Status opened = pane.document().file().createFromHlo(hlo, name.toStdString());
  if (opened) return;
  banner_->showMessage(QString::fromStdString(opened.error().toString()));
  if (tabs_->indexOf(pane) < 0) pane.deleteLater();
}

void MainWindow::beginLesson(int lesson) {
  (pane_->isUntouched() || pane_->lessons().isOn() ? *pane_ : addPane()).lessons().begin(lesson);
}

void MainWindow::showFirstGraph() { (pane_->isUntouched() ? *pane_ : addPane()).showFirstGraph(); }

// What a large file is says more than its picture.
void MainWindow::showOverview() {
  constexpr int kOverviewWidth = 420;
  docks_->raise(QStringLiteral("overview"));
  resizeDocks({docks_->find(QStringLiteral("overview"))}, {std::min(kOverviewWidth, width() * 3 / 10)}, Qt::Horizontal);
}

void MainWindow::arrived(DocumentPane& pane) {
  if (pane.isTwin()) return;
  if (!pane.isFirstGraph()) showDocks();
  if (isLarge(pane.document())) showOverview();
  startPage_->setVisible(pane.isFirstGraph());
  if (tabs_->indexOf(pane) < 0) tabs_->add(pane);
  if (&pane_->original() != &pane) makeCurrent(pane);
  if (!document_->file().path().isEmpty()) addRecentFile(document_->file().path());
  canvas_->setFocus();
  updateComputations();
  updateActions();
  if (opening_ != &pane) return;
  if (request_.place) pane.goTo(*request_.place);
  showLinked(request_.instruction);
  if (const QPointer<DocumentPane> from = std::exchange(comparing_, nullptr)) {
    from->panels().differences->compareWith(&pane.document());
    showBeside(*from, pane);
  }
  openNext();
}

// --- closing

bool MainWindow::closeTab(DocumentPane& pane) {
  if (!pane.isTwin() && !mayLoseChanges(pane)) return false;
  removePane(pane);
  return true;
}

void MainWindow::closeOthers(DocumentPane& pane) {
  for (DocumentPane* each : tabs_->panes())
    if (each != &pane.original() && !closeTab(*each)) return;
  makeCurrent(pane);
}

void MainWindow::removePane(DocumentPane& pane) {
  const int index = tabs_->indexOf(pane);
  leaveSplit(pane);
  if (pane.isTwin()) return;
  tabs_->remove(pane);
  if (tabs_->count() == 0)
    showStart();
  else if (pane_ == &pane)
    makeCurrent(*tabs_->pane(std::min(index, tabs_->count() - 1)));
  if (opening_ == &pane) openNext();  // another state of it was being read
  forget(pane);
  updateActions();
  keepDocuments();
}

void MainWindow::forget(DocumentPane& pane) {
  pane.hide();
  if (!pane.isTwin()) pane.document().cancel();
  pane.breadcrumbs().hide();
  pane.deleteLater();
}

// As before anything was open.
void MainWindow::showStart() {
  docksWhenOpen_ = saveState(kDockState);
  docks_->hideAll();
  addPane().showFirstGraph();
}

void MainWindow::goToTab(int step) {
  const int count = tabs_->count();
  makeCurrent(*tabs_->pane((tabs_->indexOf(pane_->original()) + step + count) % count));
}

}  // namespace tessera
