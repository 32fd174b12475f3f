// Menus, tool bar and shortcuts of the main window; what each does is one line.
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QStackedWidget>
#include <QToolBar>

#include "app/studio/lesson_controller.h"
#include "app/studio/main_window.h"
#include "app/studio/panels.h"
#include "app/studio/start_page.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/block_actions.h"
#include "editor/controllers/breadcrumbs.h"
#include "editor/controllers/node_labels.h"
#include "editor/controllers/undo_highlight.h"
#include "editor/document/document.h"
#include "editor/panels/banner.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/text_panel.h"

namespace tessera {
namespace {

template <class Slot>
QAction* addItem(QMenu* menu, const QString& text, const QList<QKeySequence>& shortcuts, MainWindow* window,
                 Slot slot) {
  QAction* action = menu->addAction(text);
  action->setShortcuts(shortcuts);
  QObject::connect(action, &QAction::triggered, window, slot);
  return action;
}

}  // namespace

void MainWindow::makeActions() {
  makeFileMenu();
  makeEditMenu();
  makeArrangeMenu();
  makeViewMenu();
  makeGoMenu();
  makeRunMenu();
  makeHelpMenu();
  makeToolBar();
}

void MainWindow::makeFileMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&File"));
  addItem(menu, tr("&New"), {QKeySequence::New}, this, [this] { newFile(); });
  open_ = addItem(menu, tr("&Open …"), {QKeySequence::Open}, this, [this] { chooseFile(); });
  recentMenu_ = menu->addMenu(tr("Open &recent"));
  QMenu* examples = menu->addMenu(tr("Open &example"));
  for (QMenu* list : {recentMenu_, examples}) list->setProperty("isList", true);  // files, no actions of the program
  const QDir folder(StartPage::examplesFolder());
  for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.hlo")}, QDir::Files, QDir::Name))
    addItem(examples, file.completeBaseName(), {}, this, [this, path = file.filePath()] { openFile(path); });
  menu->addSeparator();
  save_ = addItem(menu, tr("&Save"), {QKeySequence::Save}, this, [this] { save(false); });
  saveAs_ =
      addItem(menu, tr("Save &as …"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, this, [this] { save(true); });
  export_ = addItem(menu, tr("&Export picture …"), {}, this, [this] { exportPicture(); });
  menu->addSeparator();
  addItem(menu, tr("&Quit"), {QKeySequence::Quit}, this, [this] { close(); });
}

void MainWindow::makeEditMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Edit"));
  new UndoHighlight(*document_, *canvas_, this);
  undo_ = addItem(menu, tr("&Undo"), {QKeySequence::Undo}, this, [this] { document_->undo(); });
  redo_ =
      addItem(menu, tr("&Redo"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
              this, [this] { document_->redo(); });
  menu->addSeparator();
  undo_->setProperty("name", tr("Undo"));  // their texts say what would be undone
  redo_->setProperty("name", tr("Redo"));
  makeBuildActions(menu);
  find_ = addItem(menu, tr("&Find instruction …"), {QKeySequence::Find}, this, [this] {
    panels_->raise(QStringLiteral("text"));
    panels_->text->findField()->setFocus();
    panels_->text->findField()->selectAll();
  });
  addItem(menu, tr("Find &next"), {QKeySequence(Qt::Key_F3)}, this, [this] { panels_->text->findNext(); });
  addItem(menu, tr("Find &previous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, this,
          [this] { panels_->text->findNext(true); });
}

// Single letters act only while the canvas has the focus.
void MainWindow::overCanvas(std::initializer_list<QAction*> actions) {
  for (QAction* action : actions) {
    action->setShortcutContext(Qt::WidgetShortcut);
    canvas_->addAction(action);
  }
}

void MainWindow::makeViewMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  fitAll_ = addItem(menu, tr("Fit &all"),
                    {QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_Home), QKeySequence(Qt::CTRL | Qt::Key_0)}, this,
                    [this] { canvas_->fitAll(); });
  fitSelection_ =
      addItem(menu, tr("Fit &selection"), {QKeySequence(Qt::Key_F)}, this, [this] { canvas_->fitSelection(); });
  reveal_ = addItem(menu, tr("Open the groups round the &selection"), {QKeySequence(Qt::Key_G)}, this,
                    [this] { revealInstruction(document_->selected()); });
  overCanvas({fitAll_, fitSelection_, reveal_});
  const auto middle = [this] { return QPointF(canvas_->width(), canvas_->height()) / 2; };
  addItem(menu, tr("Zoom &in"), {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)}, this,
          [this, middle] { canvas_->zoomBy(1.25, middle()); });
  addItem(menu, tr("Zoom &out"), {QKeySequence::ZoomOut}, this, [this, middle] { canvas_->zoomBy(0.8, middle()); });
  menu->addSeparator();
  openAll_ = addItem(menu, tr("&Open all groups"), {QKeySequence(Qt::CTRL | Qt::Key_E)}, this,
                     [this] { document_->openAllGroups(); });
  closeAll_ = addItem(menu, tr("&Close all groups"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}, this,
                      [this] { document_->closeAllGroups(); });
  menu->addSeparator();
  overlay_ = addItem(menu, tr("&Heat of the last run"), {QKeySequence(Qt::Key_H)}, this, [this](bool on) {
    document_->showOverlay(on);
    showLegend();
  });
  overCanvas({overlay_});
  overlay_->setCheckable(true);
  overlay_->setChecked(true);
  auto* labels = new NodeLabels(*document_, *canvas_);
  const auto addLabel = [&](const QString& text, NodeLabels::What what) {
    addItem(menu, text, {}, this, [labels, what](bool on) { labels->show(what, on); })->setCheckable(true);
  };
  addLabel(tr("HLO &names under nodes"), NodeLabels::Names);
  addLabel(tr("&Layouts under nodes"), NodeLabels::Layouts);
  addLabel(tr("&Metadata under nodes"), NodeLabels::Metadata);
  QAction* fields = addItem(menu, tr("&Constants in the nodes that read them"), {}, this,
                            [this](bool on) { document_->showFields(on); });
  fields->setCheckable(true);
  fields->setChecked(true);
  dark_ = addItem(menu, tr("&Dark theme"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)}, this,
                  [this](bool on) { setTheme(on ? Theme::Dark : Theme::Light); });
  dark_->setCheckable(true);
  menu->addSeparator();
  QMenu* panels = menu->addMenu(tr("&Panels"));
  for (QDockWidget* dock : panels_->docks) panels->addAction(dock->toggleViewAction());
  panels->addSeparator();
  addItem(panels, tr("Everything at its first place"), {}, this, [this] { panels_->arrange(*this); });
  addItem(menu, tr("S&tart page beside the canvas"), {}, this,
          [this] { startPage_->setVisible(startPage_->isHidden()); });
}

