// FileWatch: the one watcher of files that the program has; the system lends few. Many may want the same path. Used by
// DiskBar.
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
  // What `who` wants from now on, instead of what it wanted before. A file that was replaced is another one for the
  // system: it is asked for again when somebody follows.
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
