// A bar across what it belongs to, with a line along its lower edge. Used by bars over the canvas and titles of docks.
#pragma once

#include <QFrame>
#include <QPainter>

namespace tessera {

class UnderlinedBar : public QFrame {
 public:
  using QFrame::QFrame;

 protected:
  void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(0, height() - 1, width(), 1, palette().mid()); }
};

}  // namespace tessera
