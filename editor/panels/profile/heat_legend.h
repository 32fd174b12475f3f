// The legend of the heat overlay in a corner of the canvas: the colours from cold to hot with their times.
#pragma once

#include <QWidget>

#include "core/picture/picture.h"

namespace tessera {

class HeatLegend : public QWidget {
  Q_OBJECT

 public:
  explicit HeatLegend(QWidget* parent);
  void setOverlay(const Overlay* overlay);  // none: hidden
  void setTheme(Theme theme);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  static QString hint();

  QString title_, cold_, hot_;
  Theme theme_ = Theme::Light;
};

}  // namespace tessera
