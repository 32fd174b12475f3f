// A line covers of each column of pixels (of each row, if it is steep) one stretch; its ends cover columns in part.
#include "editor/canvas/thin_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {
namespace {

constexpr double kTolerance = 0.15;  // pixels between a curve and its lines

// covered: of 256.
inline void blend(QRgb& pixel, QRgb color, uint32_t covered) {
  constexpr uint32_t kRedBlue = 0xff00ff, kGreen = 0x00ff00;
  const uint32_t left = 256 - covered;
  const uint32_t redBlue = (((pixel & kRedBlue) * left + (color & kRedBlue) * covered) >> 8) & kRedBlue;
  const uint32_t green = (((pixel & kGreen) * left + (color & kGreen) * covered) >> 8) & kGreen;
  pixel = 0xff000000 | redBlue | green;
}

}  // namespace

ThinLines::ThinLines(QImage& image)
    : pixels_(reinterpret_cast<QRgb*>(image.bits())),
      width_(image.width()),
      height_(image.height()),
      stride_(static_cast<int>(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)))) {}

void ThinLines::setPen(const QColor& color, double width) {
  color_ = color.rgb();
  alpha_ = 256 * static_cast<double>(color.alphaF());
  lineWidth_ = width;
}

bool ThinLines::isNear(QPointF topLeft, QPointF bottomRight) const {
  const double margin = lineWidth_ + 1;
  return topLeft.x() < width_ + margin && bottomRight.x() > -margin && topLeft.y() < height_ + margin &&
         bottomRight.y() > -margin;
}

void ThinLines::line(QPointF a, QPointF b) {
  const QPointF least(std::min(a.x(), b.x()), std::min(a.y(), b.y()));
  const QPointF most(std::max(a.x(), b.x()), std::max(a.y(), b.y()));
  if (isNear(least, most)) steps(a, b, most.y() - least.y() > most.x() - least.x());
}

void ThinLines::cubic(const std::array<QPointF, 4>& p) {
  const auto [left, right] = std::minmax({p[0].x(), p[1].x(), p[2].x(), p[3].x()});
  const auto [top, bottom] = std::minmax({p[0].y(), p[1].y(), p[2].y(), p[3].y()});
  if (!isNear({left, top}, {right, bottom})) return;
  if (std::max(right - left, bottom - top) > width_ + height_) {
    const QPointF a = (p[0] + p[1]) / 2, b = (p[1] + p[2]) / 2, c = (p[2] + p[3]) / 2;
    const QPointF ab = (a + b) / 2, bc = (b + c) / 2, middle = (ab + bc) / 2;
    cubic({p[0], a, ab, middle});
    return cubic({middle, bc, c, p[3]});
  }
  const QPointF first = p[0] - 2 * p[1] + p[2], second = p[1] - 2 * p[2] + p[3];
  const double bent = std::max(std::hypot(first.x(), first.y()), std::hypot(second.x(), second.y()));
  const int lines = std::max(1, static_cast<int>(std::ceil(std::sqrt(0.75 * bent / kTolerance))));
  QPointF from = p[0];
  for (int k = 1; k <= lines; ++k) {
    const double t = static_cast<double>(k) / lines, u = 1 - t;
    const QPointF to = u * u * u * p[0] + 3 * u * u * t * p[1] + 3 * u * t * t * p[2] + t * t * t * p[3];
    line(from, to);
    from = to;
  }
}

// Along x, or along y if it is steep; the other direction is "across".
void ThinLines::steps(QPointF a, QPointF b, bool steep) {
  if (steep) a = a.transposed(), b = b.transposed();
  if (a.x() > b.x()) std::swap(a, b);
  const double length = b.x() - a.x();
  if (length <= 0) return;
  const int along = steep ? height_ : width_, across = steep ? width_ : height_;
  const int stepAlong = steep ? stride_ : 1, stepAcross = steep ? 1 : stride_;
  const double slope = (b.y() - a.y()) / length, half = lineWidth_ * std::sqrt(1 + slope * slope) / 2;
  double from = std::max(a.x(), 0.0), to = std::min<double>(b.x(), along);
  if (slope != 0) {  // where it is within the image
    double enters = a.x() + (-half - a.y()) / slope, leaves = a.x() + (across + half - a.y()) / slope;
    if (enters > leaves) std::swap(enters, leaves);
    from = std::max(from, std::floor(enters)), to = std::min(to, std::ceil(leaves));
  }
  if (from >= to) return;
  for (int u = static_cast<int>(from); u < to; ++u) {
    const double left = std::max<double>(u, a.x()), right = std::min<double>(u + 1, b.x());
    const double middle = a.y() + slope * ((left + right) / 2 - a.x());
    const double top = std::max(middle - half, 0.0), bottom = std::min<double>(middle + half, across);
    const double whole = (right - left) * alpha_;
    for (int v = static_cast<int>(top); v < bottom; ++v)
      blend(pixels_[u * stepAlong + v * stepAcross], color_,
            static_cast<uint32_t>(whole * (std::min<double>(v + 1, bottom) - std::max<double>(v, top)) + 0.5));
  }
}

}  // namespace tessera
