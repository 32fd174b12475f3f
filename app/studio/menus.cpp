// The menus of the main window: a spec an action. What each does is in the controllers; the Edit and Arrange menus are
// in menus_edit.cpp.
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QToolBar>

#include "app/studio/actions.h"
#include "app/studio/document_pane.h"
#include "app/studio/document_tabs.h"
#include "app/studio/main_window.h"
#include "app/studio/navigation.h"
#include "app/studio/panels.h"
#include "app/studio/preference_control.h"
#include "app/studio/start_page.h"
#include "core/tools/link.h"
#include "core/tools/query.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/controllers/node_labels.h"
#include "editor/controllers/place_history.h"
#include "editor/document/document.h"
#include "editor/panels/banner.h"
#include "editor/panels/computations_panel.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/permission_list.h"
#include "editor/panels/search_bar.h"
#include "editor/panels/text_panel.h"

namespace tessera {

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
  QMenu& menu = *menuBar()->addMenu(tr("&File"));
  const auto open = [this] { return document_->isOpen(); };
  actions_->add(menu, {tr("&New"), {QKeySequence::New}, [this](bool) { newFile(); }});
  actions_->add(menu, {tr("&Open …"), {QKeySequence::Open}, [this](bool) { chooseFile(); }, QStringLiteral("open")});
  actions_->add(menu, {tr("New from the clip&board"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N)},
                       [this](bool) { openClipboard(); },
                       QStringLiteral("new from clipboard")});
  recentMenu_ = menu.addMenu(tr("Open &recent"));
  QMenu* examples = menu.addMenu(tr("Open &example"));
  for (QMenu* list : {recentMenu_, examples}) list->setProperty("isList", true);  // files, no actions of the program
  const QDir folder(StartPage::examplesFolder());
  for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.hlo")}, QDir::Files, QDir::Name))
    connect(examples->addAction(file.completeBaseName()), &QAction::triggered, this,
            [this, path = file.filePath()] { openFile(path); });
  actions_->add(menu, {tr("Open &profile …"), {}, [this](bool) { chooseProfile(); }, QStringLiteral("open profile")});
  actions_->add(menu, {tr("&Compare with …"),
                       {},
                       [this](bool) { compareWithFile(*pane_); },
                       QStringLiteral("compare"),
                       [this] { return document_->isOpen() && !document_->isPlainGraph(); }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Save"),
                       {QKeySequence::Save},
                       [this](bool) { save(false); },
                       {},
                       [this] { return document_->file().isModified(); }});
  actions_->add(
      menu,
      {tr("Save &as …"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this](bool) { save(true); }, {}, open});
  actions_->add(menu, {tr("&Export …"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_E)},
                       [this](bool) { exportGraph(); },
                       QStringLiteral("export"),
                       open});
  actions_->add(menu, {tr("&Close tab"),
                       {QKeySequence(Qt::CTRL | Qt::Key_W)},
                       [this](bool) { closeTab(*pane_); },
                       QStringLiteral("close tab"),
                       [this] { return document_->isOpen() && !pane_->isFirstGraph(); }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Quit"), {QKeySequence::Quit}, [this](bool) { close(); }});
}

void MainWindow::makeViewMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&View"));
  const auto open = [this] { return document_->isOpen(); };
  const auto middle = [this] { return QPointF(canvas_->width(), canvas_->height()) / 2; };
  actions_->addOverCanvas(menu,
                          {tr("Fit &all"),
                           {QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_Home), QKeySequence(Qt::CTRL | Qt::Key_0)},
                           [this](bool) { canvas_->viewport().fitAll(); },
                           QStringLiteral("fit all"),
                           open});
  actions_->addOverCanvas(menu, {tr("Fit &selection"),
                                 {QKeySequence(Qt::Key_F)},
                                 [this](bool) { canvas_->fitSelection(); },
                                 QStringLiteral("fit selection"),
                                 open});
  actions_->addOverCanvas(menu, {tr("Open the groups round the &selection"),
                                 {QKeySequence(Qt::Key_G)},
                                 [this](bool) { revealInstruction(document_->selected()); },
                                 {},
                                 [this] { return hasSelection(); }});
  actions_->add(menu, {tr("Zoom &in"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)},
                       [this, middle](bool) { canvas_->viewport().zoomBy(1.25, middle()); }});
  actions_->add(menu, {tr("Zoom &out"), {QKeySequence::ZoomOut}, [this, middle](bool) {
                         canvas_->viewport().zoomBy(0.8, middle());
                       }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Open all groups"),
                       {QKeySequence(Qt::CTRL | Qt::Key_E)},
                       [this](bool) { document_->view().openAllGroups(); },
                       QStringLiteral("open groups"),
                       open});
  actions_->add(menu, {tr("&Close all groups"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
                       [this](bool) { document_->view().closeAllGroups(); },
                       QStringLiteral("close groups"),
                       open});
  addGroupings(menu);
  menu.addSeparator();
  addShownItems(menu);
  menu.addSeparator();
  const auto isSplit = [this] { return beside_ != nullptr; };
  actions_->add(menu, {tr("Spl&it the window"),
                       {QKeySequence(Qt::CTRL | Qt::Key_Backslash)},
                       [this](bool) { split(false); },
                       QStringLiteral("split"),
                       open,
                       isSplit});
  actions_->add(menu, {tr("The same document t&wice"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Backslash)},
                       [this](bool) { split(true); },
                       {},
                       [this, isSplit] { return document_->isOpen() && !isSplit(); }});
  menu.addSeparator();
  addWorkspaceItems(*menu.addMenu(tr("Wor&kspace")));
  QMenu* panels = menu.addMenu(tr("&Panels"));
  for (QDockWidget* dock : docks_->all()) {
    panels->addAction(dock->toggleViewAction());
    connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool shown) {
      if (shown) dock->raise();
    });
  }
  actions_->add(menu, {tr("S&tart page beside the canvas"), {}, [this](bool) {
                         startPage_->setVisible(startPage_->isHidden());
                       }});
}

