// A place for a new box beside those that stand: as near as possible to where it is wished, below rather than above.
#pragma once

#include <span>

#include "core/arrange/arrangement.h"

namespace tessera {

RectF freePlace(RectF wish, std::span<const RectF> taken);

}  // namespace tessera
