// What the window is made of and what it shows of the current document. Its menus are in menus.cpp and menus_edit.cpp,
// tabs in main_window_tabs.cpp, files and the session in main_window_files.cpp.
#include "app/studio/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QScreen>
#include <QSplitter>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/studio/actions/actions.h"
#include "app/studio/files/left_behind_bar.h"
#include "app/studio/preferences/preference_control.h"
#include "app/studio/preferences/theme.h"
#include "app/studio/start/start_page.h"
#include "app/studio/start/tour_guide.h"
#include "app/studio/task_list.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/workspaces.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/canvas_binding.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/lessons/tour_panel.h"
#include "editor/look/icon.h"
#include "editor/panels/computation_chooser.h"
#include "editor/panels/inspect/table_panel.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

// "12 instructions in 2 computations · 3 selected".
QString factsOn(const Document& document) {
  const size_t computations = document.module().order().size(), instructions = document.module().instructionCount();
  QString out =
      (instructions == 1 ? QObject::tr("one instruction in ") : QObject::tr("%L1 instructions in ").arg(instructions)) +
      (computations == 1 ? QObject::tr("one computation") : QObject::tr("%L1 computations").arg(computations));
  if (const size_t selected = document.selection().size(); selected > 1)
    out += QObject::tr(" · %L1 selected").arg(selected);
  return out;
}

// Wholly on the screen with the frame that a window manager draws, which Qt knows only later.
QSize sizeFor(QSize screen) { return QSize(1440, 900).boundedTo(screen - QSize(16, 48)); }

}  // namespace

MainWindow::MainWindow(bool remembers, QWidget* parent) : QMainWindow(parent), remembers_(remembers) {
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  preferences_ = new PreferenceControl(remembers_, this);
  setFont(QApplication::font());
  applyTheme(preferences_->theme());  // before there are widgets, each of which would take it over
  resize(sizeFor(screen()->availableSize()));
  recentFiles_ = new RecentFiles(this);
  makeCentre();
  docks_ = std::make_unique<PanelDocks>(*this);
  titles_ = new DockTitles(*this, *docks_);
  connect(titles_, &DockTitles::menuWanted, this, [this](QDockWidget* dock, QPoint at) { showPanelMenu(*dock, at); });
  workspaces_ = new Workspaces(*this, *docks_);
  connect(workspaces_, &Workspaces::chosen, this, &MainWindow::workspaceChosen);
  makeStatusBar();
  actions_ = new Actions(this);
  makeActions();
  makeTabs();
  followFocus();
  navigation_ = new Navigation(*this, remembers_);
  DocumentPane& first = addPane();
  tabs_->add(first);
  makeCurrent(first);
  setTheme(preferences_->theme());
  connect(preferences_, &PreferenceControl::themeChanged, this, &MainWindow::setTheme);
  connect(preferences_, &PreferenceControl::fontChanged, this, &MainWindow::takeFont);
  connect(preferences_, &PreferenceControl::keysWanted, this, [this] {
    activateWindow();
    navigation_->showKeys();
  });
  if (remembers_) restoreSession();
  workspaces_->hidePanels();
  connect(recentFiles_, &RecentFiles::changed, this, &MainWindow::showRecentFiles);
  showRecentFiles();
  updateActions();
}

// Docks say that they vanish, which must reach a whole window; panels go with their documents.
MainWindow::~MainWindow() {
  disconnect(qApp, nullptr, this, nullptr);
  hide();
  beside_ = nullptr;
  for (DocumentPane* pane : allPanes()) {
    disconnect(pane, nullptr, this, nullptr);
    disconnect(&pane->document(), nullptr, this, nullptr);
    delete pane;
  }
}

void MainWindow::makeCentre() {
  auto* centre = new QWidget(this);
  startPage_ = new StartPage(centre);
  area_ = new QSplitter(centre);
  area_->setChildrenCollapsible(false);
  leftBehind_ = new LeftBehindBar(centre);
  connect(leftBehind_, &LeftBehindBar::restoreWanted, this, &MainWindow::restoreLeft);
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
  connect(startPage_, &StartPage::fileChosen, this, &MainWindow::openFile);
  connect(startPage_, &StartPage::openWanted, this, &MainWindow::chooseFile);
  connect(startPage_, &StartPage::newWanted, this, [this] {
    newFile();
    panels_->raise(QStringLiteral("palette"));  // to look through what there is
  });
  connect(startPage_, &StartPage::lessonsWanted, this, [this] { beginLesson(0); });
  connect(startPage_, &StartPage::tourWanted, this, &MainWindow::beginTour);
  connect(startPage_, &StartPage::importHelpWanted, this, [this] { showChapter(QStringLiteral("import")); });
}