void MainWindow::addGroupings(QMenu& menu) {
  QMenu& groupings = *menu.addMenu(tr("&Group by"));
  const std::pair<QString, Grouping> all[] = {{tr("&Scope"), Grouping::Scopes},
                                              {tr("Source &line"), Grouping::SourceLines},
                                              {tr("Called &computation"), Grouping::Computations},
                                              {tr("&Fusion: what becomes one kernel"), Grouping::Kernels},
                                              {tr("&Nothing"), Grouping::None}};
  for (const auto& [text, grouping] : all)
    actions_->add(groupings, {text,
                              {},
                              [this, grouping = grouping](bool) {
                                document_->view().setGrouping(grouping);
                                updateActions();
                              },
                              {},
                              [this] { return document_->isOpen() && !document_->isPlainGraph(); },
                              [this, grouping = grouping] { return document_->view().grouping() == grouping; }});
}

// What can be shown or not.
void MainWindow::addShownItems(QMenu& menu) {
  actions_->addOverCanvas(menu, {tr("&Heat of the last run"),
                                 {QKeySequence(Qt::Key_H)},
                                 [this](bool on) {
                                   document_->view().showOverlay(on);
                                   pane_->showLegend();
                                 },
                                 QStringLiteral("heat"),
                                 [this] { return document_->isOpen(); },
                                 [this] { return document_->view().showsOverlay(); }});
  const auto addLabel = [&](const QString& text, NodeLabels::What what) {
    actions_->add(menu, {text,
                         {},
                         [this, what](bool on) { pane_->labels().show(what, on); },
                         {},
                         nullptr,
                         [this, what] { return pane_->labels().shows(what); }});
  };
  addLabel(tr("HLO &names under nodes"), NodeLabels::Names);
  addLabel(tr("&Layouts under nodes"), NodeLabels::Layouts);
  addLabel(tr("&Metadata under nodes"), NodeLabels::Metadata);
  actions_->add(menu, {tr("&Constants in the nodes that read them"),
                       {},
                       [this](bool on) { document_->view().showFields(on); },
                       {},
                       nullptr,
                       [this] { return document_->view().showsFields(); }});
  actions_->add(menu, {tr("&Dark theme"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
                       [this](bool on) { preferences_->chooseTheme(on ? ThemeChoice::Dark : ThemeChoice::Light); },
                       {},
                       nullptr,
                       [this] { return theme_ == Theme::Dark; }});
}

void MainWindow::makeGoMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Go"));
  const auto add = [&](const QString& text, const QKeySequence& key, auto go) {
    actions_->add(menu, {text, {key}, [this, go](bool) { go(*navigation_); }});
  };
  add(tr("&Go to anything …"), QKeySequence(Qt::CTRL | Qt::Key_K), [](Navigation& n) { n.goToAnything(); });
  add(tr("&Commands …"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), [](Navigation& n) { n.chooseCommand(); });
  actions_->add(menu, {tr("Co&mputations …"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
                       [this](bool) {
                         panels_->raise(QStringLiteral("computations"));
                         panels_->computations->begin();
                       },
                       {},
                       [this] { return document_->isOpen(); }});
  menu.addSeparator();
  addFlowItems(menu);
  menu.addSeparator();
  add(tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left), [](Navigation& n) { n.history().back(); });
  add(tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right), [](Navigation& n) { n.history().forward(); });
  menu.addSeparator();
  actions_->add(menu, {tr("Copy a &link to it"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)},
                       [this](bool) {
                         const std::string name = LinkNames(document_->module()).of(document_->selected());
                         const QString link =
                             document_->file().path() + QLatin1Char('#') + QString::fromStdString(name);
                         QGuiApplication::clipboard()->setText(link);
                         statusBar()->showMessage(tr("Copied %1").arg(link), 4000);
                       },
                       {},
                       [this] { return hasSelection() && !document_->file().path().isEmpty(); }});
  add(tr("Toggle boo&kmark"), QKeySequence(Qt::CTRL | Qt::Key_B), [](Navigation& n) { n.history().toggleBookmark(); });
  add(tr("Next book&mark"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
      [](Navigation& n) { n.history().nextBookmark(); });
  menu.addSeparator();
  const auto addDocuments = [&](const QString& text, int step, const QList<QKeySequence>& keys) {
    actions_->add(menu, {text, keys, [this, step](bool) { goToTab(step); }, {}, [this] { return tabs_->count() > 1; }});
  };
  addDocuments(tr("Next &document"), 1,
               {QKeySequence(Qt::CTRL | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::Key_PageDown)});
  addDocuments(tr("Previous d&ocument"), -1,
               {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Backtab),
                QKeySequence(Qt::CTRL | Qt::Key_PageUp)});
  menu.addSeparator();
  add(tr("Next &panel"), QKeySequence(Qt::Key_F6), [](Navigation& n) { n.nextPanel(false); });
  add(tr("P&revious panel"), QKeySequence(Qt::SHIFT | Qt::Key_F6), [](Navigation& n) { n.nextPanel(true); });
}

