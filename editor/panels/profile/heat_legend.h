// The legend of the overlay in a corner of the canvas: what the colours say, from cold to hot. Its title is a menu of
// measures; a press on the colours fades what is colder, a double click fades nothing.
#pragma once

#include <QWidget>

#include "core/picture/picture.h"

class QToolButton;

namespace tessera {

class Document;

class HeatLegend : public QWidget {
  Q_OBJECT

 public:
  HeatLegend(Document& document, QWidget* parent);
  void showOverlay();  // of the scene; none: hidden
  void setTheme(Theme theme);
  QSize sizeHint() const override;
  QToolButton* title() const { return title_; }
  QRect bar() const;  // the colours

 signals:
  void resized();  // or hidden

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  void paintScale(QPainter& painter) const;
  void paintBounds(QPainter& painter) const;
  void paintThreshold(QPainter& painter) const;
  void fadeBelow(int x);
  QString words() const;

  Document& document_;
  QToolButton* title_;
  std::shared_ptr<const Overlay> overlay_;
  QString cold_, hot_;
  Theme theme_ = Theme::Light;
};

}  // namespace tessera
