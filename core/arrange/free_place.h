// Free positions for new boxes: as near as possible to the wanted one, below rather than above.
#pragma once

#include <span>

#include "core/arrange/arrangement.h"

namespace tessera {

// The step that takes boxes, which keep their places to each other, to where none of them is over what is taken. Not
// the room round all of them: copies of what stands far apart would stand further apart with every copy. downCost: what
// a step down costs, beside one across.
PointF freeStep(std::span<const RectF> boxes, std::span<const RectF> taken, float downCost = 1);
// The same for one box: where it comes to.
RectF freePlace(RectF wish, std::span<const RectF> taken);
// The same on a page, or in the open group `parent` of it, for a box that is none of it yet or for its box `self`;
// "below" is along the flow.
RectF freePlaceOn(const GraphView& view, const Arrangement& arrangement, RectF wish, int32_t parent = -1,
                  int32_t self = -1);
// Whether a box there would stand over another one of the page or group.
bool isTaken(const GraphView& view, const Arrangement& arrangement, RectF place, int32_t parent, int32_t self);

}  // namespace tessera
