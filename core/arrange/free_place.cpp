// In the wished line and in lines below and above it, the nearest gap that is wide enough; the nearest of all wins.
#include "core/arrange/free_place.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/arrange/box_style.h"
#include "core/arrange/flow.h"

namespace tessera {
namespace {

constexpr int kLinesDown = 24, kLinesUp = 4;
constexpr float kGap = 16;              // to what is beside
constexpr float kRowsApart = 28;        // to what is above and below: fields of open inputs are there
constexpr float kUpwards = 1.5f;        // what a step upwards costs more than one down
constexpr size_t kMostPairs = 1 << 20;  // of boxes and what is taken; more boxes find room as one

// The x nearest to 0 in none of the intervals, which are open.
float nearestOutside(std::vector<std::pair<float, float>>& intervals) {
  std::ranges::sort(intervals);
  std::pair<float, float> joined{-INFINITY, -INFINITY};
  for (const auto& [from, to] : intervals) {
    if (from < joined.second)
      joined.second = std::max(joined.second, to);
    else if (joined.second <= 0)
      joined = {from, to};
    else
      break;
  }
  if (joined.first >= 0 || joined.second <= 0) return 0;
  return joined.second <= -joined.first ? joined.second : joined.first;
}

RectF around(std::span<const RectF> boxes) {
  float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  for (const RectF& box : boxes) {
    left = std::min(left, box.x), right = std::max(right, box.x + box.width);
    top = std::min(top, box.y), bottom = std::max(bottom, box.y + box.height);
  }
  return {left, top, right - left, bottom - top};
}

// What stands on a level, without a box and the constants beside it.
std::vector<RectF> boxesOn(const GraphView& view, const Arrangement& arrangement, int32_t parent, int32_t self) {
  std::vector<bool> own(view.nodes.size());
  if (self >= 0) own[static_cast<size_t>(self)] = true;
  for (const ViewEdge& wire : view.edges)
    if (wire.to == self && view.nodes[static_cast<size_t>(wire.from)].kind == ViewNode::Kind::Attached)
      own[static_cast<size_t>(wire.from)] = true;
  std::vector<RectF> out;
  for (size_t v = 0; v < view.nodes.size(); ++v)
    if (view.nodes[v].parent == parent && !own[v]) out.push_back(arrangement.boxes[v]);
  return out;
}

}  // namespace

PointF freeStep(std::span<const RectF> boxes, std::span<const RectF> taken) {
  if (boxes.size() > 1 && boxes.size() * taken.size() > kMostPairs) {
    const RectF all = around(boxes);
    return freeStep({&all, 1}, taken);
  }
  const float line = std::ranges::max(boxes, {}, &RectF::height).height / 2 + kRowsApart;
  PointF best;
  float least = INFINITY;
  for (int k = -kLinesUp; k <= kLinesDown; ++k) {
    const float down = static_cast<float>(k) * line;
    const float vertical = down < 0 ? -down * kUpwards : down;
    if (vertical >= least) continue;
    std::vector<std::pair<float, float>> blocked;
    for (const RectF& own : boxes)
      for (const RectF& box : taken)
        if (box.y < own.y + down + own.height + kRowsApart && own.y + down < box.y + box.height + kRowsApart)
          blocked.push_back({box.x - own.x - own.width - kGap, box.x - own.x + box.width + kGap});
    const float across = nearestOutside(blocked);
    const float cost = vertical + std::abs(across);
    if (cost < least) least = cost, best = {across, down};
  }
  return best;
}

RectF freePlace(RectF wish, std::span<const RectF> taken) {
  const PointF step = freeStep({&wish, 1}, taken);
  return {wish.x + step.x, wish.y + step.y, wish.width, wish.height};
}

RectF freePlaceOn(const GraphView& view, const Arrangement& arrangement, RectF wish, int32_t parent, int32_t self) {
  std::vector<RectF> taken = boxesOn(view, arrangement, parent, self);
  for (RectF& box : taken) box = along(view.flow, box);
  return along(view.flow, freePlace(along(view.flow, wish), taken));
}

bool isTaken(const GraphView& view, const Arrangement& arrangement, RectF place, int32_t parent, int32_t self) {
  return std::ranges::any_of(boxesOn(view, arrangement, parent, self),
                             [&](const RectF& box) { return box.intersects(place); });
}

}  // namespace tessera
