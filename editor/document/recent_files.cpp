// See recent_files.h.
#include "editor/document/recent_files.h"

#include <QSettings>

namespace tessera {

void RecentFiles::add(const QString& path) {
  paths_.removeAll(path);
  paths_.prepend(path);
  paths_ = paths_.mid(0, kMost);
  emit changed();
}

void RecentFiles::read(const QSettings& settings) {
  paths_ = settings.value(QStringLiteral("recentFiles")).toStringList();
  emit changed();
}

QVariantMap RecentFiles::kept() const { return {{QStringLiteral("recentFiles"), paths_}}; }

}  // namespace tessera
