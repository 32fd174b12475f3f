// What is kept between sessions: the window, and which documents were open, where one looked at them and beside what.
#include <QFileInfo>
#include <QSettings>

#include "app/studio/files/left_behind_bar.h"
#include "app/studio/window/document_pane.h"
#include "app/studio/window/document_tabs.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/workspaces.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/panels/banner.h"

namespace tessera {
namespace {

QVariantMap kept(const DocumentPane& pane) {
  const PanePlace place = pane.place();
  const ShownPart shown = shownPartOf(pane.document());
  QStringList groups;
  for (const std::string& group : shown.groups) groups << QString::fromStdString(group);
  QVariantMap out{{"path", pane.document().file().path()},
                  {"groups", groups},
                  {"zoom", place.zoom},
                  {"centre", place.centre},
                  {"all", place.showsAll}};
  if (!shown.computation.empty()) out["computation"] = QString::fromStdString(shown.computation);
  return out;
}

OpenRequest requestOf(const QVariantMap& kept) {
  OpenRequest out{.path = kept["path"].toString()};
  ShownPart shown{.computation = kept["computation"].toString().toStdString()};
  for (const QString& group : kept["groups"].toStringList()) shown.groups.push_back(group.toStdString());
  if (!shown.computation.empty()) out.shown = std::move(shown);
  const double zoom = kept["zoom"].toDouble();
  out.place = PanePlace{zoom > 0 ? zoom : 1, kept["centre"].toPointF(), kept["all"].toBool() || zoom <= 0};
  return out;
}

}  // namespace

void MainWindow::restoreSession() {
  const QSettings settings;
  recentFiles_->read(settings);
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  workspaces_->read(settings);
}

void MainWindow::keepSession() const {
  QSettings settings;
  recentFiles_->write(settings);
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  workspaces_->write(settings);
}

// Also whenever one comes or goes: a session that ends badly has them, too.
void MainWindow::keepDocuments() const {
  if (!remembers_ || opening_ || !waiting_.empty()) return;
  QVariantList all;
  for (const DocumentPane* pane : tabs_->panes())
    if (pane->document().isOpen() && !pane->document().file().path().isEmpty()) all << kept(*pane);
  QSettings settings;
  settings.setValue(QStringLiteral("documents"), all);
  settings.setValue(QStringLiteral("currentDocument"), document_->file().path());
  settings.setValue(QStringLiteral("documentBeside"), beside_ ? beside_->document().file().path() : QString());
}

bool MainWindow::reopenDocuments() {
  const QSettings settings;
  const QString current = settings.value(QStringLiteral("currentDocument")).toString(),
                beside = settings.value(QStringLiteral("documentBeside")).toString();
  QStringList gone;
  std::vector<OpenRequest> found;
  for (const QVariant& each : settings.value(QStringLiteral("documents")).toList()) {
    OpenRequest request = requestOf(each.toMap());
    if (QFileInfo::exists(request.path))
      found.push_back(std::move(request));
    else
      gone << request.path;
  }
  whenAllAreOpen_ = [this, current, beside, gone] {
    if (DocumentPane* pane = paneOf(current)) makeCurrent(*pane);
    if (!beside.isEmpty() && document_->isOpen()) putAtTheRight(beside);
    if (!gone.isEmpty()) banner_->showMessage(tr("Not there any more: %1").arg(gone.join(QStringLiteral(", "))));
  };
  if (found.empty()) return false;
  waiting_.insert(waiting_.end(), found.begin(), found.end());
  if (!opening_) openNext();
  return true;
}

void MainWindow::putAtTheRight(const QString& path) {
  DocumentPane* wanted = paneOf(path);
  if (!wanted) return;
  split(wanted == pane_);
  if (beside_ && beside_ != wanted && !beside_->isTwin()) {
    DocumentPane& current = *pane_;
    putBeside(*beside_, *wanted);
    makeCurrent(current);
  }
}

// --- after a crash

void MainWindow::offerLeftBehind() {
  if (remembers_) leftBehind_->offer(Recovery::leftBehind(Recovery::usualFolder()));
}

void MainWindow::restoreLeft(const Recovery::Left& left) {
  waiting_.push_back({.path = left.file, .recoveredFor = left.path});
  if (!opening_) openNext();
}

}  // namespace tessera
