// A line covers of each column of pixels (of each row, if it is steep) one stretch; its ends cover columns in part.
#include "editor/canvas/thin_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace tessera {
namespace {

constexpr double kTolerance = 0.3;  // pixels between a curve and its lines

// Fractions of a pixel as integers: a column's place follows from the one before by an addition.
using Fixed = int64_t;
constexpr int kFixedBits = 24;
constexpr Fixed kPixel = Fixed{1} << kFixedBits;
Fixed toFixed(double pixels) { return static_cast<Fixed>(pixels * static_cast<double>(kPixel)); }

uint32_t coveredBy(Fixed part, Fixed opacity) {
  return static_cast<uint32_t>((part * opacity + kPixel / 2) >> kFixedBits);
}

// covered: of 256.
inline QRgb blended(QRgb pixel, QRgb color, uint32_t covered) {
  constexpr uint32_t kEveryOther = 0xff00ff;  // red and blue; alpha and green
  const uint32_t left = 256 - covered;
  const uint32_t low = ((pixel & kEveryOther) * left + (color & kEveryOther) * covered) >> 8;
  const uint32_t high = (pixel >> 8 & kEveryOther) * left + (color >> 8 & kEveryOther) * covered;
  return (low & kEveryOther) | (high & ~kEveryOther);
}

}  // namespace

// Columns of pixels side by side along a line, rows if it is steep.
struct ThinLines::Columns {
  QRgb* pixels;
  ptrdiff_t stepAlong, stepAcross;
  Fixed across;  // length of a column
  QRgb color;

  // Of each column the stretch from top to bottom is covered by `opacity` of 256; both move by `slope` from column to
  // column.
  void cover(int from, int to, Fixed top, Fixed bottom, Fixed slope, Fixed opacity) const {
    const Fixed thickness = bottom - top, most = across - 2 * kPixel;
    for (int u = from; u < to; ++u, top += slope) {
      if (thickness > kPixel || top < 0 || top > most) {
        cover(u, u + 1, top, top + thickness, opacity);
        continue;
      }
      // On two pixels, or on one and none of the next: no branch to guess.
      const Fixed first = std::min(kPixel - (top & (kPixel - 1)), thickness);
      QRgb* pixel = pixels + u * stepAlong + (top >> kFixedBits) * stepAcross;
      *pixel = blended(*pixel, color, coveredBy(first, opacity));
      pixel += stepAcross;
      *pixel = blended(*pixel, color, coveredBy(thickness - first, opacity));
    }
  }
  void cover(int from, int to, Fixed top, Fixed bottom, Fixed opacity) const {
    top = std::max<Fixed>(top, 0), bottom = std::min(bottom, across);
    for (Fixed v = top >> kFixedBits << kFixedBits; v < bottom; v += kPixel) {
      const Fixed part = std::min(v + kPixel, bottom) - std::max(v, top);
      const uint32_t covered = coveredBy(part, opacity);
      QRgb* pixel = pixels + from * stepAlong + (v >> kFixedBits) * stepAcross;
      for (int u = from; u < to; ++u, pixel += stepAlong) *pixel = blended(*pixel, color, covered);
    }
  }
};

ThinLines::ThinLines(QImage& image, QPointF origin, double pixels)
    : pixels_(reinterpret_cast<QRgb*>(image.bits())),
      width_(image.width()),
      height_(image.height()),
      stride_(static_cast<int>(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)))),
      origin_(origin),
      scale_(pixels) {
  const double margin = (kWidest + 1) / pixels;
  seen_ = {static_cast<float>(origin.x() - margin), static_cast<float>(origin.y() - margin),
           static_cast<float>(width_ / pixels + 2 * margin), static_cast<float>(height_ / pixels + 2 * margin)};
}

void ThinLines::setPen(const QColor& color, double width) {
  color_ = color.rgb();
  alpha_ = 256 * static_cast<double>(color.alphaF());
  lineWidth_ = width;
}

QPointF ThinLines::toPixels(PointF scene) const { return (QPointF(scene.x, scene.y) - origin_) * scale_; }

void ThinLines::path(std::span<const PointF> points, bool curved) {
  const size_t step = curved ? 3 : 1;
  for (size_t i = 0; i + step < points.size(); i += step) {
    const auto piece = points.subspan(i, step + 1);
    if (!maySee(piece)) {
      endStretch();
      continue;
    }
    if (!inStretch_) beginStretch(toPixels(piece[0]));
    if (curved)
      cubic({toPixels(piece[0]), toPixels(piece[1]), toPixels(piece[2]), toPixels(piece[3])});
    else
      lineTo(toPixels(piece[1]));
  }
  endStretch();
}

