// Lines of up to three pixels, antialiased straight into an image: a tile of a large graph has thousands, and of each
// QPainter makes an outline first. Used by render, highlights.
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>
#include <array>
#include <cstdint>
#include <span>

#include "core/picture/picture.h"

namespace tessera {

class ThinLines {
 public:
  static constexpr double kWidest = 3;

  // image: Format_RGB32 or Format_ARGB32_Premultiplied; a QPainter may be active on it. origin: its upper left corner
  // in the scene; pixels: of a scene unit.
  ThinLines(QImage& image, QPointF origin, double pixels);

  void setPen(const QColor& color, double width);  // pixels
  // In scene units, however far away: points of lines, or of cubics (3n + 1). What is outside of the image costs
  // little.
  void path(std::span<const PointF> points, bool curved);

 private:
  struct Columns;  // of pixels that a piece crosses

  bool maySee(std::span<const PointF> piece) const;
  bool isNear(QPointF topLeft, QPointF bottomRight) const;
  QPointF toPixels(PointF scene) const;
  void beginStretch(QPointF from);
  void lineTo(QPointF to);
  void endStretch();
  void line(QPointF a, QPointF b);
  void cubic(const std::array<QPointF, 4>& p);
  void steps(QPointF a, QPointF b, bool steep);

  QRgb* pixels_;
  int width_, height_, stride_;  // stride: pixels
  QPointF origin_;
  double scale_;
  RectF seen_;  // scene units, with a margin for the widest line
  // A stretch are pieces of a path that are seen. What of it is not drawn yet is a line, which may go on between two
  // directions.
  bool inStretch_ = false, goesOn_ = false;
  QPointF from_, to_, left_, right_;
  double lineWidth_ = 1, alpha_ = 256;
  QRgb color_ = 0;
};

}  // namespace tessera
