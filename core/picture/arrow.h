// The head of an arrow at the end of a path, for all painters of a Picture.
#pragma once

#include <array>
#include <cmath>

#include "core/picture/picture.h"

namespace tessera {

inline constexpr float kArrowLength = 7, kArrowHalfWidth = 3;

// The triangle's corners, tip first; `item` has at least two points.
inline std::array<PointF, 3> arrowHead(const PictureItem& item) {
  const PointF tip = item.points.back();
  size_t before = item.points.size() - 2;
  while (before > 0 && std::hypot(item.points[before].x - tip.x, item.points[before].y - tip.y) < 0.01f) --before;
  float dx = tip.x - item.points[before].x, dy = tip.y - item.points[before].y;
  const float length = std::max(std::hypot(dx, dy), 0.01f);
  dx /= length, dy /= length;
  const PointF base{tip.x - dx * kArrowLength, tip.y - dy * kArrowLength};
  return {tip,
          {base.x - dy * kArrowHalfWidth, base.y + dx * kArrowHalfWidth},
          {base.x + dy * kArrowHalfWidth, base.y - dx * kArrowHalfWidth}};
}

}  // namespace tessera
