// Operations that read or write at places which an operand gives, on blocks of the dimension that the places count:
// each device counts from the beginning of its block and does what lies in it.
#pragma once

#include "core/passes/partition/block_builder.h"
#include "core/passes/partition/rules.h"

namespace tessera::partition {

class PlacedBlocks {
 public:
  // `blocks`: the operands of `whole` on this device, which are changed to what the operation on blocks takes.
  PlacedBlocks(BlockBuilder& build, const Instruction& whole, const Rule& rule, const Cuts& cuts,
               std::vector<InstructionId>& blocks);

  // The operation's result: of one that reads, with neutral elements of the combiner in place of what lies elsewhere.
  InstructionId masked(InstructionId result, Opcode combiner);

 private:
  void localize(const Factor& factor, const Cut& cut);
  InstructionId local(InstructionId places, const Cut& cut, int64_t size);
  void addCondition(InstructionId inside);
  void keepWhatLiesElsewhere();

  BlockBuilder& build_;
  const Instruction& whole_;
  std::vector<InstructionId>& blocks_;
  InstructionId inside_;  // pred: the place lies in the block. Invalid: what does not is not written anyway
};

}  // namespace tessera::partition
