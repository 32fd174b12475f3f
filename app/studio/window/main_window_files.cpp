// Files of the window: opening, saving, what is asked before changes are lost, and what is kept between sessions.
#include <QAbstractButton>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>
#include <QStatusBar>
#include <algorithm>

#include "app/studio/export/export_dialog.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "editor/document/document.h"
#include "editor/panels/banner.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kMaxRecentFiles = 10;

// What a graph can be saved as.
struct SavedKind {
  const char *filter, *ending;
};
constexpr SavedKind kSavedKinds[] = {
    {QT_TRANSLATE_NOOP("tessera::MainWindow", "HLO text (*.hlo *.txt)"), "hlo"},
    {QT_TRANSLATE_NOOP("tessera::MainWindow", "Tessera project with its arrangement (*.tessera)"), "tessera"},
    {QT_TRANSLATE_NOOP("tessera::MainWindow", "Protobuf (*.pb *.pbtxt)"), "pb"},
    {QT_TRANSLATE_NOOP("tessera::MainWindow", "All files (*)"), "hlo"}};

bool hasEnding(const QString& filter, const QString& ending) {
  return QRegularExpression(QStringLiteral("\\*\\.%1[ )]").arg(QRegularExpression::escape(ending)))
      .match(filter)
      .hasMatch();
}

QString fileNameOf(const Document& document) {
  return document.file().path().isEmpty() ? QObject::tr("untitled.hlo") : QFileInfo(document.file().path()).fileName();
}

QStringList localFilesOf(const QMimeData& data) {
  QStringList out;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) out << url.toLocalFile();
  return out;
}

}  // namespace

void MainWindow::chooseFile() {
  const QString start =
      document_->isOpen() ? document_->file().path() : recentFiles_.value(0, StartPage::examplesFolder());
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
      this, tr("Open a profile"), document_->isOpen() ? document_->file().path() : QString(),
      tr("Profiles (*.xplane.pb *.json *.csv *.sqlite *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) openProfile(path);
}

// Examples of the program are there to be changed, but stay as they are: what was made of one becomes a file of the
// user's.
void MainWindow::save(bool ask) {
  QString path = document_->file().path();
  const bool isExample = document_->file().isOfProgram();
  if (ask || path.isEmpty() || isExample)
    path = askWhereToSave(isExample        ? QDir::home().filePath(fileNameOf(*document_))
                          : path.isEmpty() ? fileNameOf(*document_)
                                           : path);
  if (path.isEmpty()) return;
  if (!ask && remembers_ && document_->file().wouldRewriteOthers()) {  // nobody answers where a script drives
    const auto answer = askToRewrite(QFileInfo(path).fileName());
    if (answer == QMessageBox::SaveAll) return save(true);
    if (answer != QMessageBox::Save) return;
  }
  const bool newSidecar = document_->file().savesSidecar(path) && !QFileInfo::exists(path + QStringLiteral(".tessera"));
  if (const Status saved = document_->file().save(path); !saved) {
    banner_->showMessage(QString::fromStdString(saved.error().toString()));
    return;
  }
  addRecentFile(path);
  if (newSidecar)
    statusBar()->showMessage(tr("Saved %1; places, frames and notes go to %1.tessera beside it").arg(path), 8000);
  else
    statusBar()->showMessage(tr("Saved %1").arg(path), 3000);
  updateActions();
}

// The ending is that of the kind that is chosen; a name that is typed without one gets it.
QString MainWindow::askWhereToSave(const QString& suggested) {
  QFileDialog dialog(this, tr("Save the graph"), QFileInfo(suggested).absolutePath());
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters;
  for (const SavedKind& kind : kSavedKinds) filters << tr(kind.filter);
  dialog.setNameFilters(filters);
  const auto endingOf = [&](const QString& filter) {
    return QString::fromLatin1(
        kSavedKinds[static_cast<size_t>(std::max<qsizetype>(0, filters.indexOf(filter)))].ending);
  };
  connect(&dialog, &QFileDialog::filterSelected, &dialog, [&](const QString& filter) {
    dialog.setDefaultSuffix(endingOf(filter));
    const QFileInfo name(dialog.selectedFiles().value(0));
    const auto has = [&](const QString& each) { return hasEnding(each, name.suffix()); };
    if (std::ranges::any_of(filters, has) && !has(filter))
      dialog.selectFile(name.completeBaseName() + QLatin1Char('.') + endingOf(filter));
  });
  const QString ending = QFileInfo(suggested).suffix();
  const auto fits = std::ranges::find_if(filters, [&](const QString& filter) { return hasEnding(filter, ending); });
  dialog.selectNameFilter(fits == filters.end() ? filters.front() : *fits);
  dialog.setDefaultSuffix(endingOf(dialog.selectedNameFilter()));
  dialog.selectFile(QFileInfo(suggested).fileName());
  return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

QMessageBox::StandardButton MainWindow::askToRewrite(const QString& name) {
  QMessageBox box(QMessageBox::Question, tr("Tessera"), asPlainText(tr("%1 was written by another program.").arg(name)),
                  QMessageBox::Save | QMessageBox::SaveAll | QMessageBox::Cancel, this);
  box.setInformativeText(tr(
      "Saving over it gives it the form that this program writes: comments and what only the other program knows go."));
  box.button(QMessageBox::Save)->setText(tr("Save over it"));
  box.button(QMessageBox::SaveAll)->setText(tr("Save as…"));
  box.setDefaultButton(QMessageBox::SaveAll);
  return static_cast<QMessageBox::StandardButton>(box.exec());
}

bool MainWindow::mayLoseChanges(DocumentPane& pane) {
  if (!remembers_ || !pane.hasUnsavedWork()) return true;
  makeCurrent(pane);
  const QString unsaved = asPlainText(tr("%1 has changes that are not saved.").arg(fileNameOf(*document_)));
  const auto answer = QMessageBox::question(
      this, tr("Tessera"), unsaved, QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Save) save(false);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !document_->file().isModified());
}

void MainWindow::exportGraph() { (new ExportDialog(*document_, *canvas_, this))->show(); }

void MainWindow::addRecentFile(const QString& path) {
  recentFiles_.removeAll(path);
  recentFiles_.prepend(path);
  recentFiles_ = recentFiles_.mid(0, kMaxRecentFiles);
  showRecentFiles();
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

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!localFilesOf(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QStringList paths = localFilesOf(*event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  for (const QString& path : paths) openFile(path);
}

// --- the window

void MainWindow::closeEvent(QCloseEvent* event) {
  for (DocumentPane* pane : tabs_->panes())
    if (!mayLoseChanges(*pane)) return event->ignore();
  for (DocumentPane* pane : allPanes()) pane->document().cancel();
  keepDocuments();
  if (remembers_) keepSession();
  QMainWindow::closeEvent(event);
}

}  // namespace tessera
