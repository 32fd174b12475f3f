// The File, Run and Help menus: a spec an action. What each does is in the controllers; other menus and the tool bar
// have files of their own.
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

#include "app/studio/actions/actions.h"
#include "app/studio/export/export_dialog.h"
#include "app/studio/start/start_page.h"
#include "app/studio/start/tour_guide.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_saver.h"
#include "app/studio/window/documents/graph_comparison.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/navigation.h"
#include "app/studio/window/panels.h"
#include "app/studio/window/panels_on_demand.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/controllers/run_controller.h"
#include "editor/document/document.h"
#include "editor/document/player.h"
#include "editor/document/recent_files.h"
#include "editor/panels/banner.h"
#include "editor/panels/help_panel.h"
#include "editor/panels/run/permission_list.h"
#include "editor/panels/run/watch_panel.h"

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
  const auto open = [this] { return document().isOpen(); };
  actions_->add(menu, {tr("&New"), {QKeySequence::New}, [this](bool) { opener_->newFile(); }, QStringLiteral("new")});
  actions_->add(menu, {tr("&Open …"), {QKeySequence::Open}, [this](bool) { chooseFile(); }, QStringLiteral("open")});
  actions_->add(menu, {tr("New from the clip&board"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N)},
                       [this](bool) { opener_->openClipboard(); },
                       QStringLiteral("new from clipboard")});
  recentMenu_ = menu.addMenu(tr("Open &recent"));
  QMenu* examples = menu.addMenu(tr("Open &example"));
  for (QMenu* list : {recentMenu_, examples}) list->setProperty("isList", true);  // files, no actions of the program
  const QDir folder(StartPage::examplesFolder());
  for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.hlo")}, QDir::Files, QDir::Name))
    connect(examples->addAction(file.completeBaseName()), &QAction::triggered, this,
            [this, path = file.filePath()] { openFile(path); });
  actions_->add(menu, {tr("Open &profile …"), {}, [this](bool) { chooseProfile(); }, QStringLiteral("open profile")});
  actions_->add(menu, {tr("Open &dump folder …"), {}, [this](bool) { chooseDump(); }, QStringLiteral("open dump")});
  actions_->add(menu, {tr("&Compare with …"),
                       {},
                       [this](bool) { comparison_->compareWithFile(pane()); },
                       QStringLiteral("compare"),
                       [this] { return document().isOpen() && !document().isPlainGraph(); }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Save"),
                       {QKeySequence::Save},
                       [this](bool) { saver_->save(); },
                       QStringLiteral("save"),
                       [this] { return document().file().isModified(); }});
  actions_->add(menu, {tr("Save &as …"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
                       [this](bool) { saver_->saveAs(); },
                       QStringLiteral("save as"),
                       open});
  actions_->add(menu, {tr("&Export …"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_E)},
                       [this](bool) { exportGraph(); },
                       QStringLiteral("export"),
                       open});
  actions_->add(menu, {tr("&Close tab"),
                       {QKeySequence(Qt::CTRL | Qt::Key_W)},
                       [this](bool) { closer_->close(pane()); },
                       QStringLiteral("close tab"),
                       [this] { return document().isOpen() && !pane().isFirstGraph(); }});
  menu.addSeparator();
  actions_->add(menu, {tr("&Quit"), {QKeySequence::Quit}, [this](bool) { close(); }});
}

