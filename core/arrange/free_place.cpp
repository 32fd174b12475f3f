// In the wished line and in lines below and above it, the nearest gap that is wide enough; the nearest of all wins.
#include "core/arrange/free_place.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/arrange/box_style.h"
#include "core/arrange/flow.h"
#include "core/base/sorting.h"

namespace tessera {
namespace {

constexpr int kLinesDown = 24, kLinesUp = 4;
constexpr float kGap = box::kColumnGap;  // to what is beside: below a result stands its mark
constexpr float kRowsApart = 28;         // to what is above and below: fields of open inputs are there
constexpr float kUpwards = 1.5f;         // what a step upwards costs more than one down
constexpr size_t kMostPairs = 1 << 20;   // of boxes and what is taken; more boxes find room as one

// The steps across that a box may not take for the sake of another one, while the step down is within (above, below).
struct Blocked {
  float from, to;
  float above, below;
};

// Of every box and everything that is taken, of lines down between `first` and `last`; in the order of `from`.
std::vector<Blocked> blockedSteps(std::span<const RectF> boxes, std::span<const RectF> taken, float first, float last) {
  std::vector<Blocked> out;
  for (const RectF& own : boxes)
    for (const RectF& box : taken) {
      const float above = box.y - own.y - own.height - kRowsApart, below = box.y - own.y + box.height + kRowsApart;
      if (above < last && first < below)
        out.push_back({box.x - own.x - own.width - kGap, box.x - own.x + box.width + kGap, above, below});
    }
  sortBy(out, &Blocked::from);
  return out;
}

// The step across nearest to 0 that nothing blocks on a line.
float stepAcross(std::span<const Blocked> blocked, float down) {
  float from = -INFINITY, to = -INFINITY;  // of the blocked stretch around 0
  for (const Blocked& each : blocked) {
    if (each.above >= down || down >= each.below) continue;
    if (each.from < to)
      to = std::max(to, each.to);
    else if (to <= 0)
      from = each.from, to = each.to;
    else
      break;
  }
  if (from >= 0 || to <= 0) return 0;
  return to <= -from ? to : from;
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

PointF freeStep(std::span<const RectF> boxes, std::span<const RectF> taken, float downCost) {
  if (boxes.size() > 1 && boxes.size() * taken.size() > kMostPairs) {
    const RectF all = around(boxes);
    return freeStep({&all, 1}, taken, downCost);
  }
  const float line = std::ranges::max(boxes, {}, &RectF::height).height / 2 + kRowsApart;
  const std::vector<Blocked> blocked = blockedSteps(boxes, taken, -kLinesUp * line, kLinesDown * line);
  PointF best;
  float least = INFINITY;
  for (int k = -kLinesUp; k <= kLinesDown; ++k) {
    const float down = static_cast<float>(k) * line;
    const float vertical = downCost * (down < 0 ? -down * kUpwards : down);
    if (vertical >= least) continue;
    const float across = stepAcross(blocked, down);
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
