// Minimap: the frames of the whole picture in a corner of a canvas, and which part of it is seen. A press or a drag
// brings a place to the middle. It is there while not all is in sight.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>

#include "core/picture/picture.h"

namespace tessera {

class Canvas;

class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(Canvas& canvas);

  void setWanted(bool wanted);
  bool isWanted() const { return wanted_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();
  void place();
  void paintFrames();
  void goTo(QPointF at);
  double scale() const;  // pixels a scene unit

  Canvas& canvas_;
  bool wanted_ = true;
  std::shared_ptr<const Picture> picture_;  // that frames_ shows
  Theme theme_ = Theme::Light;
  QImage frames_;
};

}  // namespace tessera
