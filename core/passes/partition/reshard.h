// Resharding: the block of an array that a device holds under one sharding, out of the one it holds under another.
#pragma once

#include "core/passes/partition/block_builder.h"

namespace tessera::partition {

// `array` is the device's block of an array of the shape `whole` under `from`. Cuts that fit the others are taken by
// slices first; a cut that moves to another dimension is an all-to-all, one whose blocks change devices a
// collective-permute, the rest is gathered and cut again. Neither sharding is manual.
InstructionId reshard(BlockBuilder& build, InstructionId array, const Shape& whole, const ArraySharding& from,
                      const ArraySharding& to);

}  // namespace tessera::partition
