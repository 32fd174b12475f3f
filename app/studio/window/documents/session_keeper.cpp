// See session_keeper.h.
#include "app/studio/window/documents/session_keeper.h"

#include <QFileInfo>
#include <QMainWindow>
#include <utility>

#include "app/studio/files/left_behind_bar.h"
#include "app/studio/window/documents/current_document.h"
#include "app/studio/window/documents/document_closer.h"
#include "app/studio/window/documents/document_opener.h"
#include "app/studio/window/documents/document_tabs.h"
#include "app/studio/window/documents/pane_area.h"
#include "app/studio/window/workspaces.h"
#include "editor/document/document.h"
#include "editor/document/recent_files.h"
#include "editor/document/recovery.h"
#include "editor/panels/banner.h"
#include "editor/preferences/settings.h"

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

SessionKeeper::SessionKeeper(CurrentDocument& current, PaneArea& area, DocumentTabs& tabs, DocumentOpener& opener,
                             DocumentCloser& closer, LeftBehindBar& leftBehind, bool remembers, QObject* parent)
    : QObject(parent),
      current_(current),
      area_(area),
      tabs_(tabs),
      opener_(opener),
      leftBehind_(leftBehind),
      remembers_(remembers) {
  connect(&opener_, &DocumentOpener::allOpened, this, [this] {
    if (const auto act = std::exchange(whenAllAreOpen_, nullptr)) act();
    keepDocuments();
  });
  connect(&closer, &DocumentCloser::closed, this, &SessionKeeper::keepDocuments);
  connect(&leftBehind_, &LeftBehindBar::restoreWanted, this,
          [this](const Recovery::Left& left) { opener_.open({{.path = left.file, .recoveredFor = left.path}}); });
}

// --- the window

void SessionKeeper::restoreWindow(QMainWindow& window, Workspaces& workspaces, RecentFiles& recent) const {
  if (!remembers_) return;
  const QSettings settings = keptSettings();
  recent.read(settings);
  window.restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  workspaces.read(settings);
}

void SessionKeeper::keepWindow(const QMainWindow& window, Workspaces& workspaces, const RecentFiles& recent) const {
  if (!remembers_) return;
  QVariantMap all = recent.kept();
  all.insert(workspaces.kept());
  all[QStringLiteral("geometry")] = window.saveGeometry();
  keepSettings(all);
}

// --- documents

void SessionKeeper::keepDocuments() const {
  if (!remembers_ || opener_.isBusy()) return;
  QVariantList all;
  for (const DocumentPane* pane : tabs_.panes())
    if (pane->document().isOpen() && !pane->document().file().path().isEmpty()) all << kept(*pane);
  keepSettings(
      {{QStringLiteral("documents"), all},
       {QStringLiteral("currentDocument"), current_.document().file().path()},
       {QStringLiteral("documentBeside"), area_.beside() ? area_.beside()->document().file().path() : QString()}});
}

bool SessionKeeper::reopenDocuments() {
  const QSettings settings = keptSettings();
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
    if (DocumentPane* pane = area_.paneOf(current)) current_.set(*pane);
    if (!beside.isEmpty() && current_.isOpen()) putAtTheRight(beside);
    if (!gone.isEmpty())
      current_.banner().showMessage(tr("Not there any more: %1").arg(gone.join(QStringLiteral(", "))));
  };
  if (found.empty()) return false;
  opener_.open(std::move(found));
  return true;
}

void SessionKeeper::putAtTheRight(const QString& path) {
  DocumentPane* wanted = area_.paneOf(path);
  if (!wanted) return;
  area_.split(current_.is(*wanted));
  DocumentPane* beside = area_.beside();
  if (beside && beside != wanted && !beside->isTwin()) area_.showBeside(current_.pane(), *wanted);
}

// --- after a crash

void SessionKeeper::offerLeftBehind() const {
  if (remembers_) leftBehind_.offer(Recovery::leftBehind(Recovery::usualFolder()));
}

}  // namespace tessera
