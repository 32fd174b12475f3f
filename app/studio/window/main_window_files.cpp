// Files of the window: opening, saving, what is asked before changes are lost, and what is kept between sessions.
#include <QAbstractButton>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QStatusBar>

#include "app/studio/export/export_dialog.h"
#include "app/studio/start/start_page.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/panels/banner.h"
#include "editor/panels/save_dialog.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

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
      document_->isOpen() ? document_->file().path() : recentFiles_->paths().value(0, StartPage::examplesFolder());
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
    path = askWhereToSave(this, isExample        ? QDir::home().filePath(fileNameOf(*document_))
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
  recentFiles_->add(path);
  if (newSidecar)
    statusBar()->showMessage(tr("Saved %1; places, frames and notes go to %1.tessera beside it").arg(path), 8000);
  else
    statusBar()->showMessage(tr("Saved %1").arg(path), 3000);
  updateActions();
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

void MainWindow::showRecentFiles() {
  recentMenu_->clear();
  for (const QString& path : recentFiles_->paths()) {
    QAction* action = recentMenu_->addAction(path);
    connect(action, &QAction::triggered, this, [this, path] { openFile(path); });
  }
  recentMenu_->setEnabled(!recentFiles_->paths().isEmpty());
  startPage_->setRecentFiles(recentFiles_->paths());
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