void ThinLines::beginStretch(QPointF from) {
  inStretch_ = true;
  goesOn_ = false;
  from_ = from;
}
void ThinLines::endStretch() {
  if (inStretch_ && goesOn_) line(from_, to_);
  inStretch_ = false;
}

// Pieces that go on straight are one line: from afar a wire has a piece every few pixels. A line passes all points that
// it leaves out within the tolerance, which is what the directions between left_ and right_ do.
void ThinLines::lineTo(QPointF to) {
  const auto cross = [](QPointF a, QPointF b) { return a.x() * b.y() - a.y() * b.x(); };
  QPointF way = to - from_;
  if (goesOn_ && (cross(left_, way) > 0 || cross(right_, way) < 0 || QPointF::dotProduct(to_ - from_, to - to_) < 0)) {
    line(from_, to_);
    from_ = to_;
    way = to - from_;
    goesOn_ = false;
  }
  const double length = std::sqrt(QPointF::dotProduct(way, way));
  if (length > kTolerance) {
    const QPointF aside = QPointF(-way.y(), way.x()) * (kTolerance / length);
    if (!goesOn_ || cross(left_, way + aside) < 0) left_ = way + aside;
    if (!goesOn_ || cross(right_, way - aside) > 0) right_ = way - aside;
    goesOn_ = true;
  }
  to_ = to;
}

// Of a wire through a large page most pieces are above or below.
bool ThinLines::maySee(std::span<const PointF> piece) const {
  const auto all = [&](auto&& isBeyond) { return std::ranges::all_of(piece, isBeyond); };
  const float left = seen_.x, right = left + seen_.width, top = seen_.y, bottom = top + seen_.height;
  return !all([=](PointF p) { return p.y < top; }) && !all([=](PointF p) { return p.y > bottom; }) &&
         !all([=](PointF p) { return p.x < left; }) && !all([=](PointF p) { return p.x > right; });
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
  if (!isNear({left, top}, {right, bottom})) return endStretch(), beginStretch(p[3]);
  if (std::max(right - left, bottom - top) > width_ + height_) {
    const QPointF a = (p[0] + p[1]) / 2, b = (p[1] + p[2]) / 2, c = (p[2] + p[3]) / 2;
    const QPointF ab = (a + b) / 2, bc = (b + c) / 2, middle = (ab + bc) / 2;
    cubic({p[0], a, ab, middle});
    return cubic({middle, bc, c, p[3]});
  }
  const QPointF first = p[0] - 2 * p[1] + p[2], second = p[1] - 2 * p[2] + p[3];
  const double bent = std::max(QPointF::dotProduct(first, first), QPointF::dotProduct(second, second));  // squared
  constexpr double kStraight = kTolerance / 0.75;
  const int lines =
      bent < kStraight * kStraight ? 1 : static_cast<int>(std::ceil(std::sqrt(std::sqrt(bent) / kStraight)));
  for (int k = 1; k < lines; ++k) {
    const double t = static_cast<double>(k) / lines, u = 1 - t;
    lineTo(u * u * u * p[0] + 3 * u * u * t * p[1] + 3 * u * t * t * p[2] + t * t * t * p[3]);
  }
  lineTo(p[3]);
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
  const Columns columns{pixels_, stepAlong, stepAcross, across * kPixel, color_};
  const auto centre = [&](double x) { return a.y() + slope * (x - a.x()); };
  const auto partly = [&](double left, double right) {  // within one column
    const double middle = centre((left + right) / 2);
    const int u = static_cast<int>(left);
    columns.cover(u, u + 1, toFixed(middle - half), toFixed(middle + half), std::lround((right - left) * alpha_));
  };
  const int first = static_cast<int>(std::ceil(from)), last = static_cast<int>(to);  // of the columns that it crosses
  if (first > last) return partly(from, to);
  if (from < first) partly(from, first);
  const Fixed top = toFixed(centre(first + 0.5) - half), bottom = top + toFixed(2 * half);
  const auto opacity = static_cast<Fixed>(std::lround(alpha_));
  if (slope == 0)
    columns.cover(first, last, top, bottom, opacity);
  else
    columns.cover(first, last, top, bottom, toFixed(slope), opacity);
  if (last < to) partly(last, to);
}

}  // namespace tessera
