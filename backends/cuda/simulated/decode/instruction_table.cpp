#include "backends/cuda/simulated/decode/instruction_table.h"

namespace tessera::cuda::simulated {

const InstructionTable& instructionTable() {
  static const InstructionTable table = [] {
    InstructionTable made;
    for (auto* add : {addIntegerInstructions, addBitInstructions, addFloatInstructions, addApproximateInstructions,
                      addCompareInstructions, addConvertInstructions, addMoveInstructions, addMemoryInstructions,
                      addAtomicInstructions, addWarpInstructions, addControlInstructions, addMatrixInstructions,
                      addWarpgroupInstructions, addCopyInstructions})
      add(made);
    return made;
  }();
  return table;
}

}  // namespace tessera::cuda::simulated