void MainWindow::makeRunMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Run"));
  const auto run = [this](bool) {
    banner().hide();
    document().live().setOn(true);
    document().run().start();
  };
  actions_->add(
      menu, {tr("&Run and profile"),
             {QKeySequence(Qt::Key_F5), QKeySequence(Qt::CTRL | Qt::Key_R), QKeySequence(Qt::CTRL | Qt::Key_Return)},
             run,
             QStringLiteral("run"),
             [this] { return document().isOpen() && !document().run().isRunning(); }});
  actions_->add(menu, {tr("&Values on nodes, after every edit"),
                       {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                       [this](bool on) { document().live().setOn(on); },
                       QStringLiteral("live values"),
                       [this] { return document().isOpen(); },
                       [this] { return document().isOpen() && document().live().isOn(); }});
  actions_->add(menu, {tr("&Feed the result back"),
                       {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_R)},
                       [this](bool on) { pane().runController().player().setFeedsBack(on); },
                       QStringLiteral("feed back"),
                       [this] { return document().isOpen() && pane().runController().player().canFeedBack(); },
                       [this] { return document().isOpen() && pane().runController().player().feedsBack(); }});
  actions_->add(menu, {tr("&Cancel"),
                       {QKeySequence(Qt::Key_Escape)},
                       [this](bool) {
                         for (const BackgroundTask& task : pane().original().tasks()) task.cancel();
                         opener_->cancelReading();
                       },
                       QStringLiteral("cancel"),
                       [this] { return opener_->isReading() || !pane().original().tasks().empty(); }});
  actions_->add(menu, {tr("&Watch the selection over many steps"),
                       {},
                       [this](bool) {
                         panels().raise(QStringLiteral("watch"));
                         panels().watch->watch(document().selection());
                       },
                       QStringLiteral("watch"),
                       [this] { return current_->hasSelection(); }});
  menu.addSeparator();
  actions_->add(menu, {tr("Allowed &files …"),
                       {},
                       [this](bool) { (new PermissionList(document(), this))->show(); },
                       QStringLiteral("allowed files"),
                       [this] { return document().isOpen(); }});
}

void MainWindow::makeHelpMenu() {
  QMenu& menu = *menuBar()->addMenu(tr("&Help"));
  const auto help = [this](bool) {
    panels().raise(QStringLiteral("help"));
    panels().help->showSelection();
  };
  actions_->add(menu, {tr("Help on the &operation"), {QKeySequence(Qt::Key_F1)}, help, QStringLiteral("help")});
  actions_->add(
      menu,
      {tr("&Manual"), {}, [this](bool) { demand_->showChapter(QStringLiteral("index")); }, QStringLiteral("manual")});
  actions_->add(menu, {tr("&Mouse and keys"),
                       {QKeySequence(Qt::Key_Question)},
                       [this](bool) { navigation_->showKeys(); },
                       QStringLiteral("keys")});
  actions_->add(menu, {tr("&Lessons"), {}, [this](bool) { opener_->beginLesson(0); }, QStringLiteral("lessons")});
  QMenu* tours = menu.addMenu(tr("&Guided tours"));
  tours->setProperty("isList", true);
  for (const Tour& tour : toursIn(TourGuide::folder()))
    connect(tours->addAction(tour.title), &QAction::triggered, this, [this, tour] { beginTour(tour); });
  actions_->add(menu, {tr("&About Tessera"), {}, [this](bool) { showAbout(); }});
}

void MainWindow::chooseFile() {
  const QString start =
      document().isOpen() ? document().file().path() : recentFiles_->paths().value(0, StartPage::examplesFolder());
  const QStringList paths = QFileDialog::getOpenFileNames(
      this, tr("Open graphs"), start,
      tr("Graphs (*.tessera *.hlo *.txt *.pb *.pbtxt *.mlir *.dot *.gv *.gz *.zst);;All files (*)"));
  for (const QString& path : paths) openFile(path);
}

void MainWindow::chooseDump() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a folder that XLA dumped into"));
  if (!folder.isEmpty()) openFile(folder);
}

void MainWindow::chooseProfile() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a profile"), document().isOpen() ? document().file().path() : QString(),
      tr("Profiles (*.xplane.pb *.json *.csv *.sqlite *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) opener_->openProfile(path);
}

void MainWindow::exportGraph() { (new ExportDialog(document(), canvas(), this))->show(); }

void MainWindow::showAbout() {
  QMessageBox::about(this, tr("About Tessera"),
                     tr("<p><b>Tessera</b><br>An editor and compiler for XLA HLO graphs. Apache-2.0.</p>"));
}

}  // namespace tessera
