// Boxes set in line or at equal distances: where each goes. Used by the studio's commands.
#pragma once

#include <span>
#include <vector>

#include "core/arrange/arrangement.h"

namespace tessera {

enum class Alignment : uint8_t { Left, Centre, Right, Top, Middle, Bottom, SpreadAcross, SpreadDown };

// The boxes at their new places, in their order. Spreading keeps the outermost two and makes the gaps between equal; it
// takes three boxes or more to change anything.
std::vector<RectF> aligned(std::span<const RectF> boxes, Alignment alignment);

}  // namespace tessera
