// The blocks that the devices of a run hold, as one array again. Copies of a block are compared by value, with the
// tolerance of rounding: which is why this is not in core/devices. Used by device_values.
#pragma once

#include <span>

#include "core/devices/sharding.h"

namespace tessera {

// The whole out of every device's block, in device order. Several devices may hold the same block: the first of
// `likely` that fits and whose copies agree decides, else the order of the devices.
Result<Literal> joinBlocks(std::span<const Literal> blocks, const Shape& whole, std::span<const Tiling> likely = {});

}  // namespace tessera
