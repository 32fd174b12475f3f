// Halo exchange: what a block of an operation's work needs of an operand beyond the operand's own block. Ranges are
// planned without a module, and made by collective-permutes between blocks.
#pragma once

#include "core/passes/partition/block_builder.h"
#include "core/passes/partition/rules.h"

namespace tessera::partition {

// Indices of an operand's dimension, one range a block of the work, all of one length. They may lie outside of it.
struct BlockRanges {
  std::vector<int64_t> starts;
  int64_t count = 0;
  // Where indices are spread apart: what a block needs before the first and behind the last of them.
  int64_t paddingLow = 0, paddingHigh = 0;
};
// For work of `size` indices in `parts` blocks. Nullopt: there are no ranges, or they differ in form.
std::optional<BlockRanges> rangesOf(const Reach& reach, int64_t size, int64_t parts);

// Indices that a device gets from others, of an operand's dimension of `size` cut into `parts`: the most of all
// devices. Nullopt: no less than if it were gathered.
std::optional<int64_t> exchangedIndices(const BlockRanges& ranges, int64_t size, int64_t parts);

// An operand on this device.
struct ReachedArray {
  InstructionId block;
  int64_t dimension;
  int64_t size;      // of the whole along it
  ArraySharding at;  // whole along it, or cut as the work is
};
// The range that the device's block of the work needs. `outside` takes the place of what lies beyond the dimension: a
// scalar, or an array of the result's shape; invalid: it does not matter.
InstructionId takeRange(BlockBuilder& build, const ReachedArray& array, const BlockRanges& ranges, const Cut& work,
                        InstructionId outside);

// The block with `outside` in place of its padding.
InstructionId withoutPadding(BlockBuilder& build, const ReachedArray& array, InstructionId outside);

}  // namespace tessera::partition
