// Documents of the window: a pane and a tab each, one of them current. What opens them is in main_window_opening.cpp.
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLayout>
#include <QMenuBar>
#include <QSplitter>
#include <QStatusBar>
#include <algorithm>

#include "app/studio/actions/actions.h"
#include "app/studio/files/disk_bar.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/group_actions.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/document/recovery.h"
#include "editor/document/round_trip.h"
#include "editor/panels/banner.h"
#include "editor/panels/compare/devices_panel.h"
#include "editor/panels/compare/diff_panel.h"
#include "editor/panels/compiler/compiled_panel.h"
#include "editor/panels/compiler/passes_panel.h"
#include "editor/panels/compiler/warp_panel.h"
#include "editor/panels/computation_chooser.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/inspect/source_panel.h"
#include "editor/panels/overview/overview_panel.h"
#include "editor/panels/profile/memory_panel.h"

namespace tessera {

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
    if (pane->document().isBusy() || pane->panels().isBusy() || (pane->trip() && pane->trip()->isChecking()) ||
        (pane->isVisible() && (!pane->canvas().tilesReady() || pane->canvas().viewport().isGliding())))
      return true;
  return opening_ || taking_ > 0 || !waiting_.empty();
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
  connectLessons(*pane);
  if (remembers_ && !twinOf) pane->keepAside(Recovery::usualFolder());
  return *pane;
}

void MainWindow::connectPane(DocumentPane& pane) {
  connect(&pane, &DocumentPane::arrived, this, [this, &pane] { arrived(pane); });
  connect(&pane.document(), &Document::failed, this, [this, &pane](const QString& message, ErrorKind kind) {
    if (opening_ == &pane) openingFailed(pane, message);
    emit failed(message, kind);
  });
  if (pane.diskBar()) connect(pane.diskBar(), &DiskBar::reloadWanted, this, [this, &pane] { reload(pane); });
  if (!pane.isTwin()) {
    connect(&pane.document(), &Document::cancelled, this,
            [this](const QString& what) { statusBar()->showMessage(what, 4000); });
    connect(&pane.document().file(), &DocumentFile::readingCancelled, this, [this, &pane] { openingCancelled(pane); });
  }
  connect(&pane, &DocumentPane::progressed, this, &MainWindow::showProgress);
  connect(pane.panels().help, &HelpPanel::exampleWanted, this, &MainWindow::openExample);
  connect(&pane.groups(), &GroupActions::extracted, this, [this](const QString& path) {
    recentFiles_->add(path);
    statusBar()->showMessage(tr("Extracted to %1; it stands under File › Open recent").arg(path), 6000);
  });
}

// They are the user's, not a document's.
void MainWindow::shareSourceFolders(DocumentPane& pane) {
  SourcePanel& source = *pane.panels().source;
  source.setFolders(preferences_->sourceFolders());
  connect(preferences_, &PreferenceControl::sourceFoldersChanged, &source, &SourcePanel::setFolders);
  connect(&source, &SourcePanel::foldersChanged, preferences_,
          [this, &source] { preferences_->setSourceFolders(source.folders()); });
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
  connect(&pane, &DocumentPane::outcomeCame, this, whenCurrent([this] { showOutcome(); }), Qt::QueuedConnection);
}

void MainWindow::showOutcome() {
  docks_->raise(workspaces_->current() == Workspaces::kProfile ? QStringLiteral("profile") : QStringLiteral("results"));
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
  computations_->setDocument(*document_);
  showScene();
  showZoom();
  showProgress();
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
  workspaces_->hidePanels();
  addPane().showFirstGraph();
}

void MainWindow::goToTab(int step) {
  const int count = tabs_->count();
  makeCurrent(*tabs_->pane((tabs_->indexOf(pane_->original()) + step + count) % count));
}

}  // namespace tessera