void MainWindow::makeRunMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Run"));
  run_ =
      addItem(menu, tr("&Run and profile"),
              {QKeySequence(Qt::Key_F5), QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::CTRL | Qt::Key_Return)},
              this, [this] {
                banner_->hide();
                document_->setLive(true);
                document_->run();
              });
  live_ = addItem(menu, tr("&Values on nodes, after every edit"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                  this, [this](bool on) { document_->setLive(on); });
  live_->setCheckable(true);
  cancel_ = addItem(menu, tr("&Cancel"), {QKeySequence(Qt::Key_Escape)}, this, [this] { document_->cancel(); });
}

void MainWindow::makeHelpMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  addItem(menu, tr("Help on the &operation"), {QKeySequence(Qt::Key_F1)}, this, [this] {
    panels_->raise(QStringLiteral("help"));
    panels_->help->showSelection();
  });
  addItem(menu, tr("&Mouse and keys"), {QKeySequence(Qt::Key_Question)}, this, [this] { showShortcuts(); });
  addItem(menu, tr("&Lessons"), {}, this, [this] { learning_->begin(0); });
  addItem(menu, tr("&About Tessera"), {}, this, [this] { showAbout(); });
}

void MainWindow::makeToolBar() {
  QToolBar* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
  const auto addShort = [bar](QAction* action, const QString& text) {
    action->setIconText(text);
    bar->addAction(action);
  };
  addShort(open_, tr("Open"));
  bar->addSeparator();
  addShort(undo_, tr("Undo"));
  addShort(redo_, tr("Redo"));
  bar->addSeparator();
  addShort(run_, tr("▶ Run"));
  addShort(cancel_, tr("■ Cancel"));
  addShort(overlay_, tr("Heat"));
  bar->addSeparator();
  addShort(fitAll_, tr("Fit all"));
  addShort(fitSelection_, tr("Fit selection"));
  addShort(openAll_, tr("Open groups"));
  addShort(closeAll_, tr("Close groups"));
  bar->addSeparator();
  computations_ = new QComboBox(bar);
  computations_->setAccessibleName(tr("Computation"));
  computations_->setToolTip(tr("The computation on the canvas"));
  computations_->setMinimumContentsLength(24);
  computations_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  bar->addWidget(computations_);
  bar->addWidget(new Breadcrumbs(*document_, bar));
  connect(computations_, &QComboBox::activated, this,
          [this](int row) { document_->showComputation(ComputationId(computations_->itemData(row).toUInt())); });
}

