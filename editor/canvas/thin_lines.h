// Lines of up to three pixels, antialiased straight into an image: a tile of a large graph has thousands, and of each
// QPainter makes an outline first. Used by render.
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <array>

namespace tessera {

class ThinLines {
 public:
  static constexpr double kWidest = 3;

  // image: Format_RGB32; a QPainter may be active on it.
  explicit ThinLines(QImage& image);

  void setPen(const QColor& color, double width);  // pixels
  // In pixels, however far away; what is outside of the image costs little.
  void line(QPointF a, QPointF b);
  void cubic(const std::array<QPointF, 4>& p);

 private:
  bool isNear(QPointF topLeft, QPointF bottomRight) const;
  void steps(QPointF a, QPointF b, bool steep);

  QRgb* pixels_;
  int width_, height_, stride_;  // stride: pixels
  double lineWidth_ = 1, alpha_ = 256;
  QRgb color_ = 0;
};

}  // namespace tessera
