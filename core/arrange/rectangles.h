// Rectangles of a scene put together and widened: by routes round boxes, pictures and their excerpts.
#pragma once

#include <algorithm>

#include "core/arrange/arrangement.h"

namespace tessera {

inline RectF grown(const RectF& r, float by) { return {r.x - by, r.y - by, r.width + 2 * by, r.height + 2 * by}; }

// The least rectangle round both.
inline RectF unionOf(const RectF& a, const RectF& b) {
  const float x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

}  // namespace tessera