// Where values go, as queries of the search bar: they can be read, changed and walked.
void MainWindow::addFlowItems(QMenu& menu) {
  const auto search = [this](const QString& query) {
    searchBar_->open();
    searchBar_->field()->setText(query);
  };
  const auto named = [this](const char* field, InstructionId id) {
    const Instruction& in = document_->module().at(id);
    const std::string text = document_->module().at(in.computation).name + "/" + std::string(in.name);
    return QLatin1String(field) + QString::fromStdString(quotedForQuery(text, nullptr));
  };
  const auto one = [this] { return hasSelection() && document_->selection().size() == 1; };
  actions_->add(menu, {tr("What it is computed &from"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Up)},
                       [=, this](bool) { search(named("feeds:", document_->selected())); },
                       {},
                       one});
  actions_->add(menu, {tr("What is computed from &it"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Down)},
                       [=, this](bool) { search(named("from:", document_->selected())); },
                       {},
                       one});
  actions_->add(menu, {tr("What is &near it"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period)},
                       [=, this](bool) { search(named("near:", document_->selected())); },
                       {},
                       one});
  actions_->add(menu, {tr("What lies be&tween the two"),
                       {},
                       [=, this](bool) {
                         const auto& two = document_->selection();
                         search(QStringLiteral("(%1 %2) | (%3 %4)")
                                    .arg(named("from:", two[0]), named("feeds:", two[1]), named("from:", two[1]),
                                         named("feeds:", two[0])));
                       },
                       {},
                       [this] { return document_->isOpen() && document_->selection().size() == 2; }});
}

