// Files of the window: opening, saving, what is asked before changes are lost, and what is kept between sessions.
#include <QAbstractButton>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>

#include "app/studio/first_start.h"
#include "app/studio/main_window.h"
#include "app/studio/panels.h"
#include "app/studio/start_page.h"
#include "core/profile/sources/profile_source.h"
#include "core/tools/find_instruction.h"
#include "editor/canvas/canvas.h"
#include "editor/controllers/lesson_controller.h"
#include "editor/document/document.h"
#include "editor/document/program_run.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"
#include "editor/panels/source_panel.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

constexpr int kMaxRecentFiles = 10;

QString fileNameOf(const Document& document) {
  return document.file().path().isEmpty() ? QObject::tr("untitled.hlo") : QFileInfo(document.file().path()).fileName();
}

}  // namespace

// A profile goes over the graph that is open.
void MainWindow::openFile(const QString& path) {
  if (looksLikeProfile(path.toStdString())) return document_->run().openProfile(path);
  if (!mayLoseChanges()) return;
  firstGraph_ = false;
  linked_ = splitLink(path.toStdString());
  document_->file().open(QString::fromStdString(linked_.file));
}

void MainWindow::showLinked() {
  const LinkParts link = std::exchange(linked_, {});
  const QString file = QFileInfo(QString::fromStdString(link.file)).absoluteFilePath();
  if (link.name.empty() || file != document_->file().path()) return;
  const auto id = instructionNamed(document_->module(), link.name);
  if (id) return revealInstruction(*id);
  const QString message = QString::fromStdString(id.error().message);
  banner_->showMessage(message);
  emit linkRefused(message, id.error().kind);
}

void MainWindow::newFile() {
  if (!mayLoseChanges()) return;
  firstGraph_ = false;
  document_->file().create();
}

bool MainWindow::mayLeave() {
  if (!mayLoseChanges()) return false;
  firstGraph_ = false;
  return true;
}

// Docks stay away and the start page stands beside it until something else is opened.
void MainWindow::showFirstGraph() {
  firstGraph_ = true;
  document_->file().createFrom(firstGraph());
  firstHint_ = new FirstHint(canvas_);
}

void MainWindow::chooseFile() {
  const QString start =
      document_->isOpen() ? document_->file().path() : recentFiles_.value(0, StartPage::examplesFolder());
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a graph"), start,
      tr("Graphs (*.tessera *.hlo *.txt *.pb *.pbtxt *.mlir *.dot *.gv *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) openFile(path);
}

void MainWindow::chooseProfile() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a profile"), document_->isOpen() ? document_->file().path() : QString(),
      tr("Profiles (*.xplane.pb *.json *.csv *.sqlite *.gz *.zst);;All files (*)"));
  if (!path.isEmpty()) document_->run().openProfile(path);
}

// Examples of the program are there to be changed, but stay as they are: what was made of one becomes a file of the
// user's.
void MainWindow::save(bool ask) {
  QString path = document_->file().path();
  const bool isExample = document_->file().isOfProgram();
  if (ask || path.isEmpty() || isExample)
    path = QFileDialog::getSaveFileName(this, tr("Save the graph"),
                                        isExample        ? QDir::home().filePath(fileNameOf(*document_))
                                        : path.isEmpty() ? fileNameOf(*document_)
                                                         : path,
                                        tr("HLO text (*.hlo *.txt);;Tessera project with its arrangement "
                                           "(*.tessera);;Protobuf (*.pb *.pbtxt);;All files (*)"));
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

bool MainWindow::mayLoseChanges() {
  if (!remembers_ || firstGraph_ || lessons_->isOn() || !document_->isOpen() || !document_->file().isModified())
    return true;
  const QString unsaved = asPlainText(tr("%1 has changes that are not saved.").arg(fileNameOf(*document_)));
  const auto answer = QMessageBox::question(
      this, tr("Tessera"), unsaved, QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
  if (answer == QMessageBox::Save) save(false);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !document_->file().isModified());
}

void MainWindow::exportPicture() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export the picture"),
                                                    fileNameOf(*document_) + QStringLiteral(".svg"), tr("SVG (*.svg)"));
  if (path.isEmpty()) return;
  const Status written = document_->view().exportSvg(path, theme_);
  if (!written) banner_->showMessage(QString::fromStdString(written.error().toString()));
}

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
  if (event->mimeData()->hasUrls() && event->mimeData()->urls().front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString path = event->mimeData()->urls().value(0).toLocalFile();
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  openFile(path);
}

// --- session

void MainWindow::restoreSession() {
  const QSettings settings;
  recentFiles_ = settings.value(QStringLiteral("recentFiles")).toStringList();
  panels_->source->setFolders(settings.value(QStringLiteral("sourceFolders")).toStringList());
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  restoreState(settings.value(QStringLiteral("docks")).toByteArray(), kDockState);
  if (settings.value(QStringLiteral("theme")).toString() == QLatin1String("dark")) setTheme(Theme::Dark);
}

bool MainWindow::restoreLeftBehind() {
  if (!recovery_) return false;
  const auto left = Recovery::leftBehind(Recovery::usualFolder());
  if (left.empty()) return false;
  recovery_->adopt(left.front());
  const QString name = left.front().path.isEmpty() ? tr("a new graph") : left.front().path;
  connect(
      document_, &Document::opened, this,
      [this, name, file = left.front().file] {
        if (document_->file().recoveredFrom() != file) return;  // it did not open, and something else was
        banner_->showMessage(
            tr("Tessera ended unexpectedly. This is %1 with the changes that were not saved; Save keeps them.")
                .arg(name));
      },
      Qt::SingleShotConnection);
  return true;
}

// The first document brings the panels along.
void MainWindow::showDocks() {
  if (docksWhenOpen_.isEmpty()) return;
  restoreState(docksWhenOpen_, kDockState);
  docksWhenOpen_.clear();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayLoseChanges()) return event->ignore();
  document_->cancel();
  if (remembers_) {
    QSettings settings;
    settings.setValue(QStringLiteral("recentFiles"), recentFiles_);
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("docks"), docksWhenOpen_.isEmpty() ? saveState(kDockState) : docksWhenOpen_);
    settings.setValue(QStringLiteral("theme"),
                      theme_ == Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
  }
  QMainWindow::closeEvent(event);
}

}  // namespace tessera
