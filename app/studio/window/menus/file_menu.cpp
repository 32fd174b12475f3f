// See file_menu.h.
#include "app/studio/window/menus/file_menu.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

#include "app/studio/actions/actions.h"
#include "app/studio/export/export_dialog.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_saver.h"
#include "app/studio/window/documents/graph_comparison.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/text/menu_text.h"

namespace tessera {

FileMenu::FileMenu(QMenuBar& bar, Actions& actions, CurrentDocument& current, DocumentOpener& opener,
                   DocumentSaver& saver, DocumentCloser& closer, GraphComparison& comparison, RecentFiles& recent,
                   QObject* parent)
    : QObject(parent),
      bar_(bar),
      actions_(actions),
      current_(current),
      opener_(opener),
      saver_(saver),
      closer_(closer),
      comparison_(comparison),
      recent_(recent) {
  QMenu& menu = *bar.addMenu(tr("&File"));
  addOpening(menu);
  menu.addSeparator();
  addSaving(menu);
  menu.addSeparator();
  actions_.add(menu, {tr("&Quit"), {QKeySequence::Quit}, [this](bool) { bar_.window()->close(); }});
}

void FileMenu::addOpening(QMenu& menu) {
  actions_.add(menu, {tr("&New"), {QKeySequence::New}, [this](bool) { opener_.newFile(); }, QStringLiteral("new")});
  actions_.add(menu, {tr("&Open …"), {QKeySequence::Open}, [this](bool) { chooseFiles(); }, QStringLiteral("open")});
  actions_.add(menu, {tr("New from the clip&board"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N)},
                      [this](bool) { opener_.openClipboard(); },
                      QStringLiteral("new from clipboard")});
  addLists(menu);
  actions_.add(menu, {tr("Open &profile …"), {}, [this](bool) { chooseProfile(); }, QStringLiteral("open profile")});
  actions_.add(menu, {tr("Open &dump folder …"), {}, [this](bool) { chooseDump(); }, QStringLiteral("open dump")});
  actions_.add(menu, {tr("Compare &with …"),
                      {},
                      [this](bool) { comparison_.compareWithFile(current_.pane()); },
                      QStringLiteral("compare"),
                      [this] { return current_.isModule(); }});
}

void FileMenu::addLists(QMenu& menu) {
  recentMenu_ = menu.addMenu(tr("Open &recent"));
  QMenu* examples = menu.addMenu(tr("Open exa&mple"));
  for (QMenu* list : {recentMenu_, examples}) list->setProperty("isList", true);
  const QDir folder(StartPage::examplesFolder());
  for (const QFileInfo& file : folder.entryInfoList({QStringLiteral("*.hlo")}, QDir::Files, QDir::Name))
    connect(examples->addAction(asMenuText(file.completeBaseName())), &QAction::triggered, this,
            [this, path = file.filePath()] { opener_.open(path); });
  connect(&recent_, &RecentFiles::changed, this, &FileMenu::showRecentFiles);
  showRecentFiles();
}

void FileMenu::showRecentFiles() {
  recentMenu_->clear();
  for (const QString& path : recent_.paths())
    connect(recentMenu_->addAction(asMenuText(path)), &QAction::triggered, this, [this, path] { opener_.open(path); });
  recentMenu_->setEnabled(!recent_.paths().isEmpty());
}

void FileMenu::addSaving(QMenu& menu) {
  const auto open = [this] { return current_.isOpen(); };
  actions_.add(menu, {tr("&Save"),
                      {QKeySequence::Save},
                      [this](bool) { saver_.save(); },
                      QStringLiteral("save"),
                      [this] { return current_.document().file().isModified(); }});
  actions_.add(menu, {tr("Save &as …"),
                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
                      [this](bool) { saver_.saveAs(); },
                      QStringLiteral("save as"),
                      open});
  actions_.add(menu, {tr("&Export …"),
                      {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_E)},
                      [this](bool) { exportGraph(); },
                      QStringLiteral("export"),
                      open});
  actions_.add(menu, {tr("&Close tab"),
                      {QKeySequence(Qt::CTRL | Qt::Key_W)},
                      [this](bool) { closer_.close(current_.pane()); },
                      QStringLiteral("close tab"),
                      [this] { return current_.isOpen() && !current_.pane().isFirstGraph(); }});
}

void FileMenu::chooseFiles() {
  const QString start =
      current_.isOpen() ? current_.document().file().path() : recent_.paths().value(0, StartPage::examplesFolder());
  const QStringList paths = QFileDialog::getOpenFileNames(
      bar_.window(), tr("Open graphs"), start,
      tr("Graphs (*.tessera *.hlo *.txt *.pb *.pbtxt *.mlir *.dot *.gv *.gz *.zst);;All files (*)"));
  for (const QString& path : paths) opener_.open(path);
}

void FileMenu::chooseDump() {
  const QString folder = QFileDialog::getExistingDirectory(bar_.window(), tr("Open a folder that XLA dumped into"));
  if (!folder.isEmpty()) opener_.open(folder);
}

void FileMenu::chooseProfile() {
  const QString path = QFileDialog::getOpenFileName(
      bar_.window(), tr("Open a profile"), current_.isOpen() ? current_.document().file().path() : QString(),
      tr("Profiles (*.xplane.pb *.json *.csv *.sqlite *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) opener_.openProfile(path);
}

void FileMenu::exportGraph() { (new ExportDialog(current_.document(), current_.canvas(), bar_.window()))->show(); }

}  // namespace tessera
