// RecentFiles: paths of the files that were opened or saved last, the latest first. Kept between sessions. Used by the
// File menu and the start page.
#pragma once

#include <QObject>
#include <QStringList>
#include <QVariantMap>

class QSettings;

namespace tessera {

class RecentFiles : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  static constexpr qsizetype kMost = 10;

  const QStringList& paths() const { return paths_; }
  void add(const QString& path);  // to the front

  void read(const QSettings& settings);
  QVariantMap kept() const;

 signals:
  void changed();

 private:
  QStringList paths_;
};

}  // namespace tessera
