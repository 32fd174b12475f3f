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
constexpr float kGap = 16;        // to what is beside
constexpr float kRowsApart = 28;  // to what is above and below: fields of open inputs are there
constexpr float kUpwards = 1.5f;  // what a step upwards costs more than one down

// The x nearest to `wish` at which no interval is touched; intervals are open.
float nearestOutside(float wish, std::vector<std::pair<float, float>>& blocked) {
  std::ranges::sort(blocked);
  float below = wish, above = wish;
  for (const auto& [from, to] : blocked)
    if (from < above && above < to) above = to;
  for (auto b = blocked.rbegin(); b != blocked.rend(); ++b)
    if (b->first < below && below < b->second) below = b->first;
  // Sorted by their beginnings, those that end further right may come late.
  for (bool again = true; again;) {
    again = false;
    for (const auto& [from, to] : blocked) {
      if (from < below && below < to) below = from, again = true;
      if (from < above && above < to) above = to, again = true;
    }
  }
  return above - wish <= wish - below ? above : below;
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

RectF freePlace(RectF wish, std::span<const RectF> taken) {
  const float line = wish.height / 2 + kRowsApart;
  RectF best = wish;
  float least = INFINITY;
  for (int k = -kLinesUp; k <= kLinesDown; ++k) {
    const float down = static_cast<float>(k) * line;
    const float vertical = down < 0 ? -down * kUpwards : down;
    if (vertical >= least) continue;
    std::vector<std::pair<float, float>> blocked;
    for (const RectF& box : taken)
      if (box.y < wish.y + down + wish.height + kRowsApart && wish.y + down < box.y + box.height + kRowsApart)
        blocked.push_back({box.x - wish.width - kGap, box.x + box.width + kGap});
    const float x = nearestOutside(wish.x, blocked);
    const float cost = vertical + std::abs(x - wish.x);
    if (cost < least) least = cost, best = {x, wish.y + down, wish.width, wish.height};
  }
  return best;
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
