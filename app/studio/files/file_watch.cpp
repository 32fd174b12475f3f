// The paths of all who follow; nobody is told apart, since each looks for itself whether its own file is another one.
#include "app/studio/files/file_watch.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QSet>

namespace tessera {

FileWatch& FileWatch::ofProgram() {
  static QPointer<FileWatch> one;
  if (!one) one = new FileWatch(QCoreApplication::instance());
  return *one;
}

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &FileWatch::changed);
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &FileWatch::changed);
}

void FileWatch::follow(const QObject& who, const QStringList& paths) {
  if (!wanted_.contains(&who))
    connect(&who, &QObject::destroyed, this, [this, &who] {
      wanted_.remove(&who);
      update();
    });
  wanted_[&who] = paths;
  update();
}

void FileWatch::update() {
  QSet<QString> wanted;
  for (const QStringList& each : std::as_const(wanted_)) wanted.unite({each.begin(), each.end()});
  const QStringList now = watched();
  for (const QString& each : now)
    if (!wanted.remove(each)) watcher_.removePath(each);
  for (const QString& each : std::as_const(wanted))
    if (QFileInfo::exists(each)) watcher_.addPath(each);
}

}  // namespace tessera