void MainWindow::makeRunMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Run"));
  const auto run = [this](bool) {
    banner_->hide();
    document_->live().setOn(true);
    document_->run().start();
  };
  actions_->add(
      menu, {tr("&Run and profile"),
             {QKeySequence(Qt::Key_F5), QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::CTRL | Qt::Key_Return)},
             run,
             QStringLiteral("run"),
             [this] { return document_->isOpen() && !document_->run().isRunning(); }});
  actions_->add(menu, {tr("&Values on nodes, after every edit"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                       [this](bool on) { document_->live().setOn(on); },
                       {},
                       [this] { return document_->isOpen(); },
                       [this] { return document_->isOpen() && document_->live().isOn(); }});
  actions_->add(menu, {tr("&Cancel"),
                       {QKeySequence(Qt::Key_Escape)},
                       [this](bool) {
                         for (const BackgroundTask& task : pane_->original().tasks()) task.cancel();
                         if (opening_) opening_->document().file().cancelReading();
                       },
                       QStringLiteral("cancel"),
                       [this] { return opening_ || !pane_->original().tasks().empty(); }});
  menu.addSeparator();
  actions_->add(menu, {tr("Allowed &files …"),
                       {},
                       [this](bool) { (new PermissionList(*document_, this))->show(); },
                       QStringLiteral("allowed files"),
                       [this] { return document_->isOpen(); }});
}

void MainWindow::makeHelpMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Help"));
  const auto help = [this](bool) {
    panels_->raise(QStringLiteral("help"));
    panels_->help->showSelection();
  };
  actions_->add(menu, {tr("Help on the &operation"), {QKeySequence(Qt::Key_F1)}, help});
  actions_->add(menu,
                {tr("&Manual"), {}, [this](bool) { showChapter(QStringLiteral("index")); }, QStringLiteral("manual")});
  actions_->add(menu,
                {tr("&Mouse and keys"), {QKeySequence(Qt::Key_Question)}, [this](bool) { navigation_->showKeys(); }});
  actions_->add(menu, {tr("&Lessons"), {}, [this](bool) { beginLesson(0); }});
  actions_->add(menu, {tr("&About Tessera"), {}, [this](bool) { showAbout(); }});
}

void MainWindow::makeToolBar() {
  QToolBar* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
  const auto add = [&](const char* id, const QString& text) {
    QAction* action = actions_->find(QLatin1String(id));
    action->setIconText(text);
    bar->addAction(action);
  };
  add("open", tr("Open"));
  bar->addSeparator();
  add("undo", tr("Undo"));
  add("redo", tr("Redo"));
  bar->addSeparator();
  add("run", tr("▶ Run"));
  add("cancel", tr("■ Cancel"));
  add("heat", tr("Heat"));
  bar->addSeparator();
  add("fit all", tr("Fit all"));
  add("fit selection", tr("Fit selection"));
  add("open groups", tr("Open groups"));
  add("close groups", tr("Close groups"));
  bar->addSeparator();
  computations_ = new QComboBox(bar);
  computations_->setAccessibleName(tr("Computation"));
  computations_->setToolTip(tr("The computation on the canvas"));
  computations_->setMinimumContentsLength(24);
  computations_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  bar->addWidget(computations_);
  crumbs_ = new QWidget(bar);
  (new QHBoxLayout(crumbs_))->setContentsMargins(0, 0, 0, 0);
  bar->addWidget(crumbs_);
  connect(computations_, &QComboBox::activated, this,
          [this](int row) { document_->view().showComputation(ComputationId(computations_->itemData(row).toUInt())); });
  addWorkspaces(*bar);
}

void MainWindow::showChapter(const QString& name) {
  panels_->raise(QStringLiteral("help"));
  if (!panels_->help->showChapter(name)) panels_->help->showList();  // a program without its manual
}

void MainWindow::showAbout() {
  QMessageBox::about(this, tr("About Tessera"),
                     tr("<p><b>Tessera</b><br>An editor and compiler for XLA HLO graphs. Apache-2.0.</p>"));
}

}  // namespace tessera
