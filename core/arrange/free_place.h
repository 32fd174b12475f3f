// A free position for a new box: as near as possible to the wanted one, below rather than above.
#pragma once

#include <span>

#include "core/arrange/arrangement.h"

namespace tessera {

RectF freePlace(RectF wish, std::span<const RectF> taken);

}  // namespace tessera
