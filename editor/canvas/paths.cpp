// A path is a polyline, or cubics where it is curved.
#include "editor/canvas/paths.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
  const QPointF d = b - a;
  const double length = QPointF::dotProduct(d, d);
  const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
  const QPointF off = p - (a + d * t);
  return std::hypot(off.x(), off.y());
}

// Of a rectangle that holds the points [first, last] of a path, and so its curve between them.
double distanceToHull(const PictureItem& item, size_t first, size_t last, QPointF p) {
  double left = item.points[first].x, right = left, top = item.points[first].y, bottom = top;
  for (size_t i = first + 1; i <= last; ++i) {
    left = std::min<double>(left, item.points[i].x), right = std::max<double>(right, item.points[i].x);
    top = std::min<double>(top, item.points[i].y), bottom = std::max<double>(bottom, item.points[i].y);
  }
  const double x = std::max({left - p.x(), p.x() - right, 0.0}), y = std::max({top - p.y(), p.y() - bottom, 0.0});
  return std::sqrt(x * x + y * y);
}

}  // namespace

RectF toRectF(const QRectF& r) {
  return {static_cast<float>(r.x()), static_cast<float>(r.y()), static_cast<float>(r.width()),
          static_cast<float>(r.height())};
}

std::vector<QPointF> pointsAlong(const PictureItem& item) {
  std::vector<QPointF> out;
  const auto at = [&](size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
  const size_t step = item.curved ? 3 : 1;
  for (size_t i = 0; i + step < item.points.size(); i += step)
    for (int k = 0; k < 12; ++k) {
      const double t = k / 12.0, u = 1 - t;
      out.push_back(item.curved ? at(i) * (u * u * u) + at(i + 1) * (3 * u * u * t) + at(i + 2) * (3 * u * t * t) +
                                      at(i + 3) * (t * t * t)
                                : at(i) * u + at(i + 1) * t);
    }
  if (!item.points.empty()) out.push_back(at(item.points.size() - 1));
  return out;
}

bool mayPass(const PictureItem& item, const QRectF& frame) {
  const size_t step = item.curved ? 3 : 1;
  for (size_t i = 0; i + step < item.points.size(); i += step) {
    const auto [left, right] =
        std::minmax({item.points[i].x, item.points[i + 1].x, item.points[i + step - 1].x, item.points[i + step].x});
    const auto [top, bottom] =
        std::minmax({item.points[i].y, item.points[i + 1].y, item.points[i + step - 1].y, item.points[i + step].y});
    if (left <= frame.right() && right >= frame.left() && top <= frame.bottom() && bottom >= frame.top()) return true;
  }
  return false;
}

double distanceToPath(const PictureItem& item, QPointF p, double best) {
  auto at = [&](size_t i) { return QPointF(item.points[i].x, item.points[i].y); };
  const size_t step = item.curved ? 3 : 1;
  for (size_t i = 0; i + step < item.points.size(); i += step) {
    if (distanceToHull(item, i, i + step, p) >= best) continue;
    if (!item.curved) {
      best = std::min(best, distanceToSegment(p, at(i), at(i + 1)));
      continue;
    }
    QPointF last = at(i);
    for (int k = 1; k <= 12; ++k) {
      const double t = k / 12.0, u = 1 - t;
      const QPointF next =
          at(i) * (u * u * u) + at(i + 1) * (3 * u * u * t) + at(i + 2) * (3 * u * t * t) + at(i + 3) * (t * t * t);
      best = std::min(best, distanceToSegment(p, last, next));
      last = next;
    }
  }
  return best;
}

QPainterPath looseWire(QPointF from, QPointF to, Flow flow, double leastBend) {
  QPainterPath path(from);
  const double apart = flow == Flow::Right ? to.x() - from.x() : to.y() - from.y();
  const double bend = leastBend == 0 ? 0 : std::max(leastBend, std::abs(apart) / 2);
  const QPointF along = flow == Flow::Right ? QPointF(bend, 0) : QPointF(0, bend);
  path.cubicTo(from + along, to - along, to);
  return path;
}

}  // namespace tessera
