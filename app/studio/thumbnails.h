// Thumbnails: small pictures of example files, read, arranged and painted by a worker of low priority.
#pragma once

#include <QImage>
#include <QObject>
#include <QThreadPool>

#include "core/picture/picture.h"

namespace tessera {

class Thumbnails : public QObject {
  Q_OBJECT

 public:
  explicit Thumbnails(QObject* parent = nullptr);
  ~Thumbnails() override;
  // painted() follows; not when the file cannot be read.
  void request(const QString& path, QSize size, qreal pixelRatio, Theme theme);

 signals:
  void painted(QString path, QImage image);

 private:
  QThreadPool pool_;
};

}  // namespace tessera
