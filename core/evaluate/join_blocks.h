// The blocks that the devices of a run hold, as one array again. Copies of a block are compared by value, with the
// tolerance of rounding: that is why this stands here and not in core/devices. Used by device_values.
#pragma once

#include <span>

#include "core/devices/sharding.h"

namespace tessera {

// The whole out of every device's block, in device order. Several devices may hold the same block: the first of
// `likely` that fits and whose copies agree says which, else the order of the devices does.
Result<Literal> joinBlocks(std::span<const Literal> blocks, const Shape& whole, std::span<const Tiling> likely = {});

}  // namespace tessera
