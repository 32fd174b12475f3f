// FileWatch: the one watcher of files that the program has; the system has few. Several users may watch the same path.
// Used by DiskBar.
#pragma once

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QStringList>

namespace tessera {

class FileWatch : public QObject {
  Q_OBJECT

 public:
  static FileWatch& ofProgram();  // while the application lives
                                  // Replaces the paths that `who` watches. A replaced file is a new one for the
  // system: it is watched again.
  void follow(const QObject& who, const QStringList& paths);
  QStringList watched() const { return watcher_.files() + watcher_.directories(); }

 signals:
  void changed(const QString& path);  // a file, or what a folder holds

 private:
  explicit FileWatch(QObject* parent);
  void update();

  QFileSystemWatcher watcher_;
  QHash<const QObject*, QStringList> wanted_;
};

}  // namespace tessera