void MainWindow::beginTour(const Tour& tour) {
  startPage_->hide();
  tours_->begin(tour);
}

void MainWindow::makeStatusBar() {
  factsLabel_ = new PlainLabel(this);
  zoomLabel_ = new PlainLabel(this);
  tasks_ = new TaskList(this);
  factsLabel_->setIndent(8);
  statusBar()->addWidget(factsLabel_, 1);
  problems_ = new QToolButton(this);
  problems_->setObjectName(QStringLiteral("problems"));
  problems_->setAutoRaise(true);
  problems_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  problems_->setIcon(iconOf(QStringLiteral("diagnostics")));
  problems_->hide();
  connect(problems_, &QToolButton::clicked, this, [this] { docks_->raise(QStringLiteral("diagnostics")); });
  blockOffer_ = new QToolButton(this);
  blockOffer_->setObjectName(QStringLiteral("updateBlocks"));
  blockOffer_->hide();
  connect(blockOffer_, &QToolButton::clicked, this, [this] { blocks_->update(); });
  statusBar()->addPermanentWidget(problems_);
  statusBar()->addPermanentWidget(blockOffer_);
  statusBar()->addPermanentWidget(tasks_);
  statusBar()->addPermanentWidget(zoomLabel_);
}

// --- what is shown

void MainWindow::showScene() {
  updateActions();
  computations_->showCurrent();
}

bool MainWindow::hasSelection() const { return document_->isOpen() && document_->selected().valid(); }

void MainWindow::updateActions() {
  actions_->update();
  const bool open = document_->isOpen();
  tabs_->refresh();
  tabs_->parentWidget()->setVisible(open && !pane_->isFirstGraph());
  setWindowTitle(open ? tr("%1[*] — Tessera").arg(tabs_->titleOf(pane_->original())) : tr("Tessera"));
  setWindowModified(open && document_->file().isModified());
  showDocumentFacts();
  showHeaders();
}

// In the status bar and in the titles of panels.
void MainWindow::showDocumentFacts() {
  factsLabel_->setText(document_->isOpen() ? factsOn(*document_) : QString());
  const QString offer = pane_->blockOffer();
  blockOffer_->setText(offer + (offer.isEmpty() ? QString() : tr(": update")));
  blockOffer_->setVisible(!offer.isEmpty());
  const int errors = panels_->diagnostics->errorCount();
  docks_->find(QStringLiteral("diagnostics"))
      ->setWindowTitle(errors ? tr("Diagnostics (%1)").arg(errors) : tr("Diagnostics"));
  problems_->setText(errors == 1 ? tr("one error") : tr("%1 errors").arg(errors));
  problems_->setVisible(errors > 0);
}

void MainWindow::showZoom() {
  const double zoom = canvas_->viewport().zoom();
  zoomLabel_->setText(QStringLiteral("%1 %").arg(100 * zoom, 0, 'f', zoom < 0.1 ? 1 : 0));
}

// The current document's first; others with their names.
void MainWindow::showProgress() {
  std::vector<ShownTask> all;
  const auto add = [&](const DocumentPane& pane) {
    const bool named = &pane.document() != document_ && tabs_->indexOf(pane) >= 0;
    for (BackgroundTask& task : pane.tasks()) {
      const QString& phase = task.progress.stage;
      all.push_back({named ? tr("%1: %2").arg(tabs_->titleOf(pane), phase) : phase, task.progress.fraction,
                     std::move(task.cancel)});
    }
  };
  add(*pane_);
  if (pane_->isTwin()) add(pane_->original());
  for (const DocumentPane* each : allPanes())
    if (each != pane_ && each != &pane_->original()) add(*each);
  tasks_->show(all);
  actions_->find(QStringLiteral("cancel"))->setEnabled(opening_ || !pane_->original().tasks().empty());
}

void MainWindow::revealInstruction(InstructionId id) { pane_->binding().reveal(id); }
RunController& MainWindow::runController() { return pane_->runController(); }
LessonController& MainWindow::lessons() { return pane_->lessons(); }

// With a style sheet, widgets get the application's new font only when the style sheet is set again.
void MainWindow::takeFont() {
  setFont(QApplication::font());
  applyTheme(theme_);
}

void MainWindow::setTheme(Theme theme) {
  theme_ = theme;
  applyTheme(theme);
  for (DocumentPane* pane : allPanes()) pane->setTheme(theme);
  startPage_->showThumbnails(theme);
  actions_->update();
}

}  // namespace tessera