void MainWindow::showRecentFiles() {
  recentMenu_->clear();
  for (const QString& path : recentFiles_) {
    QAction* action = recentMenu_->addAction(path);
    connect(action, &QAction::triggered, this, [this, path] { openFile(path); });
  }
  recentMenu_->setEnabled(!recentFiles_.isEmpty());
  startPage_->setRecentFiles(recentFiles_);
}

void MainWindow::updateActions() {
  const bool open = document_->isOpen();
  for (QAction* action : {saveAs_, export_, find_, fitAll_, fitSelection_, openAll_, closeAll_, overlay_})
    action->setEnabled(open);
  save_->setEnabled(open && document_->isModified());
  undo_->setEnabled(document_->canUndo());
  redo_->setEnabled(document_->canRedo());
  undo_->setText(document_->canUndo() ? tr("&Undo: %1").arg(document_->undoTitle()) : tr("&Undo"));
  redo_->setText(document_->canRedo() ? tr("&Redo: %1").arg(document_->redoTitle()) : tr("&Redo"));
  undo_->setIconText(tr("Undo"));
  redo_->setIconText(tr("Redo"));
  reveal_->setEnabled(open && document_->selected().valid());
  add_->setEnabled(open);
  paste_->setEnabled(open);
  pasteKeeping_->setEnabled(open);
  live_->setEnabled(open);
  leave_->setEnabled(open && document_->computation() != document_->module().entry());
  live_->setChecked(open && document_->isLive());
  updateBlocks_->setEnabled(blocks_ && blocks_->offersUpdate());
  for (QAction* action :
       {saveBlock_, group_, inline_, promote_, extract_, duplicate_, delete_, result_, cut_, copy_, deleteOpen_})
    action->setEnabled(open && document_->selected().valid());
  run_->setEnabled(open && !document_->isRunning());
  cancel_->setEnabled(document_->isRunning() || document_->isFetching());
  computations_->setEnabled(open);
  if (!open) {
    setWindowTitle(tr("Tessera"));
    return factsLabel_->clear();
  }
  setWindowTitle(tr("%1[*] — Tessera")
                     .arg(document_->path().isEmpty() ? tr("untitled") : QFileInfo(document_->path()).fileName()));
  setWindowModified(document_->isModified());
  const size_t computations = document_->module().order().size();
  const size_t instructions = document_->module().instructionCount();
  QString facts = (instructions == 1 ? tr("one instruction in ") : tr("%L1 instructions in ").arg(instructions)) +
                  (computations == 1 ? tr("one computation") : tr("%L1 computations").arg(computations));
  if (const size_t selected = document_->selection().size(); selected > 1) facts += tr(" · %L1 selected").arg(selected);
  factsLabel_->setText(facts);
}

void MainWindow::showAbout() {
  QMessageBox::about(this, tr("About Tessera"),
                     tr("<p><b>Tessera</b><br>An editor and compiler for XLA HLO graphs. Apache-2.0.</p>"));
}

}  // namespace tessera
